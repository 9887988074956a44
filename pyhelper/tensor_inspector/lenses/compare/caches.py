"""Tells what an object has stored of what it can work out again: its caches, which two equal objects need not share."""

from __future__ import annotations

from types import BuiltinFunctionType, FunctionType, MethodDescriptorType, WrapperDescriptorType
from typing import Any

from ...safe.guard import Classes, class_attribute, instance_dict, owner_of

#: What is a method: an object that has another one in its place has been patched.
_METHODS = Classes(
    BuiltinFunctionType, FunctionType, MethodDescriptorType, WrapperDescriptorType, classmethod, staticmethod
)
_WORDS = frozenset(("cache", "caches", "cached", "computed", "memo", "memoized"))


def is_cached(value: object, name: str) -> bool:
    """Whether an attribute of an object stores what its class works out under this name.

    It stands in the instance's dict, before a descriptor of the class that stores nothing itself, as
    ``functools.cached_property`` and torch's ``lazy_property`` do; or its name says so, of a private one.
    """
    if name not in instance_dict(value):
        return False
    descriptor = class_attribute(type(value), name)
    if descriptor is None:
        return is_named_a_cache(name)
    cls = type(descriptor)
    if cls in _METHODS or owner_of(cls, "__get__") is None:
        return False
    return owner_of(cls, "__set__") is None and owner_of(cls, "__delete__") is None


def is_named_a_cache(name: str) -> bool:
    """Whether the name of a private attribute says that it keeps what was worked out."""
    return name.startswith("_") and not _WORDS.isdisjoint(name.lower().split("_"))


def is_filled_in_one(name: str, a: Any, b: Any) -> bool:
    """Whether an attribute is a cache by its name, and has nothing in it on one side."""
    return (a is None) is not (b is None) and is_named_a_cache(name)
