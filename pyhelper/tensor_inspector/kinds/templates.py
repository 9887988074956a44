"""Parses summaries, as ``{state.step} of {total} · {history:len} kept``. What may stand in them says `summaries`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..safe.record import Record
from ..words.text import shorten_middle

TEXT_METHODS = {"str": "__str__", "repr": "__repr__"}  #: what runs the library's own method
POSITIVE = "positive"  #: what is there only as a number above 0: -1 steps are as many as there may be
_SPECS = ("", "len", "items", "keys")  #: what is said without running anything
_ALONE = "= "  #: begins a summary that stands without the type

Way = tuple[tuple[str, Any], ...]


class Field(Record):
    """One pair of braces in a summary: the paths to values, and what is shown of them."""

    ways: tuple[Way, ...]
    spec: str

    def is_of(self, name: object) -> bool:
        """Whether it shows the value of this attribute, or of one of that."""
        return not self.spec and self.ways[0][:1] == (("attribute", name),)


Phrase = tuple[object, ...]  #: text and fields in turn


class Template(Record):
    """A parsed summary: parts, each with alternatives. ``alone`` is true where it stands without the type's name."""

    parts: list[list[Phrase]]
    alone: bool

    def begins_with(self, name: object) -> bool:
        """Whether its first part is that and nothing else."""
        first, *others = self.parts[0]
        fields = [] if others else list(filter(None, first))
        return len(fields) == 1 and isinstance(fields[0], Field) and fields[0].is_of(name)


def parse(text: str, runs: bool = False) -> Template:
    """Parses a summary. With ``runs`` it may call methods of the library.

    Raises ``ValueError`` with a sentence about the mistake.
    """
    alone = text.startswith(_ALONE)
    parts = (text[len(_ALONE) :] if alone else text).split(" · ")
    return Template([[_phrase(one, runs) for one in part.split(" | ")] for part in parts], alone)


def _phrase(text: str, runs: bool) -> Phrase:
    found: list[object] = []
    before, opened, rest = text.partition("{")
    while opened:
        inside, closed, rest = rest.partition("}")
        if not closed:
            raise ValueError(f"'{{{shorten_middle(inside, 24)}' has no closing brace")
        paths, _, spec = inside.partition(":")
        if spec not in _SPECS and not (runs and spec in (*TEXT_METHODS, POSITIVE)):
            raise ValueError(f"'{shorten_middle(spec, 24)}' is none of len, items, keys")
        found += [before, Field(tuple(tuple(_steps(path, runs)) for path in paths.split(",")), spec)]
        before, opened, rest = rest.partition("{")
    return (*found, before)


def _steps(path: str, runs: bool) -> Iterator[tuple[str, Any]]:
    """``*``, ``*_``, or attributes and items: ``a.b[0]["key"]``; a key has no dot, comma or bracket."""
    for step in path.replace("[", ".[").removeprefix(".").split(".") if path else ():
        key = step[1:-1]
        if step == path and step in ("*", "*_"):
            yield "all", step[1:]
        elif step.isidentifier():
            yield "attribute", step
        elif runs and step.endswith("()"):
            yield "call", step[:-2]
        elif step.startswith("[") and step.endswith("]") and key.removeprefix("-").isdecimal():
            yield "item", int(key)
        elif step.startswith("[") and step.endswith("]") and key[:1] in ("'", '"') and key[-1:] == key[:1]:
            yield "item", key[1:-1]
        else:
            raise ValueError(f"'{shorten_middle(path, 24)}' is no way such as 'a.b[0][\"key\"]'")
