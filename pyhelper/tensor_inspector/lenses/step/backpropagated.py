"""Finds the tensors on which the source calls backward, and whether that has run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from ...measure.torch.metadata import gradient_of, is_exact_tensor, requires_grad
from ...safe.guard import NUMBERS, SEQUENCES, class_attribute
from ...safe.record import Record
from .calls import Backward, Call
from .expressions import is_name, shown, text_of
from .source import Source
from .sources import Sources
from .trainers.handed import followed, returned_losses


class Loss(Record):
    """A tensor on which a backward is called: still to come (``pending``), or ``done``; neither where it is in another
    branch than the one that runs."""

    name: str
    tensor: Any
    backward: Backward
    pending: bool
    done: bool


def losses_of(sources: Sources) -> Iterator[Loss]:
    """The tensors on which the source calls backward: in its own frame, or on what the active frame is to return."""
    for backward in sources.source.backwards:
        found, is_all = tensors_of(sources, backward)
        alive = [loss for loss in found if gradient_of(loss.tensor).function is not None]
        if backward.is_name or (is_all and not any(requires_grad(loss.tensor) for loss in found)):
            yield from found
            continue
        yield from alive  # what it is multiplied by, or the mask of it, is no loss
    yield from _returned(sources)


def _is_in_handler(source: Source) -> bool:
    """Whether an exception is being handled: what the lines before should have bound is not there."""
    line = source.lineno
    return any(
        isinstance(node, ast.ExceptHandler) and node.lineno <= line <= (node.end_lineno or line)
        for node in source.nodes
    )


def tensors_of(sources: Sources, backward: Backward) -> tuple[list[Loss], bool]:
    """The tensors in sight of which a backward is called, and whether nothing else is in it."""
    found: list[Loss] = []
    is_all = backward.is_whole
    source = sources.source
    is_elsewhere = source.are_alternatives(source.lineno, backward.lineno) or _is_in_handler(source)
    done = not is_elsewhere and source.is_done(backward.call)
    pending = not is_elsewhere and not done
    column = backward.call.node.col_offset
    for name in backward.names:
        value = sources.value(name) if source.is_current(name, backward.lineno, column) else None
        title = shown(name)
        if is_exact_tensor(value):
            found.append(Loss(title, value, backward, pending, done))
        elif value is not None and type(value) in SEQUENCES:
            items = [(index, item) for index, item in enumerate(value[:64]) if is_exact_tensor(item)]
            found.extend(Loss(f"{title}[{index}]", item, backward, pending, done) for index, item in items)
        elif type(value) not in NUMBERS:
            is_all = False
    return found, is_all


def begins_a_backward(cls: type) -> bool:
    """Whether the method ``backward`` of a class calls another one: what is written by hand computes slopes itself."""
    method = class_attribute(cls, "backward")
    while type(method) is FunctionType and "__wrapped__" in method.__dict__:
        method = method.__dict__["__wrapped__"]  # a decorator's, as of no_grad
    return type(method) is not FunctionType or any("backward" in name for name in method.__code__.co_names)


def _returned(sources: Sources) -> Iterator[Loss]:
    """What this function is about to return, and a caller to begin a backward from, or to return in its turn."""
    if not sources.level or not sources.here.is_known():
        return
    for backward in _begun_from_here(sources):
        for answer, node in returned_losses(sources.here):
            name = text_of(node)
            if is_name(node) and sources.here.is_current(name, answer.lineno):
                value = sources.value(name, 0)
                if is_exact_tensor(value) and (backward.is_name or requires_grad(value)):
                    yield Loss(shown(name), value, backward, True, False)


def _begun_from_here(sources: Sources) -> Iterator[Backward]:
    """The backwards of the step that begin from what the active frame returns."""
    caller = sources.source
    coming = [backward for backward in caller.backwards if backward.lineno >= caller.lineno]
    if sources.level == 1:
        begun = [call for call in caller.calls if call.lineno == caller.lineno and _has_begun(sources, call)]
        targets = {call.target for call in begun}
        direct = [backward for backward in coming if targets & set(backward.names)]
        if direct:
            yield from direct
            return
    handed = dict(followed(sources.sources, 0, sources.level)).get(sources.level)
    if handed is not None:
        yield from filter(handed.is_given_to, coming)


def _has_begun(sources: Sources, call: Call) -> bool:
    """Whether a call of the caller is the one that the active frame works at."""
    if sources.here.function == "forward":
        called = sources.module_of(call.callee, sources.level)
        return called is not None and called.value is sources.value(sources.here.self_name, 0)
    return call.name == sources.here.function
