"""The lens `observations`: what is worth a look in the training step around the paused frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...kinds import Child, Rows
from ...safe.budget import Budget
from ..explain.explain import EXPLAINED
from ..findings.rows import finding_row
from ..findings.rules.registry import unknown_rules
from ..lens import Lens, Paused
from .look import Look
from .observed import Observations

if TYPE_CHECKING:
    from ...protocol import Found, ObservationsFound


def lens(values: Mapping[str, Child], options: Mapping[str, Any], budget: Budget, paused: Paused | None) -> Lens:
    """About the paused frame. The option ``ignore`` names detectors, or rules, with blanks between them."""
    if paused is None:
        raise ValueError("'observations' is asked where the program is paused")
    ignore = options.get("ignore", "")
    if type(ignore) is not str:
        raise TypeError("ignore names detectors, with blanks between them")
    return ObservationsLens(paused, budget, _not_of_rules(ignore.split()))


def _not_of_rules(ids: list[str]) -> list[str]:
    """The ids but for those of rules: who ignores some names both in one list."""
    return [id for id in unknown_rules(ids) if id not in EXPLAINED]


class ObservationsLens(Lens):
    """Reads the step in a slice of its own, and begins that anew where the slice was too short, twice at most."""

    def __init__(self, paused: Paused, budget: Budget, ignore: list[str]) -> None:
        super().__init__(budget)
        self._paused = paused
        self._ignore = ignore
        self._look: Look | None = None
        self._tries = 3

    def go_on(self) -> bool:
        if self.budget.remaining_ms() < self.budget.ms / 2:  # the first slice has loaded modules
            return False
        if self._look is None:
            self._look = Look(self._paused.frame, self.budget, self._ignore, grad_mode=self._paused.grad_mode)
            self._tries -= 1
            if self.budget.spent() and self._tries:
                self._look = None
                return False
        return self._look.go_on()

    def progress(self) -> float:
        return 0.0 if self._look is None else self._look.progress()

    def found(self) -> Found:
        seen = self._seen()
        answer: ObservationsFound = {
            "lens": "observations",
            "observations": list(seen),
            "checked": seen.checked,
            "skipped": [{"rule": id, "reason": reason} for id, reason in seen.skipped],
        }
        return answer

    def row(self) -> Child:
        seen, frames = self._seen(), [visible.frame for visible in ([] if self._look is None else self._look.frames)]
        rows = [finding_row(one, self._paused, frames) for one in seen]
        count = f"{len(rows)} {'thing' if len(rows) == 1 else 'things'} worth a look"
        return Child("observations", Rows.of(count if rows else seen.silence(), rows, "finding"), "")

    def _seen(self) -> Observations:
        return Observations() if self._look is None else self._look.observations()
