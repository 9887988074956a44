"""e3nn: irreducible representations, as they are written, with the number of dimensions that they take."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...words.text import listed
from ..families import by_home
from ..python.containers import Sequence

_SHOWN = 12  #: representations in a line
_WIDTH = 80  #: characters of these


class Representation(Sequence):
    """A tuple of e3nn, which is a text for people."""

    def text(self) -> str:
        return _written(self.value)

    def brief(self) -> str:
        return self.text()

    def inline(self) -> str | None:
        return self.text()

    def parts(self) -> Iterable[str | None]:
        return [self.type_name(), self.text(), f"dim {_dimension(self.value):,}"]


class Irreps(Representation):
    """A direct sum of representations, each as often as the number before it says."""

    def text(self) -> str:
        length = self.length()
        texts = [_written(item) for item in self.page(0, _SHOWN)]
        return listed(texts, length > _SHOWN, _WIDTH).replace(", ", " + ") if length else "empty"


def _pair(value: Any) -> tuple[Any, Any]:
    """The two items of ``(l, p)`` or ``(multiplicity, irrep)``."""
    first, second = tuple.__iter__(value)
    return first, second


def _written(value: Any) -> str:
    """``1o`` for an odd representation of degree 1, ``4x1o`` for four of these."""
    first, second = _pair(value)
    return f"{first}{'e' if second == 1 else 'o'}" if type(second) is int else f"{first}x{_written(second)}"


def _dimension(value: Any) -> int:
    parts = list(tuple.__iter__(value))
    if len(parts) != 2 or type(parts[0]) is not int:
        return sum(map(_dimension, parts))
    first, second = parts
    return 2 * first + 1 if type(second) is int else int(first * _dimension(second))


kind_for = by_home({Irreps: ("Irreps",), Representation: ("Irrep", "_MulIr")}, "e3nn")
