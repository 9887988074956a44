"""What objects of Python's own classes hold, each part with the suffix of its expression. No code of them runs."""

from __future__ import annotations

import gc
import sys
from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from math import isfinite
from types import FrameType
from typing import Any, NamedTuple

from ...kinds import as_kind
from ...measure.memory.extents import is_array
from ...measure.stats.layout import index_of
from ...safe.budget import Budget
from ...safe.guard import Classes, c_attribute, class_dict, class_module, each, module, plain_str
from ..step.classes import is_library_module

#: Classes whose instances hold nothing that counts.
ATOMS = Classes(str, bytes, bytearray, int, float, complex, bool, type(None), range, slice, type(...), object)
SEQUENCES: tuple[Any, ...] = (list, tuple, deque)
SETS: tuple[Any, ...] = (set, frozenset)
_ATOMS = ATOMS.ids
_WAYS = 1000  #: frames of one traceback
_KEYS = Classes(int, float, bool, type(None), bytes)
_WRAPPED = Classes(staticmethod, classmethod)
_SHOWN_OF_KEY = 40  #: characters
_KNOWN_KEYS = 4096


class HeldPart(NamedTuple):
    """Something held: ``name`` is what follows the holder's name, ``key`` what it stands under where that is no text.

    ``is_path`` where the name is what one types. ``role`` is what it is to a training step, where its holder says so;
    ``is_registered`` marks the parts that make up a module, ``is_attribute`` those of an object or a class with a name.
    """

    name: str
    value: Any
    is_path: bool = True
    role: str | None = None
    key: Any = None
    is_registered: bool = False
    is_attribute: bool = False


Parts = Callable[[Any], Iterator[HeldPart]]
_ATOM = HeldPart("", None)  #: each number or text among many items: it holds nothing, but to pass it is a step


def of_dict(value: Any) -> Iterator[HeldPart]:
    for key, item in each(dict.items, value):
        if type(key) is str and len(key) <= _SHOWN_OF_KEY * 2:
            yield HeldPart(_of_text(key), item)
        elif type(key) is str:
            yield HeldPart(f'[{_quoted(key[:_SHOWN_OF_KEY])[:-1]}…"]', item, False)
        elif type(key) in _KEYS:
            yield HeldPart(f"[{_quoted(key)}]", item, type(key) is not float or isfinite(key))
        else:
            yield HeldPart("[…]", item, False, None, key)
            if id(type(item)) in _ATOMS:
                yield HeldPart("{…}", key, False)


@lru_cache(_KNOWN_KEYS)
def _of_text(key: str) -> str:
    """What is typed for a key: thousands of dicts may have the same."""
    return f"[{_quoted(key)}]"


def _quoted(key: object) -> str:
    """A key as one types it: in double quotes where no quotes are in it."""
    text = repr(key)
    return text.replace("'", '"') if text.count("'") == 2 and '"' not in text else text


def of_sequence(cls: type) -> Parts:
    """What lists the items of a list, a tuple or a deque, or of a class that comes from one."""
    iterate = next((base for base in SEQUENCES if issubclass(cls, base)), list).__iter__

    def parts(value: Any) -> Iterator[HeldPart]:
        for index, item in enumerate(each(iterate, value)):
            yield _ATOM if id(type(item)) in _ATOMS else HeldPart(f"[{index}]", item)

    return parts


def of_set(value: Any) -> Iterator[HeldPart]:
    base = set if issubclass(type(value), set) else frozenset
    for item in each(base.__iter__, value):
        yield HeldPart("{…}", item, False)


def of_function(value: Any) -> Iterator[HeldPart]:
    for name, cell in zip(value.__code__.co_freevars, value.__closure__ or ()):
        try:
            yield HeldPart(f".{name}", cell.cell_contents, False)
        except ValueError:  # empty
            continue
    for name in ("__defaults__", "__kwdefaults__"):
        held = c_attribute(value, name)
        if held:
            yield HeldPart(f".{name}", held)


def of_method(value: Any) -> Iterator[HeldPart]:
    yield HeldPart(".__self__", c_attribute(value, "__self__"))
    yield HeldPart(".__func__", c_attribute(value, "__func__"))


def of_partial(value: partial[Any]) -> Iterator[HeldPart]:
    for name in ("func", "args", "keywords"):
        yield HeldPart(f".{name}", c_attribute(value, name))


def of_exception(value: Any) -> Iterator[HeldPart]:
    """What it was made with, what it came from, and the variables of the functions that it has come through."""
    for name in ("args", "__cause__", "__context__"):
        yield HeldPart(f".{name}", c_attribute(value, name))
    trace = c_attribute(value, "__traceback__")
    for _ in range(_WAYS):
        if trace is None:
            return
        yield HeldPart(f".__traceback__: {trace.tb_frame.f_code.co_name}()", trace.tb_frame, False)
        trace = trace.tb_next


def of_frame(value: FrameType) -> Iterator[HeldPart]:
    """The variables of a function that is over, or waits; those of one that runs have names of their own. Which are
    which is not asked: Python would keep what it tells."""
    others = {id(one) for one in (value.f_back, value.f_code, value.f_globals, value.f_builtins)}
    for item in () if _is_running(value) else gc.get_referents(value):
        if id(item) not in others:
            yield HeldPart(".…", item, False)


def _is_running(frame: FrameType) -> bool:
    for top in sys._current_frames().values():
        one: FrameType | None = top
        while one is not None:
            if one is frame:
                return True
            one = one.f_back
    return False


def of_array(value: Any) -> Iterator[HeldPart]:
    """The objects in an array of objects."""
    if is_of_objects(value):
        for at, item in enumerate(value.flat):
            is_atom = type(item) in ATOMS
            yield _ATOM if is_atom else HeldPart(f"[{', '.join(map(str, index_of(at, value.shape)))}]", item)


def is_of_objects(value: Any) -> bool:
    """Whether it is an array whose elements are objects."""
    return is_array(value) and type(value) is module("numpy").ndarray and value.dtype.kind == "O"


def of_class(value: Any) -> Iterator[HeldPart]:
    """The attributes of a class of the program."""
    if is_library_module(class_module(value)):
        return
    for name, item in list(class_dict(value).items()):
        if type(name) is str and not (name.startswith("__") and name.endswith("__")):
            held = c_attribute(item, "__func__") if type(item) in _WRAPPED else item
            yield HeldPart(f".{plain_str(name)}", held, is_attribute=True)


def of_table(value: Any) -> Iterator[HeldPart]:
    """The columns of a table of pandas."""
    for suffix, item in as_kind(value, Budget()).stored_parts():
        yield HeldPart("[…]" if suffix is None else suffix, item, suffix is not None)
