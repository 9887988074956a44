"""`Section`: one part of a report, a title with lines."""

from __future__ import annotations

import os
import re

from ...safe.environ import variable
from ...safe.record import Record

_HOMES = ("HOME", "USERPROFILE")
_END = r"(?![\w-]|\.\w)"  #: of a part of a path


class Section(Record):
    """``summary`` is the text of its row in a tree; ``lines`` stand below it."""

    title: str
    summary: str
    lines: list[str]


def without_home(text: str) -> str:
    """The text with ``~`` for the user's home folder (also where a link to it leads), and ``user`` for the name of that
    folder in other paths."""
    set_to = [variable(name) for name in _HOMES]
    homes = [home.rstrip("/\\") for path in set_to if path for home in (path, os.path.realpath(path))]
    for home in filter(None, homes):
        text = re.sub(rf"(?<![\w./\\~-]){re.escape(home)}{_END}", "~", text)
    for name in filter(None, (re.split(r"[/\\]", path.rstrip("/\\"))[-1] for path in set_to)):
        text = re.sub(rf"(?<=[/\\]){re.escape(name)}{_END}", "user", text)
    return text
