"""What a watch adds to a training step, beside what others add that look for NaN.

python tests/bench/watch_bench.py [--rounds 7]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from statistics import median

import torch
from goals import Figures, Goal
from torch import nn

from tensor_inspector import watch
from tensor_inspector.session import session
from tensor_inspector.watching.active import ActiveWatch
from tensor_inspector.watching.expression import NamedThing
from tensor_inspector.watching.recording import recordings


@dataclass(frozen=True)
class Size:
    """A transformer: how wide and deep it is, and how many steps are taken in a round."""

    name: str
    width: int
    layers: int
    batch: int
    length: int
    steps: int
    goals: dict[str, Goal]


def goals(name: str, light: float, exact: float) -> dict[str, Goal]:
    return {
        "light": Goal(f"light, to a plain step of {name}", light),
        "module": Goal(f"light of one module, to a plain step of {name}", 1.02),
        "recording": Goal(f"recording the norms of a model, to a plain step of {name}", 1.05),
        "exact": Goal(f"exact, to a plain step of {name}", exact),
        "share": Goal(f"what exact adds, to what detect_anomaly adds, {name}", 0.25),
    }


SIZES = [
    Size("10 ms", 128, 2, 8, 32, 10, goals("10 ms", 1.08, 1.4)),
    Size("200 ms", 256, 3, 8, 96, 3, goals("200 ms", 1.02, 1.12)),
]


class Block(nn.Module):
    """Attention by hand, with a mask of −Inf, and two layers."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.heads, self.norm, self.other_norm = 4, nn.LayerNorm(width), nn.LayerNorm(width)
        self.projection, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.layers = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        parts = self.projection(self.norm(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        query, key, value = parts.unbind()
        scores = query @ key.transpose(-2, -1) / (width / self.heads) ** 0.5
        shares = scores.masked_fill(mask, float("-inf")).softmax(-1)
        x = x + self.out((shares @ value).transpose(1, 2).reshape(batch, length, width))
        return x + self.layers(self.other_norm(x))


class Training:
    """A model with its optimizer, and one batch."""

    def __init__(self, size: Size) -> None:
        torch.manual_seed(0)
        self.blocks = nn.ModuleList(Block(size.width) for _ in range(size.layers))
        self.head = nn.Linear(size.width, size.width)
        self.model = nn.ModuleList([self.blocks, self.head])
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)
        self.x = torch.randn(size.batch, size.length, size.width)
        self.mask = torch.ones(size.length, size.length).triu(1).bool()

    def step(self) -> None:
        self.optimizer.zero_grad()
        x = self.x
        for block in self.blocks:
            x = block(x, self.mask)
        nn.functional.mse_loss(self.head(x), self.x).backward()
        self.optimizer.step()


@contextmanager
def isfinite_hooks(model: nn.Module) -> Iterator[None]:
    """What one writes by hand."""

    def look(module: nn.Module, args: object, output: object) -> None:
        if isinstance(output, torch.Tensor):
            assert output.isfinite().all()

    handles = [module.register_forward_hook(look) for module in model.modules()]
    yield
    for handle in handles:
        handle.remove()


@contextmanager
def recording(model: nn.Module) -> Iterator[None]:
    """As a pin that is recorded at each step: its function has ended, so it is reached by weak reference."""
    recordings.follow([{"expression": "model", "record_after": 0}], sys._getframe())
    recorded = session.recordings["model"]
    yield
    assert recorded.step > 0
    assert recorded.problem is None
    recordings.follow([], sys._getframe())


@contextmanager
def value() -> Iterator[None]:
    """As a watchpoint on a local variable, which is looked at as its function returns."""
    thing = NamedThing("x", {"name": "Training.step", "file": __file__})
    active = ActiveWatch("nonfinite", lambda report, frame: fail(report), gear="light", of=thing)
    active.begin()
    yield
    active.end()


def debug_mode() -> AbstractContextManager[object]:
    from torch.utils._debug_mode import DebugMode  # not in every torch

    mode: AbstractContextManager[object] = DebugMode()
    return mode


def contexts(training: Training) -> dict[str, Callable[[], AbstractContextManager[object]]]:
    found: dict[str, Callable[[], AbstractContextManager[object]]] = {
        "nothing set": nullcontext,
        "light": lambda: watch(do=fail),
        "module": lambda: watch(of=training.head, do=fail),
        "value": value,
        "recording": lambda: recording(training.model),
        "exact": lambda: watch(gear="exact", do=fail),
        "detect_anomaly": lambda: torch.autograd.set_detect_anomaly(True),
        "isfinite hooks": lambda: isfinite_hooks(training.model),
        "DebugMode": debug_mode,
    }
    try:
        debug_mode()
    except ImportError:
        del found["DebugMode"]
    return found


def fail(report: dict[str, object]) -> None:
    raise AssertionError(report["reason"])


@dataclass
class Compared:
    """What a step took in a context, in milliseconds, and to that of the plain steps before and after it."""

    times: list[float]
    ratios: list[float]


def measure(size: Size, rounds: int) -> dict[str, Compared]:
    """Rounds of all contexts, each between plain steps, since how fast a machine is drifts from second to second."""
    training = Training(size)
    made = contexts(training)
    found = {name: Compared([], []) for name in ("plain", *made)}
    for at in range(rounds + 1):
        before = block(training, size.steps)
        for name, context in made.items():
            with context():
                training.step()
                taken = block(training, size.steps)
            after = block(training, size.steps)
            if at:  # the first is to warm up
                found["plain"].times.append(after)
                found["plain"].ratios.append(after / before)
                found[name].times.append(taken)
                found[name].ratios.append(2 * taken / (before + after))
            before = after
    return found


def block(training: Training, steps: int) -> float:
    """The median of so many steps, in milliseconds of the process."""
    times = []
    for _ in range(steps):
        started = time.process_time()
        training.step()
        times.append((time.process_time() - started) * 1000)
    return median(times)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    torch.set_num_threads(1)
    figures = Figures(goal for size in SIZES for goal in size.goals.values())
    for size in SIZES:
        found = measure(size, rounds)
        plain = found["plain"]
        ratios = {name: one.ratios for name, one in found.items()}
        fastest = {name: min(one.times) / min(plain.times) for name, one in found.items()}
        print(f"a step of {size.name}: {median(plain.times):.1f} ms plain")
        for name, each in ratios.items():
            print(f"  {name:16} {median(each):.3f} ({min(each):.2f} to {max(each):.2f}), fastest {fastest[name]:.3f}")
        for name in ("light", "module", "recording", "exact"):
            figures.note(size.goals[name], median(ratios[name]), fastest[name])
        share, least = ((of["exact"] - 1) / (of["detect_anomaly"] - 1) for of in (medians(ratios), fastest))
        figures.note(size.goals["share"], share, least)
    return figures.report()


def medians(ratios: dict[str, list[float]]) -> dict[str, float]:
    return {name: median(each) for name, each in ratios.items()}


if __name__ == "__main__":
    sys.exit(main())
