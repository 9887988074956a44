"""The lens `gradcheck`: whether the backward of a function, module or autograd Function is right."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...kinds import Child
from ...safe.budget import Budget
from ..lens import Lens, Paused
from ..running.call_arguments import CallArguments
from .analytic import Checked
from .callee import callee_of
from .check import Check
from .doubt import doubt
from .entries import Disagreement
from .words import rows

if TYPE_CHECKING:
    from typing import Literal

    from ...protocol import Found, GradcheckDoubt, GradcheckEntry, GradcheckFound, GradcheckInput

_WORST = 100
_ONE = 1e-2  #: how far apart ratios may be that are one


def lens(values: Mapping[str, Child], options: Mapping[str, Any], budget: Budget, paused: Paused | None) -> Lens:
    """About ``values["function"]``, called with ``input1``, ``input2`` …, the last of which the option ``names`` names.
    Raises ``TypeError`` for what can't be called or copied."""
    function = values["function"]
    given, callee = CallArguments.of(values, options), callee_of(function)
    if not callee.is_class:
        given.refuse_none(callee.target)
    return GradcheckLens(function, given.all(), Check(callee, given), budget)


class GradcheckLens(Lens):
    def __init__(self, function: Child, inputs: list[Child], check: Check, budget: Budget) -> None:
        super().__init__(budget)
        self._function = function
        self._inputs = inputs
        self._check = check
        self._steps = check.steps()

    def go_on(self) -> bool:
        self._check.limit = self.limit
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
        state: Literal["unchecked", "agrees"] = "unchecked" if check.why or not _checked_count(leaves) else "agrees"
        return {
            "lens": "gradcheck",
            "state": "disagrees" if wrong else state,
            "why": check.why,
            "doubt": self._doubt(wrong),
            "error": check.error,
            "entries": sum(leaf.count() for leaf in leaves),
            "looked_at": _checked_count(leaves),
            "wrong": sum(leaf.wrong for leaf in leaves),
            "kinks": sum(leaf.kinks for leaf in leaves),
            "unsure": sum(leaf.unsure for leaf in leaves),
            "calls": check.calls,
            "inputs": [_input(leaf, [one for one in wrong if one.name == leaf.name]) for leaf in leaves],
            "not_asked": check.analytic.not_asked,
            "worst": [self._entry(one) for one in wrong[:_WORST]],
        }

    def _doubt(self, wrong: list[Disagreement]) -> GradcheckDoubt | None:
        found = self._check.analytic
        leaves = [leaf for leaf in found.leaves if leaf.wrong]
        unreached, partly = any(leaf.without for leaf in leaves), any(leaf.agree for leaf in leaves)
        left_out = found.forced and all(leaf.without for leaf in leaves)
        return doubt(wrong, found.ops, found.custom, unreached=unreached, left_out=left_out, partly=partly)

    def row(self) -> Child:
        return rows(self._function, self._inputs, self._found)

    def _entry(self, entry: Disagreement) -> GradcheckEntry:
        output, output_index = self._check.analytic.output_of(entry.output)
        return {
            "input": entry.name,
            "index": list(entry.index),
            "part": entry.part,
            "output": output,
            "output_index": output_index,
            "analytic": entry.analytic,
            "numeric": entry.numeric,
        }


def _checked_count(leaves: list[Checked]) -> int:
    return sum(leaf.checked_count() for leaf in leaves)


def _input(leaf: Checked, wrong: list[Disagreement]) -> GradcheckInput:
    return {
        "name": leaf.name,
        "parameter": leaf.is_parameter,
        "entries": leaf.count(),
        "looked_at": leaf.checked_count(),
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
