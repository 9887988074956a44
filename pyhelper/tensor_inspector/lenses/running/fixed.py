"""Objects that are not copied with a model: what can't change, and code."""

from __future__ import annotations

from re import Pattern
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any
from weakref import ReferenceType

from ...safe.guard import ByClass, Classes, class_module, class_name, library_of, module, mro

torch: Any = module("torch")
#: What can't be changed, and what is code: it stays itself.
FIXED = Classes(
    type(None), bool, int, float, complex, str, bytes, range, slice, type(...), type(NotImplemented),
    torch.dtype, torch.device, torch.layout, torch.memory_format, torch.Size,
)  # fmt: skip
_CODE = Classes(
    type, FunctionType, BuiltinFunctionType, ModuleType, ReferenceType, Pattern, property, staticmethod, classmethod,
)  # fmt: skip
_FIXED_LIBRARIES = frozenset(("datetime", "decimal", "enum", "fractions", "logging", "pathlib", "uuid"))


def is_fixed(value: Any) -> bool:
    if type(value) is tuple:
        return all(map(is_fixed, value))
    return type(value) in FIXED or stays(type(value))


def _find_stays(cls: type) -> bool:
    bases = mro(cls)
    return (
        any(base in _CODE for base in bases)
        or not _FIXED_LIBRARIES.isdisjoint(map(library_of, bases))
        or is_numpy(bases, "generic", "dtype")
    )


stays = ByClass(_find_stays)  #: whether instances are code, or of a library whose values don't change


def is_numpy(bases: tuple[type, ...], *names: str) -> bool:
    return any(class_name(base) in names and class_module(base) == "numpy" for base in bases)
