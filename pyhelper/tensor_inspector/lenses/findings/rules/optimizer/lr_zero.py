"""Every optimizer in sight has a learning rate of 0.

Why: A step of rate 0 changes no weight.

Example:
    scheduler = LambdaLR(optimizer, lambda epoch: 1 // (1 + epoch))  # 1, and then 0

Instead:
    scheduler = LambdaLR(optimizer, lambda epoch: 1 / (1 + epoch))

Silent when:
    - one optimizer or group has another rate
    - the program sets the rate itself, so that a warm-up may begin with 0
    - a schedule may still raise it: it is not over, does not multiply, is no `LambdaLR` whose function ends in `//`, and
      fewer than 100 of its steps have passed at 0
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from .....measure.torch.metadata import is_exact_tensor
from .....measure.torch.optimizers import groups, highest_rate, inner, turns_of
from .....safe.guard import class_name, dict_get, instance_dict
from .....safe.record import Record
from .....words.text import number, plural
from ....flow.lines import Line, line_of_last_binding, line_of_optimizer
from ....step.classes import is_library, methods_of, undecorated
from ....step.expressions import constant_of
from ....step.functions import sources_in_reach, value_in
from ....step.sight import VisibleVariable
from ....step.source import source_of
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.schedules import active, ended_at, is_over, rates_written, schedulers_of, written_in

_STOPS = 3  #: stops of known steps of a scheduler, all at a rate of 0
_WARM_UP = 100  #: its steps until a rate of 0 is no beginning of a warm-up
#: Schedules that multiply the first rate: of 0 they make nothing else.
_SCALING = ("ConstantLR", "ExponentialLR", "LambdaLR", "LinearLR", "MultiStepLR", "PolynomialLR", "StepLR")


class _RateReason(Record):
    """Why a rate is 0: of which schedule, in words, with what is seen of it, and where."""

    schedule: str
    words: tuple[str, str]  #: with the mark before them
    seen: tuple[str, str]
    line: Line | None
    suggestion: str = ""


@rule(
    "error",
    why="A step of rate 0 changes no weight.",
    suggestion="check what the schedule multiplies the rate by",
    causes="weights-unchanged lr-too-low",
    needs="optimizer",
)
def lr_zero(step: Step) -> Iterator[Violation]:
    if any(highest_rate(variable.value) != 0 for variable in step.optimizers):
        return
    for variable in step.optimizers:
        initial = [group.number("initial_lr") for group in groups(variable.value)]
        first, schedulers = next(filter(None, initial), initial[0]), schedulers_of(step, variable.value)
        rate = (f'{variable.name}.param_groups[0]["lr"]', "0")
        is_scaled = all(class_name(type(active(one.value))) in _SCALING for one in schedulers)
        if is_scaled and not first and not _is_set_by_hand(step, variable.value):
            title = (f"lr of {variable.name} is 0", ": ", "its step changes nothing")
            yield Violation(title, rate, line=line_of_optimizer(step, variable))
        reasons = (_reason(step, variable, scheduler) for scheduler in schedulers if first)
        reason = next(filter(None, reasons), None)
        if first and reason is not None:
            yield Violation(
                (f"lr of {variable.name} is 0 (initial {number(first)}; {reason.schedule})", *reason.words),
                rate,
                reason.seen,
                line=reason.line,
                suggestion=reason.suggestion,
            )


def _reason(step: Step, variable: VisibleVariable, scheduler: VisibleVariable) -> _RateReason | None:
    """Why the rate of an optimizer will stay 0, if one of its schedules tells."""
    plan = active(scheduler.value)
    name = scheduler.name if plan is scheduler.value else f"{scheduler.name}._schedulers[-1]"
    kind, turns, kept = class_name(type(plan)), turns_of(plan), instance_dict(plan)
    seen, line = f"last_epoch {turns}", line_of_last_binding(step, scheduler.key)
    gamma, over = kept.get("gamma"), (": ", "its schedule is over")
    if (type(gamma) is int or type(gamma) is float) and gamma == 0:
        words = (": ", "nothing can change any more")
        return _RateReason(f"{kind} with gamma=0", words, (f"{name}.gamma", "0"), line)
    if kind == "MultiplicativeLR" and turns > 0:
        return _RateReason(kind, (": ", "what is multiplied by 0 stays 0"), (name, seen), line)
    if kind == "LambdaLR" and turns > 0 and _divides(step, scheduler):
        words = (": ", "its function uses //, which rounds down to 0")
        return _RateReason(kind, words, (name, seen), _rounding(scheduler) or line)
    ended = ended_at(plan) if kind == "LambdaLR" else None
    if ended is not None:
        seen = f"{seen}, its function is 0 from {ended} on"
        suggestion = "step the scheduler as often as its function counts: once an epoch, or once a batch"
        return _RateReason(kind, over, (name, seen), written_in(plan) or line, suggestion)
    if is_over(plan):
        return _RateReason(kind, over, (name, f"{seen}, total_iters {kept.get('total_iters')}"), line)
    stops = [stop for stop in step.moments if variable.name in stop.rates and stop.lineno == step.source.lineno]
    known = {stop.turns.get(scheduler.name) for stop in stops}
    if len(known) >= _STOPS and turns >= _WARM_UP and not any(stop.rates[variable.name] for stop in stops):
        return _RateReason(kind, (", ", f"as in the {plural(len(known), 'step')} before"), (name, seen), line)
    return None


def _is_set_by_hand(step: Step, optimizer: Any) -> bool:
    """Whether the program sets the rate as it goes on, so that a warm-up by hand may begin with 0: what it writes to an
    item ``"lr"`` is more than a 0, or nothing in sight writes one and the optimizer was made with another rate."""
    called_values = (value_in(step, call.callee, level) for level, one in enumerate(step.sources) for call in one.calls)
    found = [
        *(type(value) for _, value in step.named_values()),
        *(one for one in called_values if issubclass(type(one), type)),
    ]
    classes = {id(cls): cls for cls in found if not is_library(cls)}
    methods = (source for cls in classes.values() for _, source in methods_of(cls))
    lists = {key for (_, key), value in step.named_values() if type(value) is list or is_exact_tensor(value)}
    written = list(rates_written([*sources_in_reach(step), *methods], lists))
    if written:
        return any(value is None or constant_of(value) != 0 for value in written)
    defaults = instance_dict(inner(optimizer)).get("defaults")
    return type(defaults) is dict and dict_get(defaults, "lr", 0) != 0


def _divides(step: Step, scheduler: VisibleVariable) -> bool:
    """Whether what a LambdaLR multiplies the rate by is rounded down: what its function returns ends with ``//``.

    Of a lambda only the call tells that it was given to, if that is the only LambdaLR in sight.
    """
    if _rounding(scheduler) is not None:
        return True
    owner = scheduler.key.rpartition(".")[0]  # `self`, whose methods may make it
    made_by = [source for _, source in methods_of(type(step.value(owner, scheduler.level)))] if owner else []
    calls = [call for source in (*step.sources, *made_by) for call in source.calls_of("LambdaLR")]
    given = {id(call.node): call.argument(1, "lr_lambda") for call in calls}
    bodies = [one.body for one in given.values() if isinstance(one, ast.Lambda)]
    return len(given) == 1 and any(map(_is_rounded_down, bodies))


def _rounding(scheduler: VisibleVariable) -> Line | None:
    """The line in which the only function of a scheduler rounds down, in all that it returns but numbers above 0."""
    kept = instance_dict(scheduler.value).get("lr_lambdas")
    only = kept[0] if type(kept) is list and len(kept) == 1 else None
    source = source_of(undecorated(only).__code__) if type(only) is FunctionType else None
    answers = [(answer.lineno, answer.value) for answer in source.returns] if source is not None else []
    rounded = [line for line, value in answers if _is_rounded_down(value)]
    others = [value for _, value in answers if not _is_rounded_down(value)]
    is_all = all(value is not None and constant_of(value) for value in others)
    return (source.file, rounded[0]) if source is not None and rounded and is_all else None


def _is_rounded_down(node: ast.expr | None) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv)
