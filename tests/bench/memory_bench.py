"""What memory and referrers cost: in a transformer of 70 layers, and in a process of a million objects.

python tests/bench/memory_bench.py [--rounds 5]
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from types import FrameType
from typing import Any

import torch
from goals import Figures, Goal
from torch import nn

from tensor_inspector.kinds import Child
from tensor_inspector.lenses import registry
from tensor_inspector.lenses.lens import Paused
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched

LAYERS, OBJECTS = 70, 1_000_000
MEMORY = Goal("what takes memory, in a transformer of 70 layers with its graph", 100, " ms")
REFERRERS = Goal("who keeps a value alive, among a million objects", 1000, " ms")


def ask(name: str, frame: FrameType, values: dict[str, Any]) -> float:
    """Milliseconds until the answer and its row are there."""
    started = time.perf_counter()
    with Untouched():
        asked = {role: Child(role, value, role) for role, value in values.items()}
        paused = Paused(frame, None, True, None, lambda expression, frame: None)
        lens = registry.lens(name, asked, {}, Budget(200), paused)
        while not lens.go_on():
            lens.budget.renew(200)
        assert lens.found()["lens"] == name
        lens.row()
    return (time.perf_counter() - started) * 1000


def in_a_transformer(rounds: int) -> list[float]:
    layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
    model = nn.TransformerEncoder(layer, LAYERS)
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.randn(8, 16, 64)).square().mean().backward()
    optimizer.step()
    loss = model(torch.randn(8, 16, 64)).square().mean()
    assert loss.requires_grad
    return [ask("memory", sys._getframe(), {}) for _ in range(rounds)]


def among_objects(rounds: int) -> list[float]:
    many = [{"a": [number]} for number in range(OBJECTS // 2)]
    value = torch.ones(3)
    many[-1]["a"].append(value)  # type: ignore[arg-type]
    print(f"{len(gc.get_objects()):,} objects")
    return [ask("referrers", sys._getframe(), {"value": value}) for _ in range(rounds)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    figures = Figures([MEMORY, REFERRERS])
    for goal, times in ((MEMORY, in_a_transformer(rounds)), (REFERRERS, among_objects(rounds))):
        figures.note(goal, min(times))
    return figures.report()


if __name__ == "__main__":
    sys.exit(main())
