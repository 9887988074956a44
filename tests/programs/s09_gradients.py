"""Scenario 9: what backward left: in an ordinary model, of every kind, vanishing along depth, exploding in time."""

import torch
from torch import nn


def ordinary() -> None:
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    model.add_module("spare", nn.Identity())
    loss = model(torch.randn(32, 8)).pow(2).mean()
    loss.backward()
    print("ordinary")  # STOP


def of_every_kind() -> None:
    model = nn.ModuleDict({name: nn.Linear(4, 1) for name in ("fine", "off", "unused", "root")})
    x = torch.randn(8, 4)
    loss = model["fine"](x).pow(2).mean() + (0 * model["off"](x)).mean() + (0 * model["root"](x)).abs().sqrt().mean()
    loss.backward()
    print("of every kind")  # STOP


def vanishing() -> None:
    layers = [layer for _ in range(10) for layer in (nn.Linear(16, 16), nn.Sigmoid())]
    model = nn.Sequential(*layers, nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(32, 16)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    optimizer.step()  # STOP


def exploding() -> None:
    model, head = nn.RNN(4, 16, nonlinearity="relu", batch_first=True), nn.Linear(16, 1)
    with torch.no_grad():
        nn.init.orthogonal_(model.weight_hh_l0).mul_(4).abs_()
    optimizer = torch.optim.SGD([*model.parameters(), *head.parameters()], lr=0.01)
    out, _ = model(torch.randn(8, 12, 4))
    loss = head(out[:, -1]).pow(2).mean()
    loss.backward()
    optimizer.step()  # STOP


def main() -> None:
    torch.manual_seed(0)
    ordinary()
    of_every_kind()
    vanishing()
    exploding()


if __name__ == "__main__":
    main()
