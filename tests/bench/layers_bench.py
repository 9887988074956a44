"""What the table of a model's layers costs, and what running it with each layer noted costs beside a plain forward.

python tests/bench/layers_bench.py [--rounds 5]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from goals import Figures, Goal
from torch import nn

from tensor_inspector.kinds import Child
from tensor_inspector.lenses import registry
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched

LAYERS, WIDTH, BATCH, LENGTH = 70, 256, 16, 64
TABLE = Goal("the layers of a 70-layer transformer as a table", 100, " ms")
SHAPES = Goal("what each of its layers gives, to one forward", 1.3)


def milliseconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def ask(name: str, options: dict[str, Any], **values: object) -> None:
    guard = Untouched()
    with guard:
        asked = {role: Child(role, value, role) for role, value in values.items()}
        lens = registry.lens(name, asked, options, Budget(200), None)
        lens.guard = guard
        while not lens.go_on():
            lens.budget.renew(200)
        assert lens.found()["lens"] == name
        lens.row()
        lens.text()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    figures = Figures([TABLE, SHAPES])
    layer = nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, batch_first=True)
    model, x = nn.TransformerEncoder(layer, LAYERS), torch.randn(BATCH, LENGTH, WIDTH)
    tables, ours, theirs = [], [], []
    for _ in range(rounds):
        tables.append(milliseconds(lambda: ask("model", {}, model=model)))
        theirs.append(milliseconds(lambda: model(x)))
        ours.append(milliseconds(lambda: ask("shapes", {"run": True}, module=model, input1=x)))
    print(f"table {min(tables):.0f} ms, shapes {min(ours):.0f} ms, one forward {min(theirs):.0f} ms")
    figures.note(TABLE, min(tables))
    figures.compare(SHAPES, ours, theirs, min)
    return figures.report()


if __name__ == "__main__":
    sys.exit(main())
