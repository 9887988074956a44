"""A loop with an evaluation after each epoch."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset


def loader():
    x = torch.randn(64, 8)
    y = (x[:, 0] + x[:, 1] > 0).long() + (x[:, 2] > 0.5).long()
    return DataLoader(TensorDataset(x, y), batch_size=16)


def evaluate(accelerator, model, loader):
    model.eval()
    right, total = 0, 0
    for x, y in loader:
        with torch.no_grad():
            logits = model(x)
        guesses, labels = accelerator.gather_for_metrics((logits.argmax(1), y))
        right += (guesses == labels).sum().item()
        total += len(labels)
    return right / total


def train():
    torch.manual_seed(0)
    accelerator = Accelerator(cpu=True)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 3))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    model, optimizer, batches, tests = accelerator.prepare(model, optimizer, loader(), loader())
    for epoch in range(2):
        model.train()
        for x, y in batches:
            optimizer.zero_grad()
            logits = model(x)
            loss = F.cross_entropy(logits, y)
            accelerator.backward(loss)
            optimizer.step()
        accuracy = evaluate(accelerator, model, tests)
        accelerator.print(f"{epoch}: {accuracy:.2f}")
