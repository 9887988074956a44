"""Tells which objects are settings, by their class or by what is in them, and what an object was made with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import FunctionType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from ...safe.guard import ByClass, Classes, class_dict, class_module, mro
from ...safe.record import Record
from ...words.line import INLINE
from ...words.text import listed
from ..registry import kind_of

if TYPE_CHECKING:
    from ..kind import Kind

#: What classes have that declare their fields: of dataclasses, attrs, pydantic and msgspec.
_FIELDS = ("__dataclass_fields__", "__attrs_attrs__", "__pydantic_fields__", "__struct_fields__")
_LEAST = 24  #: characters of attributes, however long what stands before them
_ATOMS = Classes(int, float, complex, str, bool, type(None))  #: which are compared with a default
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


class GivenArgument(Record):
    """What an object was made with: an argument of its class, and its value; ``is_default``: that of the signature."""

    name: str
    value: Any
    is_default: bool


def settings_of(cls: type, stored: dict[str, Any], base: type) -> list[GivenArgument]:
    """What an object of a class was made with, as far as it is stored under the names of the arguments.

    What has no default or differs from it comes first. The classes up to ``base`` are asked.
    """
    found: dict[str, GivenArgument] = {}
    for one in mro(cls):
        if one is base:
            break
        method = class_dict(one).get("__init__")
        for name, default in _arguments(method) if type(method) is FunctionType else ():
            if name in stored:
                found.setdefault(name, GivenArgument(name, stored[name], _is_same(stored[name], default)))
    return sorted(found.values(), key=lambda setting: setting.is_default)


_REQUIRED = object()


def _arguments(method: FunctionType) -> Iterator[tuple[str, object]]:
    """The arguments of a method but for its object, each with its default."""
    code, defaults = method.__code__, method.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    of_place = dict(zip(names[len(names) - len(defaults) :], defaults))
    keyword_only = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    known = {**of_place, **(method.__kwdefaults__ or {})}
    return ((name, known.get(name, _REQUIRED)) for name in (*names[1:], *keyword_only))


def _is_same(value: object, default: object) -> bool:
    is_atom = type(value) in _ATOMS and type(default) in _ATOMS
    return value is default or (is_atom and value == default)
