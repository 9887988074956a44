"""Objects that are not copied with a model: immutable ones, and code."""

from __future__ import annotations

from re import Pattern
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any
from weakref import ReferenceType

from ...safe.guard import ByClass, Classes, class_module, class_name, library_of, module, mro

torch: Any = module("torch")
#: Classes whose objects can't be changed.
IMMUTABLE = Classes(
    type(None), bool, int, float, complex, str, bytes, range, slice, type(...), type(NotImplemented),
    torch.dtype, torch.device, torch.layout, torch.memory_format, torch.Size,
)  # fmt: skip
_CODE = Classes(
    type, FunctionType, BuiltinFunctionType, ModuleType, ReferenceType, Pattern, property, staticmethod, classmethod,
)  # fmt: skip
#: What the code of a traced module was written from, and how what it takes and returns is nested.
_TRACED = (("torch.fx.graph", "Graph"), ("torch.utils._pytree", "TreeSpec"), ("torch.utils._pytree", "LeafSpec"))
_IMMUTABLE_LIBRARIES = frozenset(("datetime", "decimal", "enum", "fractions", "logging", "pathlib", "uuid"))


def is_immutable(value: Any) -> bool:
    if type(value) is tuple:
        return all(map(is_immutable, value))
    return type(value) in IMMUTABLE or is_never_copied(type(value))


def _find_never_copied(cls: type) -> bool:
    bases = mro(cls)
    return (
        any(base in _CODE for base in bases)
        or not _IMMUTABLE_LIBRARIES.isdisjoint(map(library_of, bases))
        or is_numpy(bases, "generic", "dtype")
        or (class_module(cls), class_name(cls)) in _TRACED
    )


is_never_copied = ByClass(_find_never_copied)  #: whether its instances are code, or immutable objects of a library


def is_numpy(bases: tuple[type, ...], *names: str) -> bool:
    return any(class_name(base) in names and class_module(base) == "numpy" for base in bases)
