"""Expressions that can be followed without running code: a name, then attributes and literal subscripts."""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Mapping
from typing import Any

from .budget import Budget
from .guard import attribute, class_dict, dict_get, held, is_stored, mro
from .kinds import Elements, NotFound, NotStatic, look

Step = tuple[str, Any]  #: ("name" | "attribute" | "item", what)

_NAME = r"[^\W\d]\w*"
_START = re.compile(rf"\s*({_NAME})\s*")
_ATTRIBUTE = re.compile(rf"\.\s*({_NAME})\s*")
_STRING = r"[bB]?'(?:[^'\\\n]|\\[\\'\"abfnrtv0]|\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8})*'"
_STRINGS = f"(?:{_STRING}|{_STRING.replace(chr(39), chr(34))})"
_SUBSCRIPT = re.compile(rf"\[\s*((?:{_STRINGS}|[^\[\]'\"])+?)\s*\]\s*")
_LITERAL = re.compile(rf"(?:{_STRINGS}|-?\d+(?:\.\d*)?(?:e[-+]?\d+)?|None|True|False|[(),\s])+")
_SLICE = re.compile(r"(-?[0-9]+)?\s*:\s*(-?[0-9]+)?(?:\s*:\s*(-?[0-9]+)?)?")


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
    if issubclass(type(value), Elements):
        raise NotStatic(f"'{name}' of elements that were taken out")
    try:
        return attribute(value, name)
    except AttributeError:
        pass
    if is_stored(type(value), name):
        for part in ("_parameters", "_buffers", "_modules"):
            found = dict_get(held(value, part), name, _MISSING)
            if found is not _MISSING:
                return found
    if is_stored(type(value), name) and not any("__getattr__" in class_dict(base) for base in mro(type(value))):
        known = any(name in class_dict(base) for base in mro(type(value)))
        if not known:
            raise NotFound(f"there is no attribute '{name}'")
    return look(value, Budget(0)).attribute(name)


def _subscript(text: str) -> Any:
    if _LITERAL.fullmatch(text):
        try:
            return literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            raise NotStatic(text) from None
    parts = [part.strip() for part in text.split(",")]
    keys = tuple(_index(part) for part in parts if part)
    return keys if len(parts) > 1 else keys[0]


def _index(text: str) -> Any:
    """An index into a tensor or array: a slice, an ellipsis, None or an integer."""
    if text in ("...", "None"):
        return ... if text == "..." else None
    match = _SLICE.fullmatch(text)
    if match is not None:
        return slice(*(None if part is None else int(part) for part in match.groups()))
    if not re.fullmatch(r"-?[0-9]+", text):
        raise NotStatic(text)
    return int(text)


_MISSING = object()
