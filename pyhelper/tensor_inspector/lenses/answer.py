"""The answer of a lens as Python callers get it: a dict that prints as a tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CUT = "not all was looked at: there was no time for more"  #: the first line of an answer that is not complete


class Answer(dict):  # type: ignore[type-arg]
    """What a lens has found, as plain data that is a dict; printed, it is the rows that a tree shows of it."""

    def __init__(self, found: Mapping[str, Any], text: str) -> None:
        super().__init__(found)
        self._text = text

    def __repr__(self) -> str:
        return self._text
