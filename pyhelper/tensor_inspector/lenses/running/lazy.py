"""Lazy modules, which a run initializes: copies of their parameters, and the hooks of torch that do it."""

from __future__ import annotations

from collections import OrderedDict
from types import MethodType
from typing import Any

from ...safe.guard import Classes, class_dict, instance_dict, module, raw_dict

torch: Any = module("torch")
_lazy: Any = instance_dict(torch.nn.modules).get("lazy")
_INFER = None if _lazy is None else class_dict(_lazy.LazyModuleMixin).get("_infer_parameters")
_KINDS = Classes(torch.nn.parameter.UninitializedParameter, torch.nn.parameter.UninitializedBuffer)
_Handle: Any = torch.utils.hooks.RemovableHandle
_HANDLE = "_initialize_hook"  #: an attribute that a module has until it is initialized


def is_uninitialized(value: Any) -> bool:
    return type(value) in _KINDS


def uninitialized_copy(value: Any) -> Any:
    """Another parameter or buffer that has no shape yet."""
    # Not of the class's own `__new__`, whose arguments differ from version to version.
    data = torch.empty(0, dtype=value.dtype, device=value.device)
    made = torch.Tensor._make_subclass(type(value), data, value.requires_grad)
    raw_dict(made).update(raw_dict(value))
    return made


def initializing(hooks: Any) -> OrderedDict[int, Any]:
    """The hooks by which torch initializes a lazy module, out of those that run before its forward."""
    return OrderedDict((key, hook) for key, hook in hooks.items() if _initializes(hook))


def _initializes(hook: Any) -> bool:
    return type(hook) is MethodType and _INFER is not None and hook.__func__ is _INFER


def let_initialize(attributes: dict[str, Any]) -> None:
    """Has the module of these attributes remove the hook that initializes it from the hooks that are among them now."""
    handle = attributes.get(_HANDLE)
    if type(handle) is _Handle:
        other: Any = object.__new__(_Handle)
        attributes[_HANDLE] = other
        other.__setstate__((attributes["_forward_pre_hooks"], raw_dict(handle)["id"]))
