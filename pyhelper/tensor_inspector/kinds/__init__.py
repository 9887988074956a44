"""Which kind a value is of: chosen by its class alone, once per class.

A family is a module with ``kind_for(cls, bases)``. Families of a library are asked only where the program has imported
that library; ``objects`` takes what no other knows. To add a kind: one file, one row in ``_OF_LIBRARIES``, one
table of the zoo.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from ..budget import Budget
from ..guard import ByClass, instance_dict, module, mro, plain_str
from .kind import Child, Elements, Kind, NotFound, NotStatic, Property, PropertyKind, Rows, RowsKind, Said, SaidKind

__all__ = [
    "Child", "Elements", "Kind", "NotFound", "NotStatic", "Property", "Rows", "Said", "kind_of", "libraries", "look",
]  # fmt: skip


def look(value: object, budget: Budget) -> Kind:
    """``value`` as its kind, ready to be asked."""
    return kind_of(type(value))(value, budget)


def _choose(cls: type) -> type[Kind]:
    bases = mro(cls)
    kinds = (family.kind_for(cls, bases) for family in _families())
    return next(kind for kind in kinds if kind is not None)  # type: ignore[no-any-return]


kind_of = ByClass(_choose)


def libraries() -> dict[str, str]:
    """The libraries with kinds of their own that the program has loaded, with their versions."""
    versions = {}
    for name in ("torch", "numpy"):
        library = module(name)
        if library is not None:
            versions[name] = plain_str(vars(library).get("__version__"))
    return versions


class _Own:
    """Our own rows, which stand for no value of the program."""

    @staticmethod
    def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
        return _OWN.get(id(cls))


#: Families of a library: where the program has imported it, and it has this name, its family is asked.
_OF_LIBRARIES = (
    ("torch", "Tensor", "torch_tensor"),
    ("torch", "Tensor", "torch_module"),
    ("torch", "Tensor", "torch_autograd"),
    ("torch", "Tensor", "torch_training"),
    ("numpy", "ndarray", "numpy_array"),
)
_OWN: dict[int, type[Kind]] = {id(Rows): RowsKind, id(Said): SaidKind, id(Property): PropertyKind}


def _families() -> Iterator[Any]:
    yield _Own
    for library, name, family in _OF_LIBRARIES:
        # Looked up in its namespace: `hasattr` would run a `__getattr__` of the module.
        if name in instance_dict(module(library)):
            yield import_module(f".{family}", __package__)
    from . import containers, objects, plain

    yield from (plain, containers, objects)
