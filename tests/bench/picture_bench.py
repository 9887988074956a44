"""What the program's share of a picture on the details page costs, beside other ways to see the same tensor.

python tests/bench/picture_bench.py [--rounds 7] [--no-peers]
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from goals import Figures, Goal
from PIL import Image

from tensor_inspector.kinds import Child
from tensor_inspector.lenses import registry
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched
from tensor_inspector.wire import tagged

SIDE = 1000
AS_PNG = Goal("a picture of 10⁶ elements, to normalising them and writing a PNG", 0.5)
AS_FIGURE = Goal("the same, to imshow and savefig of matplotlib", 0.25)
EXPANDED = Goal("a picture of 10¹⁰ expanded elements, to one of 10⁶", 2)
NUMBERS = Goal("a page of 1,000 numbers", 50, " ms")


def milliseconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def ask(value: torch.Tensor, **options: Any) -> None:
    """A part of the page in one call, as far as the wire."""
    with Untouched():
        lens = registry.lens("details", {"value": Child("x", value, "x")}, options, Budget(200), None)
        while not lens.go_on():
            lens.budget.renew(200)
        found = lens.found()
    assert "missing" not in found, found
    json.dumps(tagged(found), allow_nan=False)


def as_png(value: torch.Tensor) -> None:
    """As image viewers for debuggers do: the whole tensor as bytes, in a file that is sent."""
    array = value.detach().cpu().numpy()
    low, high = array.min(), array.max()
    grey = ((array - low) / (high - low) * 255).astype("uint8")
    Image.fromarray(grey).save(io.BytesIO(), "PNG")


def as_figure(value: torch.Tensor) -> None:
    from matplotlib.figure import Figure

    figure = Figure()
    figure.add_subplot().imshow(value.numpy())
    figure.savefig(io.BytesIO(), format="png")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--no-peers", action="store_true", help="only what is among the tests' packages")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    plane, wide = torch.randn(SIDE, SIDE), torch.randn(1, 1).expand(10**5, 10**5)
    ways: dict[str, Callable[[], object]] = {
        "ours": lambda: ask(plane, parts="picture"),
        "png": lambda: as_png(plane),
        "expanded": lambda: ask(wide, parts="picture"),
        "numbers": lambda: ask(plane, parts="values", window=[0, 50, 0, 20]),
    }
    if not arguments.no_peers:
        ways["figure"] = lambda: as_figure(plane)
    for way in ways.values():
        way()
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(arguments.rounds):
        for name, way in ways.items():
            times[name].append(milliseconds(way))
    print(", ".join(f"{name} {sorted(taken)[len(taken) // 2]:.1f} ms" for name, taken in times.items()))
    figures = Figures([AS_PNG, EXPANDED, NUMBERS, *([] if arguments.no_peers else [AS_FIGURE])])
    figures.compare(AS_PNG, times["ours"], times["png"])
    figures.compare(EXPANDED, times["expanded"], times["ours"])
    figures.note(NUMBERS, sorted(times["numbers"])[arguments.rounds // 2])
    if not arguments.no_peers:
        figures.compare(AS_FIGURE, times["ours"], times["figure"])
    return figures.report()


if __name__ == "__main__":
    sys.exit(main())
