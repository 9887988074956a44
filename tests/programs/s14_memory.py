"""Scenario 14: what holds the memory: losses kept with their graphs, a buffer that everybody forgot."""

import torch
from torch import nn


class Trainer:
    """Keeps each step's loss, and with it the graph of the step."""

    def __init__(self) -> None:
        self.model = nn.Sequential(nn.Linear(64, 512), nn.ReLU(), nn.Linear(512, 1))
        self.optimizer = torch.optim.Adam(self.model.parameters())
        self.loss_history: list[torch.Tensor] = []
        self.debug = {"first_batch": torch.zeros(2048, 1024)}

    def step(self) -> None:
        x = torch.randn(256, 64)
        loss = self.model(x).square().mean()
        self.optimizer.zero_grad()
        loss.backward(retain_graph=True)
        self.optimizer.step()
        self.loss_history.append(loss)


def main() -> None:
    torch.manual_seed(0)
    trainer = Trainer()
    for _ in range(6):
        trainer.step()
    forgotten = trainer.debug["first_batch"]
    print(len(trainer.loss_history), forgotten.shape)  # STOP


if __name__ == "__main__":
    main()
