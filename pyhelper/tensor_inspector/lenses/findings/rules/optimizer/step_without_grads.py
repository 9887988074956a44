"""Gradients are lost between their backward and the step that needs them.

Why: What a backward gave is gone before a step could use it.

Example:
    loss.backward()
    optimizer.zero_grad()
    optimizer.step()

Instead:
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

Silent when:
    - what is cleared does not hold all that the optimizer holds
    - something between the calls may run another backward: a function that may reach a model, a loop, a branch
    - in an accumulation: the program reads gradients itself, or has hooks, so that it may add them up elsewhere
    - a clipping limit is not 0, or a condition decides whether it is applied
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.metadata import grad_hooks_of, hooks_of
from .....measure.torch.modules import parameters_of
from .....measure.torch.optimizers import has_step_hooks, tensors
from ....flow.constants.conditions import number_of, will_surely_run
from ....flow.effects import CLIPPING
from ....flow.events.call_order import call_paths
from ....flow.lines import Line, line_of_binding
from ....step.backpropagated import Loss
from ....step.calls import Call, is_scaling
from ....step.expressions import is_name, last_name, shown_text, text_of
from ....step.functions import functions_called, is_torchs, value_in
from ....step.source import Source
from ....step.step import Step
from ...finding import Violation
from ...rule import rule


@rule(
    "error",
    why="What a backward gave is gone before a step could use it.",
    suggestion="call zero_grad before backward, or after step",
    causes="weights-unchanged",
    needs="optimizer source",
)
def step_without_grads(step: Step) -> Iterator[Violation]:
    reported = set[Line]()
    for order in call_paths(step):
        for first, second, third in zip(order, order[1:], order[2:]):
            if (first.name, second.name, third.name) != ("backward", "zero_grad", "step"):
                continue
            cleared, stepped = second.subject, third.subject
            optimizer = next((variable for variable in step.optimizers if variable.key == stepped), None)
            if optimizer is None or (cleared != stepped and not _clears(step, cleared, optimizer.value)):
                continue
            if second.at in reported:
                continue
            reported.add(second.at)
            yield Violation(
                (
                    f"{cleared}.zero_grad() comes after backward and before {stepped}.step()",
                    ": ",
                    "it steps without gradients",
                ),
                (cleared, f"cleared in line {second.at[1]}, just before its step"),
                line=second.at,
            )
    yield from _lost_between_steps(step)
    yield from _clipped_to_nothing(step)


def _clipped_to_nothing(step: Step) -> Iterator[Violation]:
    """Between a backward and a step all gradients of that optimizer are clipped to 0: the limit is 0."""
    source = step.source
    for clip in source.calls_of(*CLIPPING):
        if not is_torchs(value_in(step, clip.callee, step.level)):
            continue
        limit = clip.argument(1, CLIPPING[clip.name])
        if number_of(step, limit, step.level) != 0 or not any(one.lineno < clip.lineno for one in source.backwards):
            continue
        later = {text_of(call.receiver) for call in source.calls_of("step") if call.lineno > clip.lineno}
        is_done = source.is_done(clip)
        is_sure = source.surely_ran(clip.node) if is_done else will_surely_run(step, clip.lineno, step.level)
        for variable in step.optimizers:
            if variable.key not in later or not (is_sure and _clips(step, clip, variable.value)):
                continue
            yield Violation(
                (f"{clip.name} makes every gradient of {variable.name} 0", ": ", f"its limit {shown_text(limit)} is 0"),
                (shown_text(limit) if is_name(limit) else None, "0"),
                (variable.name, f"steps with what is left, after line {clip.lineno}"),
                line=line_of_binding(step, text_of(limit)) or (source.file, clip.lineno),
                suggestion="a limit above 0, or no clipping",
            )
            return


def _clips(step: Step, clip: Call, optimizer: Any) -> bool:
    """Whether it is given the parameters of a module that has all that an optimizer holds."""
    given = clip.argument(0, "parameters")
    is_listed = isinstance(given, ast.Call) and last_name(given.func) == "parameters" and not given.args
    return is_listed and _clears(step, text_of(given.func).rpartition(".")[0], optimizer)  # type: ignore[union-attr]


def _clears(step: Step, cleared: str, optimizer: Any) -> bool:
    """Whether it is a module that has all that an optimizer holds."""
    found = step.module_of(cleared, step.level)
    ids = set() if found is None else set(map(id, parameters_of(found.value)))
    return bool(ids) and all(id(tensor) in ids for tensor in tensors(optimizer))


def _lost_between_steps(step: Step) -> Iterator[Violation]:
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
