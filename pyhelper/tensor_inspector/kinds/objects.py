"""Every object that no other kind knows, by its dict and slots; exceptions and weak references among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from keyword import iskeyword
from weakref import ReferenceType

from ..guard import class_name, instance_dict, is_stored, plain_str, slots, traits
from ..protocol import Facts
from ..text import joined, listed
from .kind import Child, Kind, Property, Rows

_SHOWN = 12  #: attributes looked at for a line
_PEEKED = 100  #: attributes looked at for tensors


class PlainObject(Kind):
    """Attributes are shown, properties are offered: those run code, so only a click reads them."""

    def line(self) -> str:
        own = list(islice(attributes(self.value), _SHOWN + 1))
        own = [child for child in own if not child.name.startswith("_")] or own
        shown = (f"{child.name}={brief(child.value, self)}" for child in own[:_SHOWN])
        return joined([self.type_name(), listed(shown, len(own) > _SHOWN, 80)])

    def child_count(self) -> int | None:
        return attribute_count(self.value) + len(self._property_rows())

    def children(self, start: int, count: int) -> Iterable[Child]:
        return islice(chain(attributes(self.value), self._property_rows()), start, start + count)

    def facts(self) -> Facts:
        facts = super().facts()
        facts["rows"] = [[child.name, brief(child.value, self)] for child in islice(attributes(self.value), _SHOWN)]
        return facts

    def holds_tensors(self) -> bool:
        return any(is_tensor(child.value) for child in islice(attributes(self.value), _PEEKED))

    def _property_rows(self) -> list[Child]:
        names = traits(type(self.value)).properties
        if not names:
            return []
        owner = self.value
        rows = [Child(name, Property(owner, name), f".{name}") for name in names]
        noun = "property" if len(names) == 1 else "properties"
        return [Child("class properties", Rows.of(f"{len(names)} {noun}, read on a click", rows), "")]


class Raised(PlainObject):
    """An exception, by the arguments it was made with; its ``__str__`` does not run."""

    def line(self) -> str:
        given = _raised_with(self.value)
        if len(given) == 1 and type(given[0]) is str:
            return f"{self.type_name()}: {given[0][:200]}"
        return joined([self.type_name(), listed((brief(item, self) for item in given[:_SHOWN]), False, 100)])

    def child_count(self) -> int | None:
        return 1 + (super().child_count() or 0)

    def children(self, start: int, count: int) -> Iterable[Child]:
        given = Child("args", _raised_with(self.value), ".args")
        rows = chain([given], attributes(self.value), self._property_rows())
        return islice(rows, start, start + count)


_raised_with = BaseException.__dict__["args"].__get__


class WeakReference(Kind):
    def line(self) -> str:
        target = ReferenceType.__call__(self.value)
        return "weakref · dead" if target is None else f"weakref → {class_name(type(target))}"

    def child_count(self) -> int | None:
        return 0 if ReferenceType.__call__(self.value) is None else 1

    def children(self, start: int, count: int) -> Iterable[Child]:
        target = ReferenceType.__call__(self.value)
        return [] if target is None or start else [Child("referent", target, "()")]


def attributes(value: object) -> Iterator[Child]:
    """What the instance's dict and slots hold, one after the other."""
    cls, own = type(value), instance_dict(value)
    for index, (key, item) in enumerate(dict.items(own)):
        name = plain_str(key)
        yield Child(name, item, suffix(cls, name)) if name else Child(f"‹{class_name(type(key))}› #{index}", item)
    for name, item in slots(value):
        if name not in own:
            yield Child(name, item, suffix(cls, name))


def attribute_count(value: object) -> int:
    own = instance_dict(value)
    return len(own) + sum(name not in own for name, _ in slots(value))


def suffix(cls: type, name: str) -> str | None:
    """``.name`` where the program reaches the stored value by it; None where it would not, or reach another."""
    return f".{name}" if name.isidentifier() and not iskeyword(name) and is_stored(cls, name) else None


def other_attributes(value: object) -> list[Child]:
    """A row for what a container or tensor carries besides its content; none when there is nothing."""
    total = attribute_count(value)
    return [Child("other attributes", attribute_rows(value, total), "")] if total else []


def attribute_rows(value: object, total: int) -> Rows:
    shown = listed((child.name for child in islice(attributes(value), 8)), total > 8, 60)
    return Rows(shown, total, lambda start, count: islice(attributes(value), start, start + count))


def brief(value: object, asked: Kind) -> str:
    """A few characters for ``value`` inside the line of ``asked``."""
    from . import look

    try:
        return look(value, asked.budget).brief()
    except Exception:
        return class_name(type(value))


def is_tensor(value: object) -> bool:
    from . import kind_of

    return kind_of(type(value)).rank == 0


def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind]:
    if any(base is ReferenceType for base in bases):
        return WeakReference
    return Raised if any(base is BaseException for base in bases) else PlainObject
