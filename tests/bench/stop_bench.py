"""What a stop costs, sent to received, through the real adapter: our one `frame` request against the stock `variables`
request for the same frame, and the debugger's own views with our rows against without.

    python tests/bench/stop_bench.py [--rounds 7]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1] / "debugpy"))

from client import Client, Stop, stop_lines
from goals import Figures, Goal
from helper import Helper

FRAME = """
import torch
def step({names}):
    for turn in range(1000):
        turn += 0  # STOP
step(*(torch.randn(1000) for _ in range(50)))
"""


def milliseconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def stops(program: Path, rounds: int) -> tuple[list[float], list[float], int, int]:
    """Times of our request and of the stock one, a stop each in turn from the second on, and their answers' bytes."""
    ours: list[float] = []
    stock: list[float] = []
    with Client() as client:
        stop: Stop = client.launch(program, breakpoints=stop_lines(program).values())
        helper = Helper(client)
        helper.frame(stop)
        for turn in range(rounds * 2):
            stop = client.resume(stop.thread)
            client.stack(stop.thread)
            if turn % 2:
                ours.append(milliseconds(lambda stop=stop: helper.frame(stop)))
                size = _last_bytes(client)
            else:
                scopes = client.scopes(stop.frame)
                reference = next(scope["variablesReference"] for scope in scopes if scope["name"] == "Locals")
                stock.append(milliseconds(lambda reference=reference: client.variables(reference)))
                stock_size = _last_bytes(client)
    return ours, stock, size, stock_size


def views(program: Path, rounds: int) -> dict[str, tuple[list[float], list[float], int, int]]:
    """Locals, and a tensor opened in them, in the debugger's own views: with our rows, and as they are without us."""
    found: dict[str, tuple[list[float], list[float], list[int], list[int]]] = {
        "50 locals": ([], [], [], []), "a tensor opened": ([], [], [], []),
    }  # fmt: skip
    with Client() as client:
        stop: Stop = client.launch(program, breakpoints=stop_lines(program).values())
        helper = Helper(client)
        for turn in range((rounds + 1) * 2):
            on = turn % 2
            helper.frame(stop, preferences={"stock_views": bool(on)})
            stop = client.resume(stop.thread)
            client.stack(stop.thread)
            locals_ = client.scopes(stop.frame)[0]["variablesReference"]
            for name in found:
                times, sizes = found[name][1 - on], found[name][3 - on]
                if name == "50 locals":
                    reference = locals_
                else:
                    row = next(row for row in client.variables(locals_) if row["name"] == "t0")
                    reference = row["variablesReference"]
                took = milliseconds(lambda reference=reference: client.variables(reference))
                if turn > 1:  # the first of each asks what every class is
                    times.append(took)
                    sizes.append(_last_bytes(client))
    return {name: (ours, stock, max(size), max(other)) for name, (ours, stock, size, other) in found.items()}


def _last_bytes(client: Client) -> int:
    return next(len(json.dumps(message)) for way, message in reversed(client.traffic) if way == "←")


def spread(values: list[float]) -> str:
    return f"{median(values):7.2f} ms  ({min(values):.2f}…{max(values):.2f})"


FRAME_TIME = Goal("our answer for a frame, of the time of stock Variables", 0.4)
FRAME_SIZE = Goal("our answer for a frame", 32, " KB")
LOCALS = Goal("50 locals in stock Variables, of the time without us", 0.6)
OPENED = Goal("a tensor opened in stock Variables, of the time without us", 0.25)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    figures = Figures([FRAME_TIME, FRAME_SIZE, LOCALS, OPENED])
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program.py"
        program.write_text(FRAME.format(names=", ".join(f"t{i}" for i in range(50))), "utf-8")
        ours, stock, size, stock_size = stops(program, rounds)
        seen = views(program, rounds)
    print(f"A frame of 50 tensors of 1,000 elements, both with TCP_NODELAY, {rounds} interleaved rounds")
    print(f"  frame (ours, with statistics)  {spread(ours)}  {size / 1024:5.1f} KB")
    print(f"  variables (stock)              {spread(stock)}  {stock_size / 1024:5.1f} KB")
    figures.compare(FRAME_TIME, ours, stock)
    figures.note(FRAME_SIZE, size / 1024)
    print("The debugger's own views, with our rows and without us")
    for (name, (mine, theirs, size, other)), goal in zip(seen.items(), (LOCALS, OPENED)):
        print(f"  {name}: ours        {spread(mine)}  {size / 1024:5.1f} KB")
        print(f"  {name}: without us  {spread(theirs)}  {other / 1024:5.1f} KB")
        figures.compare(goal, mine, theirs)
    return figures.report()


if __name__ == "__main__":
    sys.exit(main())
