"""Tells whether tensors or data are among what a container or an object holds, by the first of it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from ...safe.budget import Budget
from ..kind import Kind
from ..registry import kind_of

_PEEKED = 100  #: values looked at for tensors, of what holds them
_FIRST = 8  #: values looked at for data
_EACH = 20  #: values looked at in each of them that holds others, and in these
_MOST = 400  #: values looked at in all


def tensors_among(found: Iterable[object], budget: Budget) -> bool:
    """Whether tensors or storages are among these values, or in what they write out at any depth."""
    values, opened = list(islice(found, _PEEKED)), set()
    for value in values:  # which grows
        kind: type[Kind] = kind_of(type(value))
        if kind.rank < 2:
            return True
        if kind.contains and len(values) < _MOST and id(value) not in opened:
            opened.add(id(value))
            values += islice(kind(value, budget).written_out(), _EACH)
    return False


def data_among(found: Iterable[object], budget: Budget, depth: int = 1) -> bool:
    """Whether tensors or arrays are among the first of these values, or in what those write out; no modules."""
    holders = []
    for value in islice(found, _FIRST):
        kind = kind_of(type(value))
        if kind.rank == 0:
            return kind.kind != "module"
        if kind.contains and depth:
            holders.append(kind(value, budget))
    return any(data_among(holder.written_out(), budget, depth - 1) for holder in holders)
