"""Scenario 13: what makes a backward fail, or a step grow, seen before it happens."""

import torch
from torch import nn


def twice() -> None:
    model = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1))
    loss = model(torch.randn(4, 8)).pow(2).mean()
    loss.backward()
    loss.backward()  # STOP


def in_place() -> None:
    layer = nn.Linear(8, 8)
    hidden = torch.sigmoid(layer(torch.randn(4, 8)))
    loss = hidden.pow(2).mean()
    hidden += 1
    loss.backward()  # STOP


def no_graph() -> None:
    model = nn.Linear(8, 3)
    predicted = model(torch.randn(4, 8)).argmax(1).float()
    loss = nn.functional.mse_loss(predicted, torch.ones(4))
    loss.backward()  # STOP


def growing() -> None:
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    total = 0.0
    for _ in range(4):
        loss = model(torch.randn(4, 8)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss
    print(total)  # STOP


def main() -> None:
    torch.manual_seed(0)
    for case in (twice, in_place, no_graph, growing):
        try:
            case()
        except RuntimeError as error:
            print(error)


if __name__ == "__main__":
    main()
