"""The base of objects that a few words describe, and whose row warns of NaN and Inf in what they keep."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..holder import HolderKind
from .objects import PlainObject, WordedObject

if TYPE_CHECKING:
    from ...protocol import Badge


class WarnedObject(WordedObject):
    """A worded object that is searched as one without words is."""

    def parts(self) -> Iterable[str | None]:
        return [self.type_name(), *self.warnings(), *self.words()]

    def badges(self) -> list[Badge]:
        return HolderKind.badges(self)

    def inner_entries(self) -> Iterable[tuple[object, object]] | None:
        return PlainObject.inner_entries(self)
