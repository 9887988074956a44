"""The lens `gradcheck`: whether the backward of a function, module or autograd Function is right, on paused values."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...kinds import Child
from ...safe.budget import Budget
from ..lens import Lens, Paused
from .analytic import Checked
from .callee import called
from .check import Check
from .entries import Disagreement
from .words import rows

if TYPE_CHECKING:
    from ...protocol import Found, GradcheckEntry, GradcheckFound, GradcheckInput

_WORST = 100
_ONE = 1e-2  #: how far apart ratios may be that are one


def lens(values: Mapping[str, Child], options: Mapping[str, Any], budget: Budget, paused: Paused | None) -> Lens:
    function = values["function"]
    inputs = [values[f"input{number}"] for number in range(1, len(values))]
    return _Gradcheck(function, inputs, Check(called(function.value, function.name), inputs), budget)


class _Gradcheck(Lens):
    def __init__(self, function: Child, inputs: list[Child], check: Check, budget: Budget) -> None:
        super().__init__(budget)
        self._function = function
        self._inputs = inputs
        self._check = check
        self._steps = check.steps()

    def go_on(self) -> bool:
        return all(not self.budget.spent() for _ in self._steps)

    def progress(self) -> float:
        return self._check.done / self._check.all

    def found(self) -> Found:
        return self._found

    @cached_property
    def _found(self) -> GradcheckFound:
        check = self._check
        leaves = check.analytic.leaves
        wrong = sorted(check.wrong, key=Disagreement.order)
        return {
            "lens": "gradcheck",
            "state": "disagrees" if wrong else "unchecked" if check.why or not _looked_at(leaves) else "agrees",
            "why": check.why,
            "error": check.error,
            "entries": sum(leaf.count() for leaf in leaves),
            "looked_at": _looked_at(leaves),
            "wrong": sum(leaf.wrong for leaf in leaves),
            "kinks": sum(leaf.kinks for leaf in leaves),
            "unsure": sum(leaf.unsure for leaf in leaves),
            "calls": check.calls,
            "inputs": [_input(leaf, [one for one in wrong if one.name == leaf.name]) for leaf in leaves],
            "not_asked": check.analytic.not_asked,
            "worst": [self._entry(one) for one in wrong[:_WORST]],
        }

    def row(self) -> Child:
        return rows(self._function, self._inputs, self._found)

    def _entry(self, entry: Disagreement) -> GradcheckEntry:
        output, place = self._check.analytic.output_of(entry.output)
        return {
            "input": entry.name,
            "index": list(entry.index),
            "part": entry.part,
            "output": output,
            "output_index": place,
            "analytic": entry.analytic,
            "numeric": entry.numeric,
        }


def _looked_at(leaves: list[Checked]) -> int:
    return sum(leaf.looked_at() for leaf in leaves)


def _input(leaf: Checked, wrong: list[Disagreement]) -> GradcheckInput:
    return {
        "name": leaf.name,
        "parameter": leaf.is_parameter,
        "entries": leaf.count(),
        "looked_at": leaf.looked_at(),
        "wrong": leaf.wrong,
        "kinks": leaf.kinks,
        "unsure": leaf.unsure,
        "without": leaf.without,
        "ratio": _ratio(wrong),
    }


def _ratio(wrong: list[Disagreement]) -> float | None:
    """By how much all entries are off, where that is one number."""
    known = [one.analytic / one.numeric for one in wrong if one.numeric]
    if not known or len(known) < len(wrong):
        return None
    middle = sorted(known)[len(known) // 2]
    return middle if all(abs(one - middle) <= _ONE * abs(middle) for one in known) else None
