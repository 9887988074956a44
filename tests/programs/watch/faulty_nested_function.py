"""In a function within a function."""

import torch


def train():
    def normalize(x):
        centered = x - x.mean()
        return centered / centered.std()  # BUG: div, forward, 0

    x = torch.ones(4, requires_grad=True)
    loss = (normalize(x) ** 2).sum()
    loss.backward()


train()
