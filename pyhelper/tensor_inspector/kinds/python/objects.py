"""Objects of classes that have no kind of their own: their attributes, from ``__dict__`` and slots."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Container, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from keyword import iskeyword
from types import GetSetDescriptorType, MemberDescriptorType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from ...safe.attributes import is_made_in_cpp, is_pure, is_stored, slots, stored, traits
from ...safe.guard import (
    ByClass,
    c_attribute,
    class_attribute,
    class_name,
    each,
    instance_dict,
    mro,
    plain_str,
    raw_dict,
)
from ...safe.installed import is_installed, is_made_of_installed
from ...words.line import Word, class_word, content, short
from ...words.text import joined, listed
from ..holder import HolderKind
from ..kind import COMPUTED, Child, Kind
from ..registry import as_kind, kind_of
from ..rows import Property, Rows
from .among import data_among, tensors_among
from .settings import are_settings, declares_fields, line_end
from .telling import empty_last, most_telling_first

if TYPE_CHECKING:
    from ...protocol import Badge

_SHOWN = 12  #: attributes in a line
_PEEKED = 100  #: attributes looked at for a line, and values for tensors
_WRITERS = (SimpleNamespace, ChainMap, partial, BaseException)  #: which write out what they hold


class PlainObject(HolderKind):
    """An object by its attributes. Properties are listed, and read only on a click, since they run code."""

    def stored(self) -> Iterator[Child]:
        """What it holds by name, as its rows."""
        return attributes(self.value)

    def parts(self) -> Iterable[str | None]:
        return [class_word(self.type_name()), *self.warnings(), *self.attribute_words(), self.memory_word()]

    def entries(self) -> Iterable[tuple[object, object]] | None:
        return self._named() if writes_out(type(self.value)) else None

    def all_entries(self) -> Iterator[tuple[object, object]]:
        return self._named()

    def inner_entries(self) -> Iterable[tuple[object, object]] | None:
        return islice(stored(self.value), _PEEKED) if is_made_of_installed(type(self.value)) else None

    def entry_name(self, under: object) -> str:
        """The public name of a library's private attribute, where there is one: ``X`` for ``_X``."""
        name, cls = str(under), type(self.value)
        public = name.lstrip("_")
        return public if self.keeps_to_itself(under) and class_attribute(cls, public) is not None else name

    def keeps_to_itself(self, under: object) -> bool:
        return type(under) is str and under.startswith("_") and is_installed(type(self.value))

    def _named(self) -> Iterator[tuple[object, object]]:
        return ((child.name, child.value) for child in self.stored())

    def inline(self) -> str | None:
        """Its class and its settings, where it holds nothing else, or its class declares its fields."""
        found = list(islice((child for child in attributes(self.value) if not child.name.startswith("_")), _SHOWN + 1))
        is_told = declares_fields(type(self.value)) or are_settings(child.value for child in found)
        return self.inline_of(found) if found and is_told else None

    def inline_of(self, found: list[Child]) -> str:
        """The class and these attributes, for the end of a line of source."""
        opened = "".join(f"{short(word)} · " for word in self.warnings()) + class_word(self.type_name()).short
        texts = [f"{child.name} {brief_inline(child.value, self)}" for child in found]
        return line_end(opened, texts, _SHOWN)

    def attribute_words(self) -> list[str]:
        found = list(islice(self.stored(), _PEEKED))
        found = empty_last(found) if len(found) > _SHOWN else found
        found = most_telling_first(found, writes_out=writes_out(type(self.value)))
        return [attributes_part(joined([self.type_name(), *self.warnings(), self.memory_word()]), found, self)]

    def child_count(self) -> int | None:
        return attribute_count(self.value) + len(property_rows(self.value))

    def children(self, start: int, count: int) -> Iterable[Child]:
        return islice(chain(self.stored(), property_rows(self.value)), start, start + count)

    def fact_rows(self) -> list[list[str]]:
        """Its attributes, where what is shown of such a kind has no place for its rows."""
        if self.kind == "object":
            return []
        return [[child.name, brief(child.value, self)] for child in islice(self.stored(), _SHOWN)]

    def written_out(self) -> Iterable[object]:
        return self._values() if writes_out(type(self.value)) else ()

    def holds_tensors(self) -> bool:
        return tensors_among(self._values(), self.budget)

    def lenses(self) -> list[str]:
        return ["batch"] if writes_out(type(self.value)) and data_among(self._values(), self.budget) else []

    def hidden(self) -> str | None:
        cls = type(self.value)
        is_shown = is_pure(cls) or any(base is partial for base in mro(cls))  # whose parts are rows
        return None if is_shown else "what its class keeps in C"

    def _values(self) -> Iterator[object]:
        return (child.value for child in self.stored())


class Unmade(PlainObject):
    """An instance whose ``__init__`` has not run or not come far, by the attributes that are there."""

    def parts(self) -> Iterable[str | None]:
        return [self.type_name(), "not initialized"]

    def badges(self) -> list[Badge]:
        return []

    def inline(self) -> str | None:
        return None

    def child_count(self) -> int | None:
        return attribute_count(self.value)

    def children(self, start: int, count: int) -> Iterable[Child]:
        return islice(attributes(self.value), start, start + count)


class WordedObject(PlainObject):
    """An object of a known class, which a few words describe better than its attributes. These are its rows all the
    same.

    ``first_rows`` stand before them, for what the class keeps in C.
    """

    def words(self) -> Iterable[str | None]:
        return ()

    def first_rows(self) -> list[Child]:
        return []

    def inner_entries(self) -> Iterable[tuple[object, object]] | None:
        return None

    def parts(self) -> Iterable[str | None]:
        return [self.type_name(), *self.words()]

    def inline(self) -> str | None:
        return None

    def badges(self) -> list[Badge]:
        return []

    def child_count(self) -> int | None:
        return len(self.first_rows()) + (super().child_count() or 0)

    def children(self, start: int, count: int) -> Iterable[Child]:
        return islice(chain(self.first_rows(), super().children(0, start + count)), start, start + count)

    def attr(self, name: str) -> Any:
        """An attribute from the instance's dict; None where there is none."""
        return instance_dict(self.value).get(name)

    def c_rows(self, *names: str) -> list[Child]:
        """Rows of attributes that the class keeps in C, without those that are None."""
        found = ((name, c_attribute(self.value, name)) for name in names)
        return [Child(name, item, c_suffix(type(self.value), name)) for name, item in found if item is not None]


class CppObject(WordedObject):
    """An object made by pybind11, whose methods crash before its C++ object exists."""

    @classmethod
    def is_made(cls, value: object) -> bool:
        return is_made_in_cpp(value)


def attributes(value: object) -> Iterator[Child]:
    """What the instance's dict and slots hold. Where both have a name, it stands for the slot, as Python reads it."""
    cls, slotted = type(value), dict(slots(value))
    for index, (key, item) in enumerate(each(dict.items, raw_dict(value))):
        name = plain_str(key)
        if name in slotted:
            yield Child(f"__dict__[{name!r}]", item)
        else:
            yield Child(name, item, suffix(cls, name)) if name else Child(f"‹{class_name(type(key))}› #{index}", item)
    for name, item in slotted.items():
        yield Child(name, item, suffix(cls, name))


def attributes_part(before: str, found: list[Child], asked: Kind) -> Word:
    """The first of these attributes, as the part of a line that comes after ``before``."""
    items = [(f"{child.name} ", brief_inline(child.value, asked)) for child in found[:_SHOWN]]
    return content(before, "", items, len(found) > _SHOWN)


def attributes_but(value: object, told: Container[str]) -> Iterator[Child]:
    """The attributes that are none of these."""
    return (child for child in attributes(value) if child.name not in told)


def property_rows(value: object) -> list[Child]:
    """The row of the properties of its class, if there are any."""
    names = traits(type(value)).properties
    if not names:
        return []
    rows = [Child(name, Property(value, name), f".{name}") for name in names]
    noun = "property" if len(names) == 1 else "properties"
    return [Child(COMPUTED, Rows.of(f"{len(names)} {noun}, read on a click", rows), "")]


def attribute_count(value: object) -> int:
    return dict.__len__(raw_dict(value)) + sum(1 for _ in slots(value))


def suffix(cls: type, name: str) -> str | None:
    """``.name`` where the program reaches the stored value by it; None where it would not, or would reach another."""
    return f".{name}" if name.isidentifier() and not iskeyword(name) and is_stored(cls, name) else None


def c_suffix(cls: type, name: str) -> str | None:
    """``.name`` where that is what the class keeps in C; None where a subclass overrides it."""
    found = class_attribute(cls, name)
    is_in_c = type(found) is GetSetDescriptorType or type(found) is MemberDescriptorType
    return f".{name}" if is_in_c and not traits(cls).computes else None


def other_attributes(value: object) -> list[Child]:
    """A row for what a container or tensor carries besides its content; none when there is nothing."""
    total = attribute_count(value)
    return [Child("other attributes", attribute_rows(value, total), "")] if total else []


def other_rows(
    value: object, names: list[str], label: str = "other attributes", text: str | None = None
) -> list[Child]:
    """A row for the attributes of these names, read each time: the debugger's views ask again after one was set."""
    wanted = frozenset(names)

    def page(start: int, count: int) -> Iterable[Child]:
        return islice((child for child in attributes(value) if child.name in wanted), start, start + count)

    rows = Rows(listed(names[:8], len(names) > 8, 60) if text is None else text, len(names), page)
    rows.owner = value
    return [Child(label, rows, "")] if names else []


def attribute_rows(value: object, total: int) -> Rows:
    shown = listed((child.name for child in islice(attributes(value), 8)), total > 8, 60)
    rows = Rows(shown, total, lambda start, count: islice(attributes(value), start, start + count))
    rows.owner = value
    return rows


def brief(value: object, asked: Any) -> str:
    """A few characters for ``value`` inside the line of ``asked``, under its budget."""
    try:
        return as_kind(value, asked.budget).brief()
    except Exception:
        return class_name(type(value))


def brief_inline(value: object, asked: Kind) -> str:
    """A few characters for ``value`` inside the inline value of ``asked``, at the end of a line of source."""
    return short(brief(value, asked))


def _writes_out(cls: type) -> bool:
    """Whether the ``repr`` of an object includes all that it holds, as that of a dataclass, of a class of attrs or
    pydantic, or of an exception does."""
    found = class_attribute(cls, "__repr__")
    return any(found is class_attribute(writer, "__repr__") for writer in _WRITERS) or declares_fields(cls)


writes_out = ByClass(_writes_out)


def is_listed_first(value: object) -> bool:
    """Whether it is a tensor, an array or a module."""
    kind: type[Kind] = kind_of(type(value))
    return kind.rank == 0


def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind]:
    return PlainObject
