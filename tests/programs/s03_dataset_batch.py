"""Scenario 3: a batch whose metadata holds the whole dataset, with weak references and caches that point back."""

from __future__ import annotations

import weakref
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset


class Scans(Dataset[dict[str, Any]]):
    """Each item carries its origin, so that a bad one can be traced, and the origin is the dataset itself."""

    def __init__(self, count: int = 8) -> None:
        self.images = torch.rand(count, 1, 8, 8, generator=torch.Generator().manual_seed(0))
        self.cache: dict[int, dict[str, Any]] = {}
        self.itself = weakref.ref(self)

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: int) -> dict[str, Any]:
        if index not in self.cache:
            meta = {"index": index, "dataset": self, "cache": self.cache}
            self.cache[index] = {"image": self.images[index], "label": index % 2, "meta": meta}
        return self.cache[index]


def collate(items: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "image": torch.stack([item["image"] for item in items]),
        "label": torch.tensor([item["label"] for item in items]),
        "meta": [item["meta"] for item in items],
    }


def main() -> None:
    dataset = Scans()
    loader = DataLoader(dataset, batch_size=4, collate_fn=collate)
    for batch in loader:
        origin = weakref.proxy(batch["meta"][0]["dataset"])
        mean = batch["image"].mean()
        print(f"batch of {len(batch['label'])} out of {len(origin)}, mean {mean:.3f}")  # STOP


if __name__ == "__main__":
    main()
