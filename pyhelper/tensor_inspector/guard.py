"""Reading objects without running their code, and tensors without disturbing torch.

Every function here works on classes and objects through the built-in types' own slots and descriptors, so that no
``__getattr__``, property, metaclass or ``__torch_function__`` of the program runs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from types import GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any


class Classes:
    """A set of classes by identity: comparing classes by ``==`` would run their metaclass's ``__eq__``."""

    __slots__ = ("_ids",)

    def __init__(self, *classes: type) -> None:
        self._ids = frozenset(map(id, classes))

    def __contains__(self, cls: object) -> bool:
        return id(cls) in self._ids


_class_name = type.__dict__["__name__"].__get__
_class_qualname = type.__dict__["__qualname__"].__get__
_class_mro = type.__dict__["__mro__"].__get__
_class_dict = type.__dict__["__dict__"].__get__
_DESCRIPTORS = Classes(GetSetDescriptorType, MemberDescriptorType)


def class_name(cls: type) -> str:
    name = _class_name(cls)
    return name if type(name) is str else str.__str__(name)


def mro(cls: type) -> tuple[type, ...]:
    return _class_mro(cls)  # type: ignore[no-any-return]


def class_dict(cls: type) -> Mapping[str, Any]:
    """The class's own namespace, as the read-only proxy that ``type`` itself would return."""
    return _class_dict(cls)  # type: ignore[no-any-return]


def class_module(cls: type) -> str:
    module = class_dict(cls).get("__module__")
    return module if type(module) is str else ""


def full_name(cls: type) -> str:
    """``torch.nn.Linear``; without the module for builtins."""
    module = class_module(cls)
    qualname = _class_qualname(cls)
    return qualname if module in ("", "builtins") else f"{module}.{qualname}"


def instance_dict(value: object) -> dict[str, Any]:
    """The instance's ``__dict__`` by the interpreter's own descriptor; empty where there is none.

    ``value.__dict__`` would run a property of that name, ``vars()`` a ``__getattribute__``.
    """
    for base in mro(type(value)):
        descriptor: Any = class_dict(base).get("__dict__")
        if type(descriptor) in _DESCRIPTORS:
            try:
                found = descriptor.__get__(value)
            except BaseException:
                return {}
            return found if issubclass(type(found), dict) else {}
    return {}


def held(value: object, name: str) -> dict[Any, Any]:
    """A dict held by the instance's own dict, such as a module's ``_parameters``; empty if there is none."""
    found = instance_dict(value).get(name)
    return found if found is not None and issubclass(type(found), dict) else {}


def slots(value: object) -> Iterator[tuple[str, Any]]:
    """Name and value of each slot that is set; unset ones and special names are left out."""
    seen = set()
    for base in mro(type(value)):
        for name, descriptor in list(class_dict(base).items()):
            if type(descriptor) is MemberDescriptorType and name not in seen and not name.startswith("__"):
                seen.add(name)
                try:
                    yield name, descriptor.__get__(value)
                except BaseException:  # unset, or of a C type that refuses
                    continue


def attribute(value: object, name: str) -> Any:
    """An attribute from the instance's dict or slots; ``AttributeError`` for all that needs code to run."""
    found = dict_get(instance_dict(value), name, _MISSING)
    if found is not _MISSING:
        return found
    for slot, item in slots(value):
        if slot == name:
            return item
    raise AttributeError(name)


def dict_get(mapping: dict[Any, Any], key: object, default: Any = None) -> Any:
    """``mapping[key]`` for a string or number, without running the hash or equality of the keys that are there."""
    for known, item in dict.items(mapping):
        if type(known) is type(key) and known == key:
            return item
    return default


_MISSING = object()


def module(name: str) -> Any:
    """A library that the program has imported, or None: nothing is ever imported to describe a value."""
    found = sys.modules.get(name)
    return found if type(found) is ModuleType else None


class Untouched:
    """A context in which reading a value disturbs no state of torch, and no mode of the program sees the reading.

    Off while it lasts: torch-function overrides and modes, functorch levels, dispatch modes, gradients. All is left as
    found. The order matters: ``_set_grad_enabled`` is itself seen by a torch-function mode, so that goes first. Without
    torch it does nothing.
    """

    __slots__ = ("_contexts", "_had_grad", "_torch")

    def __enter__(self) -> None:
        torch = module("torch")
        self._torch = c = getattr(torch, "_C", None)
        self._contexts: list[Any] = []
        if c is None:
            return
        makers = [getattr(c, name, None) for name in ("DisableTorchFunction", "_DisableFuncTorch")]
        if getattr(c, "_len_torch_dispatch_stack", int)():
            makers.append(getattr(module("torch.utils._python_dispatch"), "_disable_current_modes", None))
        for make in makers:
            if make is not None:
                context = make()
                context.__enter__()
                self._contexts.append(context)
        self._had_grad = c.is_grad_enabled() if hasattr(c, "is_grad_enabled") else torch.is_grad_enabled()
        if self._had_grad:
            c._set_grad_enabled(False)

    def __exit__(self, *error: object) -> None:
        if self._torch is None:
            return
        if self._had_grad:
            self._torch._set_grad_enabled(True)
        for context in reversed(self._contexts):
            context.__exit__(None, None, None)
