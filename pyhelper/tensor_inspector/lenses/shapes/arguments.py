"""Works out how a module is called with the chosen values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...safe.guard import instance_dict, plain_str
from ..running.call_arguments import forward_method_of, python_function

_TAKES_ANY = 0x08  #: of a function's code: it has a ``**kwargs``


def arguments(module: Any, inputs: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Positional ones and those by name: a dict alone, whose keys are what forward takes, is given by name."""
    if len(inputs) == 1:
        named = _named(inputs[0])
        if named and _takes(module, set(named)):
            return (), named
    return tuple(inputs), {}


def _named(value: Any) -> dict[str, Any]:
    """The entries of a dict, or of what wraps one as a tokenizer's batch does; nothing where a key is no name."""
    if not issubclass(type(value), dict):
        value = instance_dict(value).get("data")
    if not issubclass(type(value), dict):
        return {}
    found = {plain_str(key): item for key, item in dict.items(value)}
    return found if "" not in found and len(found) == dict.__len__(value) else {}


def _takes(module: Any, names: set[str]) -> bool:
    forward = python_function(forward_method_of(module))
    if forward is None:
        return False
    code = forward.__code__
    known = set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    return names <= known or bool(code.co_flags & _TAKES_ANY and names & known)
