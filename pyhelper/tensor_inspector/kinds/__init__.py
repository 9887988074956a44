"""Which kind a value is of: chosen by its class alone, once per class.

A family is a module with ``kind_for(cls, bases)``. Families of a library are asked only where the program has imported
that library; ``objects`` takes what no other knows. To add a kind: one file, one row in ``_families``, one table of
tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import ref

from ..budget import Budget
from ..guard import module, mro
from .kind import Child, Kind, NotFound, NotStatic, Property, PropertyKind, Rows, RowsKind, Said, SaidKind

__all__ = ["Child", "Kind", "NotFound", "NotStatic", "Property", "Rows", "Said", "kind_of", "libraries", "look"]

# Keyed by the class's id: a dictionary keyed by the class itself would run its metaclass's __hash__ and __eq__.
# The weak reference proves that the id still stands for that class.
_chosen: dict[int, tuple[ref[type], type[Kind]]] = {}


def look(value: object, budget: Budget) -> Kind:
    """``value`` as its kind, ready to be asked."""
    return kind_of(type(value))(value, budget)


def kind_of(cls: type) -> type[Kind]:
    key = id(cls)
    known = _chosen.get(key)
    if known is not None and known[0]() is cls:
        return known[1]
    bases = mro(cls)
    kind = next(kind for kind in (family.kind_for(cls, bases) for family in _families()) if kind is not None)
    _chosen[key] = (ref(cls, lambda _: _chosen.pop(key, None)), kind)
    return kind  # type: ignore[no-any-return]


def libraries() -> dict[str, str]:
    """The libraries with kinds of their own that the program has loaded, with their versions."""
    versions = {}
    for name in ("torch", "numpy"):
        library = module(name)
        if library is not None:
            version = vars(library).get("__version__")
            versions[name] = str.__str__(version) if isinstance(version, str) else ""
    return versions


class _Own:
    """Our own rows, which stand for no value of the program."""

    @staticmethod
    def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
        return _OWN.get(id(cls))


_OWN: dict[int, type[Kind]] = {id(Rows): RowsKind, id(Said): SaidKind, id(Property): PropertyKind}


def _families() -> Iterator[Any]:
    yield _Own
    # A library that is still being imported has no such name yet.
    if hasattr(module("torch"), "Tensor"):
        from . import torch_autograd, torch_module, torch_tensor, torch_training

        yield from (torch_tensor, torch_module, torch_autograd, torch_training)
    if hasattr(module("numpy"), "ndarray"):
        from . import numpy_array

        yield numpy_array
    from . import containers, objects, plain

    yield from (plain, containers, objects)
