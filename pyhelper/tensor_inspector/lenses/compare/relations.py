"""How two tensors that differ are related: equal after transposing, broadcasting, rounding …"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from ...kinds import as_kind
from ...measure.stats import Unread
from ...measure.stats.relation import Related
from ...safe.budget import Budget
from ...safe.torch_name import torch_name
from ...words.text import count, number
from .pair import MISSING, PairDifference

if TYPE_CHECKING:
    from ...protocol import Relation

_SHAPES, _VALUES = 1000, 200  #: pairs that are looked at: of unlike shapes, and of one
_WHOLE = 1e-6  #: the distance within which a number is rounded to a whole one
_NUMBERS = ("float", "bfloat", "int", "uint", "bool", "complex")


class Relations:
    """Looks for a relation of each pair whose shapes or elements differ; it can be taken in several goes."""

    def __init__(self, noted: list[PairDifference]) -> None:
        self._noted = noted
        self._waiting: deque[PairDifference] | None = None
        self._all = 0
        self._at: Related | None = None

    def go_on(self, budget: Budget) -> bool:
        """Test pairs until none is left or the time is over. Returns whether none is left."""
        if self._waiting is None:
            noted = [one for one in self._noted if _is_open(one)]
            shapes = [one for one in noted if one.difference["what"] == "shape"][:_SHAPES]
            self._waiting = deque([*shapes, *[one for one in noted if one.difference["what"] == "values"][:_VALUES]])
            self._all = len(self._waiting)
        while self._waiting:
            one = self._waiting[0]
            if self._at is None:
                self._at = _related(one, budget)
            if self._at is not None:
                if not self._go_on(self._at, budget):
                    return False
                _add_relation(one, self._at.found)
                self._at = None
            self._waiting.popleft()
            if budget.spent() and self._waiting:
                return False
        return True

    def progress(self) -> float:
        return 0.0 if self._waiting is None else 1 - len(self._waiting) / max(1, self._all)

    def _go_on(self, related: Related, budget: Budget) -> bool:
        try:
            return related.go_on(budget)
        except (ArithmeticError, AttributeError, IndexError, RuntimeError, TypeError, ValueError):
            return True  # a library has no such operation for such elements


def words(relation: Relation) -> str:
    """``equal after transposing``, and how much of it that was seen in if not in all."""
    how = "close" if relation["close"] else "equal"
    text = f"{how} {_after(relation)}"
    return text if relation["read"] == relation["count"] else f"≈ {text} in {_share(relation)}"


def _after(relation: Relation) -> str:
    name = relation["how"]
    if name == "dtype":
        return "but for the dtype"
    if name == "permuted":
        return f"after permute({', '.join(map(str, relation.get('dims', [])))})"
    if name == "rounded":
        return f"after rounding to {relation.get('dtype', '')}"
    if name == "flipped":
        return f"after flipping dimension {relation.get('dim')}"
    if name == "multiplied":
        return f"after {_multiplying(relation['value'])}" if "value" in relation else _along("scaling", relation)
    if name == "shifted":
        return f"after adding {number(relation['value'])}" if "value" in relation else _along("adding a bias", relation)
    return f"after {_DOING[name]}"


def _along(doing: str, relation: Relation) -> str:
    return f"after {doing} along dimension {relation.get('dim')}"


def _multiplying(factor: float) -> str:
    if abs(factor + 1) < _WHOLE:
        return "negating"
    parts = 1 / factor
    if abs(factor) < 1 and abs(parts - round(parts)) < _WHOLE * abs(parts):
        return f"dividing by {number(round(parts))}"
    return f"multiplying by {number(factor)}"


_DOING = {
    "transposed": "transposing",
    "broadcast": "broadcasting",
    "squeezed": "squeezing",
    "unsqueezed": "unsqueezing",
    "reshaped": "reshaping",
}


def _share(relation: Relation) -> str:
    return f"{count(relation['read'])} of {count(relation['count'])} elements"


def _add_relation(noted: PairDifference, relation: Relation | None) -> None:
    if relation is not None:
        noted.difference["relation"] = relation
        noted.difference["text"] = f"{words(relation)}: {noted.difference['text']}"


def _is_open(noted: PairDifference) -> bool:
    """Whether it is two that have other shapes, or other elements."""
    difference = noted.difference
    if noted.a is MISSING or noted.b is MISSING or "relation" in difference:
        return False
    return difference["what"] in ("shape", "values")


def _related(noted: PairDifference, budget: Budget) -> Related | None:
    """The search, where both are plain tensors or arrays of numbers."""
    sides = []
    for value in (noted.a, noted.b):
        side = as_kind(value, budget).comparable()
        if side is None or side.composed or side.mask is not None or side.tick is not None or side.scale is not None:
            return None
        elements = side.read()
        if elements is None or isinstance(elements, Unread) or 0 in tuple(elements.shape):
            return None
        if not torch_name(elements.dtype).startswith(_NUMBERS):
            return None
        sides.append(elements)
    values = noted.difference.get("values")
    return Related(*sides, apart=values is None or values["apart"] > 0)
