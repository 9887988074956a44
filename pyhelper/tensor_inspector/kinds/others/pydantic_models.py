"""pydantic: models by their fields, with what was given beyond these, and private attributes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from ...safe.guard import c_attribute, each, plain_str
from ..families import by_home
from ..kind import Child
from ..python.objects import PlainObject, suffix

_BESIDE = "__pydantic_extra__", "__pydantic_private__"  #: the slots that hold what is no field


class Model(PlainObject):
    """A model, with the dicts that stand beside its fields opened."""

    def stored(self) -> Iterator[Child]:
        return chain(super().stored(), *map(self._beside, _BESIDE))

    def child_count(self) -> int | None:
        return (super().child_count() or 0) + sum(dict.__len__(self._dict(slot)) for slot in _BESIDE)

    def hidden(self) -> str | None:
        return None  # what its slots hold are rows

    def _beside(self, slot: str) -> Iterator[Child]:
        names = ((plain_str(name), item) for name, item in each(dict.items, self._dict(slot)))
        return (Child(name, item, suffix(type(self.value), name)) for name, item in names)

    def _dict(self, slot: str) -> dict[Any, Any]:
        found = c_attribute(self.value, slot)
        return found if issubclass(type(found), dict) else {}


kind_for = by_home({Model: ("BaseModel",)}, "pydantic")
