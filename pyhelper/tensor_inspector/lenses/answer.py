"""The answer of a lens as Python callers get it: a dict that prints as a tree."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

CUT = "not all was looked at: there was no time for more"  #: the first line of an answer that is not complete


class Answer(dict):  # type: ignore[type-arg]
    """What a lens has found, as plain data that is a dict; printed, it is the rows that a tree shows of it."""

    def __init__(self, found: Mapping[str, Any], text: str) -> None:
        super().__init__(found)
        self._text = text

    def __repr__(self) -> str:
        return self._text

    def to_dict(self) -> dict[str, Any]:
        """A plain dict for ``json.dumps``: NaN and infinities, for which JSON has no number, are texts."""
        return {name: plain(item) for name, item in self.items()}


def plain(value: Any) -> Any:
    """Our own data as JSON can hold it: numbers that JSON lacks, as NaN, infinities and complex ones, become texts."""
    cls = type(value)
    if value is None or issubclass(cls, (str, int)):
        return value
    if issubclass(cls, float):
        return float(value) if isfinite(value) else str(float(value))
    if issubclass(cls, dict):
        return {name: plain(item) for name, item in value.items()}
    return [plain(item) for item in value] if issubclass(cls, (list, tuple)) else str(value)
