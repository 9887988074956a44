"""Finds the layer that a model gives its input to as it is, and what takes the result of that."""

from __future__ import annotations

import ast
from typing import Any

from ......measure.torch.elements import memory_of
from ......measure.torch.modules import Member, children, is_of
from ......measure.torch.node import AutogradNode
from ......safe.guard import class_module, instance_dict
from .....step.calls import Call
from .....step.classes import forward_of, is_library

_NESTED = 8  #: modules that are gone into
_PASSING = ("Flatten", "Unflatten", "Identity", "Dropout")
_FIRST = ("Linear", "Conv1d", "Conv2d", "Conv3d", "_ConvNd", "RNN", "LSTM", "GRU")


def begins_plainly(model: Any) -> bool:
    """Whether a model gives its input, as it is, to a linear layer or a convolution."""
    return first_layer(model) is not None


def first_layer(model: Any) -> tuple[Any, Any] | None:
    """The layer that a model gives its input to, as it is, and the module that takes what that gives, if it is known."""
    after = None
    for _ in range(_NESTED):
        if is_of(model, *_FIRST):
            return model, after
        if instance_dict(model).get("_forward_pre_hooks"):
            return None
        if is_of(model, "Sequential") and class_module(type(model)) == "torch.nn.modules.container":
            below = [child for child in children(Member(model)) if not is_of(child, *_PASSING)]
            model, *others = below or [None]
            after = others[0] if others else after
        else:
            model, later = (None, None) if is_library(type(model)) else _first_called(model)
            after = later or after
    return None


def _first_called(model: Any) -> tuple[Any, Any]:
    """The submodule that a user's ``forward`` gives its first argument to, before it does anything else with it, and
    the one that it gives the result of that to."""
    source = forward_of(type(model))
    names = [] if source is None else source.arguments
    if source is None or len(names) < 2:
        return None, None
    uses = [node for node in source.nodes if isinstance(node, ast.Name) and node.id == names[1]]
    first = min((node.lineno, node.col_offset) for node in uses if isinstance(node.ctx, ast.Load)) if uses else None
    below = dict(Member(model).items("_modules"))

    def part_of(call: Call) -> Any:
        owner, _, attribute = call.callee.rpartition(".")
        return below.get(attribute) if owner == source.self_name else None

    for call in source.calls:
        given = call.args[0] if call.args else None
        if isinstance(given, ast.Name) and (given.lineno, given.col_offset) == first and given.id == names[1]:
            return part_of(call), next((part_of(one) for one in source.calls if is_given_by(one, call)), None)
    return None, None


def is_given_by(call: Call, other: Call) -> bool:
    """Whether a call takes what another one gives: ``self.b(self.a(x))``, or by the name that it has."""
    given = call.args[0] if call.args else None
    is_later = call.lineno > other.lineno and other.target is not None
    return given is other.node or (is_later and isinstance(given, ast.Name) and given.id == other.target)


def has_saved(node: AutogradNode, tensor: Any) -> bool:
    """Whether a layer was given a tensor as it is."""
    name, at = ("mat1", 1) if node.op == "Addmm" else ("input", 0)
    saved, memory = None if node.inputs[at] is not None else node.tensor(name), memory_of(tensor)
    if saved is None or memory is None or memory_of(saved) != memory:
        return False
    return bool(saved.numel() == tensor.numel())
