"""Scenario 18: a model left in eval while it trains, one in train while it is judged, and BatchNorm of a batch of one."""

import threading

import torch
from torch import nn


def net() -> nn.Sequential:
    return nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 2))


def eval_left_on() -> None:
    model = net()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(2):
        x, y = torch.randn(16, 8), torch.arange(16) % 2
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step == 1:
            print("second step")  # STOP
        model.eval()
        with torch.no_grad():
            model(x)


def train_left_on() -> None:
    model = net()
    x, y = torch.randn(64, 8), torch.arange(64) % 2
    with torch.no_grad():
        logits = model(x)
        correct = (logits.argmax(1) == y).sum().item()
        print(correct)  # STOP


def batch_of_one() -> None:
    model = net()
    for x in torch.randn(17, 8).split(8):
        print(model(x).shape)  # STOP


def main() -> None:
    torch.manual_seed(0)
    for case in (eval_left_on, train_left_on, batch_of_one):
        thread = threading.Thread(target=case)
        thread.start()
        thread.join()


if __name__ == "__main__":
    main()
