"""pydantic: models by their fields, with what was given beyond these, private attributes; and secrets, not shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from ...measure.unread import Unread
from ...safe.guard import c_attribute, each, plain_str
from ..families import by_home
from ..kind import Child, Kind
from ..python.objects import PlainObject, suffix

_BESIDE = "__pydantic_extra__", "__pydantic_private__"  #: the slots that hold what is no field
_GIVEN = "__pydantic_fields_set__", "__fields_set__"  #: and what names the fields that were given; of version 1


class Model(PlainObject):
    """A model, with the dicts that stand beside its fields opened."""

    def stored(self) -> Iterator[Child]:
        return chain(super().stored(), *map(self._beside, _BESIDE))

    def child_count(self) -> int | None:
        return (super().child_count() or 0) + sum(dict.__len__(self._dict(slot)) for slot in _BESIDE)

    def hidden(self) -> str | None:
        return None  # what its slots hold are rows, or compared as such

    def unlisted(self) -> Iterable[Child]:
        """The names of the fields that were given, which are written out again without the others."""
        found = ((slot, c_attribute(self.value, slot)) for slot in _GIVEN)
        return [Child("fields that were given", names, f".{slot}") for slot, names in found if names is not None]

    def _beside(self, slot: str) -> Iterator[Child]:
        names = ((plain_str(name), item) for name, item in each(dict.items, self._dict(slot)))
        return (Child(name, item, suffix(type(self.value), name)) for name, item in names)

    def _dict(self, slot: str) -> dict[Any, Any]:
        found = c_attribute(self.value, slot)
        return found if issubclass(type(found), dict) else {}


class Secret(Kind):
    """A text or a value that is not to be shown: neither its rows nor a comparison show it."""

    contains = False

    def parts(self) -> Iterable[str | None]:
        return [self.type_name(), "not shown"]

    def unreadable(self) -> Unread | None:
        return Unread("secret", "it is kept secret")


kind_for = by_home({Model: ("BaseModel",), Secret: ("_SecretBase", "SecretStr", "SecretBytes")}, "pydantic")
