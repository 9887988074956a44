"""Lists, tuples, deques and sets, read by the built-in types' own methods.

A subclass's ``__len__``, ``__iter__`` or ``__getitem__`` never runs.
"""

from __future__ import annotations

import collections
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain, islice
from types import MemberDescriptorType, MethodDescriptorType, WrapperDescriptorType
from typing import Any

from ...safe.attributes import traits
from ...safe.guard import Classes, c_attribute, class_attribute, class_dict, each, mro
from ...words.line import INLINE, class_word, content, grouped_runs, short
from ...words.text import joined, listed
from ..families import by_base
from ..holder import HolderKind
from ..kind import Child, Kind, NotFound, NotStatic
from .among import data_among, tensors_among
from .objects import brief_inline, is_listed_first, other_attributes, property_rows

_SHOWN = 12  #: items looked at for a line
_ALIKE = 4  #: tensors in a tuple
_LEAST = 20  #: characters of items at the end of a line of source, however long the name before them
_WRITTEN = {
    id(list): ("[", "]"),
    id(deque): ("[", "]"),
    id(tuple): ("(", ")"),
    id(dict): ("{", "}"),
    id(set): ("{", "}"),
    id(frozenset): ("{", "}"),
}
_BUILT_IN = Classes(WrapperDescriptorType, MethodDescriptorType)
_FIELDS = Classes(MemberDescriptorType, vars(collections).get("_tuplegetter", property))


class Container(HolderKind):
    """The base of lists, tuples, sets and dicts: items first, then what a subclass adds."""

    summarized = True
    brackets = ("", "")  #: around its items where it is written, if its class has no base that says so

    def base(self) -> Any:
        """The built-in type whose methods read the items."""
        raise NotImplementedError

    def length(self) -> int:
        return self.base().__len__(self.value)  # type: ignore[no-any-return]

    def items(self, start: int = 0) -> Iterator[Any]:
        """The items as the line shows them, from the first, or a later one."""
        return each(self.base().__iter__, self.value, start)

    def item_rows(self, start: int, count: int) -> Iterable[Child]:
        raise NotImplementedError

    def brief(self) -> str:
        return f"{self.type_name()} of {self.length():,}"

    def parts(self) -> Iterable[str | None]:
        warnings, memory_word = self.warnings(), self.memory_word()
        return [
            class_word(self.type_name()),
            *warnings,
            self.content(joined([self.type_name(), *warnings, memory_word])),
            memory_word,
        ]

    def entries(self) -> Iterable[tuple[object, object]]:
        return enumerate(self.items())

    def entry_name(self, under: object) -> str:
        return f"[{under}]"

    def lenses(self) -> list[str]:
        return ["batch"] if data_among(self.items(), self.budget) else []

    def content(self, before: str) -> str:
        """What is in it, as the part of its line that comes after ``before``."""
        length = self.length()
        return content(before, self.sized(length), self.item_texts(), length > _SHOWN) if length else "empty"

    def inline(self) -> str | None:
        """As Python writes it; of many items how many there are, and the first."""
        length, base = self.length(), next((base for base in mro(type(self.value)) if id(base) in _WRITTEN), None)
        opened, closed = self.brackets if base is None else _WRITTEN[id(base)]
        if base is set and not length:
            opened, closed = "set(", ")"
        if base is tuple and length == 1:
            closed = f",{closed}"
        if length > _SHOWN:
            opened = f"{self.brief()} {opened}"
        elif base is not type(self.value):
            opened, closed = f"{class_word(self.type_name()).short}({opened}", f"{closed})"
        opened = "".join(f"{short(word)} · " for word in self.warnings()) + opened
        return f"{opened}{listed(self.written(), length > _SHOWN, room_for_items(opened, closed))}{closed}"

    def written(self) -> Iterable[str]:
        """The first items as `inline` writes them."""
        return self._first_texts

    @cached_property
    def _first_texts(self) -> list[str]:
        return grouped_runs(brief_inline(item, self) for item in islice(self.items(), _SHOWN))

    def indexed(self) -> bool:
        """Whether ``value[key]`` is what is shown: no ``__getitem__`` of the program comes before the built-in one."""
        return type(class_attribute(type(self.value), "__getitem__")) in _BUILT_IN

    def beside(self) -> list[Child]:
        """Rows besides the items: attributes of the instance, and properties of its class."""
        return [*other_attributes(self.value), *property_rows(self.value)]

    def child_count(self) -> int | None:
        return self.length() + len(self.beside())

    def children(self, start: int, count: int) -> Iterable[Child]:
        length = self.length()
        if start < length:
            yield from self.item_rows(start, count)
        if start + count > length:
            yield from self.beside()

    def fact_rows(self) -> list[list[str]]:
        return [["length", f"{self.length():,}"]]

    def written_out(self) -> Iterable[object]:
        return self.items()

    def holds_tensors(self) -> bool:
        return tensors_among(self.items(), self.budget)

    def sized(self, length: int) -> str:
        """The length, in front of the first items."""
        return f"{length:,}: "

    def item_texts(self) -> list[tuple[str, str]]:
        """The first items for the line: label and text of each."""
        return [("", text) for text in self._first_texts]


class Sequence(Container):
    kind = "sequence"

    def item_rows(self, start: int, count: int) -> Iterable[Child]:
        indexed = self.indexed()
        for index, item in enumerate(self.page(start, start + count), start):
            yield Child(f"[{index}]", item, f"[{index}]" if indexed else None)

    def item(self, key: Any) -> Any:
        if type(key) is not int:
            raise NotStatic("a slice of a list makes a new one")
        length = self.length()
        if not -length <= key < length:
            raise NotFound(f"there is no item {key}: it has {length:,}")
        return next(iter(self.page(key % length, key % length + 1)))

    def sized(self, length: int) -> str:
        most = self._most()
        return f"{length:,} of at most {most:,}: " if type(most) is int else super().sized(length)

    def brief(self) -> str:
        """How many items; of a short tuple of tensors that are alike, as keys and values, also of which shape."""
        brief, length = super().brief(), self.length()
        if type(self.value) is not tuple or not 0 < length <= _ALIKE or not all(map(is_listed_first, self.value)):
            return brief
        heads = {brief_inline(item, self) for item in self.value}
        return f"{brief} {heads.pop()}" if len(heads) == 1 else brief

    def settings(self) -> dict[str, str]:
        return {"maxlen": str(self._most())}

    def _most(self) -> Any:
        return c_attribute(self.value, "maxlen")  # of a deque

    def base(self) -> Any:
        return next(base for base in (list, tuple, deque) if issubclass(type(self.value), base))

    def page(self, start: int, stop: int) -> Iterable[Any]:
        base = self.base()
        if base is deque:
            return islice(self.items(start), stop - start)
        return base.__getitem__(self.value, slice(start, stop))  # type: ignore[no-any-return]


class NamedTuple(Sequence):
    """A tuple with names for its items, as ``collections.namedtuple`` makes them, or C libraries."""

    def brief(self) -> str:
        return self.type_name()

    def sized(self, length: int) -> str:
        return ""

    def item_texts(self) -> list[tuple[str, str]]:
        items = islice(zip(self.fields(), self.items()), _SHOWN)
        return [(f"{name} ", brief_inline(item, self)) for name, item in items]

    def entries(self) -> Iterable[tuple[object, object]]:
        return zip(self.fields(), self.items())

    def entry_name(self, under: object) -> str:
        return str(under)

    def inline(self) -> str | None:
        shown = (f"{name}={brief_inline(item, self)}" for name, item in zip(self.fields(), self.items()))
        opened = f"{class_word(self.type_name()).short}("
        return f"{opened}{listed(shown, False, room_for_items(opened, ')'))})"

    def item_rows(self, start: int, count: int) -> Iterable[Child]:
        cls, fields = type(self.value), self.fields()
        for row in super().item_rows(start, count):
            index = int(row.name[1:-1])
            if index < len(fields):
                row.name = fields[index]
                row.suffix = f".{row.name}" if _is_field(cls, row.name) else row.suffix
            yield row

    def fields(self) -> tuple[str, ...]:
        return named_fields(mro(type(self.value))) or ()


class StructSequence(NamedTuple):
    """As ``time.struct_time`` and what ``torch.topk`` returns: names for the items, and for some that are no items."""

    def child_count(self) -> int | None:
        return self.length() + len(self._hidden())

    def children(self, start: int, count: int) -> Iterable[Child]:
        return islice(chain(self.item_rows(0, self.length()), self._hidden()), start, start + count)

    def _hidden(self) -> list[Child]:
        names = (name for name, item in self._class_dict().items() if type(item) is MemberDescriptorType)
        return [Child(name, c_attribute(self.value, name), f".{name}") for name in names if name not in self.fields()]

    def fields(self) -> tuple[str, ...]:
        namespace = self._class_dict()
        named = namespace.get("__match_args__")  # since Python 3.10; before it, in the order of the class's own names
        if type(named) is tuple:
            return named
        members = [name for name, item in namespace.items() if type(item) is MemberDescriptorType]
        return tuple(members[: namespace["n_sequence_fields"] - namespace["n_unnamed_fields"]])

    def _class_dict(self) -> Mapping[str, Any]:
        return class_dict(next(base for base in mro(type(self.value)) if "n_sequence_fields" in class_dict(base)))


class Set(Container):
    kind = "set"

    def entry_name(self, under: object) -> str:
        return f"{{{under}}}"

    def item_rows(self, start: int, count: int) -> Iterable[Child]:
        return (Child(f"{{{index}}}", item) for index, item in islice(enumerate(self.items(start), start), count))

    def base(self) -> Any:
        return set if issubclass(type(self.value), set) else frozenset


def room_for_items(opened: str, closed: str) -> int:
    """Characters of items at the end of a line of source, between what opens and closes them."""
    return max(_LEAST, INLINE - len(opened) - len(closed) - len(", …"))


def named_fields(bases: Iterable[type]) -> tuple[str, ...] | None:
    for base in bases:
        fields = class_dict(base).get("_fields")
        if type(fields) is tuple and fields and all(type(name) is str for name in fields):
            return fields
    return None


def _is_field(cls: type, name: str) -> bool:
    """Whether ``value.name`` is an item, and no property of the program's."""
    return type(class_attribute(cls, name)) in _FIELDS and not traits(cls).computes


_known = by_base({Sequence: (list, tuple, deque), Set: (set, frozenset)})


def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    if any(base is tuple for base in bases):
        if any("n_sequence_fields" in class_dict(base) for base in bases):
            return StructSequence
        if named_fields(bases):
            return NamedTuple
    return _known(cls, bases)
