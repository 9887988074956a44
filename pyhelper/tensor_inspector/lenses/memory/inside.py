"""How objects are looked into: told once for each class. No code of the object runs."""

from __future__ import annotations

import gc
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, islice
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
from typing import Any
from weakref import ReferenceType

from ...measure.memory.extents import has_memory, is_array_class
from ...safe.attributes import slots, traits
from ...safe.guard import (
    Classes,
    class_dict,
    class_module,
    class_name,
    each,
    instance_dict,
    module,
    mro,
    raw_dict,
    top_package,
)
from ..step.classes import is_library
from ..step.frames import TOOLS
from . import parts
from .parts import ATOMS, SEQUENCES, SETS, HeldPart, Parts
from .tables import is_of_pandas, is_table, is_uncounted

_CLOSED: tuple[type, ...] = (
    BuiltinFunctionType, BuiltinMethodType, CodeType, ModuleType, ReferenceType, TracebackType,
)  # fmt: skip
_HOLDERS: tuple[Any, ...] = (FunctionType, MethodType, partial, type, BaseException)
_BARE = Classes(dict, list, tuple, deque, set, frozenset)  #: whose instances have no attributes
_DICTS = Classes(dict, OrderedDict)
_REGISTERED = ("_parameters", "_buffers", "_modules")
#: Attributes of a module that are listed apart, and one that holds names only.
_LEFT_OUT = frozenset((*_REGISTERED, "_non_persistent_buffers_set"))
_OF_TORCH = "__composable_api_state_key_"  #: under which a module has what `fully_shard` keeps for it: no variable
_OF_OPTIMIZERS = {"state": "optimizer", "param_groups": "model"}
_KEPT_IN_C = ("_lru_cache_wrapper",)  #: classes whose instances hold more than their attributes say
_OF_C = Classes(WrapperDescriptorType, MethodDescriptorType)  #: what stands in no class that is made by ``class``


class ClassLayout:
    """What is the same of all instances of a class: how they are looked into.

    ``has_own_parts`` where attributes are rather variables of the program than parts of one: a trainer's, a class's.
    ``gradient_of`` tells what a tensor keeps outside of Python.
    """

    ATOM, MEMORY, OBJECT, HOLDER, UNCOUNTED, FRAME = range(6)

    __slots__ = (
        "_has_slots", "_is_array", "_is_in_c", "_is_of_pandas", "_roles", "_ways", "cls", "gradient_of",
        "has_own_parts", "how", "is_library", "is_module",
    )  # fmt: skip

    def __init__(self, cls: type) -> None:
        torch = module("torch")
        self.cls = cls
        self.is_module = torch is not None and issubclass(cls, (torch.nn.Module, torch._C.ScriptModule))
        is_optimizer = torch is not None and issubclass(cls, torch.optim.Optimizer)
        self._roles = _OF_OPTIMIZERS if is_optimizer else {}  #: by the names of attributes
        self._is_of_pandas = is_of_pandas(cls)  #: whose names of what it holds nobody types
        self._is_in_c = class_name(cls) in _KEPT_IN_C or any(map(_is_made_in_c, mro(cls)))
        self._is_array = is_array_class(cls)
        self._has_slots = bool(traits(cls).slots)
        self.is_library = is_library(cls)
        self.how = self._how(torch, is_optimizer)
        is_object = self.how == self.OBJECT and not self._is_of_pandas
        self.has_own_parts = is_object or self.is_module or issubclass(cls, type)
        self._ways = tuple(self._list_ways())
        self.gradient_of = _gradient_of(cls) if self.how == self.MEMORY and torch is not None else None

    def _how(self, torch: Any, is_optimizer: bool) -> int:
        cls = self.cls
        if cls in ATOMS or issubclass(cls, _CLOSED):
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
        is_plain = not issubclass(cls, (dict, *SEQUENCES, *SETS, *_HOLDERS))
        return self.OBJECT if is_plain and not self.is_module and not is_optimizer else self.HOLDER

    def _list_ways(self) -> Iterator[Parts]:
        """What lists the parts of an instance, one after the other."""
        cls = self.cls
        if is_table(cls):
            yield parts.of_table
            return
        contents: tuple[tuple[Any, Parts], ...] = (
            (type, parts.of_class),
            (FunctionType, parts.of_function),
            (FrameType, parts.of_frame),
            (BaseException, parts.of_exception),
            (MethodType, parts.of_method),
            (partial, parts.of_partial),
            (dict, parts.of_dict),
            (SEQUENCES, parts.of_sequence(cls)),
            (SETS, parts.of_set),
        )
        if self._is_array:
            yield parts.of_array
        else:
            yield from islice((of for base, of in contents if issubclass(cls, base)), 1)
        if self.is_module:
            yield _of_modules()
        if cls not in _BARE and not issubclass(cls, (type, FrameType)):
            yield self._attributes

    def parts(self, value: Any) -> Iterator[HeldPart]:
        ways = self._ways
        return ways[0](value) if len(ways) == 1 else chain.from_iterable(way(value) for way in ways)

    def holds_more(self, value: Any) -> bool:
        """Whether what has memory may hold other objects: as attributes, or as its elements."""
        has_attributes = self._has_slots or dict.__len__(raw_dict(value)) > 0
        return has_attributes or (self._is_array and parts.is_of_objects(value))

    def _attributes(self, value: Any) -> Iterator[HeldPart]:
        attributes = instance_dict(value)
        atoms, dicts, left_out = ATOMS.ids, _DICTS.ids, _LEFT_OUT if self.is_module else ()
        for name, item in each(dict.items, attributes) if attributes else ():
            cls = id(type(item))
            if cls in atoms or (cls in dicts and not dict.__len__(item)) or name in left_out:
                continue
            if self._is_of_pandas:
                for one in each(dict.values, item) if type(item) is dict else (item,):
                    yield HeldPart("", one, False)
                continue
            is_own = not (self.is_module and name.startswith(_OF_TORCH))
            yield HeldPart(f".{name}", item, name.isidentifier(), self._roles.get(name), is_attribute=is_own)
        in_slots = list(slots(value)) if self._has_slots else []
        for name, item in in_slots:
            yield HeldPart(f".{name}", item, is_attribute=True)
        if self.how == self.OBJECT and (self._is_in_c or not (attributes or in_slots)):
            listed = [self.cls, attributes, *list(attributes.values()), *(item for _, item in in_slots)]
            known = set(map(id, listed))
            for item in gc.get_referents(value):
                if id(item) not in known:
                    yield HeldPart("" if self._is_of_pandas else ".…", item, False, is_attribute=True)


def _is_made_in_c(cls: type) -> bool:
    return cls is not object and any(type(item) in _OF_C for item in list(class_dict(cls).values()))


def _of_modules() -> Parts:
    """What lists what modules of one class have registered."""
    from ...measure.torch.modules import items_of, suffix_of
    from ...measure.torch.visits import parts_of

    suffixes: dict[str, str] = {}  #: the same in all layers that are alike

    def registered_in(value: Any) -> Iterator[HeldPart]:
        held = parts_of(value)
        for part in _REGISTERED:
            role = None if part == "_modules" else "model"
            for key, item in items_of(held, part):
                if item is None:
                    continue
                suffix = suffixes.get(key)
                if suffix is None:
                    suffix = suffixes[key] = suffix_of(value, key)
                yield HeldPart(suffix, item, True, role, None, True)

    return registered_in


def _gradient_of(cls: type) -> Callable[[Any], Any] | None:
    from ...measure.torch.metadata import grad_of, is_tensor_class

    return grad_of if is_tensor_class(cls) else None


def registered(value: Any) -> list[Any]:
    """The dicts in which a module keeps what makes it up; nothing of all else."""
    return [raw_dict(value).get(name) for name in _REGISTERED] if ClassLayout(type(value)).is_module else []
