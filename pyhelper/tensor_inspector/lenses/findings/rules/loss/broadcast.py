"""The rule about predictions and targets whose shapes meet as all pairs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import memory_of
from .....measure.torch.metadata import requires_grad, shape_of
from .....measure.torch.node import AutogradNode
from .....words.text import shape
from ....step.called import functions_called
from ....step.expressions import before_moves, is_name, shown_text, text_of
from ....step.step import Step
from ...finding import Found
from ...losses import REGRESSIONS, loss_calls
from ...rule import rule
from ...written import Written, written
from .ranks import rank_of

#: of each node of a regression loss the function that makes it
_FUNCTIONS = {
    "MseLoss": "mse_loss",
    "SmoothL1Loss": "smooth_l1_loss",
    "HuberLoss": "huber_loss",
    "L1Loss": "l1_loss",
    "Abs": "l1_loss",
}


@rule(
    "error",
    why="Each prediction is compared with every target: the best answer is their mean.",
    suggestion="give both one shape",
)
def loss_broadcast(step: Step) -> Iterator[Found]:
    yield from _broadcast_in_losses(step)
    yield from _broadcast_by_hand(step)
    yield from _broadcast_in_functions(step)


def _broadcast_in_losses(step: Step) -> Iterator[Found]:
    for node in step.graph.by(*REGRESSIONS, "Abs"):
        expanded = step.graph.input(node)
        if node.op == "Abs":
            node_below = expanded
            expanded = step.graph.input(node_below) if node_below is not None and node_below.op == "Sub" else None
        if expanded is None or expanded.op != "Expand":
            continue
        before, after = expanded.setting("self_sym_sizes"), expanded.sizes()
        if type(before) is not tuple or after is None or not _is_outer(before, after):
            continue
        met = (after[-1], 1) if len(before) == 1 else (after[-1],)
        other = _compared_with(step, node, met)
        if other is None:
            continue  # it may have been expanded on purpose
        prediction = step.graph.input(expanded)
        found = Written() if prediction is None else written(step, prediction)
        yield Found(
            f"{_FUNCTIONS[node.op]} compared {found.name or 'the prediction'} of {_sizes(before)} with {other} of {_sizes(met)}: {after[0]} x {after[1]} pairs were averaged",
            (found.expression, f"shape {_sizes(before)}"),
            (other, f"shape {_sizes(met)}"),
            line=found.line,
            suggestion="give both one shape: squeeze the one or unsqueeze the other",
        )
        return


def _compared_with(step: Step, node: AutogradNode, sizes: tuple[int, ...]) -> str | None:
    """The name of a loss's target, if it has that shape: what the source gives to it, or what it has saved."""
    calls = [one for one in loss_calls(step) if one.kind == _FUNCTIONS[node.op]]
    for one in calls:
        target = one.target
        if target is not None and _has_shape(target.value) and tuple(shape_of(target.value)) == sizes:
            return target.name
    for one in calls if len(calls) == 1 and len(sizes) == 1 else ():
        written = one.call.argument(1, "target")
        if written is not None and rank_of(step, written, one.view, one.call.lineno) == 1:
            return shown_text(written)
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
    """``pred - y``, or ``net(x) - y``, where one is (N, 1) and the other (N,), both as they are."""
    made = {step.graph.input(node, at): node for node in _squares(step) for at in (0, 1)}
    squares = {(node.sizes() or (0,))[0] for below, node in made.items() if below is not None}
    for view in dict.fromkeys((0, step.at)) if squares else ():
        source = step.sources[view]
        for node in (node for statement in source.body for node in ast.walk(statement)):
            if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub) or node.lineno >= source.lineno:
                continue
            sides = [_side(step, side, view, made) for side in (node.left, node.right)]
            if not any(sizes is not None and requires for _, sizes, requires in sides):
                continue
            (left, first, _), (right, second, _) = sides
            rows = _all_pairs(first, second)
            if rows in squares:
                yield Found(
                    f"{left} - {right} met as {first} and {second}: {rows} x {rows} pairs",
                    *((name, f"shape {shape(sizes)}") for name, sizes, _ in sides if _is_name(name)),
                    line=(source.file, node.lineno),
                )
                return


def _side(
    step: Step, side: ast.expr, view: int, made: dict[AutogradNode | None, AutogradNode]
) -> tuple[str, Any, bool]:
    """A side of a difference: as it is written, its shape if it is known, and whether it has a gradient.

    It is a variable, or what a model gives, or a part of a tensor: then the only such difference in the graph tells.
    """
    text = shown_text(side)
    inner = before_moves(side)
    thing = step.operand(inner, view, side.lineno)
    if thing is not None and _has_shape(thing.value):
        return text, tuple(shape_of(thing.value)), requires_grad(thing.value)
    is_output = isinstance(inner, ast.Call) and step.module_of(text_of(inner.func), view) is not None
    outputs = {below.sizes() for below in made if below is not None}
    if is_output and len(outputs) == 1:
        return text, outputs.pop(), True
    rows = {(node.sizes() or (0,))[0] for node in made.values()}
    is_row = len(rows) == 1 and rank_of(step, side, view, side.lineno) == 1
    return text, (rows.pop(),) if is_row else None, False


def _all_pairs(first: Any, second: Any) -> int | None:
    """N where one shape is (N, 1) and the other (N,)."""
    one, other = sorted((list(first or ()), list(second or ())), key=len)
    return int(one[0]) if len(one) == 1 and other == [*one, 1] and one[0] > 1 else None


def _is_name(text: str) -> bool:
    return is_name(ast.parse(text, mode="eval").body)


def _broadcast_in_functions(step: Step) -> Iterator[Found]:
    """``q - y`` in a function of the user that was called with both, the one (N, 1) and the other (N,)."""
    below = [(step.graph.input(node, at), (node.sizes() or (0,))[0]) for node in _squares(step) for at in (0, 1)]
    columns = {rows for one, rows in below if one is not None and one.sizes() == (rows, 1)}
    for called in functions_called(step) if len(columns) == 1 else ():
        size = next(iter(columns))
        for node in (node for statement in called.source.body for node in ast.walk(statement)):
            if called.caller is not None or not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
                continue
            sides = [called.given.get(text_of(side)) for side in (node.left, node.right)]
            ranks = [rank_of(step, side, called.view, called.call.lineno) for side in sides]
            if None in sides or sorted(rank or 2 for rank in ranks) != [1, 2]:
                continue
            row = sides[ranks.index(1)]
            thing = step.operand(before_moves(row), called.view, called.call.lineno)
            if thing is not None and tuple(shape_of(thing.value)) != (size,):
                continue
            name, other = (shown_text(one) for one in (row, sides[1 - ranks.index(1)]))
            yield Found(
                f"{other} and {name} met as {(size, 1)} and {(size,)} in {called.source.function}: {size} x {size} pairs",
                (name if _is_name(name) else None, f"shape {shape((size,))}"),
                line=(called.source.file, node.lineno),
            )
            return


def _squares(step: Step) -> Iterator[AutogradNode]:
    """The differences of as many rows as columns."""
    for node in step.graph.by("Sub"):
        sizes = node.sizes() or ()
        if len(sizes) == 2 and sizes[0] == sizes[1] > 1:
            yield node


def _has_shape(value: Any) -> bool:
    from .....measure.torch.metadata import is_exact_tensor

    return is_exact_tensor(value) and all(type(size) is int for size in shape_of(value))
