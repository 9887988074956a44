"""What statistics cost, side by side in one run: ours, lovely-tensors, treescope, torch's repr.

    python tests/bench/stats_bench.py [ELEMENTS] [--quick] [--no-peers] [--rounds N]

Big tensors: ratios to one `torch.sum` over the same bytes (as float32), medians of 7 interleaved rounds with their
spread (lowest…highest), and extra memory. Small tensors: microseconds a call. ELEMENTS is 10**8 unless told.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import threading
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[2] / "pyhelper"))
from tensor_inspector.stats import of_tensor

ROUNDS = 7
SLOWEST = 60.0  # seconds; a peer that needs more for one call is not asked again


class Unlimited:
    max_elements = None

    def spent(self):
        return False

    def remaining_ms(self):
        return math.inf


class Timed(Unlimited):
    def __init__(self, ms):
        self._end = time.perf_counter() + ms / 1000

    def spent(self):
        return time.perf_counter() >= self._end

    def remaining_ms(self):
        return (self._end - time.perf_counter()) * 1000


def ours(t):
    with torch.no_grad():
        return of_tensor(t, Unlimited())


def peers():
    found = {}
    try:
        import lovely_tensors

        found["lovely"] = lambda t: str(lovely_tensors.lovely(t))
    except ImportError:
        print("lovely-tensors is not installed")
    try:
        import treescope

        found["treescope"] = treescope.render_to_text
    except ImportError:
        print("treescope is not installed")
    return {**found, "repr": repr}


def works(run, t):
    """Whether a peer can describe this tensor at all (treescope and the newest torch do not go together)."""
    try:
        return seconds(run, t) < SLOWEST / ROUNDS
    except Exception:
        return False


def cases(n):
    """Name, promised ratio, tensor; made one at a time, since each may take half a gigabyte."""
    side = math.isqrt(n)
    base = torch.randn(side, side)
    yield "float32", 3.2, base
    one = base.clone()
    one[side // 2, 3] = math.nan
    yield "one NaN", 4, one
    del one
    many = base.clone()
    many[torch.rand(side, side) < 0.1] = math.nan
    yield "10% NaN", 7, many
    del many
    yield "off centre", None, base + 100
    yield "bfloat16", 7, base.bfloat16()
    yield "float16", 7, base.half()
    yield "int64", 6, torch.randint(-1000, 1000, (side, side))
    yield "int64 big", None, torch.randint(-(2**62), 2**62, (side, side))
    yield "uint8", 12, torch.randint(0, 256, (side, side), dtype=torch.uint8)
    yield "int8", 12, torch.randint(-128, 128, (side, side), dtype=torch.int8)
    if hasattr(torch, "float8_e4m3fn"):
        yield "float8_e4m3fn", 12, base.to(torch.float8_e4m3fn)
    yield "bool", None, base > 0
    yield "transposed", 3.2, base.t()
    yield "[:, ::2]", 6, base[:, ::2]
    yield "float64", None, base.double()


def seconds(function, *arguments):
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def peak_extra(function, t):
    """MB by which resident memory rises while `function(t)` runs, sampled every millisecond."""

    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    function(t)
    base, top, done = resident(), [0], threading.Event()

    def watch():
        while not done.wait(0.0005):
            top[0] = max(top[0], resident())

    thread = threading.Thread(target=watch)
    thread.start()
    function(t)
    done.set()
    thread.join()
    return max(0, top[0] - base) / 1e6


def spread(numbers, digits=1):
    return f"{statistics.median(numbers):.{digits}f} ({min(numbers):.{digits}f}…{max(numbers):.{digits}f})"


def big(n, rounds, others):
    print(f"\n{n:.0e} elements, × one torch.sum over the same bytes as float32; {torch.get_num_threads()} threads")
    print(f"{'':14} {'goal':>5} {'ours':>18} {'extra MB':>9}  {'of own sum':>10}", *(f"{name:>20}" for name in others))
    for name, goal, t in cases(n):
        words = torch.empty(t.numel() * t.element_size() // 4).fill_(0.5)
        own = t if t.dtype.itemsize > 1 or t.dtype is torch.uint8 else t.view(torch.uint8)
        contenders = {
            "sum": lambda t, words=words: words.sum(),
            "own": lambda t, own=own: own.sum(),
            "ours": ours,
            **others,
        }
        times = {who: [] for who in contenders}
        for who, run in contenders.items():
            if who in others and not works(run, t):
                times[who] = None
        for _ in range(rounds):
            for who, run in contenders.items():
                if times[who] is not None and not (who in others and len(times[who]) >= 3):
                    times[who].append(seconds(run, t))
        floor = statistics.median(times["sum"])
        line = [
            f"{name:14} {goal or '':>5} {spread([x / floor for x in times['ours']]):>18} {peak_extra(ours, t):9.1f}"
        ]
        line.append(f"{statistics.median(times['ours']) / statistics.median(times['own']):11.1f}")
        line += [
            f"{'fails or slow' if not times[who] else spread([x / floor for x in times[who]], 0):>20}" for who in others
        ]
        print(*line, flush=True)


def budgeted(n, rounds):
    t = torch.randn(n)
    with torch.no_grad():
        times = [seconds(lambda: of_tensor(t, Timed(40))) * 1e3 for _ in range(rounds)]
        short = [seconds(lambda: of_tensor(t, Timed(8))) * 1e3 for _ in range(rounds)]
    print(f"\nfloat32, budget 40 ms: {spread(times)} ms; budget 8 ms: {spread(short)} ms")


def small(rounds, others):
    print("\n1,000 elements, µs a call over 200 calls")
    shapes = {
        "float32": torch.randn(1000),
        "with NaN": torch.randn(1000).index_fill_(0, torch.tensor([5]), math.nan),
        "int64": torch.randint(0, 9, (1000,)),
        "bfloat16": torch.randn(1000).bfloat16(),
        "10^12 expanded": torch.ones(10, 10).expand(10**10, 10, 10),
    }
    for name, t in shapes.items():
        able = {} if "expanded" in name else {who: run for who, run in others.items() if works(run, t)}
        calls = {"ours": ours, **able}
        times = {who: [] for who in calls}
        for _ in range(rounds):
            for who, run in calls.items():
                repeat = 200 if who == "ours" else 5
                run(t)
                start = time.perf_counter()
                for _ in range(repeat):
                    run(t)
                times[who].append((time.perf_counter() - start) / repeat * 1e6)
        print(f"{name:16}", *(f"{who} {spread(found)}" for who, found in times.items()), sep="  ", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("elements", nargs="?", type=float, default=1e8)
    parser.add_argument("--quick", action="store_true", help="10**6 elements")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    arguments = parser.parse_args()
    n = 10**6 if arguments.quick else int(arguments.elements)
    others = {} if arguments.no_peers else peers()
    torch.manual_seed(0)
    small(arguments.rounds, others)
    big(n, arguments.rounds, others)
    budgeted(n, arguments.rounds)


if __name__ == "__main__":
    main()
