"""ctypes' numbers, arrays, structures and pointers, read from their own memory. No pointer is followed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, partial
from itertools import islice
from math import isfinite
from typing import TYPE_CHECKING, Any

from ...measure.unread import FREED, Unread
from ...safe.foreign import (
    POINTERS,
    Address,
    address_of,
    code_of,
    decoded,
    is_of_other_order,
    is_simple,
    is_text,
    pointer,
    read,
    size_of,
    stored_item,
    text,
)
from ...safe.guard import c_attribute, class_attribute, class_dict, instance_dict, module, mro
from ...safe.memory import bytes_at
from ...words.line import Word, class_word, content, short
from ...words.text import joined
from ..families import by_base, by_home, either
from ..holder import HolderKind
from ..kind import Child, Kind
from ..registry import as_kind
from .containers import Sequence
from .objects import WordedObject, brief, brief_inline, other_rows
from .plain import Atom

if TYPE_CHECKING:
    from ...protocol import Badge

_SHOWN = 12  #: fields looked at for a line
_TEXT = 1 << 24  #: bytes of an array of characters up to which it is text
_BYTES_HEAD = bytes.__basicsize__ - 1  #: before the first byte of a ``bytes``
_AT_ONCE = 4096  #: items read at once
_SUMMED = 1 << 24  #: bytes of floats up to which they are added up
_FLOATS = "fd"  #: ``_type_`` of floats that `memoryview.cast` knows
_WHOLE = frozenset("bBhHiIlLqQ?cu")  #: ``_type_`` of numbers and characters that can't be NaN
_LONG_DOUBLE = 10  #: bytes of it that are no padding
_HEAP = "_wrapper"  #: where multiprocessing has its place in shared memory; no part of the value


class AddressAtom(Atom):
    """An address, as ctypes' own ``repr`` of a pointer would tell it."""

    def line(self) -> str:
        return f"→ {self.value:#x}" if self.value else "NULL"

    def address(self) -> int | None:
        return int(self.value)


class _ForeignValue(HolderKind):
    """The base of ctypes' values, whose memory may be gone."""

    @cached_property
    def is_gone(self) -> bool:
        address, size = address_of(self.value), size_of(type(self.value))
        return bool(size) and any(bytes_at(one, 1) == b"" for one in (address, address + size - 1))

    def words(self) -> Iterable[str | None]:
        """The parts of its line after the class."""
        raise NotImplementedError

    def parts(self) -> Iterable[str | None]:
        words = [Word(FREED.text, loud=True)] if self.is_gone else self.words()
        return [class_word(self.type_name()), *words]

    def badges(self) -> list[Badge]:
        return ["freed"] if self.is_gone else super().badges()

    def beside(self) -> list[Child]:
        """What the program has put into the instance's dict."""
        return other_rows(self.value, [name for name in instance_dict(self.value) if name != _HEAP])

    def unreadable(self) -> Unread | None:
        return FREED if self.is_gone else None


class _Few(_ForeignValue):
    """A value with a few rows, which are known at once."""

    def stored_rows(self) -> Iterator[Child]:
        """What its memory holds."""
        raise NotImplementedError

    def inline(self) -> str | None:
        return None if self.is_gone else short(self.brief())

    def entries(self) -> Iterable[tuple[object, object]]:
        return () if self.is_gone else ((row.name, row.value) for row in self.stored_rows())

    def child_count(self) -> int | None:
        return len(self._rows())

    def children(self, start: int, count: int) -> Iterable[Child]:
        return self._rows()[start : start + count]

    def _rows(self) -> list[Child]:
        return [*(() if self.is_gone else self.stored_rows()), *self.beside()]


class Simple(_Few):
    """A number, a character, or a pointer without a type."""

    def stored_rows(self) -> Iterator[Child]:
        yield Child("value", self._stored(), ".value")
        if code_of(type(self.value)) == "g":  # a float does not hold all of it
            yield Child("bytes", read(self.value, 0, _LONG_DOUBLE))

    def words(self) -> Iterable[str | None]:
        text = brief(self._stored(), self)
        return [Word(text, loud=True) if "nan" in self.badges() else text]

    def brief(self) -> str:
        return self.type_name() if self.is_gone else f"{self.type_name()} {brief(self._stored(), self)}"

    def address(self) -> int | None:
        stored = None if self.is_gone else self._stored()
        return stored if type(stored) is Address else None

    def _stored(self) -> object:
        cls = type(self.value)
        code = code_of(cls)
        if code not in POINTERS:
            return decoded(cls, read(self.value, 0, size_of(cls)))
        return self._given() or pointer(self.value)

    def _given(self) -> object | None:
        """The Python object that it points to, and keeps alive."""
        kept, code = c_attribute(self.value, "_objects"), code_of(type(self.value))
        address = pointer(self.value)
        is_kept = code == "O" and address == id(kept)
        return kept if is_kept or (type(kept) is bytes and address == id(kept) + _BYTES_HEAD) else None


class Pointer(_Few):
    """A pointer with a type, or to a function."""

    def stored_rows(self) -> Iterator[Child]:
        yield Child("address", pointer(self.value))

    def words(self) -> Iterable[str | None]:
        return [brief(pointer(self.value), self)]

    def brief(self) -> str:
        return self.type_name() if self.is_gone else f"{self.type_name()} {brief(pointer(self.value), self)}"

    def address(self) -> int | None:
        return None if self.is_gone else pointer(self.value)


class Fields(_Few):
    """A structure or a union, by its fields."""

    def words(self) -> Iterable[str | None]:
        warnings, rows = self.warnings(), list(islice(self.stored_rows(), _SHOWN + 1))
        items = [(f"{row.name} ", brief_inline(row.value, self)) for row in rows[:_SHOWN]]
        return [*warnings, content(joined([self.type_name(), *warnings]), "", items, len(rows) > _SHOWN)]

    def stored_rows(self) -> Iterator[Child]:
        for base in reversed(mro(type(self.value))):
            fields: Any = class_dict(base).get("_fields_")
            for field in fields if type(fields) in (list, tuple) else ():
                name, cls, *bits = field
                yield Child(name, self._field(class_dict(base).get(name), cls, bool(bits)), f".{name}")

    def _field(self, descriptor: Any, cls: type, has_bits: bool) -> object:
        if is_simple(cls) and not has_bits:
            return stored_item(self.value, descriptor.offset, cls)
        if is_text(cls):
            return text(cls, read(self.value, descriptor.offset, size_of(cls)))
        read(self.value, 0, size_of(type(self.value)))  # raises where a part is gone: the descriptor would crash
        return descriptor.__get__(self.value)


class Items(_ForeignValue, Sequence):
    """An array, by its items."""

    brackets = ("[", "]")

    def words(self) -> Iterable[str | None]:
        warnings = self.warnings()
        return [*warnings, self.content(joined([self.type_name(), *warnings]))]

    def length(self) -> int:
        return 0 if self.is_gone else int(class_attribute(type(self.value), "_length_"))

    def items(self, start: int = 0) -> Iterator[Any]:
        for first in range(start, self.length(), _AT_ONCE):
            yield from self.page(first, first + _AT_ONCE)

    def page(self, start: int, stop: int) -> Iterable[Any]:
        cls, stop = class_attribute(type(self.value), "_type_"), min(stop, self.length())
        if not is_simple(cls):
            return map(partial(module("_ctypes").Array.__getitem__, self.value), range(start, stop))
        size = size_of(cls)
        data = read(self.value, start * size, max(0, stop - start) * size)
        return (decoded(cls, data[at : at + size]) for at in range(0, len(data), size))

    def entries(self) -> Iterable[tuple[object, object]]:
        """Without whole numbers, none of which is NaN, and without floats of which none is."""
        cls = class_attribute(type(self.value), "_type_")
        return () if code_of(cls) in _WHOLE or (is_simple(cls) and self._is_finite(cls)) else super().entries()

    def _is_finite(self, cls: Any) -> bool:
        """Whether a sum proves that no float of it is NaN or infinite."""
        if code_of(cls) not in _FLOATS or is_of_other_order(cls) or size_of(type(self.value)) > _SUMMED:
            return False
        step, total = size_of(cls) * _AT_ONCE, size_of(type(self.value))
        data = (read(self.value, at, min(step, total - at)) for at in range(0, total, step))
        return all(isfinite(sum(memoryview(part).cast(code_of(cls)))) for part in data)  # type: ignore[call-overload]


class ByteString(_Few):
    """An array of characters, as bytes."""

    def stored_rows(self) -> Iterator[Child]:
        yield Child("raw", self._raw(), ".raw")

    def words(self) -> Iterable[str | None]:
        return [brief(self._raw(), self)]

    def brief(self) -> str:
        return self.type_name() if self.is_gone else f"{self.type_name()} {brief(self._raw(), self)}"

    def _raw(self) -> bytes:
        return read(self.value, 0, size_of(type(self.value)))


class Synchronized(WordedObject):
    """A value that processes share, with its lock: which process holds that is no part of the value."""

    repeating = ("_lock", "acquire", "release")

    def words(self) -> Iterable[str | None]:
        shared = as_kind(self.attr("_obj"), self.budget)
        return shared.parts()

    def brief(self) -> str:
        return f"{self.type_name()} {brief(self.attr('_obj'), self)}"

    def inline(self) -> str | None:
        return short(self.brief())

    def badges(self) -> list[Badge]:
        return as_kind(self.attr("_obj"), self.budget).badges()

    def entries(self) -> Iterable[tuple[object, object]]:
        return [("_obj", self.attr("_obj"))]


def _text(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    """Arrays of bytes, unless they are long."""
    is_bytes = is_text(cls) and code_of(class_attribute(cls, "_type_")) == "c"
    return ByteString if is_bytes and size_of(cls) <= _TEXT else None


kind_for = either(
    by_base({AddressAtom: (Address,)}),
    by_home({Synchronized: ("SynchronizedBase",)}, "multiprocessing.sharedctypes"),
    _text,
    by_home(
        {
            Simple: ("_SimpleCData",),
            Pointer: ("_Pointer", "CFuncPtr"),
            Items: ("Array",),
            Fields: ("Structure", "Union"),
        },
        "_ctypes",
    ),
)
