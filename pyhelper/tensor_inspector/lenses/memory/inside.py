"""What an object holds, each part by what one types for it; read without running the object's code."""

from __future__ import annotations

import gc
from collections import OrderedDict, deque
from collections.abc import Iterator
from functools import partial
from math import isfinite
from types import BuiltinFunctionType, BuiltinMethodType, CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple
from weakref import ReferenceType

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
    plain_str,
    top_package,
)
from ..step.classes import is_library_module
from ..step.frames import TOOLS

_ATOMS = Classes(str, bytes, bytearray, int, float, complex, bool, type(None), range, slice, type(...), object)
_CLOSED: tuple[type, ...] = (
    BuiltinFunctionType, BuiltinMethodType, CodeType, FrameType, ModuleType, ReferenceType, BaseException,
)  # fmt: skip
_KEYS = Classes(str, int, float, bool, type(None), bytes)
_SEQUENCES: tuple[Any, ...] = (list, tuple, deque)
_SETS: tuple[Any, ...] = (set, frozenset)
_WRAPPED = Classes(staticmethod, classmethod)
_DICTS = Classes(dict, OrderedDict)
_PARTS = ("_parameters", "_buffers")
_REGISTERED = frozenset((*_PARTS, "_modules"))
_KEPT_IN_C = ("_lru_cache_wrapper",)  #: classes whose instances hold more than their attributes say
_SHOWN_OF_KEY = 40  #: characters


class Held(NamedTuple):
    """Something held: ``name`` is what follows the holder's name, ``key`` what it stands under where that is no text.

    ``is_path`` where the name is what one types. ``role`` is what it is to a training step, where its holder says so;
    ``is_registered`` marks the parts that make up a module.
    """

    name: str
    value: Any
    is_path: bool = True
    role: str | None = None
    key: Any = None
    is_registered: bool = False


class Opened:
    """What is the same of all instances of a class: how they are looked into."""

    ATOM, MEMORY, OBJECT, HOLDER = range(4)

    __slots__ = ("_is_module", "_is_optimizer", "cls", "how")

    def __init__(self, cls: type) -> None:
        torch = module("torch")
        self.cls = cls
        self._is_module = torch is not None and issubclass(cls, torch.nn.Module)
        self._is_optimizer = torch is not None and issubclass(cls, torch.optim.Optimizer)
        self.how = self._how(torch)

    def _how(self, torch: Any) -> int:
        cls = self.cls
        if cls in _ATOMS or issubclass(cls, _CLOSED):
            return self.ATOM
        if torch is not None and issubclass(cls, (torch.Tensor.__mro__[1], torch._C.StorageBase)):
            return self.MEMORY
        numpy = module("numpy")
        if numpy is not None and hasattr(numpy, "ndarray") and issubclass(cls, numpy.ndarray):
            return self.MEMORY
        if torch is not None and class_name(cls) == "TypedStorage" and class_module(cls) == "torch.storage":
            return self.MEMORY
        if torch is not None and class_module(cls) == "torch" and class_name(cls) in ("dtype", "device", "Size"):
            return self.ATOM
        if top_package(class_module(cls)) in TOOLS - {"torch", "numpy", "functools"}:
            return self.ATOM
        is_plain = not issubclass(cls, (dict, *_SEQUENCES, *_SETS, FunctionType, MethodType, partial, type))
        return self.OBJECT if is_plain and not self._is_module and not self._is_optimizer else self.HOLDER

    @property
    def has_own_parts(self) -> bool:
        """Whether its attributes are rather variables of the program than parts of one: a trainer's, a class's."""
        return self.how == self.OBJECT or self._is_module or issubclass(self.cls, type)

    def parts(self, value: Any) -> Iterator[Held]:
        cls = self.cls
        if issubclass(cls, type):
            yield from _of_class(value)
        elif issubclass(cls, FunctionType):
            yield from _of_function(value)
        elif issubclass(cls, MethodType):
            yield Held(".__self__", c_attribute(value, "__self__"))
            yield Held(".__func__", c_attribute(value, "__func__"))
        elif issubclass(cls, partial):
            for name in ("func", "args", "keywords"):
                yield Held(f".{name}", c_attribute(value, name))
        elif issubclass(cls, dict):
            yield from _of_dict(value)
        elif issubclass(cls, _SEQUENCES):
            base = next(base for base in _SEQUENCES if issubclass(cls, base))
            for index, item in enumerate(each(base.__iter__, value)):
                yield Held(f"[{index}]", item)
        elif issubclass(cls, _SETS):
            base = set if issubclass(cls, set) else frozenset
            for item in each(base.__iter__, value):
                yield Held("{…}", item, False)
        if not issubclass(cls, type):
            yield from self._attributes(value)

    def _attributes(self, value: Any) -> Iterator[Held]:
        attributes = instance_dict(value)
        if self._is_module:
            yield from _of_module(value, attributes)
        named = False
        for name, item in each(dict.items, attributes) if attributes else ():
            named = True
            cls = type(item)
            if cls in _ATOMS or (cls in _DICTS and not dict.__len__(item)) or (self._is_module and name in _REGISTERED):
                continue
            role = None
            if self._is_optimizer:
                role = {"state": "optimizer", "param_groups": "model"}.get(name)
            yield Held(f".{name}", item, name.isidentifier(), role)
        for name, item in slots(value):
            named = True
            yield Held(f".{name}", item)
        if self.how == self.OBJECT and (not named or class_name(self.cls) in _KEPT_IN_C):
            for item in gc.get_referents(value):
                if item is not self.cls and item is not attributes:
                    yield Held(".…", item, False)


def _of_module(value: Any, attributes: dict[str, Any]) -> Iterator[Held]:
    from ...measure.torch.modules import Member

    member = Member(value, "", "", None)
    for part in _PARTS:
        for key, item in member.items(part):
            if item is not None:
                yield Held(member.suffix(key), item, True, "model", None, True)
    for key, item in member.items("_modules"):
        if item is not None:
            yield Held(member.suffix(key), item, True, None, None, True)


def _of_dict(value: Any) -> Iterator[Held]:
    for key, item in each(dict.items, value):
        if type(key) in _KEYS:
            is_long = type(key) is str and len(key) > _SHOWN_OF_KEY * 2
            text = f'{_quoted(key[:_SHOWN_OF_KEY])[:-1]}…"' if is_long else _quoted(key)
            yield Held(f"[{text}]", item, not is_long and (type(key) is not float or isfinite(key)))
        else:
            yield Held("[…]", item, False, None, key)


def _quoted(key: object) -> str:
    """As one types it: in double quotes where no quotes are in it."""
    text = repr(key)
    return text.replace("'", '"') if text.count("'") == 2 and '"' not in text else text


def _of_function(value: Any) -> Iterator[Held]:
    for name, cell in zip(value.__code__.co_freevars, value.__closure__ or ()):
        try:
            yield Held(f".{name}", cell.cell_contents, False)
        except ValueError:  # empty
            continue
    for name in ("__defaults__", "__kwdefaults__"):
        held = c_attribute(value, name)
        if held:
            yield Held(f".{name}", held)


def _of_class(value: Any) -> Iterator[Held]:
    """The attributes of a class of the program."""
    if is_library_module(class_module(value)):
        return
    for name, item in list(class_dict(value).items()):
        if type(name) is str and not (name.startswith("__") and name.endswith("__")):
            yield Held(f".{plain_str(name)}", c_attribute(item, "__func__") if type(item) in _WRAPPED else item)
