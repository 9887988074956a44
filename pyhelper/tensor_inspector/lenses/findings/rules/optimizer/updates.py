"""Rules about a step's updates: too large, none, or of another model."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import version_of
from .....measure.torch.metadata import dtype_of, element_count, requires_grad, shape_of
from .....measure.torch.optimizers import groups, highest_rate
from .....safe.guard import module
from .....words.text import number
from ....step.calls import Call
from ....step.expressions import own_name, text_of
from ....step.functions import sources_in_reach
from ....step.moment import Moment, ParameterState
from ....step.roles import Parameter
from ....step.sight import VisibleVariable
from ....step.step import Step
from ...finding import Violation
from ...lines import line_of_last_binding, line_of_rate
from ...rule import rule
from .updates_by_hand import updates_of_nothing

torch: Any = module("torch")
#: Names of what computes no gradient.
_WITHOUT = (
    *("clip_grad_norm_", "clip_grad_value_", "enable_grad", "is_grad_enabled", "no_grad", "set_grad_enabled"),
    *("requires_grad", "requires_grad_", "zero_grad"),
)


@rule(
    "error",
    why="Each step overshoots further than the one before.",
    suggestion="try a rate of a tenth or a hundredth",
    needs="optimizer moments",
)
def lr_too_high(step: Step) -> Iterator[Violation]:
    """Weights and loss grow by orders of magnitude from stop to stop."""
    stops = [moment for moment in step.moments if moment.lineno == step.source.lineno]
    if not stops:
        return
    now = {loss.name: step.number(loss.tensor) for loss in step.losses}
    before = stops[-1]
    risen = [
        (name, before.losses[name], value)
        for name, value in now.items()
        if value is not None and name in before.losses and _has_risen(before.losses[name], value)
    ]
    if not risen:
        if not now.keys() & before.losses.keys():
            yield from _diverging(step, stops)
        return
    name, was, value = risen[0]
    matrices = [one for one in step.trained() if len(shape_of(one.tensor) or ()) > 1]
    for one in matrices or step.trained():  # biases begin near zero, and grow by any step
        known = before.weights.get(one.name)
        norm = step.norm(one.tensor) if (element_count(one.tensor) or 0) < 1 << 20 else None
        if known is None or not known.norm or norm is None or not norm > 5 * known.norm:
            continue
        variable, group, rate = _rate_of(step, one)
        if variable is None or rate is None or _is_raised(variable, before):
            continue
        is_sudden = not abs(value) <= 1e3 * max(abs(was), 1e-3)
        if _is_near_zero(one, known.norm) or not (is_sudden or _grows_already(stops, one, name)):
            continue
        yield Violation(
            (
                f"lr {number(rate)} is too high",
                ": ",
                f"a step made {one.name} {number(norm / known.norm, 2)} times as large, and {name} rose from {number(was)} to {number(value)}",
            ),
            (f'{variable.name}.param_groups[{group}]["lr"]', number(rate)),
            (one.name, f"norm {number(known.norm)}, then {number(norm)}"),
            (name, f"{number(was)}, then {number(value)}"),
            line=line_of_rate(step, variable.key),
        )
        return


def _rate_of(step: Step, one: Parameter) -> tuple[VisibleVariable | None, int, float | None]:
    """The optimizer that holds a parameter, the number of its group, and its rate."""
    for variable in step.optimizers:
        for at, group in enumerate(groups(variable.value)):
            if any(tensor is one.tensor for tensor in group.tensors):
                return variable, at, group.number("lr")
    return None, 0, None


def _is_near_zero(one: Parameter, norm: float) -> bool:
    """Whether weights are so small that steps of a usual size make them many times as large: what they add to each
    output is far below what they get."""
    return norm < 0.1 * (shape_of(one.tensor) or (1,))[0] ** 0.5


def _grows_already(stops: list[Moment], one: Parameter, loss: str) -> bool:
    """Whether a loss and a weight have grown between the two stops before, too: one large loss is no trend."""
    first, second = stops[-2:] if len(stops) > 1 else (None, None)
    if first is None or second is None or not first.losses.keys() & second.losses.keys() & {loss}:
        return False
    was, known = first.weights.get(one.name), second.weights.get(one.name)
    norms = (None if was is None else was.norm, None if known is None else known.norm)
    has_grown = norms[0] is not None and norms[1] is not None and norms[0] < norms[1]
    return has_grown and first.losses[loss] < second.losses[loss]


def _diverging(step: Step, stops: list[Moment]) -> Iterator[Violation]:
    """Where no loss is in sight: all weights together have become five times as large, and their gradients ten times."""
    if step.scalers:
        return
    before = stops[-1]
    weights, slopes = [0.0, 0.0], [0.0, 0.0]  # before and now
    most: tuple[float, Parameter | None, float, float] = 0.0, None, 0.0, 0.0
    remembered = (before.weights.get(one.name) for one in step.trained())
    are_known = all(weight is not None and weight.grad_norm is not None for weight in remembered)
    for one in step.trained() if are_known else ():
        known, grad = before.weights.get(one.name), step.grad(one.tensor)
        norm = step.norm(one.tensor) if (element_count(one.tensor) or 0) < 1 << 20 else None
        slope = None if grad is None else step.norm(grad)
        if known is None or known.norm is None or known.grad_norm is None or norm is None or slope is None:
            return
        for sums, pair in ((weights, (known.norm, norm)), (slopes, (known.grad_norm, slope))):
            sums[0], sums[1] = sums[0] + pair[0] ** 2, sums[1] + pair[1] ** 2
        if one.tensor.dim() > 1 and known.norm and norm / known.norm > most[0]:
            most = norm / known.norm, one, known.norm, norm
    times, largest, was, grown = most
    variable, group, rate = (None, 0, None) if largest is None else _rate_of(step, largest)
    if largest is None or variable is None or rate is None or _is_raised(variable, before):
        return
    if _is_near_zero(largest, was):
        return
    if 25 * weights[0] < weights[1] and 0 < 100 * slopes[0] < slopes[1]:
        yield Violation(
            (
                f"lr {number(rate)} is too high",
                ": ",
                f"since the last stop {largest.name} has become {number(times, 2)} times as large, and all gradients {number((slopes[1] / slopes[0]) ** 0.5, 2)} times",
            ),
            (f'{variable.name}.param_groups[{group}]["lr"]', number(rate)),
            (largest.name, f"norm {number(was)}, then {number(grown)}"),
            line=line_of_rate(step, variable.key),
        )


def _is_raised(variable: VisibleVariable, before: Moment) -> bool:
    """Whether the program raises the rate from stop to stop: so one looks for the rate that is too high."""
    now, was = highest_rate(variable.value), before.rates.get(variable.name)
    return now is not None and was is not None and now > was


def _has_risen(before: float, now: float) -> bool:
    return before - before == 0 and (now - now != 0 or abs(now) > 10 * max(abs(before), 1e-3))


@rule(
    "error",
    why="The division by √v + eps becomes 0/0, which is NaN.",
    suggestion="eps=1e-4, or float32 weights",
    needs="optimizer",
)
def eps_underflow(step: Step) -> Iterator[Violation]:
    """The eps of an optimizer is 0 in the dtype of its weights."""
    for variable in step.optimizers:
        for at, group in enumerate(groups(variable.value)):
            eps = group.number("eps")
            halves = (tensor for tensor in group.tensors if dtype_of(tensor) is torch.float16)
            half = next(filter(requires_grad, halves), None)  # a frozen one has no gradient, and is left out
            if half is not None and eps is not None and 0 < eps < 2.9e-8:
                yield Violation(
                    (f"eps {number(eps)} of {variable.name} is 0 in float16", ": ", "a gradient of 0 makes 0/0"),
                    (f'{variable.name}.param_groups[{at}]["eps"]', number(eps)),
                    (step.name_of(half), "float16"),
                    line=line_of_last_binding(step, variable.key),
                )
                break


@rule(
    "error",
    why="The optimizer does not update this model.",
    suggestion="check which tensors the optimizer holds",
    needs="source",
)
def weights_unchanged(step: Step) -> Iterator[Violation]:
    """No weight has moved between three stops in this line, though the loop around it calls a step each time.

    Or a step is only named, where it should be called, or an update by hand leaves the weights: that is told at once.
    """
    lost = next(updates_of_nothing(step), None)
    if lost is not None:
        yield lost
        return
    for written, line in _named_only(step):
        yield Violation(
            (f"{written} is not called", ": ", "without () nothing happens"),
            (written.rpartition(".")[0], "its step is only named"),
            line=(step.source.file, line),
            suggestion=f"{written}()",
        )
        return
    stops = [moment for moment in step.moments if moment.lineno == step.source.lineno][-2:]
    loop = step.source.loop_of(step.source.lineno)
    if len(stops) < 2 or loop is None:
        return
    calls = [call for call in _plain_steps(step) if loop[0] <= call.lineno <= loop[1]]
    known = [one for one in step.trained() if all(one.name in stop.weights for stop in stops)]
    if not calls or not known or len(known) < len(step.trainable()):
        return
    moved = any(_has_moved(step, one, stop.weights[one.name]) for one in known for stop in stops)
    if not moved and _is_without_backward(step, known, stops):
        yield Violation(
            (
                f"no weight has changed in {len(stops)} steps of {text_of(calls[0].receiver)}",
                ": ",
                "nothing calls backward",
            ),
            (known[0].name, "grad None, the same version as before"),
            line=(step.source.file, calls[0].lineno),
            suggestion="call backward() on the loss before the step",
        )
    elif not moved and all(_has_new_grad(step, one, stops) for one in known):
        yield Violation(
            f"no weight has changed in {len(stops)} steps of {text_of(calls[0].receiver)}",
            (known[0].name, "the same version as before"),
            line=(step.source.file, calls[0].lineno),
        )


def _is_without_backward(step: Step, known: list[Parameter], stops: list[Moment]) -> bool:
    """Whether no weight has had a gradient at any of the stops, and no function that is called names a backward."""
    if any(step.grad(one.tensor) is not None for one in known):
        return False
    if any(stop.weights[one.name].grad_norm is not None for stop in stops for one in known):
        return False
    names = (node for source in sources_in_reach(step) for node in source.nodes)
    return not any("backward" in text or "grad" in text for text in map(own_name, names) if text not in _WITHOUT)


def _has_moved(step: Step, one: Parameter, known: ParameterState) -> bool:
    """Whether a parameter is another than at a stop: what changes its ``.data`` leaves its version as it was."""
    return known.version != version_of(one.tensor) or known.norm != step.norm(one.tensor)


def _has_new_grad(step: Step, one: Parameter, stops: list[Moment]) -> bool:
    """Whether a backward has given a parameter other gradients at each of the stops."""
    grad = step.grad(one.tensor)
    norms = [stop.weights[one.name].grad_norm for stop in stops]
    if grad is None or None in norms:
        return False
    return len({*norms, step.norm(grad)}) == len(stops) + 1


def _plain_steps(step: Step) -> Iterator[Call]:
    """Calls of ``step`` on an optimizer in sight that stand in the body of a loop, under no condition."""
    for body in _bodies(step):
        for statement in body:
            if isinstance(statement, ast.For):
                lines = {inside.lineno for inside in statement.body if isinstance(inside, ast.Expr)}
                for call in step.source.calls_of("step"):
                    if call.lineno in lines and any(
                        variable.key == text_of(call.receiver) for variable in step.optimizers
                    ):
                        yield call


def _bodies(step: Step) -> Iterator[list[ast.stmt]]:
    """The lists of statements in the source of the step, but for those of functions and classes inside it."""
    waiting: list[ast.AST] = list(step.source.body)
    yield step.source.body
    while waiting:
        node = waiting.pop()
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if (
                type(body) is list
                and body
                and isinstance(body[0], ast.stmt)
                and not isinstance(node, (ast.FunctionDef, ast.ClassDef))
            ):
                yield body
                waiting.extend(body)


def _named_only(step: Step) -> Iterator[tuple[str, int]]:
    """Statements that name the step of an optimizer in sight, and do not call it: ``optimizer.step``."""
    steps = {f"{variable.key}.step" for variable in step.optimizers}
    for node in ast.walk(step.source.tree) if step.source.tree is not None else ():
        if isinstance(node, ast.Expr) and text_of(node.value) in steps:
            yield text_of(node.value), node.lineno
