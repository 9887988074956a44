"""Follows expressions without running code: a name, then attributes and literal subscripts, or the path of a row."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Mapping
from itertools import islice
from typing import Any

from ..kinds import Elements, Kind, NotFound, NotStatic, Property, Rows, as_kind
from ..safe.attributes import attribute, is_stored
from ..safe.budget import Budget
from ..safe.guard import NUMBERS, class_dict, dict_attribute, dict_get, mro

Step = tuple[str, Any]  #: ("name" | "attribute" | "item" | "call", what)

_NAME = r"[^\W\d]\w*"
_START = re.compile(rf"\s*({_NAME})\s*")
_ATTRIBUTE = re.compile(rf"\.\s*({_NAME})\s*")
_STRING = r"[bB]?'(?:[^'\\\n]|\\[\\'\"abfnrtv0]|\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8})*'"
_STRINGS = f"(?:{_STRING}|{_STRING.replace(chr(39), chr(34))})"
_SUBSCRIPT = re.compile(rf"\[\s*((?:{_STRINGS}|[^\[\]'\"])+?)\s*\]\s*")
_CALL = re.compile(r"\(\s*([0-9]*)\s*\)\s*")  #: as in `values()` and `row(3)`: only what a row shows is reached by one
_LITERAL = re.compile(rf"(?:{_STRINGS}|-?\d+(?:\.\d*)?(?:e[-+]?\d+)?|None|True|False|[(),\s])+")
_INTEGER = re.compile(r"-?[0-9]+")
_SLICE = re.compile(r"(-?[0-9]+)?\s*:\s*(-?[0-9]+)?(?:\s*:\s*(-?[0-9]+)?)?")
_MISSING = object()
_FOLLOWED = 100  #: rows among which one is looked for


def parse(text: str) -> list[Step]:
    """The steps of ``name``, ``a.b``, ``a["k"][0]``, ``x[0, :3]``; ``NotStatic`` for everything else.

    Written out rather than left to the compiler, which may warn: a warning of ours would reach the program's filters.
    """
    match = _START.match(text)
    if match is None:
        raise NotStatic(text)
    return [("name", match[1]), *_steps(text, match.end())]


def _steps(text: str, at: int = 0) -> list[Step]:
    steps: list[Step] = []
    while at < len(text):
        attribute, call, item = (form.match(text, at) for form in (_ATTRIBUTE, _CALL, _SUBSCRIPT))
        match = attribute or call or item
        if match is None:
            raise NotStatic(text)
        if attribute:
            steps.append(("attribute", match[1]))
        elif call:
            steps.append(("call", int(match[1]) if match[1] else None))
        else:
            steps.append(("item", _subscript(match[1])))
        at = match.end()
    return steps


def resolve(text: str, local: Mapping[str, Any], globals: Mapping[str, Any], budget: Budget) -> Any:
    """The value that ``text`` reaches in a frame; ``NotStatic`` or ``NotFound`` where it reaches none without code."""
    steps = parse(text)
    value = _named(steps[0][1], local, globals)
    at = 1
    while at < len(steps):
        value, used = _next(value, steps[at:], budget)
        at += used
    return value


def _next(value: Any, steps: list[Step], budget: Budget) -> tuple[Any, int]:
    """What the next steps reach, and how many these were."""
    how, what = steps[0]
    try:
        if how == "call":
            raise NotStatic("only what a row shows is reached by a call")
        return (_attribute(value, what) if how == "attribute" else as_kind(value, budget).item(what)), 1
    except NotStatic:
        shown = _shown(value, steps, budget)
        if shown is None:
            raise
        return shown


def _shown(value: Any, steps: list[Step], budget: Budget) -> tuple[Any, int] | None:
    """What a row below the value, or in one of its groups, shows, where its path begins as the steps do."""
    kinds: list[Kind] = [as_kind(value, budget)]
    for kind in kinds:
        for index, child in enumerate(islice(kind.children(0, _FOLLOWED), _FOLLOWED)):
            if child.suffix == "" and type(child.value) is Rows:
                kinds.append(as_kind(child.value, budget))
            if not child.suffix or type(child.value) is Property:
                continue
            leading = _steps(child.suffix)
            how, what = leading[-1]
            wanted = steps[len(leading) - 1] if len(leading) <= len(steps) else None
            if leading[:-1] != steps[: len(leading) - 1] or wanted is None:
                continue
            if repr(wanted) == repr(leading[-1]):  # `[True]` is not `[1]`
                return child.value, len(leading)
            is_numbered = (
                index == 0 == what and wanted[0] == how and type(wanted[1]) is int
            )  # as the values of a tensor
            if is_numbered and _FOLLOWED <= wanted[1] < _row_count(kind):
                later = next(iter(kind.children(wanted[1], 1)), None)
                if later is not None and later.suffix and _steps(later.suffix) == steps[: len(leading)]:
                    return later.value, len(leading)
    return None


def _row_count(kind: Kind) -> int:
    """How many rows there may be: where that is not known, as many as can be counted."""
    count = kind.child_count()
    return sys.maxsize if count is None else count


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
            found = dict_get(dict_attribute(value, part), name, _MISSING)
            if found is not _MISSING:
                return found
        if not any(_could_give(base, name) for base in mro(type(value))):
            raise NotFound(f"there is no attribute '{name}'")
    return as_kind(value, Budget(0)).attribute(name)


def _could_give(base: type, name: str) -> bool:
    """Whether a class has the attribute, or code in Python or C that looks attributes up."""
    namespace = class_dict(base)
    return name in namespace or "__getattr__" in namespace or (base is not object and "__getattribute__" in namespace)


def _subscript(text: str) -> Any:
    if _LITERAL.fullmatch(text):
        try:
            parsed: Any = compile(text.strip(), "<subscript>", "eval", ast.PyCF_ONLY_AST, dont_inherit=True)
            return _literal(parsed.body)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            raise NotStatic(text) from None
    parts = [part.strip() for part in text.split(",")]
    keys = tuple(_index(part) for part in parts if part)
    return keys if len(parts) > 1 else keys[0]


def _literal(node: Any) -> Any:
    """As `ast.literal_eval`, which runs functions that the program may have replaced."""
    if type(node) is ast.Tuple:
        return tuple([_literal(item) for item in node.elts])
    if type(node) is ast.UnaryOp and type(node.op) is ast.USub:
        number = _literal(node.operand)
        if type(number) in NUMBERS:
            return -number
    if type(node) is not ast.Constant:
        raise ValueError(node)
    return node.value


def _index(text: str) -> Any:
    """An index into a tensor or array: a slice, an ellipsis, None or an integer."""
    if text in ("...", "None"):
        return ... if text == "..." else None
    match = _SLICE.fullmatch(text)
    if match is not None:
        return slice(*(None if part is None else int(part) for part in match.groups()))
    if not _INTEGER.fullmatch(text):
        raise NotStatic(text)
    return int(text)
