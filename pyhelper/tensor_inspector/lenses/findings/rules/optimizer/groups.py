"""Rules about what optimizers hold, and at which rate."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from .....measure.torch.metadata import dtype_of, grad_hooks_of, requires_grad, shape_of
from .....measure.torch.optimizers import groups, highest_rate, inner, turns_of
from .....measure.torch.optimizers import tensors as tensors_of
from .....safe.guard import class_name, dict_get, instance_dict, module
from .....words.text import listed, number, plural
from ....step.called import functions_called
from ....step.classes import is_library, methods_of, undecorated
from ....step.expressions import constant_of, last_name
from ....step.roles import Parameter
from ....step.sight import Thing
from ....step.source import Source
from ....step.step import Step
from ...finding import Found
from ...lines import Line, made
from ...rule import rule
from ..graph.cut import reached_by_losses

torch: Any = module("torch")

_STOPS = 3  #: stops of known steps of a scheduler, all at a rate of 0
_WARM_UP = 100  #: its steps until a rate of 0 is no beginning of a warm-up


@rule(
    "warning",
    why="It keeps its initial values, although a gradient is computed for it.",
    suggestion="give it to an optimizer, or freeze it with requires_grad_(False)",
    needs="loss optimizer module groups",
)
def param_not_in_optimizer(step: Step) -> Iterator[Found]:
    """Trainable, on the way to the loss, in a module in sight, and in no optimizer."""
    missed = _unheld(step)
    if not missed:
        return
    optimizer = _doubtful(step)
    owners: dict[str, list[Parameter]] = {}
    for one in missed:
        owners.setdefault(one.name.rpartition(".")[0] or one.name, []).append(one)
    names = listed(owners, False, 60)
    has = "has a gradient, " if any(step.grad(one.tensor) is not None for one in missed) else ""
    though = "" if not has else f" though {'it has a gradient' if len(missed) == 1 else 'they have gradients'}"
    yield Found(
        f"{names}: {plural(len(missed), 'trainable parameter')} in no optimizer, never updated{though}",
        *((one.name, f"{has}requires_grad, in no optimizer in sight") for one in missed[:4]),
        (optimizer.name, f"holds {plural(len(list(tensors_of(optimizer.value))), 'tensor')}"),
        line=made(step, optimizer.key),
    )


def _doubtful(step: Step) -> Thing:
    """The optimizer that holds only what one before it holds too; else the first."""
    before: set[int] = set()
    for thing in step.optimizers:
        ids = set(map(id, tensors_of(thing.value)))
        if ids and ids <= before:
            return thing
        before |= ids
    return step.optimizers[0]


def _unheld(step: Step) -> list[Parameter]:
    """Trainable parameters that a loss depends on and no optimizer holds; not those of a model that is only a means."""
    reached, _ = reached_by_losses(step)
    trained = {id(one.root.value) for one in step.parameters.values() if id(one.tensor) in step.optimized}
    optimized = [tensor for thing in step.optimizers for tensor in tensors_of(thing.value)]
    inputs = (step.optimized & reached) - set(step.parameters)  # what is trained in no module: an image, a perturbation
    return [
        one
        for one in step.parameters.values()
        if requires_grad(one.tensor)
        and id(one.tensor) not in step.optimized
        and id(one.tensor) in reached
        and (not inputs or id(one.root.value) in trained)
        and not grad_hooks_of(one.tensor)
        and not _is_kept_in_full(one, optimized)
    ]


def _is_kept_in_full(one: Parameter, optimized: list[Any]) -> bool:
    """Whether an optimizer may hold a copy of a parameter of few bits, by which that is renewed."""
    is_low = dtype_of(one.tensor) in (torch.float16, torch.bfloat16)
    return is_low and any(
        dtype_of(tensor) is torch.float32 and shape_of(tensor) == shape_of(one.tensor) for tensor in optimized
    )


@rule(
    "error",
    why="The optimizer updates tensors that are not part of the model any more.",
    suggestion="make the optimizer after the model is complete",
    needs="loss optimizer module",
)
def optimizer_stale_params(step: Step) -> Iterator[Found]:
    """An optimizer holds tensors that no module has, while a module that it was made for has others."""
    reached, _ = reached_by_losses(step)
    for thing in step.optimizers:
        held = list(tensors_of(thing.value))
        stale = [
            tensor
            for tensor in held
            if id(tensor) not in step.parameters
            and id(tensor) not in step.names
            and id(tensor) not in reached
            and step.grad(tensor) is None
        ]
        unheld = _unheld(step) if stale else []
        if not unheld:
            continue
        roots = {id(one.root.value) for one in step.parameters.values() if id(one.tensor) in set(map(id, held))}
        new = [one for one in unheld if id(one.root.value) in roots or len(stale) == len(held)]
        if new:
            names = listed((one.name for one in new), False, 60)
            yield Found(
                f"{plural(len(stale), 'tensor')} in {thing.name} belong to no module; {names} get gradients but are in no optimizer",
                (thing.name, f"{len(stale)} of {plural(len(held), 'tensor')} are in no module in sight"),
                *((one.name, "trainable, in no optimizer") for one in new[:4]),
                line=made(step, thing.key),
            )


@rule(
    "error",
    why="A step of rate 0 changes no weight.",
    suggestion="check what the schedule multiplies the rate by",
    needs="optimizer",
)
def lr_zero(step: Step) -> Iterator[Found]:
    for thing in step.optimizers:
        if highest_rate(thing.value) != 0:
            continue
        scheduler = _scheduler_of(step, thing.value)
        first = groups(thing.value)[0].number("initial_lr")
        rate = f'{thing.name}.param_groups[0]["lr"]'
        if scheduler is None:
            if not first and not _is_set_by_hand(step, thing.value):
                yield Found(
                    f"lr of {thing.name} is 0: its step changes nothing", (rate, "0"), line=made(step, thing.key)
                )
            continue
        kind = class_name(type(scheduler.value))
        gamma = instance_dict(scheduler.value).get("gamma")
        stops = [stop for stop in step.moments if thing.name in stop.rates and stop.lineno == step.source.lineno]
        turns = {stop.turns.get(scheduler.name) for stop in stops}
        if first and (type(gamma) is int or type(gamma) is float) and gamma == 0:
            yield Found(
                f"lr of {thing.name} is 0 (initial {number(first)}; {kind} with gamma=0): nothing can change any more",
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
            yield Found(
                f"lr of {thing.name} is 0 (initial {number(first)}; {kind}): {why}",
                (rate, "0"),
                (scheduler.name, f"last_epoch {turns_of(scheduler.value)}"),
                line=rounded or made(step, scheduler.key),
            )
        elif (
            first
            and len(turns) >= _STOPS
            and turns_of(scheduler.value) >= _WARM_UP
            and not any(stop.rates[thing.name] for stop in stops)
        ):
            yield Found(
                f"lr of {thing.name} is 0 (initial {number(first)}; {kind}), as in the {plural(len(turns), 'step')} before",
                (rate, "0"),
                (scheduler.name, f"last_epoch {turns_of(scheduler.value)}"),
                line=made(step, scheduler.key),
            )


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


def _divides(step: Step, scheduler: Thing) -> bool:
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


def _rounding(scheduler: Thing) -> Line | None:
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
def lr_too_low(step: Step) -> Iterator[Found]:
    for thing in step.optimizers:
        scheduler = _scheduler_of(step, thing.value)
        kind = "" if scheduler is None else class_name(type(scheduler.value))
        if scheduler is None or kind not in ("ExponentialLR", "StepLR", "MultiStepLR", "MultiplicativeLR"):
            continue
        for group in groups(thing.value):
            now, first = group.number("lr"), group.number("initial_lr")
            if now and first and now <= 1e-6 * first:
                steps = instance_dict(scheduler.value).get("last_epoch")
                yield Found(
                    f"lr of {thing.name} fell to {number(now)}, from {number(first)}, in {steps} steps of {kind}",
                    (f'{thing.name}.param_groups[0]["lr"]', number(now)),
                    (scheduler.name, f"last_epoch {steps}"),
                    line=made(step, scheduler.key),
                )
                break


def _scheduler_of(step: Step, optimizer: Any) -> Any:
    for thing in step.schedulers:
        scheduled = instance_dict(thing.value).get("optimizer")
        if scheduled is optimizer or scheduled is inner(optimizer):
            return thing
    return None
