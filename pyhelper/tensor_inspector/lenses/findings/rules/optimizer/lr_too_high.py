"""Weights and loss grow by orders of magnitude from stop to stop.

Why: Each step overshoots further than the one before.

Example:
    optimizer = torch.optim.SGD(model.parameters(), lr=1e3)

Instead:
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-1)

Silent when:
    - there was no earlier stop in this line
    - the loss is at most 10 times, or the weight at most 5 times, as large as before
    - the weight was nearly 0, or one large loss is no trend: the loss did not grow a thousandfold, nor the time before
    - the program raises the rate from stop to stop, to look for the one that is too high
    - without a loss in sight: a scaler is, or not all weights and gradients have grown together
"""

from __future__ import annotations

from collections.abc import Iterator

from .....measure.torch.metadata import element_count, shape_of
from .....measure.torch.optimizers import groups, highest_rate
from .....words.text import number
from ....flow.lines import line_of_rate
from ....step.moment import Moment
from ....step.roles import Parameter
from ....step.sight import VisibleVariable
from ....step.step import Step
from ...finding import Violation
from ...rule import rule


@rule(
    "error",
    why="Each step overshoots further than the one before.",
    suggestion="try a rate of a tenth or a hundredth",
    causes="exploding-grad nan-in-params nan-in-grad-only",
    needs="optimizer moments",
)
def lr_too_high(step: Step) -> Iterator[Violation]:
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
