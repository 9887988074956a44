"""Arrays of further libraries by shape and dtype, as their code in C tells them; values where that disturbs nothing.

mlx computes when it is asked for a value, files are read by their library alone: such values are not read.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from math import prod
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, MethodDescriptorType
from typing import TYPE_CHECKING, Any

from ...measure.comparable import Comparable
from ...measure.stats import Unread
from ...safe.guard import Classes, class_dict, class_name, full_name, library_of, module, mro
from ...safe.record import Record
from ...words.line import class_word, head
from ...words.text import shape, size
from ..kind import Child, NotStatic
from ..numpy.by_dtype import contents_of
from ..numpy.contents import ArrayElements, ArrayKind, Contents, UnreadableContents
from ..python.objects import other_attributes
from ..subscripts import element

if TYPE_CHECKING:
    from ...protocol import Facts

#: Dtypes that numpy has by these names.
OF_NUMPY = frozenset(
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
)
_COPIED = 8 << 20  #: bytes up to which values are copied to be read
UNEVALUATED = Unread("disturbing", "not read: reading would evaluate it")
ON_DISK = Unread("elsewhere", "not read from disk")
_DESCRIPTORS = Classes(GetSetDescriptorType, MemberDescriptorType)


class Outline(Record):
    """Shape and dtype of an array, what else is said of it, and its values: a numpy array, or why they are not read."""

    dtype: str
    sizes: tuple[Any, ...] | None  #: None where it is not known, since the array is closed or deleted
    words: list[str]
    values: Any
    settings: dict[str, str] | None = None  #: what else distinguishes it


class ForeignArray(ArrayKind):
    """The base of arrays of a library: each says its `outline`."""

    def outline(self) -> Outline:
        raise NotImplementedError

    @cached_property
    def known(self) -> Outline:
        try:
            return self.outline()
        except Exception as error:  # of the library: closed, deleted, of a state that it refuses
            return gone(f"not read: {class_name(type(error))}")

    @cached_property
    def contents(self) -> Contents:
        values = self.known.values
        return (
            UnreadableContents(None, self.budget, values)
            if type(values) is Unread
            else contents_of(values, self.budget)
        )

    def is_unread(self) -> bool:
        return isinstance(self.contents, UnreadableContents)

    def head(self) -> str:
        sizes = self.known.sizes
        return self.known.dtype if sizes is None else head(self.known.dtype, shape(sizes))

    def brief(self) -> str:
        return self.type_name() if self.known.sizes is None else self.head()

    def inline(self) -> str | None:
        return self.brief() if self.is_unread() else super().inline()

    def parts(self) -> Iterable[str | None]:
        name, words = class_word(self.type_name()), self.known.words
        if self.is_unread():
            return [name, self.head() or None, *words, self.known.values.text]
        shown = self.contents.shown()
        values = [self.head(), *self.contents.words()] if shown is None else [f"{self.head()} {shown}"]
        return [name, *values, *words]

    def facts(self) -> Facts:
        known = self.known
        facts: Facts = {"type": full_name(type(self.value)), "dtype": known.dtype, "notes": list(known.words)}
        if known.sizes is not None:
            facts["shape"] = [length if type(length) is int else str(length) for length in known.sizes]
        self.contents.add_facts(facts)
        return facts

    def rows(self) -> list[Child]:
        values = [Child("values", self.contents.values(), "")] if self.contents.is_open() else []
        return [*values, *other_attributes(self.value)]

    def item(self, key: Any) -> Any:
        if self.is_unread():
            raise NotStatic(self.known.values.text)
        where = key if type(key) is tuple else (key,)
        return ArrayElements(element(self.contents.array, where if ... in where else (*where, ...)))

    def comparable(self) -> Comparable:
        if not self.is_unread():
            return super().comparable()
        return Comparable(self.known.dtype, self.known.sizes or (), lambda: self.known.values)

    def settings(self) -> dict[str, str]:
        return {"open": str(self.known.sizes is not None), **(self.known.settings or {})}


def too_large_to_copy(bytes: int) -> Unread | None:
    """Why an array of so many bytes is not copied to be read; None where it is."""
    return Unread("too_many", f"not read: a copy would take {size(bytes)}") if bytes > _COPIED else None


def bytes_of(dtype: str, sizes: Iterable[int]) -> int:
    """What an array takes whose dtype numpy has."""
    return int(prod((module("numpy").dtype(dtype).itemsize, *sizes)))


def gone(why: str, dtype: str = "", words: Iterable[str] = ()) -> Outline:
    """What is left of an array whose library no longer tells its shape."""
    return Outline(dtype, None, list(words), Unread("no_values", why))


def of_library(value: Any, name: str, library: str) -> Any:
    """An attribute by the code in C of the library's class, whatever a subclass puts before it."""
    for base in mro(type(value)):
        found: Any = class_dict(base).get(name) if library_of(base) == library else None
        if type(found) in _DESCRIPTORS:
            return found.__get__(value)
        if type(found) is property and found.fget is not None and type(found.fget) is not FunctionType:
            return found.fget(value)
    raise NotStatic(f"'{name}' is not kept in C")


def call_of_library(value: Any, name: str, library: str) -> Any:
    """The result of a method without arguments that the library's class has in C."""
    for base in mro(type(value)):
        found: Any = class_dict(base).get(name) if library_of(base) == library else None
        if type(found) is MethodDescriptorType:
            return found(value)
    raise NotStatic(f"'{name}' is not in C")
