"""Tells why a step has no loss that backward is called on: what is a loss in sight, and what it lacks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ......measure.torch.metadata import element_count, is_exact_tensor, requires_grad
from ......safe.guard import NUMBERS, class_name
from ......safe.record import Record
from .....flow.gradient.detached_in_call import detached_before
from .....flow.losses import loss_function
from .....step.expressions import root_of, shown
from .....step.step import Step
from ...graph.parts.lost_graph import off_around

_MOST = 64  #: lines of a frame that are gone through for a loss


class _Candidate(Record):
    """What is a loss by how it is made, or by its name: the name in the frame at ``level``, and its value."""

    name: str
    value: Any
    level: int


def why_no_loss(step: Step) -> str:
    """``no loss with a graph: val_loss was computed with gradients off``"""
    found = next(_candidates(step), None)
    if found is None:
        later = next(_made_later(step), None)
        return "no loss in sight" if later is None else f"no loss yet: {later[0]} is made in line {later[1]}"
    if is_exact_tensor(found.value) and requires_grad(found.value):
        return f"no backward in sight: {shown(found.name)} has a graph"
    return f"no loss with a graph: {shown(found.name)} {_lack(step, found)}"


def _made_later(step: Step) -> Iterator[tuple[str, int]]:
    """What a backward further down is called on, and the line between that makes it."""
    for source in step.sources:
        for backward in source.backwards:
            for name in backward.names:
                lines = [line for line in source.lines_of(name) if source.lineno <= line <= backward.lineno]
                yield from ((shown(name), line) for line in lines[-1:])


def loss_without_graph(step: Step) -> str | None:
    """The name of the tensor in sight that is a loss, but has no graph."""
    found = next((one for one in _candidates(step) if is_exact_tensor(one.value)), None)
    return None if found is None or requires_grad(found.value) else shown(found.name)


def _lack(step: Step, found: _Candidate) -> str:
    """Why a loss has no graph, as far as that is known."""
    if not is_exact_tensor(found.value):
        return f"is a {class_name(type(found.value))}"
    cut = detached_before(step, found.name, found.level)
    if cut is not None and not cut.is_off:
        return f"was cut off by {cut.how} in line {cut.line[1]}"
    return "was computed with gradients off" if cut is not None or _is_off(step, found) else "has no grad_fn"


def _is_off(step: Step, found: _Candidate) -> bool:
    """Whether gradients were off where a loss was made: in a caller, in torch's own record, or still at this stop."""
    if found.value.is_inference() or off_around(step, found.name, found.level) is not None:
        return True
    source = step.sources[found.level]
    is_same = not found.level and root_of(found.name) in source.bindings and not source.blocks
    return is_same and not step.grad_mode and not source.mentions("set_grad_enabled", "enable_grad")


def _candidates(step: Step) -> Iterator[_Candidate]:
    """The losses in sight, nearest frames first: what a backward is called on, what a loss function gave, what is named so."""
    for level, source in enumerate(step.sources):
        backpropagated = [name for backward in source.backwards for name in backward.names]
        made = [call.target for call in source.calls[:_MOST] if call.target and _is_loss(step, call, level)]
        named = [key for (at, key), _ in step.named_values() if at == level and _is_named_loss(key)]
        for name in dict.fromkeys((*backpropagated, *made, *named)):
            value = step.value(name, level)
            is_number = type(value) in NUMBERS or (is_exact_tensor(value) and element_count(value) == 1)
            if is_number and source.is_current(name, source.lineno):
                yield _Candidate(name, value, level)


def _is_loss(step: Step, call: Any, level: int) -> bool:
    found = step.module_of(call.callee, level)
    return loss_function(call, None if found is None else found.value) is not None


def _is_named_loss(key: str) -> bool:
    """Whether a variable, or an attribute of one, is called a loss: ``val_loss``, ``self.loss``."""
    return "loss" in key.rpartition(".")[2].lower().split("_")
