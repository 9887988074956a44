"""Lists and reads attributes of an instance without running a property or other code of the program."""

from __future__ import annotations

from collections.abc import Iterator
from types import MemberDescriptorType, WrapperDescriptorType
from typing import Any, NamedTuple

from .guard import (
    ByClass,
    c_attribute,
    class_attribute,
    class_dict,
    class_name,
    dict_get,
    each,
    instance_dict,
    mro,
    plain_str,
    raw_dict,
)
from .memory import bytes_at

_MISSING = object()
_POINTER = 8  #: bytes
_size_of = type.__dict__["__basicsize__"].__get__
_dict_at = type.__dict__["__dictoffset__"].__get__
_weak_at = type.__dict__["__weakrefoffset__"].__get__
_item_size = type.__dict__["__itemsize__"].__get__


class Traits(NamedTuple):
    """What a class defines about attributes of its instances."""

    size: int  #: names in the class and its bases: when it changes, the class has changed
    slots: list[tuple[str, int]]  #: name, and how far up its class stands; a descriptor would keep the class alive
    properties: list[str]  #: public ones, nearest class first
    computes: bool  #: attributes go through a ``__getattribute__`` of its own


def traits(cls: type) -> Traits:
    known = _traits(cls)
    if known.size != _size(cls):
        _traits.forget(cls)
        known = _traits(cls)
    return known


def _size(cls: type) -> int:
    return sum(map(len, map(class_dict, mro(cls))))


def _find_traits(cls: type) -> Traits:
    slots: dict[str, int] = {}
    properties: dict[str, None] = {}
    defined: set[str] = set()
    computes = False
    for depth, base in enumerate(mro(cls)):
        namespace = class_dict(base)
        computes = computes or (
            "__getattribute__" in namespace and type(namespace["__getattribute__"]) is not WrapperDescriptorType
        )
        for name, item in list(namespace.items()):
            kind = type(item)
            if type(name) is not str or name.startswith("__"):
                continue
            if kind is MemberDescriptorType:
                slots.setdefault(name, depth)
            elif (
                name not in defined  # by a subclass, as something else
                and not name.startswith("_")
                and (issubclass(kind, property) or class_name(kind) == "cached_property")
            ):
                properties.setdefault(name)
            defined.add(name)
    return Traits(_size(cls), list(slots.items()), list(properties), computes)


_traits = ByClass(_find_traits)


def slots(value: object) -> Iterator[tuple[str, Any]]:
    """Name and value of each slot that is set; unset ones and special names are left out."""
    bases = mro(type(value))
    for name, depth in traits(type(value)).slots:
        try:
            item = class_dict(bases[depth])[name].__get__(value)
        except BaseException:  # unset, or of a C type that refuses
            continue
        yield name, item


def stored(value: object) -> Iterator[tuple[str, Any]]:
    """Names and values of what the instance's dict and slots hold; of a name that both have, the slot's."""
    slotted = dict(slots(value))
    yield from ((name, item) for name, item in each(dict.items, instance_dict(value)) if name not in slotted)
    yield from slotted.items()


def is_stored(cls: type, name: str) -> bool:
    """Whether ``value.name`` is what the instance's dict or slots hold: no property or other code comes before it."""
    if traits(cls).computes:
        return False
    for base in mro(cls):
        namespace = class_dict(base)
        if name in namespace:
            kind = type(namespace[name])
            return kind is MemberDescriptorType or not any("__set__" in class_dict(above) for above in mro(kind))
    return True


def attribute(value: object, name: str) -> Any:
    """An attribute from the instance's dict or slots; ``AttributeError`` for all that needs code to run."""
    if is_stored(type(value), name):
        slotted = dict(slots(value))
        comes_first = name in slotted and type(class_attribute(type(value), name)) is MemberDescriptorType
        found = _MISSING if comes_first else dict_get(raw_dict(value), name, _MISSING)
        if found is not _MISSING:
            return found
        if name in slotted:
            return slotted[name]
    raise AttributeError(name)


def has(value: object, name: str) -> bool:
    """Whether an instance holds an attribute by its dict, its slots or in C."""
    if name in instance_dict(value) or any(slot == name for slot, _ in slots(value)):
        return True
    return c_attribute(value, name) is not None


def is_pure(cls: type) -> bool:
    """Whether all that its instances hold are attributes: none of its bases keeps anything in C.

    A slot that a subclass declares anew takes its place too, though no name reaches it.
    """
    named = [one for base in mro(cls) for one in list(class_dict(base).items())]
    found = [name for name, item in named if type(item) is MemberDescriptorType]
    slot_count = sum(not plain_str(name).startswith("__") for name in found)
    pointers = slot_count + (_dict_at(cls) > 0) + (_weak_at(cls) > 0)
    return not _item_size(cls) and bool(_size_of(cls) <= object.__basicsize__ + tuple.__itemsize__ * pointers)


def is_bare(value: object) -> bool:
    """Whether an instance of a class with an ``__init__`` holds nothing at all: that has not run yet."""
    is_empty = not dict.__len__(raw_dict(value)) and next(slots(value), None) is None
    return is_empty and type(class_attribute(type(value), "__init__")) is not WrapperDescriptorType


def is_made_in_cpp(value: object) -> bool:
    """Whether an instance of a pybind11 class has its C++ object. Methods crash where it has none.

    pybind11 keeps a pointer right after the head of the Python object; it is null until ``__init__`` has run. True
    where memory can't be read; on Linux it can.
    """
    pointer = bytes_at(id(value) + object.__basicsize__, _POINTER)
    return not pointer or any(pointer)
