"""What the graph of a step of a 70-layer transformer costs as data to be drawn, beside a plain walk of torch's own graph.

python tests/bench/graph_bench.py [--rounds 7]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from statistics import median
from typing import Any

import torch
from goals import Figures, Goal
from torch import nn

from tensor_inspector.kinds import Child
from tensor_inspector.lenses import registry
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched

LAYERS, WIDTH, BATCH, LENGTH = 70, 32, 2, 8
DRAWN = Goal("the graph of a 70-layer transformer as data to be drawn", 300, " ms")


def loss_of() -> torch.Tensor:
    layer = nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, batch_first=True)
    return nn.TransformerEncoder(layer, LAYERS)(torch.randn(BATCH, LENGTH, WIDTH)).sum()  # type: ignore[no-any-return]


def walk(loss: torch.Tensor) -> int:
    """How many nodes there are."""
    waiting: list[Any] = [loss.grad_fn]
    met = set(waiting)
    while waiting:
        for below, _ in waiting.pop().next_functions:
            if below is not None and below not in met:
                met.add(below)
                waiting.append(below)
    return len(met)


def drawn(loss: torch.Tensor) -> int:
    """How many nodes are drawn, once the answer is text."""
    guard = Untouched()
    with guard:
        lens = registry.lens("autograd", {"tensor": Child("loss", loss, "loss")}, {"drawn": True}, Budget(200), None)
        lens.guard = guard
        while not lens.go_on():
            lens.budget.renew(200)
        found: Any = lens.found()
        assert json.dumps(found)
    return len(found["graph"]["op"])


def milliseconds(work: Any, loss: torch.Tensor) -> float:
    started = time.thread_time()
    work(loss)
    return (time.thread_time() - started) * 1000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    figures = Figures([DRAWN])
    loss = loss_of()
    assert drawn(loss) == walk(loss)
    ours, plain = [], []
    for _ in range(rounds):
        ours.append(milliseconds(drawn, loss))
        plain.append(milliseconds(walk, loss))
    print(f"{walk(loss):,} nodes: drawn {median(ours):.0f} ms, a walk {median(plain):.0f} ms")
    figures.note(DRAWN, median(ours), min(ours))
    return figures.report()


if __name__ == "__main__":
    sys.exit(main())
