"""The lens `compare`: the differences of two values as a tree, with the values below them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ...kinds import Child, Rows
from ...safe.budget import Budget
from ...session import session
from ...words.text import plural
from ..lens import Lens, Paused
from .atoms import Tolerance, amount
from .comparison import Comparison
from .pair import MISSING, PairDifference
from .relations import Relations, words
from .walk import PairWalk

if TYPE_CHECKING:
    from ...protocol import CompareDifference, CompareFound, Found
    from .comparison import Difference
    from .names import ParameterNames

_WALK = 0.9  #: the comparison's share of the progress
_WORST = 100  #: differences that go as data


def lens(values: Mapping[str, Child], options: Mapping[str, Any], budget: Budget, paused: Paused | None) -> Lens:
    """About ``values["a"]`` and ``values["b"]``, of any class. The options ``rtol`` and ``atol`` are finite numbers
    from 0 up, 0 by default: two numbers are alike where ``|a - b| <= atol + rtol·|b|``. For others it raises
    ``TypeError`` or ``ValueError``.
    """
    tolerance = Tolerance(*(amount(name, options.get(name, 0.0)) for name in ("rtol", "atol")))
    sides = values["a"].value, values["b"].value
    kept = [one for one in session.kept.values() if any(one.value is side for side in sides)]
    return CompareLens(values["a"], values["b"], budget, tolerance, partial(_known_names, paused, budget, kept), kept)


class CompareLens(Lens):
    def __init__(
        self, a: Child, b: Child, budget: Budget, tolerance: Tolerance, known: ParameterNames, kept: list[Any]
    ) -> None:
        super().__init__(budget)
        self._sides, self._kept = (a, b), kept  # which has to live as long
        self._found = Comparison()
        self._noted: list[PairDifference] = []
        self._walk = PairWalk(
            a.value,
            b.value,
            self._found,
            budget,
            tolerance,
            in_slices=True,
            noted=self._noted,
            known=known,
            moved={copy: device for one in kept for copy, device in one.devices.items()},
        )
        self._walked = False
        self._relations = Relations(self._noted)

    def go_on(self) -> bool:
        self._walked = self._walked or self._walk.go_on()
        if not self._walked or not self._relations.go_on(self.budget):
            return False
        self._found.sort()
        places = {id(difference): at for at, difference in enumerate(self._found.differences)}
        self._noted.sort(key=lambda one: places.get(id(one.difference), len(places)))
        return True

    def progress(self) -> float:
        return _WALK + (1 - _WALK) * self._relations.progress() if self._walked else _WALK * self._walk.progress()

    def found(self) -> Found:
        found = self._found
        answer: CompareFound = {
            "lens": "compare",
            "same": found.same,
            "close": found.close,
            "differences": found.total,
            "compared": found.compared,
            "by_line": found.by_line,
            "not_compared": len(found.not_compared),
            "cached": [one["path"] for one in found.cached[:_WORST]],
            "complete": found.complete,
            "worst": [_typed(difference) for difference in found.differences[:_WORST]],
        }
        return answer

    def row(self) -> Child:
        found, noted, sides = self._found, self._noted, self._sides
        close = "close · " if found.close else ""
        relations = {words(one["relation"]) if "relation" in one else "" for one in found.differences}
        alike = f"{relations.pop()} · " if len(relations) == 1 and relations != {""} and not found.more else ""
        outcome = "equal" if found.same else "no difference found"
        if found.total:
            outcome = alike + close + plural(found.total, "difference")
        rows = Rows(
            f"{outcome} · {found.how_far()}",
            len(noted),
            lambda start, count: _rows(noted[start : start + count], sides),
            "comparison",
            ["differs"] if found.total and not found.close else [],
        )
        return Child(_names(sides), rows, "")


def _known_names(paused: Paused | None, budget: Budget, kept: list[Any]) -> dict[int, str]:
    """The names of the parameters in sight, and of those that are kept."""
    from ..surroundings import names_of_parameters  # which needs torch

    names = names_of_parameters(paused, budget)
    for one in kept:
        one.add_names(names)
    return names


def _typed(difference: Difference) -> CompareDifference:
    found: CompareDifference = {"path": difference["path"], "what": difference["what"], "text": difference["text"]}
    if "values" in difference:
        values = difference["values"]
        found["different"], found["read"] = values["different"], values["read"]
        found["max_abs"], found["relative"] = values["max_abs"], values["relative"]
    if "relation" in difference:
        found["relation"] = difference["relation"]
    return found


def _names(sides: tuple[Child, Child]) -> str:
    return " ↔ ".join(side.name for side in sides)


def _rows(noted: list[PairDifference], sides: tuple[Child, Child]) -> Iterator[Child]:
    for one in noted:
        paths = one.location.path, one.location.other
        three = zip(sides, (one.a, one.b), paths)
        below = [_side(one, side, value, path) for side, value, path in three if value is not MISSING]
        yield Child(one.location.shown() or _names(sides), Rows.of(one.difference["text"], below, "difference"), "")


def _side(noted: PairDifference, side: Child, value: object, path: str | None) -> Child:
    """The value on one side, by the expression that reaches it there."""
    reached = None if path is None or side.suffix is None else side.suffix + path
    return Child(reached or f"{side.name} › {noted.location.shown()}".rstrip(" ›"), value, reached)
