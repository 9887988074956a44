"""Runs the check entry by entry: one backward for each element of the result, two calls for each entry of an input."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import nan
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ...measure.stats.layout import index_of
from ...measure.torch.elements import is_plain
from ...measure.torch.metadata import is_any_tensor
from ...safe.budget import Budget
from ...safe.guard import module
from ..running.call_arguments import CallArguments
from ..running.deep_copy import CannotCopy
from ..running.isolation import why_not
from .analytic import Analytic, Checked
from .callee import Callee
from .entries import STEPS, Disagreement, Slope, judged
from .evaluation import Failed, Shift, evaluated, flat

if TYPE_CHECKING:
    from ...protocol import GradcheckWhy
    from .entries import Part, Verdict

    EntryKey = tuple[Checked, int, bool]  #: an entry by its number among the places of an input, and its part

torch: Any = module("torch")
_ALL = 2000  #: entries of all inputs
_SECONDS = 20.0
#: The verdict on an entry is the first of these that holds for some probe.
_ORDER: tuple[Verdict, ...] = ("unsure", "kink", "agrees")


class Check:
    """What is found. ``why`` is the reason why nothing could be checked, ``error`` its message."""

    def __init__(self, what: Callee, given: CallArguments) -> None:
        self._what = what
        self._given = given
        self.limit: Budget | None = None  #: of the time for all of it, where there is one
        self.analytic = Analytic()
        self.why: GradcheckWhy | None = None
        self.error: str | None = None
        self.wrong: list[Disagreement] = []
        self.done, self.all = 0, 1  #: of the entries that are to be looked at
        self.calls = 0

    def steps(self) -> Iterator[None]:
        """Takes it step by step: a call or two each."""
        why = self._unreadable() or why_not(
            self._what.target, *self._what.values, *(one.value for one in self._given.all())
        )
        if why is not None:
            self.why, self.error = "not_run", why
            return
        try:
            yield from self._steps()
        except CannotCopy as error:
            self.why, self.error = "not_run", str(error)

    def _steps(self) -> Iterator[None]:
        self._differentiate()
        yield
        if self.why is None and not self._is_over():
            again = self._values(None)
            if again is None or not torch.equal(again[0], self.analytic.unmoved):
                self.why = "not_deterministic"
        if self.why is not None:
            return
        waiting = self._waiting()
        self.all = max(1, len(waiting))
        until = perf_counter() + _SECONDS
        for key in waiting:
            yield
            self._check_entry(*key)
            self.done += 1
            if perf_counter() > until:
                break
        if waiting and not any(leaf.agree or leaf.wrong for leaf in self.analytic.leaves):
            self.why = "unsettled"

    def _unreadable(self) -> str | None:
        given = self._given.all()
        found = next((one.name for one in given if is_any_tensor(one.value) and not is_plain(one.value)), None)
        return None if found is None else f"{found} is not a dense tensor with values in memory"

    def _differentiate(self) -> None:
        found = self.analytic
        with self._evaluated() as call:
            found.forced = not any(leaf.tensor.requires_grad for leaf in call.leaves)
            if not call.leaves:
                self.why = "no_input"
                return
            try:
                call.call(found.wants)
            except Failed as error:
                self.why, self.error = "raised", str(error)
            else:
                found.read(call, self._is_over)
                self.why, self.error = found.why, found.error
        if self.why == "raised" and self._is_refused():
            self.why = "refuses_double"

    def _is_over(self) -> bool:
        return self.limit is not None and self.limit.spent()

    def _is_refused(self) -> bool:
        """Whether what raised with doubles runs with what it was given."""
        with evaluated(self._what, self._given, doubles=False) as call:
            try:
                call.call(lambda leaf: bool(leaf.tensor.requires_grad))
            except Failed:
                return False
        return True

    def _waiting(self) -> list[EntryKey]:
        """The entries that are looked at, of each input one at a time."""
        rows = []
        for leaf in self.analytic.leaves:
            parts = (False, True) if leaf.is_complex else (False,)
            rows.append([(leaf, at, part) for at in range(len(leaf.places)) for part in parts])
        longest = max(map(len, rows), default=0)
        return [row[at] for at in range(longest) for row in rows if at < len(row)][: max(_ALL, len(rows))]

    def _check_entry(self, leaf: Checked, at: int, imaginary: bool) -> None:
        known: dict[float, list[Slope] | None] = {}

        def slope(probe: int, share: float) -> Slope | None:
            if share not in known:
                known[share] = self._slopes(leaf, index, imaginary, share)
            found = known[share]
            return None if found is None else found[probe]

        index = tuple(index_of(leaf.places[at], leaf.shape))
        part: Part | None = None
        if leaf.is_complex:
            part = "imag" if imaginary else "real"
        verdicts: set[Verdict] = set()
        worst: Disagreement | None = None
        for probe, output in enumerate(self.analytic.probes):
            if verdicts and self._is_over():
                break
            entry = leaf.gradients[probe][at]
            analytic = entry.imag if imaginary else entry.real
            verdict = judged(analytic, partial(slope, probe), leaf.largest[probe], max(leaf.largest))
            verdicts.add(verdict)
            smallest = slope(probe, STEPS[0])
            if verdict == "wrong":
                numeric = nan if smallest is None else smallest.middle
                found = Disagreement(leaf.name, index, part, output, analytic, numeric)
                worst = found if worst is None or found.is_more_precise(worst) else worst
        leaf.note("wrong" if worst is not None else next(one for one in _ORDER if one in verdicts))
        if worst is not None:
            self.wrong.append(worst)

    def _slopes(self, leaf: Checked, index: tuple[int, ...], imaginary: bool, share: float) -> list[Slope] | None:
        """How each number of the result changes with an entry; None where it is another result then."""
        before, after = (
            self._values(Shift(leaf.leaf, index, sign * share, leaf.typical, imaginary)) for sign in (-1, 1)
        )
        if before is None or after is None or not before[1] or not after[1]:
            return None  # as it is too large to be moved by so little
        probed = self.analytic.probed
        values = zip(probed(before[0]), probed(self.analytic.unmoved), probed(after[0]))
        return [Slope.of(one, at, other, before[1], after[1]) for one, at, other in values]

    def _values(self, shift: Shift | None) -> tuple[Any, float] | None:
        """All numbers of the result, with an entry moved, and how far; None where it raises or they are not as many."""
        with self._evaluated() as call:
            moved = 0.0 if shift is None else call.move(shift)
            try:
                call.call(self.analytic.wants)
            except Failed:
                return None
            outputs = self.analytic.outputs(call)
            found = None if outputs is None else flat(outputs)
        return None if found is None or len(found) != len(self.analytic.unmoved) else (found, moved)

    def _evaluated(self) -> Any:
        self.calls += 1
        return evaluated(self._what, self._given)
