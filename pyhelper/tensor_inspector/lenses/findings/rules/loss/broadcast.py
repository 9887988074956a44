"""The rule about predictions and targets whose shapes meet as all pairs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from .....measure.torch.elements import memory_of
from .....measure.torch.graph import Node
from .....measure.torch.metadata import requires_grad, shape_of
from .....words.text import shape
from ....step.expressions import text_of
from ....step.source import Call, Source
from ....step.step import Step
from ...classes import is_library, methods_of
from ...finding import Found
from ...losses import REGRESSIONS, loss_calls
from ...places import bound
from ...rule import Rule

#: of each node of a regression loss the function that makes it
_FUNCTIONS = {
    "MseLoss": "mse_loss",
    "SmoothL1Loss": "smooth_l1_loss",
    "HuberLoss": "huber_loss",
    "L1Loss": "l1_loss",
    "Abs": "l1_loss",
}


def loss_broadcast(step: Step) -> Iterator[Found]:
    yield from _broadcast_in_losses(step)
    yield from _broadcast_by_hand(step)
    yield from _broadcast_in_functions(step)


def _broadcast_in_losses(step: Step) -> Iterator[Found]:
    for node in step.graph.nodes:
        if node.op not in REGRESSIONS and not (node.op == "Abs" or node.op == "Sub"):
            continue
        expanded = step.graph.input(node)
        if node.op == "Abs":
            node_below = expanded
            expanded = step.graph.input(node_below) if node_below is not None and node_below.op == "Sub" else None
        if node.op == "Sub" or expanded is None or expanded.op != "Expand":
            continue
        before, after = expanded.setting("self_sym_sizes"), expanded.sizes()
        if type(before) is not tuple or after is None or not _is_outer(before, after):
            continue
        met = (after[-1], 1) if len(before) == 1 else (after[-1],)
        other = _compared_with(step, node, met)
        if other is None:
            continue  # it may have been expanded on purpose
        name = step.title_of(step.graph.input(expanded))
        yield Found(
            f"{_FUNCTIONS[node.op]} compared {name or 'the prediction'} of {_sizes(before)} with {other} of {_sizes(met)}: {after[0]} x {after[1]} pairs were averaged",
            (name, f"shape {_sizes(before)}"),
            (other, f"shape {_sizes(met)}"),
            line=bound(step, name),
            suggestion="give both one shape: squeeze the one or unsqueeze the other",
        )
        return


def _compared_with(step: Step, node: Node, sizes: tuple[int, ...]) -> str | None:
    """The name of a loss's target, if it has that shape: what the source gives to it, or what it has saved."""
    for one in loss_calls(step):
        target = None if one.target is None or one.kind != _FUNCTIONS[node.op] else one.target
        if target is not None and _has_shape(target.value) and tuple(shape_of(target.value)) == sizes:
            return target.name
    saved = node.tensor("target")
    memory = None if saved is None else memory_of(saved)
    for thing in step.tensors if memory is not None else ():
        if _has_shape(thing.value) and tuple(shape_of(thing.value)) == sizes and memory_of(thing.value) == memory:
            return thing.name
    return None


def _is_outer(before: tuple[int, ...], after: tuple[int, ...]) -> bool:
    """Whether (N, 1), or (N,), became (N, N)."""
    if len(after) != 2 or after[0] != after[1] or after[0] < 2:
        return False
    return before in ((after[0], 1), (after[0],))


def _sizes(sizes: tuple[int, ...]) -> str:
    return str(tuple(sizes))


def _broadcast_by_hand(step: Step) -> Iterator[Found]:
    """``pred - y`` where one is (N, 1) and the other (N,), both as they are."""
    for view in dict.fromkeys((0, step.at)):
        source = step.sources[view]
        for statement in source.body:
            for node in ast.walk(statement):
                if not isinstance(node, ast.BinOp) or not isinstance(node.op, (ast.Sub, ast.Mult)):
                    continue
                left, right = (step.operand(side, view, node.lineno) for side in (node.left, node.right))
                if (
                    left is None
                    or right is None
                    or node.lineno >= source.lineno
                    or not (_has_shape(left.value) and _has_shape(right.value))
                ):
                    continue
                sizes = sorted((tuple(shape_of(left.value)), tuple(shape_of(right.value))), key=len)
                fits = len(sizes[0]) == 1 and len(sizes[1]) == 2 and sizes[1] == (sizes[0][0], 1) and sizes[0][0] > 1
                made = fits and any(requires_grad(side.value) for side in (left, right))
                squares = (
                    any(one.op == "Sub" and one.sizes() == (sizes[0][0],) * 2 for one in step.graph.nodes)
                    if made
                    else False
                )
                if made and squares and isinstance(node.op, ast.Sub):
                    yield Found(
                        f"{left.name} - {right.name} met as {tuple(shape_of(left.value))} and {tuple(shape_of(right.value))}: {sizes[0][0]} x {sizes[0][0]} pairs",
                        (left.name, f"shape {shape(shape_of(left.value))}"),
                        (right.name, f"shape {shape(shape_of(right.value))}"),
                        line=(source.file, node.lineno),
                    )
                    return


def _broadcast_in_functions(step: Step) -> Iterator[Found]:
    """``q - y`` in a function of the user that was called with both, the one (N, 1) and the other (N,)."""
    squares = {
        (step.graph.input(node), (node.sizes() or (0,))[0]) for node in step.graph.nodes if _is_square(step, node)
    }
    columns = {rows for below, rows in squares if below is not None and below.sizes() == (rows, 1)}
    for call, called in _functions_called(step) if columns else ():
        given = dict(zip(called.arguments[-len(call.args) :], call.args))
        for node in (node for statement in called.body for node in ast.walk(statement)):
            if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
                continue
            sides = [given.get(text_of(side)) for side in (node.left, node.right)]
            known = [step.operand(side, step.at, call.lineno) for side in sides]
            rows = [one for one in known if one is not None and _has_shape(one.value) and len(shape_of(one.value)) == 1]
            if None in sides or len(rows) != 1 or int(shape_of(rows[0].value)[0]) not in columns:
                continue
            size = int(shape_of(rows[0].value)[0])
            other = text_of(sides[1] if known[0] is rows[0] else sides[0])
            yield Found(
                f"{other} and {rows[0].name} met as {(size, 1)} and {(size,)} in {called.function}: {size} x {size} pairs",
                (rows[0].name, f"shape {shape(shape_of(rows[0].value))}"),
                line=(called.file, node.lineno),
            )
            return


def _is_square(step: Step, node: Node) -> bool:
    sizes = node.sizes() if node.op == "Sub" else None
    return sizes is not None and len(sizes) == 2 and sizes[0] == sizes[1] > 1


def _functions_called(step: Step) -> Iterator[tuple[Call, Source]]:
    """The calls of the user's own functions and losses in the step, with their source."""
    view = step.views[step.at]
    for call in step.source.calls:
        value = view.variables.get(call.callee, view.frame.f_globals.get(call.callee))
        found = step.module_of(call.callee, step.at)
        if type(value) is FunctionType:
            yield call, Source(value.__code__, 0)
        elif found is not None and not is_library(type(found.value)):
            yield from ((call, source) for name, source in methods_of(type(found.value)) if name == "forward")


def _has_shape(value: Any) -> bool:
    from .....measure.torch.elements import is_own

    return is_own(value) and all(type(size) is int for size in shape_of(value))


RULES = [
    Rule(
        "loss-broadcast",
        loss_broadcast,
        "",
        "error",
        "Each prediction is compared with every target: the best answer is their mean.",
        "give both one shape",
    ),
]
