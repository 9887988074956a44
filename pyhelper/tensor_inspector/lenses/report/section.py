"""One part of a report: a title, and lines below it."""

from __future__ import annotations

from ...safe.environ import variable
from ...safe.record import Record

_HOMES = ("HOME", "USERPROFILE")


class Section(Record):
    """``summary`` says in a few words what the lines tell; it is its row in a tree."""

    title: str
    summary: str
    lines: list[str]


def without_home(text: str) -> str:
    """Without the folder, and so the name, of the user."""
    for name in _HOMES:
        home = variable(name).rstrip("/\\")
        if home:
            text = text.replace(home, "~")
    return text
