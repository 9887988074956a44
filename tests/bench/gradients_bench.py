"""What the table of gradients costs: 644 tensors with 102 M elements, beside one `torch._foreach_norm` of them.

python tests/bench/gradients_bench.py [--rounds 5]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

import torch
from goals import Figures, Goal
from torch import nn

from tensor_inspector.kinds import Child
from tensor_inspector.lenses import registry
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched

TENSORS, ELEMENTS = 644, 102_000_000
TABLE = Goal("the table of gradients, to one _foreach_norm of them", 3)
UPDATES = Goal("the same with the updates of AdamW, to its step", 3)


def model_of(tensors: int, elements: int) -> nn.Module:
    width = elements // tensors // 256
    model = nn.ParameterList(nn.Parameter(torch.randn(256, width)) for _ in range(tensors))
    for weight in model.parameters():
        weight.grad = torch.randn_like(weight)
    return model


def milliseconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def ask(value: object) -> None:
    with Untouched():
        lens = registry.lens("gradients", {"model": Child("model", value, "model")}, {}, Budget(200), None)
        while not lens.go_on():
            lens.budget.renew(200)
        assert lens.found()["lens"] == "gradients"
        lens.row()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    figures = Figures([TABLE, UPDATES])
    model = model_of(TENSORS, ELEMENTS)
    gradients = [weight.grad for weight in model.parameters()]
    ours, theirs = [], []
    for _ in range(rounds):
        theirs.append(milliseconds(lambda: torch._foreach_norm(gradients)))
        ours.append(milliseconds(lambda: ask(model)))
    print(f"table {min(ours):.0f} ms, one _foreach_norm {min(theirs):.0f} ms")
    figures.compare(TABLE, ours, theirs, min)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-9)
    optimizer.step()
    ours, theirs = [], []
    for _ in range(rounds):
        theirs.append(milliseconds(optimizer.step))
        ours.append(milliseconds(lambda: ask(optimizer)))
    print(f"table with updates {min(ours):.0f} ms, one step {min(theirs):.0f} ms")
    figures.compare(UPDATES, ours, theirs, min)
    return figures.report()


if __name__ == "__main__":
    sys.exit(main())
