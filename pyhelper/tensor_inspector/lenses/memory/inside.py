"""Lists the parts of an object, each with the suffix of its expression. No code of the object runs."""

from __future__ import annotations

import gc
import sys
from collections import OrderedDict, deque
from collections.abc import Iterator
from functools import partial
from math import isfinite
from types import (
    BuiltinFunctionType,
    BuiltinMethodType,
    CodeType,
    FrameType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    TracebackType,
    WrapperDescriptorType,
)
from typing import Any, NamedTuple
from weakref import ReferenceType

from ...measure.memory.blocks import is_array
from ...measure.memory.extents import has_memory
from ...measure.stats.layout import index_of
from ...safe.attributes import slots
from ...safe.guard import (
    Classes,
    c_attribute,
    class_dict,
    class_module,
    class_name,
    each,
    instance_dict,
    module,
    mro,
    plain_str,
    stored,
    top_package,
)
from ..step.classes import is_library_module
from ..step.frames import TOOLS
from .tables import is_of_pandas, is_table, is_uncounted, parts_of

_ATOMS = Classes(str, bytes, bytearray, int, float, complex, bool, type(None), range, slice, type(...), object)
_CLOSED: tuple[type, ...] = (
    BuiltinFunctionType, BuiltinMethodType, CodeType, ModuleType, ReferenceType, TracebackType,
)  # fmt: skip
_HOLDERS: tuple[Any, ...] = (FunctionType, MethodType, partial, type, BaseException)
_WAYS = 1000  #: frames of one traceback
_KEYS = Classes(str, int, float, bool, type(None), bytes)
_SEQUENCES: tuple[Any, ...] = (list, tuple, deque)
_SETS: tuple[Any, ...] = (set, frozenset)
_WRAPPED = Classes(staticmethod, classmethod)
_DICTS = Classes(dict, OrderedDict)
_PARTS = ("_parameters", "_buffers")
_REGISTERED = frozenset((*_PARTS, "_modules"))
_KEPT_IN_C = ("_lru_cache_wrapper",)  #: classes whose instances hold more than their attributes say
_OF_C = Classes(WrapperDescriptorType, MethodDescriptorType)  #: what stands in no class that is made by ``class``
_SHOWN_OF_KEY = 40  #: characters


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


_ATOM = HeldPart("", None)  #: each number or text among many items: it holds nothing, but to pass it is a step


class Opened:
    """What is the same of all instances of a class: how they are looked into."""

    ATOM, MEMORY, OBJECT, HOLDER, UNCOUNTED, FRAME = range(6)

    __slots__ = ("_is_in_c", "_is_of_pandas", "_is_optimizer", "_is_table", "cls", "how", "is_module")

    def __init__(self, cls: type) -> None:
        torch = module("torch")
        self.cls = cls
        self.is_module = torch is not None and issubclass(cls, (torch.nn.Module, torch._C.ScriptModule))
        self._is_optimizer = torch is not None and issubclass(cls, torch.optim.Optimizer)
        self._is_table = is_table(cls)
        self._is_of_pandas = is_of_pandas(cls)  #: whose names of what it holds nobody types
        self._is_in_c = class_name(cls) in _KEPT_IN_C or any(map(_is_made_in_c, mro(cls)))
        self.how = self._how(torch)

    def _how(self, torch: Any) -> int:
        cls = self.cls
        if cls in _ATOMS or issubclass(cls, _CLOSED):
            return self.ATOM
        if has_memory(cls):
            return self.MEMORY
        if torch is not None and class_module(cls) == "torch" and class_name(cls) in ("dtype", "device", "Size"):
            return self.ATOM
        if top_package(class_module(cls)) in TOOLS - {"torch", "numpy", "functools"}:
            return self.ATOM
        if is_uncounted(cls):
            return self.UNCOUNTED
        if issubclass(cls, FrameType):
            return self.FRAME
        is_plain = not issubclass(cls, (dict, *_SEQUENCES, *_SETS, *_HOLDERS))
        return self.OBJECT if is_plain and not self.is_module and not self._is_optimizer else self.HOLDER

    @property
    def has_own_parts(self) -> bool:
        """Whether its attributes are rather variables of the program than parts of one: a trainer's, a class's."""
        return (self.how == self.OBJECT and not self._is_of_pandas) or self.is_module or issubclass(self.cls, type)

    def parts(self, value: Any) -> Iterator[HeldPart]:
        cls = self.cls
        if self._is_table:
            for suffix, item in parts_of(value):
                yield HeldPart("[…]" if suffix is None else suffix, item, suffix is not None)
            return
        if issubclass(cls, type):
            yield from _of_class(value)
        elif issubclass(cls, FunctionType):
            yield from _of_function(value)
        elif issubclass(cls, FrameType):
            yield from _of_frame(value)
            return
        elif issubclass(cls, BaseException):
            yield from _of_exception(value)
        elif is_array(value):
            yield from _of_array(value)
        elif issubclass(cls, MethodType):
            yield HeldPart(".__self__", c_attribute(value, "__self__"))
            yield HeldPart(".__func__", c_attribute(value, "__func__"))
        elif issubclass(cls, partial):
            for name in ("func", "args", "keywords"):
                yield HeldPart(f".{name}", c_attribute(value, name))
        elif issubclass(cls, dict):
            yield from _of_dict(value)
        elif issubclass(cls, _SEQUENCES):
            base = next(base for base in _SEQUENCES if issubclass(cls, base))
            for index, item in enumerate(each(base.__iter__, value)):
                yield _ATOM if type(item) in _ATOMS else HeldPart(f"[{index}]", item)
        elif issubclass(cls, _SETS):
            base = set if issubclass(cls, set) else frozenset
            for item in each(base.__iter__, value):
                yield HeldPart("{…}", item, False)
        if not issubclass(cls, type):
            yield from self._attributes(value)

    def _attributes(self, value: Any) -> Iterator[HeldPart]:
        attributes = instance_dict(value)
        if self.is_module:
            yield from _of_module(value)
        known = {id(self.cls), id(attributes)}
        for name, item in each(dict.items, attributes) if attributes else ():
            known.add(id(item))
            cls = type(item)
            if cls in _ATOMS or (cls in _DICTS and not dict.__len__(item)) or (self.is_module and name in _REGISTERED):
                continue
            role = None
            if self._is_optimizer:
                role = {"state": "optimizer", "param_groups": "model"}.get(name)
            if self._is_of_pandas:
                yield from (HeldPart("", one, False) for one in (each(dict.values, item) if cls is dict else (item,)))
                continue
            yield HeldPart(f".{name}", item, name.isidentifier(), role, is_attribute=True)
        for name, item in slots(value):
            known.add(id(item))
            yield HeldPart(f".{name}", item, is_attribute=True)
        if self.how == self.OBJECT and (self._is_in_c or len(known) == 2):
            for item in gc.get_referents(value):
                if id(item) not in known:
                    yield HeldPart("" if self._is_of_pandas else ".…", item, False, is_attribute=True)


def _is_made_in_c(cls: type) -> bool:
    return cls is not object and any(type(item) in _OF_C for item in list(class_dict(cls).values()))


def _of_module(value: Any) -> Iterator[HeldPart]:
    from ...measure.torch.modules import Member

    member = Member(value)
    for part in _PARTS:
        for key, item in member.items(part):
            if item is not None:
                yield HeldPart(member.suffix(key), item, True, "model", None, True)
    for key, item in member.items("_modules"):
        if item is not None:
            yield HeldPart(member.suffix(key), item, True, None, None, True)


def _of_dict(value: Any) -> Iterator[HeldPart]:
    for key, item in each(dict.items, value):
        if type(key) in _KEYS:
            is_long = type(key) is str and len(key) > _SHOWN_OF_KEY * 2
            text = f'{_quoted(key[:_SHOWN_OF_KEY])[:-1]}…"' if is_long else _quoted(key)
            yield HeldPart(f"[{text}]", item, not is_long and (type(key) is not float or isfinite(key)))
        else:
            yield HeldPart("[…]", item, False, None, key)
            if type(item) in _ATOMS:
                yield HeldPart("{…}", key, False)


def _quoted(key: object) -> str:
    """As one types it: in double quotes where no quotes are in it."""
    text = repr(key)
    return text.replace("'", '"') if text.count("'") == 2 and '"' not in text else text


def _of_function(value: Any) -> Iterator[HeldPart]:
    for name, cell in zip(value.__code__.co_freevars, value.__closure__ or ()):
        try:
            yield HeldPart(f".{name}", cell.cell_contents, False)
        except ValueError:  # empty
            continue
    for name in ("__defaults__", "__kwdefaults__"):
        held = c_attribute(value, name)
        if held:
            yield HeldPart(f".{name}", held)


def _of_exception(value: Any) -> Iterator[HeldPart]:
    """What it was made with, what it came from, and the variables of the functions that it has come through."""
    for name in ("args", "__cause__", "__context__"):
        yield HeldPart(f".{name}", c_attribute(value, name))
    trace = c_attribute(value, "__traceback__")
    for _ in range(_WAYS):
        if trace is None:
            return
        yield HeldPart(f".__traceback__: {trace.tb_frame.f_code.co_name}()", trace.tb_frame, False)
        trace = trace.tb_next


def _of_frame(value: FrameType) -> Iterator[HeldPart]:
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


def _of_array(value: Any) -> Iterator[HeldPart]:
    """The objects in an array of objects."""
    if is_of_objects(value):
        for at, item in enumerate(value.flat):
            is_atom = type(item) in _ATOMS
            yield _ATOM if is_atom else HeldPart(f"[{', '.join(map(str, index_of(at, value.shape)))}]", item)


def is_of_objects(value: Any) -> bool:
    """Whether it is an array whose elements are objects."""
    return is_array(value) and type(value) is module("numpy").ndarray and value.dtype.kind == "O"


def registered(value: Any) -> list[Any]:
    """The dicts in which a module keeps what makes it up; nothing of all else."""
    return [stored(value).get(name) for name in _REGISTERED] if Opened(type(value)).is_module else []


def _of_class(value: Any) -> Iterator[HeldPart]:
    """The attributes of a class of the program."""
    if is_library_module(class_module(value)):
        return
    for name, item in list(class_dict(value).items()):
        if type(name) is str and not (name.startswith("__") and name.endswith("__")):
            held = c_attribute(item, "__func__") if type(item) in _WRAPPED else item
            yield HeldPart(f".{plain_str(name)}", held, is_attribute=True)
