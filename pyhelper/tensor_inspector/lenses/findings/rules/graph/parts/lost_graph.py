"""Finds where a loss without a graph has lost it, as far as the source of the frames and what they call tells."""

from __future__ import annotations

import ast
from collections.abc import Collection

from ......measure.torch.metadata import is_exact_tensor, requires_grad
from ......safe.record import Record
from .....flow.gradient.detached_in_call import detached_before
from .....flow.gradient.predictions import detached_at
from .....flow.lines import Line
from .....flow.ops import DETACHING
from .....step.backpropagated import Loss
from .....step.calls import Call
from .....step.classes import function_called
from .....step.expressions import last_name, names_in, root_of, text_of
from .....step.grad_mode import off_at
from .....step.step import Step


class LossCut(Record):
    """Where a loss has lost its graph: in words, as a fact about an expression, and the line; ``is_off``: by no_grad."""

    words: str
    fact: tuple[str | None, str]
    line: Line
    is_off: bool = False

    @property
    def suggestion(self) -> str:
        return "compute the loss outside of no_grad" if self.is_off else ""


def cut_of(step: Step, loss: Loss) -> LossCut | None:
    """Where a loss without a graph has lost it, as far as the source of the frames and what they call tells."""
    origin = origin_of(step, loss, DETACHING)
    if origin is not None:
        name, line, call = origin
        subject = "it" if name == loss.name else name
        return LossCut(f"{subject} left autograd by {call}", (name, f"line {line[1]}: {call}"), line)
    return cut_of_name(step, loss.name, step.level)


def cut_of_name(step: Step, name: str, level: int) -> LossCut | None:
    """Where a value without a graph, told by its name in a frame, was cut off from what has one."""
    cut = detached_before(step, name, level)
    if cut is not None:
        how, line, function = cut.how, cut.line, cut.source.function
        return LossCut(f"{how}{_in(function)} cuts it off", (None, f"line {line[1]}: {how}"), line, cut.is_off)
    return off_around(step, name, level)


def off_around(step: Step, name: str, level: int) -> LossCut | None:
    """Where a caller has gradients off around all that makes a value in a frame."""
    inner = step.sources[level]
    for source in step.sources[level + 1 :] if root_of(name) in inner.bindings else ():
        if inner.mentions("enable_grad", "set_grad_enabled"):
            return None
        line, inner = off_at(source, source.lineno), source
        if line is not None:
            words, place = f"gradients are off{_in(source.function)}", (source.file, line)
            return LossCut(words, (None, f"line {line}: no_grad"), place, True)
    return None


def _in(function: str) -> str:
    return "" if function.startswith("<") else f" in {function}"


def origin_of(step: Step, loss: Loss, calls: Collection[str]) -> tuple[str, Line, str] | None:
    """The assignment by which what the loss is made of left autograd, as one of some calls: its name, line and call."""
    left = detached_at(step, loss)
    if left is not None:
        is_one = ("eq" if left.call == "a comparison" else left.call.strip(".()")) in calls
        return (left.name or loss.name, left.line, left.call) if is_one else None
    file = step.source.file
    for name, (line, node) in step.source.bindings_behind(root_of(loss.name)).items():
        value = getattr(node, "value", None)
        if value is None:
            continue
        for below in ast.walk(value):
            called = last_name(below.func) if isinstance(below, ast.Call) else ""
            if isinstance(below, ast.Attribute) and below.attr == "data" and "data" in calls:
                called = "data"
            if isinstance(below, ast.Compare) and "eq" in calls and _is_of_predictions(step, below):
                return name, (file, line), "a comparison"
            if called in calls and _comes_from_model(step, below):
                return name, (file, line), f"{called}()" if called != "data" else ".data"
    return None


def _is_of_predictions(step: Step, node: ast.Compare) -> bool:
    return any(is_exact_tensor(step.value(name)) for name in names_in(node)) and _comes_from_model(step, node)


def _comes_from_model(step: Step, node: ast.AST) -> bool:
    """Whether an expression is, by its source, not only made of data: a model, or a function of the program, makes it."""
    made = [node]
    for name in names_in(node):
        if requires_grad(step.value(name)) if is_exact_tensor(step.value(name)) else False:
            return True
        made += [one for _, one in step.source.bindings_behind(root_of(name)).values()]
    return any(_may_predict(step, call) for one in made for call in _calls_in(one))


def _calls_in(node: ast.AST) -> list[ast.Call]:
    """The calls in an expression, or in what a statement assigns."""
    value = getattr(node, "value", None) if isinstance(node, ast.stmt) else node
    return [below for below in ast.walk(value) if isinstance(below, ast.Call)] if isinstance(value, ast.AST) else []


def _may_predict(step: Step, node: ast.Call) -> bool:
    is_model = step.module_of(text_of(node.func), step.level) is not None
    return is_model or function_called(step, Call(node, None, False), step.level) is not None
