"""What describing values costs, beside lovely-tensors, treescope and torch's repr, in one run.

    python tests/bench/stats_bench.py [ELEMENTS] [--quick] [--no-peers] [--rounds N] [--only WORD ...]

Medians of 7 interleaved rounds with their spread (lowest…highest), as Markdown tables, and what has a goal beside it.
Large tensors are told as ratios to one `torch.sum` over the same bytes as float32. ELEMENTS is 10**8 unless told.
"""

from __future__ import annotations

import argparse
import compileall
import ctypes
import math
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from goals import Figures, Goal

sys.path.insert(0, str(Path(__file__).parents[2] / "pyhelper"))
from tensor_inspector import facts, summarize
from tensor_inspector.kinds import Child, Rows
from tensor_inspector.kinds.torch.finite import find_not_finite
from tensor_inspector.measure.stats import of_tensor
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched
from tensor_inspector.stop.snapshot import PAGE, Snapshot

WHOLE = 10**8  #: elements of a large tensor
ROUNDS = 7
BUDGET_MS = 40.0
SLOWEST = 60.0  # seconds; a peer that needs more for one call is not asked again
TABLES = ("small", "quick", "many", "large", "budgeted", "busy")
PEERS = ("lovely", "treescope", "repr")
Run = Callable[[Any], object]

COLD = """
import sys, time
sys.path.insert(0, sys.argv[1])
import torch, tensor_inspector
value = torch.randn(1000)
start = time.perf_counter()
tensor_inspector.summarize(value)
print((time.perf_counter() - start) * 1e3)
"""


def ours(t: Any) -> object:
    with torch.no_grad():
        return of_tensor(t, Budget())


def plain(t: Any) -> object:
    """What torch itself takes for range, sum, squares and zeros, a million elements at a time so that they stay cached:
    the least that exact statistics are made of, in numbers that round more and stop at the first NaN."""
    return [
        (torch.aminmax(block), block.sum(), torch.linalg.vector_norm(block), torch.count_nonzero(block))
        for block in t.view(-1).split(1 << 20)
    ]


def described(value: Any) -> object:
    """All facts and the line, as hovering asks for them."""
    with Untouched():
        return Snapshot(Rows.of("", [])).describe(Child("value", value, "value"), 0, Budget(), facts=True)


def page(value: Any) -> object:
    """The line, and the first page of rows with the summary of each, as expanding asks for them."""
    with Untouched():
        snapshot, budget = Snapshot(Rows.of("", [])), Budget()
        node = snapshot.describe(Child("value", value, "value"), 0, budget)
        return snapshot.page(node["id"], 0, PAGE, budget)


#: What is asked of a small tensor.
ASKED: dict[str, Run] = {"the line": summarize, "all facts": facts, "both, as a hover": described}
SMALL = {
    what: {
        name: Goal(f"{what} of 1,000 elements, {name}, of lovely-tensors' line", most)
        for name in ("float32", "float32 with a NaN", "int64", "bfloat16")
    }
    for what, most in {"the line": 0.25, "all facts": 0.3}.items()
}


def peers() -> dict[str, Run]:
    found: dict[str, Run] = {}
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


def works(run: Run, value: Any) -> bool:
    """Whether a peer can describe this value at all (treescope and the newest torch do not go together)."""
    try:
        return seconds(run, value) < SLOWEST / ROUNDS
    except Exception:
        return False


def seconds(run: Run, value: Any) -> float:
    start = time.perf_counter()
    run(value)
    return time.perf_counter() - start


def interleaved(runs: dict[str, Run], value: Any, rounds: int, seconds_a_round: float = 0.02) -> dict[str, list[float]]:
    """Seconds a call of each, round by round; what takes long is called once a round, and not in all rounds."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            first = seconds(run, value)
            if first > 1.0 and len(times[name]) >= 3:
                continue
            repeat = max(1, min(200, int(seconds_a_round / max(first, 1e-7))))
            start = time.perf_counter()
            for _ in range(repeat if first < seconds_a_round else 0):
                run(value)
            times[name].append((time.perf_counter() - start) / repeat if first < seconds_a_round else first)
    return times


def spread(numbers: list[float], digits: int = 1) -> str:
    return f"{statistics.median(numbers):.{digits}f} ({min(numbers):.{digits}f}…{max(numbers):.{digits}f})"


def table(title: str, *heads: str) -> None:
    print(f"\n### {title}\n\n| {' | '.join(heads)} |\n|{' --- |' * len(heads)}", flush=True)


def row(*cells: object) -> None:
    print(f"| {' | '.join(str(cell) for cell in cells)} |", flush=True)


def small(figures: Figures, rounds: int, others: dict[str, Run]) -> None:
    table("1,000 elements, µs", "", "asked", "ours", *others)
    values = {
        "float32": torch.randn(1000),
        "float32 with a NaN": torch.randn(1000).index_fill_(0, torch.tensor([5]), math.nan),
        "int64": torch.randint(0, 9, (1000,)),
        "bfloat16": torch.randn(1000).bfloat16(),
    }
    for name, value in values.items():
        able = {who: run for who, run in others.items() if works(run, value)}
        times = interleaved({**ASKED, **able}, value, rounds)
        for what in ASKED:
            cells = [spread([x * 1e6 for x in times[who]], 0) if who in times else "fails" for who in (what, *others)]
            row(name, what, *cells)
            if "lovely" in others and what in SMALL:
                figures.compare(SMALL[what][name], times[what], times["lovely"])


def model() -> torch.nn.Module:
    """A transformer of 126 modules."""
    layer = torch.nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
    encoder = torch.nn.TransformerEncoder(layer, 12, torch.nn.LayerNorm(32), enable_nested_tensor=False)
    whole = torch.nn.Sequential(torch.nn.Embedding(100, 32), encoder, torch.nn.Linear(32, 100))
    assert len(list(whole.modules())) == 126
    return whole


EXPANDED = Goal("all facts of 10¹² expanded elements", 1, " ms")
LIST = Goal(f"{PAGE} rows of a list of 10⁶ numbers, which is searched for NaN", 3, " ms")
PAGE_OF_TENSORS = Goal(f"{PAGE} rows of a list of as many tensors, with their statistics", 4, " ms")
DICT = Goal(f"{PAGE} rows of a dict of 10⁵ tensors, with their statistics", 4, " ms")
MODEL = Goal("the structure of a model of 126 modules", 2, " ms")
FIRST_CALL = Goal("the first call in a process, of 1,000 elements", 10, " ms")


def quick(figures: Figures, rounds: int, others: dict[str, Run]) -> None:
    """What must be at once whatever its size."""
    table("At once, ms", "", "ours", *others)
    cases: list[tuple[Goal, Run, Any, tuple[str, ...]]] = [  # the last: peers that do not hang on it
        (EXPANDED, described, torch.ones(10, 10).expand(10**10, 10, 10), ()),
        (LIST, page, list(range(10**6)), ("repr",)),
        (PAGE_OF_TENSORS, page, [torch.randn(1000) for _ in range(PAGE)], ()),
        (DICT, page, {i: torch.randn(10) for i in range(10**5)}, ()),
        (MODEL, page, model(), ("treescope", "repr")),
    ]
    for goal, run, value, finish in cases:
        able = {who: other for who, other in others.items() if who in finish and works(other, value)}
        times = interleaved({"ours": run, **able}, value, rounds)
        cells = [spread([x * 1e3 for x in times[who]], 2) if who in times else "–" for who in ("ours", *others)]
        row(goal.figure, *cells)
        figures.note(goal, 1e3 * statistics.median(times["ours"]))
    cold = first_calls(rounds)
    row(FIRST_CALL.figure, spread(cold, 2), *("–" for _ in others))
    figures.note(FIRST_CALL, statistics.median(cold))


def first_calls(rounds: int) -> list[float]:
    """Milliseconds of the first call in each of some processes, of the package as pip installs it: with its bytecode."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(Path(sys.path[0], "tensor_inspector"), Path(folder, "tensor_inspector"))
        compileall.compile_dir(folder, quiet=1)
        command = [sys.executable, "-c", COLD, folder]
        return [float(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(rounds)]


def training_step(elements: int) -> list[torch.Tensor]:
    """Parameters, gradients and two states of each: 644 tensors, most of them small, with about so many elements."""
    side = max(16, int((elements / 94.4) ** 0.5))
    sizes = (
        [(side, side)] * 16 + [(4 * side, side)] + [(side // 4, side // 4)] * 40 + [(side,)] * 60 + [(2 * side,)] * 44
    )
    return [torch.randn(size) for size in sizes for _ in range(4)]


MANY = Goal("NaN and Inf in any tensor of a training step, of their norms' time", 1.5)


def many(figures: Figures, n: int, rounds: int) -> None:
    """Whether anything in a training step is not finite."""
    tensors = training_step(n)
    named = [(str(at), tensor) for at, tensor in enumerate(tensors)]
    total = sum(map(torch.numel, tensors))
    runs: dict[str, Run] = {
        "norms": lambda _: torch._foreach_norm(tensors),
        "sums": lambda _: [tensor.sum() for tensor in tensors],
        "ours": lambda _: find_not_finite(named, Budget()),
    }
    with Untouched():
        times = interleaved(runs, None, rounds)
    floor = statistics.median(times["norms"])
    table(
        f"{len(tensors)} tensors, {total:.0e} elements: NaN and Inf in any, × one bare `torch._foreach_norm`",
        "", "ours", "bare sums", "the norms, ms",
    )  # fmt: skip
    ratios = {who: spread([x / floor for x in times[who]]) for who in ("ours", "sums")}
    row("a training step", ratios["ours"], ratios["sums"], spread([x * 1e3 for x in times["norms"]]))
    figures.compare(MANY, times["ours"], times["norms"])


_OF_A_SUM = "all statistics of 10⁸ elements, {}, of one torch.sum"
_OF_FOUR = "all statistics, {}, of torch's own four reductions"
OF_A_SUM = {
    name: Goal(_OF_A_SUM.format(name), most)
    for name, most in {
        "float32": 3.2, "one NaN": 4, "10% NaN": 7, "bfloat16": 7, "float16": 7, "int64": 6,
        "uint8": 12, "int8": 12, "float8_e4m3fn": 12, "transposed": 3.2, "[:, ::2]": 6,
    }.items()
}  # fmt: skip
OF_FOUR = {
    name: Goal(_OF_FOUR.format(name), 1.2)
    for name in ("float32", "one NaN", "10% NaN", "bfloat16", "float16", "float64")
}


def cases(n: int) -> Iterator[tuple[str, torch.Tensor]]:
    """Name and tensor; made one at a time, since each may take half a gigabyte."""
    side = math.isqrt(n)
    base = torch.randn(side, side)
    yield "float32", base
    one = base.clone()
    one[side // 2, 3] = math.nan
    yield "one NaN", one
    del one
    many = base.clone()
    many[torch.rand(side, side) < 0.1] = math.nan
    yield "10% NaN", many
    del many
    yield "off centre", base + 100
    yield "bfloat16", base.bfloat16()
    yield "float16", base.half()
    yield "int64", torch.randint(-1000, 1000, (side, side))
    yield "int64 big", torch.randint(-(2**62), 2**62, (side, side))
    yield "uint8", torch.randint(0, 256, (side, side), dtype=torch.uint8)
    yield "int8", torch.randint(-128, 128, (side, side), dtype=torch.int8)
    if hasattr(torch, "float8_e4m3fn"):
        yield "float8_e4m3fn", base.to(torch.float8_e4m3fn)
    yield "bool", base > 0
    yield "transposed", base.t()
    yield "[:, ::2]", base[:, ::2]
    yield "float64", base.double()


def same_bytes(t: torch.Tensor) -> torch.Tensor:
    """As much of the tensor's own memory as it has elements, as float32: other pages may be faster or slower."""
    words = torch.empty(0, dtype=torch.float32).set_(t.untyped_storage())
    return words[: t.numel() * t.element_size() // 4]


def peak_extra(run: Run, t: Any) -> float:
    """MB by which resident memory rises while ``run(t)`` runs, sampled every half millisecond."""

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    run(t)
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # what is free shall not hide what is taken
    if trim is not None:
        trim(0)
    base, top, done = resident(), [0], threading.Event()

    def watch() -> None:
        while not done.wait(0.0005):
            top[0] = max(top[0], resident())

    thread = threading.Thread(target=watch)
    thread.start()
    run(t)
    done.set()
    thread.join()
    return max(0, top[0] - base) / 1e6


def large(figures: Figures, n: int, rounds: int, others: dict[str, Run]) -> None:
    title = (
        f"{n:.0e} elements: all statistics, × one `torch.sum` over the same bytes, {torch.get_num_threads()} threads"
    )
    others = {"torch's four": plain, **others}
    table(title, "", "ours", "extra MB", *others)
    for name, t in cases(n):
        words = same_bytes(t)
        able = {who: run for who, run in others.items() if works(run, t)}
        times = interleaved({"sum": lambda _, words=words: words.sum(), "ours": ours, **able}, t, rounds, 0.0)
        floor = statistics.median(times["sum"])
        cells = [spread([x / floor for x in times[who]]) if who in times else "fails or too slow" for who in others]
        row(name, spread([x / floor for x in times["ours"]]), f"{peak_extra(ours, t):.1f}", *cells)
        if name in OF_A_SUM and n >= WHOLE:
            figures.compare(OF_A_SUM[name], times["ours"], times["sum"])
        if name in OF_FOUR and "torch's four" in times:
            figures.compare(OF_FOUR[name], times["ours"], times["torch's four"])


@contextmanager
def busy_cores(count: int) -> Iterator[None]:
    """So many other processes that want a core all the time."""
    spinning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        time.sleep(0.2 if count else 0.0)
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()


WITHIN_BUDGET = Goal(f"the longest reading within {BUDGET_MS:.0f} ms, all cores busy", 2 * BUDGET_MS, " ms")


def budgeted(figures: Figures, n: int, rounds: int) -> None:
    """How long a reading takes that may take 40 ms, also while other processes keep every core busy."""
    cores = [0, torch.get_num_threads()]
    table(
        f"{n:.0e} elements within {BUDGET_MS:.0f} ms, ms",
        "", *(f"{busy} cores busy" if busy else "idle" for busy in cores), "over, when busy",
    )  # fmt: skip
    longest = 0.0
    for name, t in cases(n):
        found = []
        for busy in cores:
            with busy_cores(busy):
                found.append([1e3 * seconds(within_budget, t) for _ in range(rounds)])
        row(name, *map(spread, found), f"{sum(took > WITHIN_BUDGET.most for took in found[1])} of {rounds}")
        longest = max(longest, *found[1])
    figures.note(WITHIN_BUDGET, longest)


def within_budget(t: Any) -> object:
    with torch.no_grad():
        return of_tensor(t, Budget(BUDGET_MS))


WHEN_BUSY = Goal("all facts of float32, all cores busy, of their time on idle ones", 5)


def when_busy(figures: Figures, n: int, rounds: int) -> None:
    """How long it takes to read all, also while other processes keep every core busy."""
    cores = [0, torch.get_num_threads()]
    table(f"{n:.0e} elements: all facts, ms", "", *(f"{busy} cores busy" if busy else "idle" for busy in cores))
    _, t = next(cases(n))
    facts(t)
    found = []
    for busy in cores:
        with busy_cores(busy):
            found.append([seconds(facts, t) for _ in range(rounds)])
    row("float32", *(spread([1e3 * x for x in times]) for times in found))
    figures.compare(WHEN_BUSY, found[1], found[0])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("elements", nargs="?", type=float, default=WHOLE)
    parser.add_argument("--quick", action="store_true", help="10**7 elements")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--only", nargs="*", choices=TABLES, help="only these tables")
    arguments = parser.parse_args()
    n = 10**7 if arguments.quick else int(arguments.elements)
    others = {} if arguments.no_peers else peers()
    torch.manual_seed(0)
    wanted = arguments.only or TABLES
    goals = {
        "small": [] if arguments.no_peers else [goal for goals in SMALL.values() for goal in goals.values()],
        "quick": [EXPANDED, LIST, PAGE_OF_TENSORS, DICT, MODEL, FIRST_CALL],
        "many": [MANY],
        "large": [*(OF_A_SUM.values() if n >= WHOLE else ()), *OF_FOUR.values()],
        "budgeted": [WITHIN_BUDGET],
        "busy": [WHEN_BUSY],
    }
    figures = Figures(goal for name in wanted for goal in goals[name])
    if "small" in wanted:
        small(figures, arguments.rounds, others)
    if "quick" in wanted:
        quick(figures, arguments.rounds, others)
    if "many" in wanted:
        many(figures, n, arguments.rounds)
    if "large" in wanted:
        large(figures, n, arguments.rounds, others)
    if "budgeted" in wanted:
        budgeted(figures, n, arguments.rounds if arguments.quick else max(20, arguments.rounds))
    if "busy" in wanted:
        when_busy(figures, n, arguments.rounds)
    return figures.report()


if __name__ == "__main__":
    sys.exit(main())
