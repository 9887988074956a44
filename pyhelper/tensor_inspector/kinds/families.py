"""Makes the function ``kind_for`` of a family out of a table from kinds to classes.

The nearest base class that is in the table decides, so a subclass may have a kind of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Callable

from ..safe.guard import class_name, is_found_in, library_of
from .kind import Kind

if TYPE_CHECKING:
    KindFor = Callable[[type, tuple[type, ...]], "type[Kind] | None"]


def by_base(kinds: Mapping[type[Kind], tuple[type, ...]]) -> KindFor:
    """A ``kind_for`` that goes by the classes themselves."""
    known = {id(cls): kind for kind, classes in kinds.items() for cls in classes}

    def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
        return next((known[id(base)] for base in bases if id(base) in known), None)

    return kind_for


def by_name(kinds: Mapping[type[Kind], tuple[str, ...]], *libraries: str) -> KindFor:
    """A ``kind_for`` that goes by the names of classes whose ``__module__`` lies in one of these libraries."""
    known = {name: kind for kind, names in kinds.items() for name in names}

    def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
        found = (base for base in bases if class_name(base) in known and library_of(base) in libraries)
        return next((known[class_name(base)] for base in found), None)

    return kind_for


def by_home(kinds: Mapping[type[Kind], tuple[str, ...]], *packages: str) -> KindFor:
    """A ``kind_for`` that goes by the names under which modules of these packages really hold the classes: a class that
    only claims to stand there is left out."""
    known = {name: kind for kind, names in kinds.items() for name in names}

    def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
        for base in bases:
            if class_name(base) in known and any(is_found_in(base, package) for package in packages):
                return known[class_name(base)]
        return None

    return kind_for


def either(*choices: KindFor) -> KindFor:
    """A ``kind_for`` that asks these in turn, and takes the first kind."""

    def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
        return next((kind for kind in (choose(cls, bases) for choose in choices) if kind is not None), None)

    return kind_for
