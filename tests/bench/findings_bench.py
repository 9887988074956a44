"""What `findings` and `observations` cost at a stop in a training step of a 70-layer transformer with AdamW.

python tests/bench/findings_bench.py [--rounds 9]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import torch
from goals import Figures, Goal
from torch import nn
from torch.nn import functional as F

from tensor_inspector import findings, forget, observations

QUICK = Goal("findings at a stop, 70 layers with AdamW", 60, " ms")
THOROUGH = Goal("findings, thorough, 70 layers with AdamW", 1000, " ms")
OBSERVED = Goal("observations on request, 70 layers with AdamW", 100, " ms")
LAYERS, WIDTH = 70, 64


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(WIDTH, 4, batch_first=True)
        self.widen, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.before, self.between = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.before(x)
        x = x + self.attention(h, h, h, need_weights=False)[0]
        out: torch.Tensor = x + self.narrow(F.gelu(self.widen(self.between(x))))
        return out


def step(ask: Callable[..., list[Any]], rounds: int) -> dict[str, list[float]]:
    """Milliseconds of each stop: before the backward, and before the optimizer's step."""
    model = nn.Sequential(nn.Embedding(100, WIDTH), *(Block() for _ in range(LAYERS)), nn.Linear(WIDTH, 100))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    taken: dict[str, list[float]] = {"before backward": [], "before step": []}
    for _ in range(rounds + 1):
        tokens, target = torch.randint(0, 100, (4, 16)), torch.randint(0, 100, (4, 16))
        logits = model(tokens)
        loss = F.cross_entropy(logits.flatten(0, 1), target.flatten())
        optimizer.zero_grad()
        taken["before backward"].append(asked(ask))
        loss.backward()
        taken["before step"].append(asked(ask))
        optimizer.step()
    return {place: times[1:] for place, times in taken.items()}  # the first one loads modules


def asked(ask: Callable[..., list[Any]]) -> float:
    frame: Any = sys._getframe(1)
    started = time.perf_counter()
    found = ask(frame)
    taken = (time.perf_counter() - started) * 1000
    assert not found, found
    return taken


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    figures = Figures([QUICK, THOROUGH, OBSERVED])
    for goal, ask in ((QUICK, findings), (THOROUGH, partial(findings, thorough=True)), (OBSERVED, observations)):
        places = step(ask, rounds)
        for place, times in places.items():
            print(f"{goal.figure}, {place}: median {median(times):.0f} ms, worst {max(times):.0f} ms")
        figures.note(goal, max(median(times) for times in places.values()))
        forget()
    return figures.report()


if __name__ == "__main__":
    sys.exit(main())
