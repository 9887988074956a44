"""Finds differences and products that the source writes by hand, and that broadcast to all pairs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ......measure.torch.graph import VIEWS
from ......measure.torch.metadata import gradient_of, is_exact_tensor, requires_grad, shape_of
from ......measure.torch.node import AutogradNode
from ......words.text import shape
from .....flow.definitions import reaching_definitions
from .....step.expressions import is_name, last_name, names_in, shown_text, text_of, without_moves
from .....step.source import Source
from .....step.step import Step
from ....finding import Violation
from .pair_differences import OF_AN_ERROR
from .ranks import rank_of

#: what makes a density's logarithm of a difference, element by element
_OF_DENSITY = ("Abs", "Add", "Div", "Neg", "Pow", "Rsub", "Sub")
#: what errors that are written out go through besides
_MORE_OF_AN_ERROR = ("Add", "Cosh", "Log", "Maximum", "Minimum", "Rsub")
#: what a product of all pairs goes through until it is averaged
_OF_PRODUCT = ("Div", "Mul", "Neg")
#: what makes one number of one weight
_OF_EACH = frozenset("Add Cumsum Div Exp Log Mul Neg Sigmoid Softplus Sqrt Sub Tanh".split())


def broadcast_by_hand(step: Step) -> Iterator[Violation]:
    """``pred - y``, or ``net(x) - y``, where one is (N, 1) and the other (N,), both as they are; or their product, of which
    the mean is that of the one times that of the other."""
    yield from _met(step, list(errors(step)), "-")
    yield from _met(step, [node for node in squares(step, "Mul") if is_reduced(step, node, _OF_PRODUCT)], "*")


def _met(step: Step, nodes: list[AutogradNode], sign: str) -> Iterator[Violation]:
    """The expression that some nodes of all pairs come from, as far as the source shows it."""
    made = {step.graph.input(node, at): node for node in nodes for at in (0, 1)}
    sizes = {(node.sizes() or (0,))[0] for below, node in made.items() if below is not None}
    for level in step.levels if sizes else ():
        source = step.sources[level]
        for node in source.nodes:
            if not isinstance(node, ast.BinOp) or _sign_of(node.op) != sign or node.lineno >= source.lineno:
                continue
            written = (node.left, node.right)
            sides = [_side(step, side, level, made) for side in written]
            if not any(known is not None and requires for _, known, requires in sides):
                continue
            if sign == "*" and any(is_column_on_purpose(source, side) for side in written):
                continue
            (left, first, _), (right, second, _) = sides
            rows = all_pairs(first, second)
            if rows in sizes:
                yield Violation(
                    (f"{left} {sign} {right} met as {first} and {second}", ": ", f"{rows} x {rows} pairs"),
                    *((name, f"shape {shape(known)}") for name, known, _ in sides if is_named(name)),
                    line=(source.file, node.lineno),
                )
                return


def _sign_of(operator: ast.operator) -> str:
    return {ast.Sub: "-", ast.Mult: "*"}.get(type(operator), "")


def _side(
    step: Step, side: ast.expr, level: int, made: dict[AutogradNode | None, AutogradNode]
) -> tuple[str, Any, bool]:
    """A side of a difference: as it is written, its shape if it is known, and whether it has a gradient.

    It is a variable, or what a model gives, or a part of a tensor: then the only such difference in the graph tells.
    """
    text = shown_text(side)
    inner = without_moves(side)
    variable = step.operand(inner, level, side.lineno)
    if variable is not None and has_shape(variable.value):
        is_predicted = requires_grad(variable.value) and not are_weights(step, variable.value)
        return text, tuple(shape_of(variable.value)), is_predicted
    is_output = isinstance(inner, ast.Call) and step.module_of(text_of(inner.func), level) is not None
    outputs = {below.sizes() for below in made if below is not None}
    if is_output and len(outputs) == 1:
        return text, outputs.pop(), True
    rows = {(node.sizes() or (0,))[0] for node in made.values()}
    is_row = len(rows) == 1 and rank_of(step, side, level, side.lineno) == 1
    return text, (rows.pop(),) if is_row else None, False


def are_weights(step: Step, tensor: Any) -> bool:
    """Whether each number is one of as many weights, or made of it: centers, or quantiles, are no prediction for a sample."""
    waiting = [step.node_of(tensor)]
    if gradient_of(tensor).is_leaf:
        return True
    while waiting:
        node = waiting.pop()
        if node is not None and node.leaf is not None and tuple(shape_of(node.leaf)) == tuple(shape_of(tensor)):
            return True
        if node is not None and node.op in _OF_EACH | VIEWS:
            waiting += step.graph.inputs(node)
    return False


def all_pairs(first: Any, second: Any) -> int | None:
    """N where one shape is (N, 1) and the other (N,)."""
    one, other = sorted((list(first or ()), list(second or ())), key=len)
    return int(one[0]) if len(one) == 1 and other == [*one, 1] and one[0] > 1 else None


def is_named(text: str) -> bool:
    return is_name(ast.parse(text, mode="eval").body)


def is_reduced(step: Step, node: AutogradNode, through: tuple[str, ...] = _OF_DENSITY) -> bool:
    """Whether a difference becomes a density, and all of these are averaged or added up: no sum over mixed parts."""
    waiting, ends = [user for user, _ in step.graph.users(node)], 0
    while waiting:
        user = waiting.pop()
        if user.op in ("Mean", "Sum") and user.sizes() == ():
            ends += 1
        elif user.op in through:
            waiting += [one for one, _ in step.graph.users(user)]
        else:
            return False
    return ends > 0


def is_column_on_purpose(source: Source, side: ast.expr) -> bool:
    """Whether anything that it is made of is given another dimension: ``unsqueeze``, ``[:, None]``."""
    values = [side, *(made.value for name in names_in(side) for made in reaching_definitions(source, name))]
    return any(
        last_name(node.func) in ("unsqueeze", "view", "reshape", "expand_dims")
        if isinstance(node, ast.Call)
        else isinstance(node, ast.Subscript) and "None" in text_of(node.slice)
        for value in values
        for node in ast.walk(value)
    )


def squares(step: Step, op: str = "Sub") -> Iterator[AutogradNode]:
    """The differences, or products, of as many rows as columns."""
    for node in step.graph.by(op):
        sizes = node.sizes() or ()
        if len(sizes) == 2 and sizes[0] == sizes[1] > 1:
            yield node


def errors(step: Step) -> Iterator[AutogradNode]:
    """The differences of all pairs of which, as far as they are used yet, errors are made: no kernels, nor shares of bins."""
    for node in squares(step):
        waiting, seen = [node], set[int]()
        while waiting:
            current = waiting.pop()
            if current.index in seen or current.sizes() == ():
                continue
            seen.add(current.index)
            if current.op not in OF_AN_ERROR | VIEWS and current.op not in _MORE_OF_AN_ERROR:
                break
            waiting += [user for user, _ in step.graph.users(current)]
        else:
            yield node


def has_shape(value: Any) -> bool:
    return is_exact_tensor(value) and all(type(size) is int for size in shape_of(value))
