"""Predictions and targets of a loss broadcast to all pairs.

Why: Each prediction is compared with every target: the best answer is their mean.

Example:
    loss = F.mse_loss(model(x), y)  # (32, 1) with (32,)

Instead:
    loss = F.mse_loss(model(x), y.unsqueeze(1))

Silent when:
    - both have one shape, or the shapes are other than (N, 1) with (N,)
    - the source adds the dimension itself: `unsqueeze`, `[:, None]`, `view`
    - the other side of the loss is not in sight: it may have been expanded on purpose
    - all pairs become something else than an error, as a kernel does, or are not averaged or summed as a whole
    - a side is weights, not a prediction for each sample: centers, quantiles
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .....measure.torch.elements import memory_of
from .....measure.torch.metadata import requires_grad, shape_of
from .....measure.torch.node import AutogradNode
from .....words.text import shape
from ....flow.definitions import reaching_definitions
from ....flow.losses import loss_calls
from ....flow.ops import ERRORS, REGRESSIONS
from ....flow.written import Written, written
from ....step.calls import Call
from ....step.expressions import is_name, last_name, names_in, shown_text, text_of, without_moves
from ....step.functions import functions_called
from ....step.source import Source
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.broadcast_by_hand import (
    all_pairs,
    broadcast_by_hand,
    errors,
    has_shape,
    is_column_on_purpose,
    is_named,
    is_reduced,
    squares,
)
from .parts.pair_differences import crossed_in_callees
from .parts.ranks import rank_of

#: of each node of a regression loss the function that makes it
_FUNCTIONS = {**{op: ERRORS[op][0] for op in REGRESSIONS}, "Abs": "l1_loss"}


@rule(
    "error",
    why="Each prediction is compared with every target: the best answer is their mean.",
    suggestion="give both one shape",
)
def loss_broadcast(step: Step) -> Iterator[Violation]:
    yield from _broadcast_in_losses(step)
    yield from broadcast_by_hand(step)
    yield from _broadcast_in_functions(step)
    yield from _broadcast_in_distributions(step)
    yield from _broadcast_in_scores(step)
    yield from crossed_in_callees(step, squares(step))


def _broadcast_in_losses(step: Step) -> Iterator[Violation]:
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
        yield Violation(
            (
                f"{_FUNCTIONS[node.op]} compared {found.name or 'the prediction'} of {_sizes(before)} with {other} of {_sizes(met)}",
                ": ",
                f"{after[0]} x {after[1]} pairs were averaged",
            ),
            (found.expression, f"shape {_sizes(before)}"),
            (other, f"shape {_sizes(met)}"),
            line=found.line,
            suggestion="give both one shape: squeeze the one or unsqueeze the other",
        )
        return


def _compared_with(step: Step, node: AutogradNode, sizes: tuple[int, ...]) -> str | None:
    """The name of a loss's target, if it has that shape: what the source gives to it, or what it has saved."""
    calls = [one for one in loss_calls(step) if one.function == _FUNCTIONS[node.op]]
    for one in calls:
        target = one.target
        if target is not None and has_shape(target.value) and tuple(shape_of(target.value)) == sizes:
            return target.name
    for one in calls if len(calls) == 1 and len(sizes) == 1 else ():
        written = one.call.argument(1, "target")
        if written is not None and rank_of(step, written, one.level, one.call.lineno) == 1:
            return shown_text(written)
    saved = node.tensor("target")
    memory = None if saved is None else memory_of(saved)
    for variable in step.tensors if memory is not None else ():
        if (
            has_shape(variable.value)
            and tuple(shape_of(variable.value)) == sizes
            and memory_of(variable.value) == memory
        ):
            return variable.name
    return None


def _is_outer(before: tuple[int, ...], after: tuple[int, ...]) -> bool:
    """Whether (N, 1), or (N,), became (N, N)."""
    if len(after) != 2 or after[0] != after[1] or after[0] < 2:
        return False
    return before in ((after[0], 1), (after[0],))


def _sizes(sizes: tuple[int, ...]) -> str:
    return str(tuple(sizes))


def _broadcast_in_functions(step: Step) -> Iterator[Violation]:
    """``q - y`` in a function of the user that was called with both, the one (N, 1) and the other (N,)."""
    below = [(step.graph.input(node, at), (node.sizes() or (0,))[0]) for node in errors(step) for at in (0, 1)]
    columns = {rows for one, rows in below if one is not None and one.sizes() == (rows, 1)}
    for called in functions_called(step) if len(columns) == 1 else ():
        size = next(iter(columns))
        for node in called.source.nodes:
            if called.caller is not None or not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
                continue
            sides = [called.given.get(text_of(side)) for side in (node.left, node.right)]
            ranks = [rank_of(step, side, called.level, called.call.lineno) for side in sides]
            if None in sides or sorted(rank or 2 for rank in ranks) != [1, 2]:
                continue
            row = sides[ranks.index(1)]
            variable = step.operand(without_moves(row), called.level, called.call.lineno)
            if variable is not None and tuple(shape_of(variable.value)) != (size,):
                continue
            name, other = (shown_text(one) for one in (row, sides[1 - ranks.index(1)]))
            yield Violation(
                (
                    f"{other} and {name} met as {(size, 1)} and {(size,)} in {called.source.function}",
                    ": ",
                    f"{size} x {size} pairs",
                ),
                (name if is_named(name) else None, f"shape {shape((size,))}"),
                line=(called.source.file, node.lineno),
            )
            return


def _broadcast_in_distributions(step: Step) -> Iterator[Violation]:
    """``dist.log_prob(y)`` where the one has parameters of (N, 1), and the other is (N,)."""
    pairs = [node for node in squares(step) if is_reduced(step, node)]
    below = {step.graph.input(node, at) for node in pairs for at in (0, 1)}
    parameters = {one.sizes() for one in below if one is not None and one.op != "Unsqueeze"}  # on purpose
    for level in step.levels if parameters else ():
        for call in step.sources[level].calls_of("log_prob"):
            given = call.args[0] if call.args else None
            variable = step.operand(without_moves(given), level, call.lineno)
            if given is None or variable is None or not has_shape(variable.value) or requires_grad(variable.value):
                continue
            sizes = tuple(shape_of(variable.value))
            other = next((one for one in parameters if all_pairs(one, sizes)), None)
            if other is not None:
                rows = max(sizes)
                name, owner = shown_text(given), shown_text(call.receiver)
                yield Violation(
                    (
                        f"{owner} has parameters of {tuple(other)}, {name} has shape {sizes}",
                        ": ",
                        f"its log_prob is one of {rows} x {rows} pairs",
                    ),
                    (name if is_named(name) else None, f"shape {shape(sizes)}"),
                    line=(step.sources[level].file, call.lineno),
                    suggestion="give both one shape: squeeze the one or unsqueeze the other",
                )
                return


def _broadcast_in_scores(step: Step) -> Iterator[Violation]:
    """``guess == y`` where the one is a prediction of (N, 1) and the other (N,): right answers of all pairs."""
    for level in step.levels:
        source = step.sources[level]
        for node in _counted(source):
            if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
                continue
            sides = [node.left, node.comparators[0]]
            variables = [step.operand(without_moves(side), level, node.lineno) for side in sides]
            shapes = [tuple(shape_of(one.value)) if one and has_shape(one.value) else None for one in variables]
            rows = all_pairs(*shapes)
            if rows is None or [_is_predicted(step, source, side) for side in sides].count(True) != 1:
                continue
            if any(is_column_on_purpose(source, side) for side in sides):
                continue
            (left, right), both = map(shown_text, sides), zip(sides, shapes)
            sign = "==" if isinstance(node.ops[0], ast.Eq) else "!="
            yield Violation(
                (
                    f"{left} {sign} {right} compares {shapes[0]} with {shapes[1]}",
                    ": ",
                    f"{rows} x {rows} pairs are counted",
                ),
                *((shown_text(one), f"shape {shape(sizes or ())}") for one, sizes in both if is_name(one)),
                line=(source.file, node.lineno),
                suggestion="give both one shape: squeeze the one or unsqueeze the other",
            )
            return


def _counted(source: Source) -> Iterator[ast.Compare]:
    """The comparisons whose results are only counted: ``(a == b).float().mean()``, ``torch.sum(a == b)``."""
    for node in source.nodes:
        if not isinstance(node, ast.Call) or last_name(node.func) not in ("mean", "sum") or node.keywords:
            continue
        if isinstance(node.func, ast.Attribute) and not node.args:
            counted = node.func.value
        elif len(node.args) == 1:
            counted = node.args[0]
        else:
            continue
        compared = without_moves(counted)
        if isinstance(compared, ast.Compare):
            yield compared


def _is_predicted(step: Step, source: Source, side: ast.expr) -> bool:
    """Whether what a name is made of comes out of a model."""
    names = names_in(side)
    bound = [made.value for name in names for made in reaching_definitions(source, name)]
    calls = [
        Call(node, None, False) for value in (side, *bound) for node in ast.walk(value) if isinstance(node, ast.Call)
    ]
    level = step.sources.index(source)
    return any(step.module_of(call.callee, level) is not None for call in calls)
