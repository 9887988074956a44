"""The lens `findings`: mistakes in the training step around the paused frame, and the cause of its exception."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...kinds import Child
from ...safe.budget import Budget
from ..explain.explain import EXPLAINED, explain
from ..lens import Lens, Paused
from ..observations.ids import DETECTOR_IDS
from .finding import Findings
from .rows import row_of
from .rule import Unmet
from .rules.registry import unknown_rules
from .search import Search

if TYPE_CHECKING:
    from ...protocol import FindingsFound, Found, Skipped


_TRIES = 3  #: slices in which the step is looked at


def lens(values: Mapping[str, Child], options: Mapping[str, Any], budget: Budget, paused: Paused | None) -> Lens:
    """About the paused frame. The options ``thorough`` and ``run`` are as in `api.findings`, ``ignore`` names rules with
    blanks between them, ``stop`` is the number of the stop, by which its numbers are kept once."""
    if paused is None:
        raise ValueError("'findings' is asked where the program is paused")
    stop = options.get("stop")
    if stop is not None and type(stop) is not int:
        raise TypeError("stop is the number of a stop")
    ignore = options.get("ignore", "")
    if type(ignore) is not str:
        raise TypeError("ignore names rules, with blanks between them")
    return FindingsLens(
        paused,
        budget,
        thorough=options.get("thorough") is True,
        run=options.get("run") is True,
        ignore=_asked_of_steps(ignore.split()),
        stop=stop,
    )


def _asked_of_steps(rules: list[str]) -> list[str]:
    """The ids of the rules that a step is asked, without those that only explain exceptions, and without detectors."""
    elsewhere = set(unknown_rules(rules)) & {*EXPLAINED, *DETECTOR_IDS}
    return [rule for rule in rules if rule not in elsewhere]


class FindingsLens(Lens):
    """Explains the exception first, then asks the rules; each begins with a full slice of time."""

    def __init__(self, paused: Paused, budget: Budget, **question: Any) -> None:
        super().__init__(budget)
        self._paused = paused
        self._question = question
        self._explained: Findings | None = Findings() if paused.raised is None else None
        self._search: Search | None = None
        self._tries = _TRIES

    def go_on(self) -> bool:
        paused = self._paused
        if self.budget.remaining_ms() < self.budget.ms / 2:  # the first slice has loaded modules
            return False
        if self._explained is None and paused.raised is not None:
            _, error, traceback = paused.raised
            self._explained = explain(error, paused.frame, traceback, budget=self.budget)
            return False
        if self._search is None:
            self._search = Search(
                paused.frame, self.budget, paused.history, grad_mode=paused.grad_mode, **self._question
            )
            self._tries -= 1
            if self._search.is_late and self._tries:  # as on a busy machine: the next slice may do
                self._search = None
                return False
        return self._search.go_on()

    def progress(self) -> float:
        return 0.0 if self._search is None else self._search.progress()

    def found(self) -> Found:
        found = self._found()
        answer: FindingsFound = {
            "lens": "findings",
            "findings": list(found),
            "explained": len(self._explained or ()),
            "checked": found.checked,
            "skipped": [_skipped(rule, reason) for rule, reason in found.skipped],
        }
        return answer

    def row(self) -> Child:
        paused, visible_frames = self._paused, self._search.frames if self._search is not None else []
        return row_of(self._found(), paused, [visible.frame for visible in visible_frames])

    def _found(self) -> Findings:
        """The findings that explain the exception, then all others."""
        explained = self._explained or Findings()
        found = self._search.findings() if self._search is not None else Findings()
        known = {finding["rule"] for finding in explained}
        others = [finding for finding in found if finding["rule"] not in known]
        return Findings([*explained, *others], found.checked, found.skipped)


def _skipped(rule: str, reason: str) -> Skipped:
    if type(reason) is Unmet:
        return {"rule": rule, "reason": str(reason), "need": reason.need}
    return {"rule": rule, "reason": reason}
