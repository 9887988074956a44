"""Expressions that can be followed without running code: a name, then attributes and literal subscripts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .budget import Budget
from .guard import attribute, class_dict, dict_get, held, mro
from .kinds import NotFound, NotStatic, look

Step = tuple[str, Any]  #: ("name" | "attribute" | "item", what)

_NAME = r"[^\W\d]\w*"
_START = re.compile(rf"\s*({_NAME})\s*")
_ATTRIBUTE = re.compile(rf"\.\s*({_NAME})\s*")
_STRING = r"'[^'\\\n]*'|\"[^\"\\\n]*\""
_SUBSCRIPT = re.compile(rf"\[\s*((?:{_STRING}|[^\[\]'\"])+?)\s*\]\s*")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_SLICE = re.compile(r"(-?[0-9]+)?\s*:\s*(-?[0-9]+)?(?:\s*:\s*(-?[0-9]+)?)?")
_WORDS = {"None": None, "True": True, "False": False, "...": ...}


def parse(text: str) -> list[Step]:
    """The steps of ``name``, ``a.b``, ``a["k"][0]``, ``x[0, :3]``; ``NotStatic`` for everything else.

    Written out rather than left to the compiler, which may warn: a warning of ours would reach the program's filters.
    """
    match = _START.match(text)
    if match is None:
        raise NotStatic(text)
    steps: list[Step] = [("name", match[1])]
    at = match.end()
    while at < len(text):
        match = _ATTRIBUTE.match(text, at)
        if match is not None:
            steps.append(("attribute", match[1]))
        else:
            match = _SUBSCRIPT.match(text, at)
            if match is None:
                raise NotStatic(text)
            steps.append(("item", _subscript(match[1])))
        at = match.end()
    return steps


def resolve(text: str, local: Mapping[str, Any], globals: Mapping[str, Any], budget: Budget) -> Any:
    """The value that ``text`` reaches in a frame; ``NotStatic`` or ``NotFound`` where it reaches none without code."""
    value: Any = None
    for how, what in parse(text):
        if how == "name":
            value = _named(what, local, globals)
        elif how == "attribute":
            value = _attribute(value, what)
        else:
            value = look(value, budget).item(what)
    return value


def _named(name: str, local: Mapping[str, Any], globals: Mapping[str, Any]) -> Any:
    if name in local:
        return local[name]
    if name in globals:
        return globals[name]
    raise NotFound(f"there is no '{name}' in this frame")


def _attribute(value: Any, name: str) -> Any:
    """From the instance's dict and slots, or from a kind's own children: a module's parameters, a tensor's grad."""
    try:
        return attribute(value, name)
    except AttributeError:
        pass
    for part in ("_parameters", "_buffers", "_modules"):
        found = dict_get(held(value, part), name, _MISSING)
        if found is not _MISSING:
            return found
    found = _own_child(value, f".{name}")
    if found is not _MISSING:
        return found
    if any(name in class_dict(base) or "__getattr__" in class_dict(base) for base in mro(type(value))):
        raise NotStatic(f"'{name}' is computed by the program's code")
    raise NotFound(f"there is no attribute '{name}'")


def _own_child(value: Any, suffix: str) -> Any:
    """A child that the value's kind itself offers under this suffix, such as a tensor's ``.grad``."""
    children = look(value, Budget(0)).children(0, 1000)
    return next((child.value for child in children if child.suffix == suffix), _MISSING)


def _subscript(text: str) -> Any:
    parts = [part.strip() for part in text.split(",")] if text[:1] not in "'\"" else [text]
    if len(parts) > 1:
        return tuple(_literal(part) for part in parts if part)
    return _literal(text)


def _literal(text: str) -> Any:
    if text[:1] in ("'", '"') and len(text) >= 2 and text[-1] == text[0]:
        return text[1:-1]
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    match = _SLICE.fullmatch(text)
    if match is None:
        raise NotStatic(text)
    start, stop, step = (None if part is None else int(part) for part in match.groups())
    return slice(start, stop, step)


_MISSING = object()
