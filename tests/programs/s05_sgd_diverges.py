"""Scenario 5: SGD with a learning rate of 1000 on `Linear(10, 1)`; the loss turns Inf and then NaN."""

import torch
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    inputs, targets = torch.randn(64, 10), torch.randn(64, 1)
    model = nn.Linear(10, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1000.0)
    losses: list[float] = []
    for step in range(100):
        loss = nn.functional.mse_loss(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if loss.isnan():
            print(f"loss is NaN at step {step}")  # STOP
            break


if __name__ == "__main__":
    main()
