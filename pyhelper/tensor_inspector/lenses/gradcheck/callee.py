"""What is checked: the function, its inputs, and the parameters of its modules."""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType, MethodType
from typing import Any

from ...kinds import Child
from ...measure.torch.modules import is_module, members
from ...safe.budget import Budget, Steps
from ...safe.guard import instance_dict, module, mro, owner_of
from ...safe.record import Record
from ..lens import wrong_type
from ..running.isolation import inner_model
from ..step.classes import functions_defined_by

torch: Any = module("torch")


class Callee(Record):
    """``target`` is what an isolation copies; ``values`` is what it has to keep apart beside it."""

    target: Any
    values: tuple[Any, ...] = ()
    owner: Any = None  #: the module whose parameters are checked
    is_class: bool = False  #: an autograd Function, which is called by its ``apply``
    compiled: bool = False  #: it was given to `torch.compile`, which is left out


def callee_of(asked: Child) -> Callee:
    """How a value is called; ``TypeError`` where it can't be."""
    bare = _unwrapped(asked.value)
    compiled = bare is not asked.value
    if type(bare) is MethodType and is_function_class(bare.__self__):
        bare = bare.__self__
    if is_function_class(bare):
        return Callee(bare, tuple(functions_defined_by(bare)), is_class=True)
    if is_module(bare):
        return Callee(bare, (), bare, compiled=compiled)
    if type(bare) is MethodType:
        return Callee(bare, (), bare.__self__ if is_module(bare.__self__) else None, compiled=compiled)
    if issubclass(type(bare), type) or owner_of(type(bare), "__call__") is None:
        raise wrong_type(asked, "a function, a torch.nn.Module or an autograd Function")
    return Callee(bare, compiled=compiled)


def is_function_class(value: Any) -> bool:
    """Whether it is a class of the program that says its own backward."""
    function = torch.autograd.Function
    return issubclass(type(value), type) and value is not function and any(base is function for base in mro(value))


def trained_parameters(owner: Any) -> Iterator[tuple[str, Any]]:
    """Those of a module that are trained, each once, by the names that torch has for them."""
    seen: set[int] = set()
    for member in members(owner, Steps(Budget())) if owner is not None else ():
        for key, tensor in member.items("_parameters"):
            if tensor is not None and id(tensor) not in seen and tensor.requires_grad:
                seen.add(id(tensor))
                yield f"{member.name}.{key}" if member.name else key, tensor


def _unwrapped(value: Any) -> Any:
    inner = instance_dict(value).get("_torchdynamo_orig_callable") if type(value) is FunctionType else None
    return inner_model(value if inner is None else inner)
