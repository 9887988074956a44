"""Every object that no other kind knows, by its dict and slots; dataclasses and weak references among them."""

from __future__ import annotations

from collections.abc import Iterable
from weakref import ReferenceType

from ..guard import class_dict, class_name, instance_dict, mro, slots
from ..protocol import Facts
from ..text import joined, listed
from .kind import Child, Kind, Property, Rows

_SHOWN = 12  #: attributes looked at for a line
_PEEKED = 100  #: attributes looked at for tensors


class PlainObject(Kind):
    """Attributes are shown, properties are offered: those run code, so only a click reads them."""

    def line(self) -> str:
        every = attributes(self.value)
        own = [child for child in every if not child.name.startswith("_")] or every
        shown = (f"{child.name}={brief(child.value, self)}" for child in own[:_SHOWN])
        return joined([self.type_name(), listed(shown, len(own) > _SHOWN, 80)])

    def child_count(self) -> int | None:
        return len(instance_dict(self.value)) + len(self._rows_of_class())

    def children(self, start: int, count: int) -> Iterable[Child]:
        return (attributes(self.value) + self._property_rows())[start : start + count]

    def facts(self) -> Facts:
        facts = super().facts()
        facts["rows"] = [[child.name, brief(child.value, self)] for child in attributes(self.value)[:_SHOWN]]
        return facts

    def holds_tensors(self) -> bool:
        return any(is_tensor(child.value) for child in attributes(self.value)[:_PEEKED])

    def _rows_of_class(self) -> list[Child]:
        own = instance_dict(self.value)
        return [Child(name, None) for name, _ in slots(self.value) if name not in own] + self._property_rows()

    def _property_rows(self) -> list[Child]:
        names = _properties(type(self.value))
        if not names:
            return []
        owner = self.value
        rows = [Child(name, Property(owner, name), f".{name}") for name in names]
        noun = "property" if len(names) == 1 else "properties"
        return [Child("properties", Rows.of(f"{len(names)} {noun}, read on a click", rows), "")]


class Raised(PlainObject):
    """An exception, by the arguments it was made with; its ``__str__`` does not run."""

    def line(self) -> str:
        given = _raised_with(self.value)
        if len(given) == 1 and type(given[0]) is str:
            return f"{self.type_name()}: {given[0]}"
        return joined([self.type_name(), listed((brief(item, self) for item in given), False, 100)])

    def children(self, start: int, count: int) -> Iterable[Child]:
        rows = [Child("args", _raised_with(self.value), ".args"), *attributes(self.value), *self._property_rows()]
        return rows[start : start + count]

    def child_count(self) -> int | None:
        return 1 + len(attributes(self.value)) + len(self._property_rows())


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


def attributes(value: object) -> list[Child]:
    """What the instance's dict and slots hold."""
    own = instance_dict(value)
    found = [
        Child(name, item, f".{name}" if name.isidentifier() else None)
        for name, item in dict.items(own)
        if type(name) is str
    ]
    found.extend(Child(name, item, f".{name}") for name, item in slots(value) if name not in own)
    return found


def attributes_row(value: object) -> list[Child]:
    """A row ``attributes`` for what a container or tensor carries besides its content; none when there is nothing."""
    own = attributes(value)
    return [Child("attributes", Rows.of(listed((child.name for child in own), False, 60), own), "")] if own else []


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


def _properties(cls: type) -> list[str]:
    """Names of the public properties, nearest class first."""
    found: dict[str, None] = {}
    for base in mro(cls):
        for name, item in class_dict(base).items():
            is_property = issubclass(type(item), property) or class_name(type(item)) == "cached_property"
            if type(name) is str and not name.startswith("_") and is_property:
                found.setdefault(name)
    return list(found)


def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind]:
    if any(base is ReferenceType for base in bases):
        return WeakReference
    return Raised if any(base is BaseException for base in bases) else PlainObject
