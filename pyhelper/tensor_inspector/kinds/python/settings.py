"""Tells which objects are settings: they declare their fields, or hold nothing but numbers and texts."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import TYPE_CHECKING

from ...safe.guard import ByClass, class_dict, class_module, mro
from ...words.line import INLINE
from ...words.text import listed
from ..registry import kind_of

if TYPE_CHECKING:
    from ..kind import Kind

#: What classes have that declare their fields: of dataclasses, attrs, pydantic and msgspec.
_FIELDS = ("__dataclass_fields__", "__attrs_attrs__", "__pydantic_fields__", "__struct_fields__")
_LEAST = 24  #: characters of attributes, however long what stands before them
_CONTAINERS = ("mapping", "sequence", "set")


def _declares_fields(cls: type) -> bool:
    """Whether a class says what its objects hold, or is there to hold what one sets."""
    return any(
        base is SimpleNamespace or class_module(base) == "argparse" or any(name in class_dict(base) for name in _FIELDS)
        for base in mro(cls)
    )


declares_fields = ByClass(_declares_fields)


def are_settings(values: Iterable[object]) -> bool:
    """Whether these are what one sets: numbers, texts and the like, containers, and objects of declared fields."""
    return all(_is_setting(type(value)) for value in values)


def _is_setting(cls: type) -> bool:
    kind: type[Kind] = kind_of(cls)
    return not kind.contains or kind.kind in _CONTAINERS or declares_fields(cls)


def line_end(opened: str, texts: list[str], most: int) -> str:
    """The first of these texts after what opens them, at the end of a line of source."""
    return f"{opened} {listed(texts[:most], len(texts) > most, max(_LEAST, INLINE - len(opened)))}"
