"""The standard containers, by the built-in types' own methods.

A subclass's ``__len__``, ``__iter__`` or ``__getitem__`` never runs, and a ``defaultdict`` gains no key.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from ..guard import Classes, class_dict, class_name, dict_get, mro
from ..protocol import Facts
from ..text import integer, joined, listed, quoted, quoted_bytes
from .kind import Child, Kind, NotFound, NotStatic
from .objects import attribute_count, brief, is_tensor, other_attributes

_MISSING = object()
_SHOWN = 12  #: items looked at for a line
_PEEKED = 100  #: items looked at for tensors
_NUMBERS = Classes(int, float, bool, type(None))
_STRINGS = Classes(str, bytes)
_STANDARD = Classes(list, tuple, dict)
_OPENED = 5  #: containers among them that are opened to look for tensors
_ORDERED = 2000  #: items of an OrderedDict up to which its own order is found, by reading all


class Container(Kind):
    """Items first, then a row for what a subclass's instance carries besides them."""

    summarized = True

    def length(self) -> int:
        raise NotImplementedError

    def items(self) -> Iterator[Any]:
        """The items as the line shows them, from the first."""
        raise NotImplementedError

    def item_rows(self, start: int, count: int) -> Iterable[Child]:
        raise NotImplementedError

    def brief(self) -> str:
        return f"{self.type_name()} of {self.length():,}"

    def line(self) -> str:
        length = self.length()
        if not length:
            return f"{self.type_name()} · empty"
        return joined([self.type_name(), f"{length:,}: {self._content(length)}"])

    def child_count(self) -> int | None:
        return self.length() + (1 if attribute_count(self.value) else 0)

    def children(self, start: int, count: int) -> Iterable[Child]:
        length = self.length()
        if start < length:
            yield from self.item_rows(start, count)
        if start + count > length:
            yield from other_attributes(self.value)

    def facts(self) -> Facts:
        facts = super().facts()
        facts["rows"] = [["length", f"{self.length():,}"]]
        return facts

    def holds_tensors(self) -> bool:
        first = list(islice(self.items(), _PEEKED))
        if any(map(is_tensor, first)):
            return True
        return any(any(map(is_tensor, _first_items(item))) for item in first[:_OPENED] if type(item) in _STANDARD)

    def _content(self, length: int) -> str:
        briefs = [brief(item, self) for item in islice(self.items(), _SHOWN)]
        if len(briefs) > 2 and len(set(briefs)) == 1:
            same = "each" if length <= _SHOWN else "first 12"
            return f"{same} {briefs[0]}"
        return listed(briefs, length > len(briefs), 90)


class Mapping(Container):
    kind = "mapping"

    def length(self) -> int:
        return dict.__len__(self.value)

    def items(self) -> Iterator[Any]:
        return (item for _, item in self._pairs())

    def _pairs(self) -> Iterator[tuple[Any, Any]]:
        """Keys and values in the order that iterating shows, without hashing a key of the program's."""
        if not any(base is OrderedDict for base in mro(type(self.value))):
            return iter(dict.items(self.value))
        if self.length() > _ORDERED or not self._has_plain_keys():
            return iter(dict.items(self.value))  # its own order would be found by hashing the keys
        found = {id(key): item for key, item in dict.items(self.value)}
        return ((key, found[id(key)]) for key in OrderedDict.__iter__(self.value))

    def item_rows(self, start: int, count: int) -> Iterable[Child]:
        for index, (key, item) in enumerate(islice(self._pairs(), start, start + count), start):
            yield Child(key_name(key, index), item, f"[{key!r}]" if _is_literal(key) else None)

    def _has_plain_keys(self) -> bool:
        return all(_is_plain(key) for key in dict.__iter__(self.value))

    def item(self, key: Any) -> Any:
        found = dict_get(self.value, key, _MISSING)
        if found is not _MISSING:
            return found
        if not self._has_plain_keys():
            raise NotStatic("comparing its keys runs the program's code")
        if type(key) in _NUMBERS:  # 1, 1.0 and True are one key
            equal = (item for known, item in dict.items(self.value) if type(known) in _NUMBERS and known == key)
            found = next(equal, _MISSING)
        if found is _MISSING:
            raise NotFound(f"there is no key {key!r}")
        return found

    def _content(self, length: int) -> str:
        names = (key_word(key) for key, _ in islice(self._pairs(), _SHOWN))
        return listed(names, length > _SHOWN, 90)


class Sequence(Container):
    kind = "sequence"

    def _base(self) -> Any:
        return next(base for base in (list, tuple, deque) if issubclass(type(self.value), base))

    def length(self) -> int:
        return self._base().__len__(self.value)  # type: ignore[no-any-return]

    def items(self) -> Iterator[Any]:
        return self._base().__iter__(self.value)  # type: ignore[no-any-return]

    def item_rows(self, start: int, count: int) -> Iterable[Child]:
        base = self._base()
        stop = start + count
        page = (islice(base.__iter__(self.value), start, stop) if base is deque
                else base.__getitem__(self.value, slice(start, stop)))  # fmt: skip
        return (Child(f"[{index}]", item, f"[{index}]") for index, item in enumerate(page, start))

    def item(self, key: Any) -> Any:
        if type(key) is not int:
            raise NotStatic("a slice of a list makes a new one")
        length = self.length()
        if not -length <= key < length:
            raise NotFound(f"there is no item {key}: it has {length:,}")
        return next(islice(self.items(), key % length, None))


class NamedTuple(Sequence):
    """A tuple with field names, as ``collections.namedtuple`` and ``typing.NamedTuple`` make them."""

    def line(self) -> str:
        shown = (f"{name}={brief(item, self)}" for name, item in zip(self._fields(), self.items()))
        return joined([self.type_name(), listed(shown, False, 90)])

    def item_rows(self, start: int, count: int) -> Iterable[Child]:
        fields = self._fields()
        for index, item in islice(enumerate(self.items()), start, start + count):
            yield (
                Child(fields[index], item, f".{fields[index]}")
                if index < len(fields)
                else Child(f"[{index}]", item, f"[{index}]")
            )

    def _fields(self) -> tuple[str, ...]:
        return named_fields(mro(type(self.value))) or ()


class Set(Container):
    kind = "set"

    def _base(self) -> Any:
        return set if issubclass(type(self.value), set) else frozenset

    def length(self) -> int:
        return self._base().__len__(self.value)  # type: ignore[no-any-return]

    def items(self) -> Iterator[Any]:
        return self._base().__iter__(self.value)  # type: ignore[no-any-return]

    def item_rows(self, start: int, count: int) -> Iterable[Child]:
        return (Child(f"{{{index}}}", item) for index, item in islice(enumerate(self.items()), start, start + count))


def key_word(key: object) -> str:
    """A key as the line of its dict shows it: a short string bare, anything else as a literal or by its class."""
    if type(key) is str:
        return key if len(key) <= 24 else key[:23] + "…"
    if type(key) is int:
        return integer(key)
    return repr(key) if type(key) in _NUMBERS else f"‹{class_name(type(key))}›"


def key_name(key: object, index: int) -> str:
    """A key as the name of a row, unique in its dict: what is shortened or only a class carries its position."""
    cls = type(key)
    if cls in _STRINGS:
        whole = len(key) <= 60  # type: ignore[arg-type]
        shown = quoted(key) if cls is str else quoted_bytes(key, 60)  # type: ignore[arg-type]
        return shown if whole else f"{shown} #{index}"
    if (cls in _NUMBERS and cls is not int) or _is_literal(key):
        text = repr(key)
        return text if len(text) <= 60 else f"{text[:60]}… #{index}"
    return f"‹{class_name(cls)}› #{index}"


def named_fields(bases: Iterable[type]) -> tuple[str, ...] | None:
    for base in bases:
        fields = class_dict(base).get("_fields")
        if type(fields) is tuple and fields and all(type(name) is str for name in fields):
            return fields
    return None


def _is_plain(key: object) -> bool:
    """Whether comparing or hashing the key runs no code of the program's."""
    if type(key) is tuple:
        return all(type(item) is not tuple and _is_plain(item) for item in key)
    return type(key) in _NUMBERS or type(key) in _STRINGS


def _is_literal(key: object) -> bool:
    """Whether ``repr(key)`` is an expression for it that runs no code: an atom, or a short tuple of atoms."""
    if type(key) is tuple:
        return len(key) <= 8 and all(type(item) is not tuple and _is_literal(item) for item in key)
    if type(key) is int:
        return key.bit_length() <= 133
    if type(key) is float:
        return key - key == 0  # neither Inf nor NaN, which are no literals
    return type(key) in _NUMBERS or (type(key) in _STRINGS and len(key) <= 200)  # type: ignore[arg-type]


def _first_items(value: Any) -> Iterator[object]:
    return islice(iter(value.values() if type(value) is dict else value), 20)


_BY_BASE: dict[int, type[Kind]] = {
    id(dict): Mapping,
    id(list): Sequence,
    id(tuple): Sequence,
    id(deque): Sequence,
    id(set): Set,
    id(frozenset): Set,
}


def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    kind = next((kind for kind in (_BY_BASE.get(id(base)) for base in bases) if kind is not None), None)
    if kind is Sequence and any(base is tuple for base in bases) and named_fields(bases):
        return NamedTuple
    return kind
