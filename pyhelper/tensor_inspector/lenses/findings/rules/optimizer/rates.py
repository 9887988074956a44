"""Rules about the rate of an optimizer: 0 for good, or too low to change anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from .....measure.torch.optimizers import groups, highest_rate, inner, turns_of
from .....safe.guard import class_name, dict_get, instance_dict
from .....words.text import number, plural
from ....step.called import functions_called
from ....step.classes import is_library, methods_of, undecorated
from ....step.expressions import constant_of, last_name
from ....step.sight import VisibleVariable
from ....step.source import Source
from ....step.step import Step
from ...finding import Violation
from ...lines import Line, made
from ...rule import rule
from .schedules import ended_at, written_in

_STOPS = 3  #: stops of known steps of a scheduler, all at a rate of 0
_WARM_UP = 100  #: its steps until a rate of 0 is no beginning of a warm-up


@rule(
    "error",
    why="A step of rate 0 changes no weight.",
    suggestion="check what the schedule multiplies the rate by",
    needs="optimizer",
)
def lr_zero(step: Step) -> Iterator[Violation]:
    for variable in step.optimizers:
        if highest_rate(variable.value) != 0:
            continue
        scheduler = _scheduler_of(step, variable.value)
        first = groups(variable.value)[0].number("initial_lr")
        rate = f'{variable.name}.param_groups[0]["lr"]'
        if scheduler is None:
            if not first and not _is_set_by_hand(step, variable.value):
                yield Violation(
                    (f"lr of {variable.name} is 0", ": ", "its step changes nothing"),
                    (rate, "0"),
                    line=made(step, variable.key),
                )
            continue
        kind = class_name(type(scheduler.value))
        gamma = instance_dict(scheduler.value).get("gamma")
        stops = [stop for stop in step.moments if variable.name in stop.rates and stop.lineno == step.source.lineno]
        turns = {stop.turns.get(scheduler.name) for stop in stops}
        if first and (type(gamma) is int or type(gamma) is float) and gamma == 0:
            yield Violation(
                (
                    f"lr of {variable.name} is 0 (initial {number(first)}; {kind} with gamma=0)",
                    ": ",
                    "nothing can change any more",
                ),
                (rate, "0"),
                (f"{scheduler.name}.gamma", "0"),
                line=made(step, scheduler.key),
            )
        elif (
            first
            and turns_of(scheduler.value) > 0
            and (kind == "MultiplicativeLR" or (kind == "LambdaLR" and _divides(step, scheduler)))
        ):
            rounded = _rounding(scheduler) if kind == "LambdaLR" else None
            why = (
                "what is multiplied by 0 stays 0"
                if kind == "MultiplicativeLR"
                else "its function uses //, which rounds down to 0"
            )
            yield Violation(
                (f"lr of {variable.name} is 0 (initial {number(first)}; {kind})", ": ", why),
                (rate, "0"),
                (scheduler.name, f"last_epoch {turns_of(scheduler.value)}"),
                line=rounded or made(step, scheduler.key),
            )
        elif first and kind == "LambdaLR" and (ended := ended_at(scheduler.value)) is not None:
            yield Violation(
                (f"lr of {variable.name} is 0 (initial {number(first)}; {kind})", ": ", "its schedule is over"),
                (rate, "0"),
                (scheduler.name, f"last_epoch {turns_of(scheduler.value)}, its function is 0 from {ended} on"),
                line=written_in(scheduler.value) or made(step, scheduler.key),
                suggestion="step the scheduler as often as its function counts: once an epoch, or once a batch",
            )
        elif first and _is_over(scheduler.value, kind):
            yield Violation(
                (f"lr of {variable.name} is 0 (initial {number(first)}; {kind})", ": ", "its schedule is over"),
                (rate, "0"),
                (scheduler.name, f"last_epoch {turns_of(scheduler.value)}, total_iters {_length(scheduler.value)}"),
                line=made(step, scheduler.key),
            )
        elif (
            first
            and len(turns) >= _STOPS
            and turns_of(scheduler.value) >= _WARM_UP
            and not any(stop.rates[variable.name] for stop in stops)
        ):
            yield Violation(
                (
                    f"lr of {variable.name} is 0 (initial {number(first)}; {kind})",
                    ", ",
                    f"as in the {plural(len(turns), 'step')} before",
                ),
                (rate, "0"),
                (scheduler.name, f"last_epoch {turns_of(scheduler.value)}"),
                line=made(step, scheduler.key),
            )


def _is_over(scheduler: Any, kind: str) -> bool:
    """Whether a schedule that ends at 0 was stepped on after its end: at the end itself the training ends as well."""
    ends = kind == "PolynomialLR" or (kind == "LinearLR" and instance_dict(scheduler).get("end_factor") == 0)
    length = _length(scheduler)
    return ends and length is not None and turns_of(scheduler) > length


def _length(scheduler: Any) -> int | None:
    found = instance_dict(scheduler).get("total_iters")
    return found if type(found) is int else None


def _is_set_by_hand(step: Step, optimizer: Any) -> bool:
    """Whether the program sets the rate as it goes on, so that a warm-up by hand may begin with 0: what it writes to an
    item ``"lr"`` is more than a 0, or nothing in sight writes one and the optimizer was made with another rate."""
    classes = {id(cls): cls for cls in (type(value) for _, value in step.named_values()) if not is_library(cls)}
    methods = (source for cls in classes.values() for _, source in methods_of(cls))
    called = (one.source for one in functions_called(step, range(len(step.views))))
    written = [value for source in (*step.sources, *called, *methods) for value in _rates_written(source)]
    if written:
        return any(constant_of(value) != 0 for value in written)
    defaults = instance_dict(inner(optimizer)).get("defaults")
    return type(defaults) is dict and dict_get(defaults, "lr", 0) != 0


def _rates_written(source: Source) -> Iterator[ast.expr]:
    """What a source sets items ``"lr"`` to."""
    for node in (node for statement in source.body for node in ast.walk(statement)):
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(one, ast.Subscript) and constant_of(one.slice) == "lr" for one in targets):
            yield node.value  # type: ignore[attr-defined]
        if isinstance(node, ast.Call) and last_name(node.func) == "update":
            yield from (keyword.value for keyword in node.keywords if keyword.arg == "lr")


def _divides(step: Step, scheduler: VisibleVariable) -> bool:
    """Whether what a LambdaLR multiplies the rate by is rounded down: what its function returns ends with ``//``.

    Of a lambda only the call tells that it was given to, if that is the only LambdaLR in sight.
    """
    if _rounding(scheduler) is not None:
        return True
    owner = scheduler.key.rpartition(".")[0]  # `self`, whose methods may make it
    made_by = [source for _, source in methods_of(type(step.value(owner, scheduler.view)))] if owner else []
    calls = [call for source in (*step.sources, *made_by) for call in source.calls_of("LambdaLR")]
    given = {id(call.node): call.argument(1, "lr_lambda") for call in calls}
    bodies = [one.body for one in given.values() if isinstance(one, ast.Lambda)]
    return len(given) == 1 and any(map(_is_rounded_down, bodies))


def _rounding(scheduler: VisibleVariable) -> Line | None:
    """The line in which the only function of a scheduler rounds down, in all that it returns but numbers above 0."""
    kept = instance_dict(scheduler.value).get("lr_lambdas")
    only = kept[0] if type(kept) is list and len(kept) == 1 else None
    source = Source(undecorated(only).__code__, 0) if type(only) is FunctionType else None
    answers = [(answer.lineno, answer.value) for answer in source.returns] if source is not None else []
    rounded = [line for line, value in answers if _is_rounded_down(value)]
    others = [value for _, value in answers if not _is_rounded_down(value)]
    is_all = all(value is not None and constant_of(value) for value in others)
    return (source.file, rounded[0]) if source is not None and rounded and is_all else None


def _is_rounded_down(node: ast.expr | None) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv)


@rule(
    "warning",
    why="Steps of this size change nothing any more.",
    suggestion="step the scheduler once an epoch, or with a smaller decay",
    needs="optimizer",
)
def lr_too_low(step: Step) -> Iterator[Violation]:
    for variable in step.optimizers:
        scheduler = _scheduler_of(step, variable.value)
        kind = "" if scheduler is None else class_name(type(scheduler.value))
        if scheduler is None or kind not in ("ExponentialLR", "StepLR", "MultiStepLR", "MultiplicativeLR"):
            continue
        for group in groups(variable.value):
            now, first = group.number("lr"), group.number("initial_lr")
            if now and first and now <= 1e-6 * first:
                steps = instance_dict(scheduler.value).get("last_epoch")
                yield Violation(
                    (
                        f"lr of {variable.name} fell to {number(now)}",
                        ", ",
                        f"from {number(first)}, in {steps} steps of {kind}",
                    ),
                    (f'{variable.name}.param_groups[0]["lr"]', number(now)),
                    (scheduler.name, f"last_epoch {steps}"),
                    line=made(step, scheduler.key),
                )
                break


def _scheduler_of(step: Step, optimizer: Any) -> Any:
    for variable in step.schedulers:
        scheduled = instance_dict(variable.value).get("optimizer")
        if scheduled is optimizer or scheduled is inner(optimizer):
            return variable
    return None
