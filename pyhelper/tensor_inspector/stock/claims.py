"""Decides by class which values our providers present in the debugger's own views, and how much of each."""

from __future__ import annotations

from collections import deque
from typing import Literal

from ..kinds import LIBRARIES, kind_of
from ..kinds.python.containers import Container
from ..kinds.python.objects import PlainObject, writes_out
from ..kinds.python.plain import Atom
from ..safe.guard import ByClass, Classes, library_of, mro
from .rows import Row, Text

Claim = Literal["nothing", "line", "whole"]  #: how much of a value is presented by us

_BUILT_IN = Classes(list, tuple, dict, set, frozenset, deque)


def _claims(cls: type) -> Claim:
    if issubclass(cls, (Row, Text)):
        return "whole" if issubclass(cls, Row) else "line"
    kind, bases = kind_of(cls), mro(cls)
    libraries = {library_of(base) for base in bases}
    if any(base in _BUILT_IN for base in bases) or (issubclass(kind, Container) and libraries.isdisjoint(LIBRARIES)):
        return "line"
    known = kind.kind == "graph" or not libraries.isdisjoint(LIBRARIES)
    if known and kind is not PlainObject and not issubclass(kind, Atom):
        return "whole"  # what an object of the program's own writes out is left to the program, but for tensors in it
    return "line" if issubclass(kind, PlainObject) and writes_out(cls) else "nothing"


claim = ByClass(_claims)


def claim_safely(cls: type) -> Claim:
    try:
        return claim(cls)
    except BaseException:  # a class whose MRO can't be read: the object itself says why
        return "nothing"
