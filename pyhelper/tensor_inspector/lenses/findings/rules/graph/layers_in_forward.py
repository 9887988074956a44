"""Layers that a model makes each time it is called: none of them is ever trained."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

from .....measure.torch.metadata import requires_grad
from .....safe.guard import class_dict, first_of, instance_dict, module
from .....words.text import plural
from ....step.classes import is_library, methods_of
from ....step.expressions import text_of
from ....step.step import Step
from ...finding import Violation

torch: Any = module("torch")


def layers_made_in_forward(step: Step) -> Iterator[Violation]:
    """A ``forward`` makes a layer with weights, and the loss leads to leaves that nothing in sight holds."""
    roots = step.loss_nodes()
    leaves = {id(leaf): leaf for root in roots for leaf in step.graph.leaves(root)}
    loose = [leaf for known, leaf in leaves.items() if not _is_held(step, known) and requires_grad(leaf)]
    for name, member in list(step.members.values()) if loose else ():
        cls = type(member.module)
        forward = None if is_library(cls) else dict(methods_of(cls)).get("forward")
        for call in forward.calls if forward is not None and forward.is_known() else ():
            is_attribute = (
                call.target is not None and call.target.startswith(f"{forward.self_name}.") if forward else True
            )
            if is_attribute or not _makes_weights(cls, call.node.func):
                continue
            yield Violation(
                (
                    f"forward of {name} makes a new {call.callee} each time",
                    ": ",
                    f"{plural(len(loose), 'trainable tensor')} that no optimizer has ever seen",
                ),
                (name, f"parameters() does not have what {call.callee} makes"),
                line=(forward.file, call.lineno) if forward is not None else None,
                suggestion="make it in __init__, and keep it as an attribute",
            )
            return


def _is_held(step: Step, known: int) -> bool:
    return known in step.parameters or known in step.optimized or known in step.names


def _makes_weights(cls: type, callee: ast.expr) -> bool:
    """Whether what a ``forward`` calls is a class of torch's layers, or ``nn.Parameter``: of those that have weights."""
    forward = first_of(cls, "forward")
    value: Any = None
    if type(forward) is FunctionType:
        root, *attributes = text_of(callee).split(".")
        value = dict.get(forward.__globals__, root)
        for attribute in attributes:
            value = instance_dict(value).get(attribute) if type(value) is ModuleType else None
    if not issubclass(type(value), type):
        return False
    is_layer = issubclass(value, torch.nn.Module) and is_library(value)
    return value is torch.nn.Parameter or (is_layer and "reset_parameters" in _methods(value))


def _methods(cls: type) -> set[str]:
    return {name for base in cls.__mro__ for name in class_dict(base)}
