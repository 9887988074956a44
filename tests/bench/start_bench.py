"""What a start and the first stop cost with us, beside without us, interleaved, through the real adapter: the start of a
session, the first values, a program that never stops, and what the debugger's own views take for a storage.

    python tests/bench/start_bench.py [--rounds 7] [--megabytes 0.25 30]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "debugpy"))

from client import LIMIT, Client, Message, stop_lines
from goals import Figures, Goal
from helper import Helper, inject_expression
from stop_bench import FRAME, milliseconds, spread

ENDLESS = """
import json, time
def peak():
    try:
        status = open("/proc/self/status").read()
    except OSError:  # not Linux
        return 0
    return int(status.split("VmHWM:")[1].split()[0]) / 1024
started = last = time.perf_counter()
longest = 0
for _ in range(1_000_000):
    now = time.perf_counter()
    longest = max(longest, now - last)
    last = now
print(json.dumps([(last - started) * 1000, longest * 1000, peak()]))
"""
STORAGE = """
import torch
storage = torch.zeros({bytes}, dtype=torch.uint8).untyped_storage()
print("here")  # STOP
"""


class Timed(Client):
    """A client that notes when what it waits for came."""

    def __init__(self, with_us: bool) -> None:
        super().__init__(greeting=inject_expression(stock_views=True) if with_us else None)
        self.came: dict[str, float] = {}

    def wait_for_event(self, name: str, *, limit: float = LIMIT) -> Message:
        body = super().wait_for_event(name, limit=limit)
        self.came[name] = time.perf_counter()
        return body

    def request(self, command: str, arguments: Mapping[str, object] | None = None, *, limit: float = LIMIT) -> Any:
        body = super().request(command, arguments, limit=limit)
        self.came[command] = time.perf_counter()
        return body

    def since(self, event: str, then: str = "") -> float:
        return ((self.came[then] if then else time.perf_counter()) - self.came[event]) * 1000


def first_stop(program: Path, with_us: bool) -> tuple[float, float]:
    """From `initialized` to `configurationDone` answered, and from `stopped` to the values of the frame, or, without us,
    to the answer to a `1` evaluated there."""
    with Timed(with_us) as client:
        stop = client.launch(program, breakpoints=stop_lines(program).values())
        if with_us:
            Helper(client).frame(stop, limits={})
        else:
            client.evaluate("1", stop.frame)
        return client.since("initialized", "configurationDone"), client.since("stopped")


def endless(program: Path, with_us: bool) -> tuple[float, float, float]:
    """Of a program that never stops, as it says: its time, the longest it stood still, the most memory it took."""
    with Timed(with_us) as client:
        client.start(program)
        client.wait_for_end()
        took, longest, megabytes = json.loads(client.output("stdout"))
        return took, longest, megabytes


def storage(folder: Path, megabytes: float, with_us: bool) -> float:
    """The debugger's own `variables` at the first stop, with a storage in the frame."""
    program = folder / "storage.py"
    program.write_text(STORAGE.format(bytes=int(megabytes * 2**20)), "utf-8")
    with Timed(with_us) as client:
        stop = client.launch(program, breakpoints=stop_lines(program).values())
        question = {"variablesReference": client.scopes(stop.frame)[0]["variablesReference"]}
        return milliseconds(lambda: client.request("variables", question, limit=LIMIT + 20 * megabytes))


CONFIGURED = Goal("initialized to configurationDone, of the time without us", 1)
FIRST_VALUES = Goal("stopped to our values at the first stop", 60, " ms")
RUNNING = Goal("a program that never stops, of its time without us", 1.05)
STANDING_STILL = Goal("the longest that it stands still, of the longest without us", 1)
SWITCH = sys.getswitchinterval() * 1000  #: ms for which a thread may keep the interpreter: shorter pauses are anyone's
MEMORY = Goal("the memory that it takes more than without us", 6, " MB")
STORAGE_SHOWN = Goal("stock Variables beside a storage, of the time without us", 0.1)


def both(name: str, ours: list[float], without: list[float]) -> None:
    print(f"  {name}: ours        {spread(ours)}")
    print(f"  {name}: without us  {spread(without)}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--megabytes", type=float, nargs="+", default=[0.25, 30])
    arguments = parser.parse_args()
    figures = Figures([CONFIGURED, FIRST_VALUES, RUNNING, STANDING_STILL, MEMORY, STORAGE_SHOWN])
    order = [turn % 2 == 0 for turn in range(2 * arguments.rounds)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        frame, runs = folder / "frame.py", folder / "endless.py"
        frame.write_text(FRAME.format(names=", ".join(f"t{i}" for i in range(50))), "utf-8")
        runs.write_text(ENDLESS, "utf-8")
        starts = [(with_us, *first_stop(frame, with_us)) for with_us in order]
        never = [(with_us, *endless(runs, with_us)) for with_us in order]
        stored = {size: [storage(folder, size, with_us) for with_us in (True, False)] for size in arguments.megabytes}

    def taken(rows: Sequence[tuple[float, ...]], at: int) -> tuple[list[float], list[float]]:
        ours, without = ([row[at] for row in rows if row[0] == with_us] for with_us in (True, False))
        return ours, without

    print(f"A session's start and first stop, a frame of 50 tensors, {arguments.rounds} interleaved rounds")
    both("initialized to configurationDone", *taken(starts, 1))
    figures.compare(CONFIGURED, *taken(starts, 1))
    values, first_evaluate = taken(starts, 2)
    print(f"  stopped to our values               {spread(values)}")
    print(f"  stopped to the debugger's first evaluate, without us  {spread(first_evaluate)}")
    figures.note(FIRST_VALUES, median(values))
    print(f"A program that never stops, a loop of 1,000,000 turns, {arguments.rounds} interleaved rounds")
    both("its time", *taken(never, 1))
    figures.compare(RUNNING, *taken(never, 1))
    both("the longest it stands still", *taken(never, 2))
    # what else runs makes it stand still in single rounds
    figures.compare(STANDING_STILL, *taken(never, 2), of=lambda pauses: max(SWITCH, min(pauses)))
    memory, without_us = map(median, taken(never, 3))
    print(f"  its memory: {memory:.1f} MB, without us {without_us:.1f} MB")
    figures.note(MEMORY, memory - without_us)
    print("The debugger's own `variables` at the first stop, with an untyped storage in the frame")
    for size, (ours, without) in stored.items():
        print(f"  {size:g} MB: ours {ours:.1f} ms, without us {without:.0f} ms: {without / ours:.0f} times as long")
    figures.note(STORAGE_SHOWN, max(ours / without for ours, without in stored.values()))
    return figures.report()


if __name__ == "__main__":
    sys.exit(main())
