"""What is remembered between stops: numbers, bounded, read and written under a lock, until `forget`."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import tensor_inspector
from tensor_inspector import findings, forget
from tensor_inspector.lenses.step.moment import Moment
from tensor_inspector.watching import history


class Guarded(dict[Any, Any]):
    """A dict that is used under the lock alone."""

    used = 0

    def __getattribute__(self, name: str) -> Any:
        assert history._lock.locked()
        Guarded.used += 1
        return super().__getattribute__(name)

    def __setitem__(self, key: Any, value: Any) -> None:
        assert history._lock.locked()
        super().__setitem__(key, value)

    def __len__(self) -> int:
        assert history._lock.locked()
        return super().__len__()


@pytest.fixture(autouse=True)
def empty() -> Iterator[None]:
    forget()
    yield
    forget()


def step(model: nn.Module) -> torch.optim.Optimizer:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = model(torch.ones(2, 3)).sum()
    loss.backward()
    optimizer.step()
    findings()
    return optimizer


def test_it_is_read_and_written_under_the_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "_known", Guarded())
    step(nn.Linear(3, 1))
    assert Guarded.used >= 2
    forget()


def test_it_is_bounded_and_forgotten_when_asked() -> None:
    optimizers = [step(nn.Linear(3, 1)) for _ in range(history._STEPS + 4)]
    assert len(history._known) == history._STEPS < len(optimizers)
    forget()
    assert not history._known


def stops_in(lines: list[int]) -> list[int]:
    """The lines of what is remembered once the program has stopped in these."""
    owner = nn.Linear(1, 1)
    for at, line in enumerate(lines):
        history.remember(owner, "train.py", "train", at, Moment(line, {}, {}, 0))
    return [moment.lineno for moment in history.recall(owner, "train.py", "train")]


def test_who_steps_through_a_loop_is_told_of_the_last_rounds_in_each_line() -> None:
    loop = list(range(10, 40))
    known = stops_in(loop * 5)
    assert len(known) == history._MOMENTS
    assert all(known.count(line) >= 2 for line in loop)
    assert known[-len(loop) :] == loop


def test_of_one_line_the_latest_stops_are_remembered() -> None:
    assert stops_in([10] * 100) == [10] * history._OF_A_LINE


def test_it_holds_no_value_of_the_program() -> None:
    optimizer = step(nn.Linear(3, 1))
    waiting, seen = [history._known], set[int]()
    while waiting:
        value: Any = waiting.pop()
        assert not isinstance(value, (torch.Tensor, nn.Module, torch.optim.Optimizer))
        if id(value) not in seen and not isinstance(value, (type, type(sys))):
            seen.add(id(value))
            waiting.extend(gc.get_referents(value))
    assert len(seen) > 10
    assert optimizer.param_groups


ASKED = {
    "findings": "ti.findings()",
    "an exception": "ti.explain(ValueError('x'))",
    "gradients": "ti.gradients(model)",
    "autograd": "ti.autograd(loss)",
    "where NaN began": "ti.nan_origin(loss)",
    "why no gradient": "ti.no_gradient(model)",
}


def test_at_a_prompt_of_pdb_what_was_assigned_stays_so(tmp_path: Path) -> None:
    """Before Python 3.13, who reads the ``f_locals`` of the frame that pdb shows undoes that."""
    program = tmp_path / "program.py"
    program.write_text(
        "import torch\ndef step():\n    model, rate = torch.nn.Linear(3, 1), 1\n"
        "    x = torch.full((2, 3), torch.nan)\n    loss = model(x).sum()\n    breakpoint()\n    print('rate', rate)\nstep()\n"
    )
    asked = [
        f"rate = {at}; print('asked', str({line})); print('still', rate)" for at, line in enumerate(ASKED.values())
    ]
    typed = "\n".join(["import tensor_inspector as ti", *asked, "rate = 7", *ASKED.values(), "c", ""])
    environment = {**os.environ, "PYTHONPATH": str(Path(tensor_inspector.__file__).parents[1])}
    shown = subprocess.run(
        [sys.executable, str(program)],
        input=typed,
        capture_output=True,
        text=True,
        timeout=600,
        env=environment,
        check=True,
    ).stdout
    assert [line.split()[-1] for line in shown.splitlines() if "still" in line] == [str(at) for at in range(len(ASKED))]
    assert "rate 7" in shown
    assert "x has 6 NaN" in shown
