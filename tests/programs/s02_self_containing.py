"""Scenario 2: a dict and a list that hold themselves, and a chain of 100,000 lists, one inside the other."""

from __future__ import annotations

from typing import Any

import torch

DEPTH = 100_000


def main() -> None:
    state: dict[str, Any] = {"weight": torch.arange(6.0)}
    state["self"] = state
    steps: list[Any] = [1, 2]
    steps.append(steps)
    pair: tuple[Any, ...] = (steps, state)
    state["pair"] = pair
    chain: list[Any] = []
    for _ in range(DEPTH):
        chain = [chain]
    print("linked:", len(state), len(steps), len(chain))  # STOP
    while chain:  # from the outside in: freeing it in one go would recurse as deep as it is
        chain = chain[0]


if __name__ == "__main__":
    main()
