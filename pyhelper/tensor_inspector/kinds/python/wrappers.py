"""Containers that wrap a built-in one: ``UserDict``, ``ChainMap``, weak dictionaries, ``mappingproxy``."""

from __future__ import annotations

import gc
from collections import ChainMap, UserDict, UserList, UserString
from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import Any
from weakref import ReferenceType, WeakKeyDictionary, WeakSet, WeakValueDictionary

from ...safe.guard import Classes, class_attribute, dict_get, each, instance_dict
from ...words.text import listed, plural
from ..families import by_base
from ..kind import Child
from .containers import Sequence, Set
from .mappings import Mapping
from .objects import attribute_count, brief, other_attributes, property_rows
from .plain import Atom, String
from .warned import WarnedObject

_SHOWN = 12  #: maps listed of a chain
_WRAPPERS: tuple[Any, ...] = (UserDict, WeakValueDictionary, UserList)
_GETTERS = [wrapper.__dict__["__getitem__"] for wrapper in _WRAPPERS]


class _WrapsBuiltIn:
    """A container that keeps its items in a built-in one, as its attribute ``data``."""

    value: Any

    def data(self, base: Any) -> Any:
        found = dict_get(instance_dict(self.value), "data")
        return found if issubclass(type(found), base) else base()

    def indexed(self) -> bool:
        getter = class_attribute(type(self.value), "__getitem__")
        return type(dict_get(instance_dict(self.value), "data")) in _EXACT and any(
            getter is known for known in _GETTERS
        )

    def beside(self) -> list[Child]:
        others = other_attributes(self.value) if attribute_count(self.value) > 1 else []
        return [*others, *property_rows(self.value)]


class WrappedDict(_WrapsBuiltIn, Mapping):
    def as_dict(self) -> dict[Any, Any]:
        return self.data(dict)  # type: ignore[no-any-return]


class WrappedList(_WrapsBuiltIn, Sequence):
    def length(self) -> int:
        return list.__len__(self.data(list))

    def items(self, start: int = 0) -> Iterator[Any]:
        return each(list.__iter__, self.data(list), start)

    def page(self, start: int, stop: int) -> Iterable[Any]:
        return list.__getitem__(self.data(list), slice(start, stop))


class WeakDict(WrappedDict):
    """A dictionary that keeps no value, or no key, alive; one that is gone shows as the dead reference."""

    def pairs(self, start: int = 0) -> Iterator[tuple[Any, Any]]:
        return ((_alive(key), _alive(item)) for key, item in each(dict.items, self.as_dict(), start))

    def item(self, key: Any) -> Any:
        return _alive(super().item(key))

    def beside(self) -> list[Child]:
        return []


class WeakItems(_WrapsBuiltIn, Set):
    def length(self) -> int:
        return set.__len__(self.data(set))

    def items(self, start: int = 0) -> Iterator[Any]:
        return map(_alive, each(set.__iter__, self.data(set), start))

    def beside(self) -> list[Child]:
        return []


class MappingProxy(Mapping):
    """A read-only view of a dict. Its own methods would call those of the dict's class, so the dict itself is read."""

    def as_dict(self) -> dict[Any, Any]:
        return next((item for item in gc.get_referents(self.value) if issubclass(type(item), dict)), {})

    def indexed(self) -> bool:
        return type(self.as_dict()) is dict


class ChainedMaps(WarnedObject):
    """Several mappings searched one after the other."""

    summarized = True

    def words(self) -> Iterable[str | None]:
        maps = self.first_rows()
        shown = [brief(child.value, self) for child in maps[:_SHOWN]]
        return [f"{plural(len(maps), 'map')}: {listed(shown, len(maps) > len(shown), 90)}"]

    def first_rows(self) -> list[Child]:
        maps = self.attr("maps")
        found = list(enumerate(maps)) if type(maps) is list else []
        return [Child(f"maps[{index}]", item, f".maps[{index}]") for index, item in found]


class WrappedText(Atom):
    kind = "string"

    def line(self) -> str:
        data = dict_get(instance_dict(self.value), "data")
        return f"{self.type_name()} {String(data, self.budget).line() if issubclass(type(data), str) else ''}".rstrip()


def _alive(item: Any) -> object:
    """The object of a weak reference while it lives, else None."""
    target = ReferenceType.__call__(item) if issubclass(type(item), ReferenceType) else None
    return item if target is None else target


_EXACT = Classes(dict, list)
kind_for = by_base(
    {
        WrappedDict: (UserDict,),
        WrappedList: (UserList,),
        WrappedText: (UserString,),
        WeakDict: (WeakValueDictionary, WeakKeyDictionary),
        WeakItems: (WeakSet,),
        MappingProxy: (MappingProxyType,),
        ChainedMaps: (ChainMap,),
    }
)
