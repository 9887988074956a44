"""A small convnet on synthetic pictures: halfway through the epoch the loss is NaN. The first row says where that began."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn.functional import cross_entropy


@dataclass
class Config:
    batch_size: int = 32
    learning_rate: float = 0.05
    classes: int = 10


class SmallNet(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                                      nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(4))  # fmt: skip
        self.classifier = nn.Linear(32 * 4 * 4, classes)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.features(images).flatten(1))


def pictures(count: int, classes: int) -> tuple[torch.Tensor, torch.Tensor]:
    labels = torch.randint(classes, (count,))
    images = torch.rand(count, 3, 32, 32) + 3 * torch.rand(classes, 3, 1, 1)[labels]
    images[405] = 0.0  # the lens cap was on
    return images, labels


def train(config: Config) -> list[float]:
    model = SmallNet(config.classes)
    optimizer = torch.optim.SGD(model.parameters(), lr=config.learning_rate, momentum=0.9)
    history: list[float] = []
    dataset = torch.utils.data.TensorDataset(*pictures(640, config.classes))
    for step, (raw, labels) in enumerate(torch.utils.data.DataLoader(dataset, config.batch_size)):
        images = (raw - raw.mean((1, 2, 3), keepdim=True)) / raw.std((1, 2, 3), keepdim=True)
        batch = {"image": images, "label": labels}
        logits = model(images)
        loss = cross_entropy(logits, batch["label"])
        optimizer.zero_grad()
        loss.backward()
        if not loss.isfinite():
            print(f"step {step}: loss is {loss.item()}")  # STOP
            break
        optimizer.step()
        history.append(loss.item())
    return history


if __name__ == "__main__":
    torch.manual_seed(0)
    losses = train(Config())
    print(f"{len(losses)} good steps, loss {losses[0]:.2f} → {losses[-1]:.2f}")
