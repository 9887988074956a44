"""Finds gradients that are to be added up over several rounds, and are cleared in each."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.metadata import grad_hooks_of, hooks_of
from .....measure.torch.optimizers import has_step_hooks, tensors
from ....step.backpropagated import Loss
from ....step.calls import Call, is_scaling
from ....step.decided import number_of
from ....step.expressions import is_name, text_of
from ....step.functions import functions_called
from ....step.source import Source
from ....step.step import Step
from ...finding import Violation


def lost_between_steps(step: Step) -> Iterator[Violation]:
    """The loss is divided by a number of rounds, a step is made once in as many, and each round clears the gradients."""
    source, optimizers = step.source, [one for one in step.optimizers if one.level == step.level]
    for loss in step.losses:
        counts = _divisors(step, loss)
        for variable in optimizers if counts else ():
            steps = [
                call
                for call in source.calls_of("step")
                if text_of(call.args[0] if call.args else call.receiver) == variable.key
            ]
            clears = [call for call in source.calls_of("zero_grad") if text_of(call.receiver) == variable.key]
            count = _rounds(source, loss.backward.lineno, steps, counts)
            each = next((call for call in clears if _is_beside(source, call, loss.backward.lineno)), None)
            if count is None or each is None:
                continue
            if _are_kept(step, variable.value):
                continue  # added up by hand, elsewhere than in `.grad`
            number = number_of(step, count, step.level)
            amount = text_of(count) if number is None else f"{number:g}"
            yield Violation(
                (
                    f"{variable.key}.zero_grad() runs in each round, {variable.key}.step() in one of {amount}",
                    ": ",
                    "what the other rounds gave is lost",
                ),
                (loss.name, f"divided by {amount}, to be one of as many parts"),
                (variable.name, f"cleared in line {each.lineno}, before its step"),
                line=(source.file, each.lineno),
                suggestion="call zero_grad only after the step",
            )
            return


def _divisors(step: Step, loss: Loss) -> dict[str, ast.expr]:
    """The names that a whole loss is divided by before its backward. Not numbers: half of two losses is no part."""
    made = step.source.binding_of(loss.name)
    written = loss.backward.call.receiver if not loss.backward.call.args else loss.backward.call.args[0]
    if isinstance(written, ast.Call) and is_scaling(written):
        written = written.args[0]
    own = [] if made is None else [made[1]]
    found = [one for one in map(_divisor, [written, *own]) if one is not None]
    return {text_of(one): one for one in found if (number_of(step, one, step.level) or 2) > 1}


def _divisor(node: ast.AST | None) -> ast.expr | None:
    """``k`` of ``error / k``, of ``loss = error / k`` and of ``loss /= k``."""
    if isinstance(node, ast.AugAssign):
        return node.value if isinstance(node.op, ast.Div) and is_name(node.value) else None
    value = node.value if isinstance(node, ast.Assign) else node
    is_division = isinstance(value, ast.BinOp) and isinstance(value.op, ast.Div)
    return value.right if isinstance(value, ast.BinOp) and is_division and is_name(value.right) else None


def _rounds(source: Source, backward: int, steps: list[Call], counts: dict[str, ast.expr]) -> ast.expr | None:
    """The number of rounds of a backward for which there is one step: by ``if i % k == 0``, or after ``for _ in range(k)``."""
    found = [_rounds_of(source, backward, call, counts) for call in steps]
    return found[0] if found and None not in found else None


def _rounds_of(source: Source, backward: int, step: Call, counts: dict[str, ast.expr]) -> ast.expr | None:
    for node in source.nodes:
        has_backward = isinstance(node, ast.stmt) and node.lineno <= backward <= (node.end_lineno or node.lineno)
        has_step = isinstance(node, ast.stmt) and node.lineno <= step.lineno <= (node.end_lineno or node.lineno)
        asked: list[ast.expr] = []
        if isinstance(node, ast.If) and has_step and not has_backward:
            asked = [
                one.right for one in ast.walk(node.test) if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mod)
            ]
        elif isinstance(node, ast.For) and has_backward and not has_step and step.lineno > backward:
            is_range = isinstance(node.iter, ast.Call) and text_of(node.iter.func) == "range"
            asked = node.iter.args[-1:] if is_range and isinstance(node.iter, ast.Call) else []
        known = [counts[text_of(one)] for one in asked if text_of(one) in counts]
        if known:
            return known[0]
    return None


def _is_beside(source: Source, clear: Call, backward: int) -> bool:
    """Whether it runs in each round in which the backward does."""
    same = source.loop_of(clear.lineno) == source.loop_of(backward)
    return same and not source.is_conditional(clear.lineno, seen_from=backward)


def _are_kept(step: Step, optimizer: Any) -> bool:
    """Whether the program may read gradients itself, and add them up: in a function, by a hook."""
    called = (one.source for one in functions_called(step, (step.level,)))
    if has_step_hooks(optimizer) or any(map(_reads_gradients, (step.source, *called))):
        return True
    return any(hooks_of(tensor) or grad_hooks_of(tensor) for tensor in tensors(optimizer))


def _reads_gradients(source: Source) -> bool:
    nodes = source.nodes
    return source.mentions("grad") or any(isinstance(node, ast.Constant) and node.value == "grad" for node in nodes)
