"""Finds what an object holds by its attributes and entries, with the expression that reaches it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from .....measure.torch.modules import PARTS, is_module
from .....safe.guard import KEYS, ByClass, class_dict, dict_attribute, dict_get, each, instance_dict, library_of, mro
from ...values import entry, items_of, keys_of

_MOST = 5_000  #: objects that are looked at
_BUILT_IN = (dict, list, tuple)
_COPYING = ("__deepcopy__", "__copy__", "__getstate__", "__reduce__", "__reduce_ex__", "__getnewargs_ex__")


def path_to(value: Any, text: str, is_meant: Callable[[Any], bool]) -> tuple[str, Any] | None:
    """The expression for the nearest object inside a value that is meant, and the object; None where none is found."""
    waiting, met = deque([(text, value)]), {id(value)}
    while waiting and len(met) < _MOST:
        path, current = waiting.popleft()
        if is_meant(current):
            return path, current
        for suffix, held in _held(current, path):
            if id(held) not in met:
                met.add(id(held))
                waiting.append((suffix, held))
    return None


def _held(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if is_copied_by_itself(type(value)):
        return
    if issubclass(type(value), dict):
        yield from ((entry(path, key), dict_get(value, key)) for key in keys_of(value))
    elif issubclass(type(value), (list, tuple)):
        yield from ((f"{path}[{at}]", item) for at, item in enumerate(items_of(value)))
    else:
        own = instance_dict(value)
        if is_module(value):
            for part in PARTS:
                kept = dict_attribute(value, part)
                yield from ((_attribute(path, key), dict_get(kept, key)) for key in each(dict.keys, kept))
        names = (key for key in each(dict.keys, own) if type(key) is str and not (is_module(value) and key in PARTS))
        yield from ((_attribute(path, key), dict_get(own, key)) for key in names)


def _says_how(cls: type) -> bool:
    bases = (base for base in mro(cls) if base is not object and library_of(base) != "torch" and base not in _BUILT_IN)
    return any(name in class_dict(base) for base in bases for name in _COPYING)


#: Whether a class says itself what of its instances is copied or pickled.
is_copied_by_itself = ByClass(_says_how)


def _attribute(path: str, name: Any) -> str:
    """``net.head``, and ``net[0]`` of what is called by its number."""
    if type(name) not in KEYS:
        return path
    return f"{path}[{name}]" if str(name).isdigit() else f"{path}.{name}"
