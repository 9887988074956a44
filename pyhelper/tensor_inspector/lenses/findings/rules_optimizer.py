"""Rules about optimizers, schedulers and scalers: what they hold, at which rate, and in which order they are called."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ...measure.torch.elements import bare, is_plain, version_of
from ...measure.torch.metadata import dtype_name, dtype_of, element_count, grad_hooks_of, requires_grad
from ...measure.torch.modules import members
from ...measure.torch.optimizers import groups, inner
from ...measure.torch.optimizers import tensors as tensors_of
from ...safe.budget import Budget, Steps
from ...safe.guard import class_name, instance_dict, module
from ...words.text import listed, number, plural
from ..step.moment import norm_of
from ..step.source import Call, text_of
from ..step.step import Parameter, Step
from .finding import Found
from .rule import Rule
from .rules_graph import reached_by_losses

torch: Any = module("torch")


def param_not_in_optimizer(step: Step) -> Iterator[Found]:
    """Trainable, on the way to the loss, in a module in sight, and in no optimizer."""
    missed = _unheld(step)
    if not missed:
        return
    owners: dict[str, list[Parameter]] = {}
    for one in missed:
        owners.setdefault(one.name.rpartition(".")[0] or one.name, []).append(one)
    names = listed(owners, False, 60)
    has = "has a gradient, " if any(step.grad(one.tensor) is not None for one in missed) else ""
    yield Found(
        f"{names}: {plural(len(missed), 'trainable parameter')} in no optimizer, {has}but never updated",
        *((one.name, f"{has}requires_grad, in no optimizer in sight") for one in missed[:4]),
        (step.optimizers[0].name, f"holds {plural(len(list(tensors_of(step.optimizers[0].value))), 'tensor')}"),
        line=_made(step, step.optimizers[0].key),
    )


def _unheld(step: Step) -> list[Parameter]:
    reached, _ = reached_by_losses(step)
    return [
        one
        for one in step.parameters.values()
        if requires_grad(one.tensor)
        and id(one.tensor) not in step.held
        and id(one.tensor) in reached
        and not grad_hooks_of(one.tensor)
    ]


def optimizer_stale_params(step: Step) -> Iterator[Found]:
    """An optimizer holds tensors that no module has, while a module that it was made for has others."""
    unheld = _unheld(step)
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
        if not stale or not unheld:
            continue
        roots = {id(one.root.value) for one in step.parameters.values() if id(one.tensor) in set(map(id, held))}
        new = [one for one in unheld if id(one.root.value) in roots or len(stale) == len(held)]
        if new:
            names = listed((one.name for one in new), False, 60)
            yield Found(
                f"{plural(len(stale), 'tensor')} in {thing.name} belong to no module; {names} get gradients but are in no optimizer",
                (thing.name, f"{len(stale)} of {plural(len(held), 'tensor')} are in no module in sight"),
                *((one.name, "trainable, in no optimizer") for one in new[:4]),
                line=_made(step, thing.key),
            )


def lr_zero(step: Step) -> Iterator[Found]:
    for thing in step.optimizers:
        rates = [group.number("lr") for group in groups(thing.value)]
        if not rates or any(rate != 0 for rate in rates):
            continue
        scheduler = _scheduler_of(step, thing.value)
        first = groups(thing.value)[0].number("initial_lr")
        if scheduler is None:
            if not first:
                yield Found(
                    f"lr of {thing.name} is 0: its step changes nothing",
                    (f'{thing.name}.param_groups[0]["lr"]', "0"),
                    line=_made(step, thing.key),
                )
            continue
        gamma = instance_dict(scheduler.value).get("gamma")
        if first and (type(gamma) is int or type(gamma) is float) and gamma == 0:
            kind = class_name(type(scheduler.value))
            yield Found(
                f"lr of {thing.name} is 0 (initial {number(first)}; {kind} with gamma=0): nothing can change any more",
                (f'{thing.name}.param_groups[0]["lr"]', "0"),
                (f"{scheduler.name}.gamma", "0"),
                line=_made(step, scheduler.key),
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
                    line=_made(step, scheduler.key),
                )
                break


def _scheduler_of(step: Step, optimizer: Any) -> Any:
    for thing in step.schedulers:
        scheduled = instance_dict(thing.value).get("optimizer")
        if scheduled is optimizer or scheduled is inner(optimizer):
            return thing
    return None


def grads_accumulated(step: Step) -> Iterator[Found]:
    """The same gradient tensor went on growing although the optimizer has stepped in between."""
    stops = [moment for moment in step.moments if moment.line == step.source.line]
    if not stops:
        return
    before, summed, subject = stops[-1], 1, None
    clears = _clears(step)
    for one in step.trained():
        known, grad = before.weights.get(one.name), step.grad(one.tensor)
        if known is None or grad is None or known.grad_id != id(grad) or not known.grad_norm:
            continue
        added, stepped = version_of(grad) - known.grad_version, version_of(one.tensor) - known.version
        if stepped < 1 or added < 1 or (added > 1 and clears):
            continue
        subject = one
        summed = (
            sum(1 for moment in stops if one.name in moment.weights and moment.weights[one.name].grad_id == id(grad))
            + 1
        )
        break
    if subject is None:
        return
    optimizer = next((call for call in step.source.calls_of("step")), None)
    yield Found(
        f"gradients were not cleared since the last optimizer step: {subject.name}.grad is the sum of {summed} steps, zero_grad was not called",
        (f"{subject.name}.grad", f"added to {plural(summed - 1, 'time')}, while {subject.name} was updated"),
        line=None if optimizer is None else (step.source.file, optimizer.line),
    )


def _clears(step: Step) -> bool:
    return any(source.mentions("zero_grad", "zero_", "grad") for source in step.sources) or not step.source.is_known()


def step_without_grads(step: Step) -> Iterator[Found]:
    """Gradients are cleared between their backward and the step that should use them."""
    for body in _bodies(step):
        order: list[tuple[str, str, int]] = []
        for statement in body:
            call = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
                order.append((call.func.attr, text_of(call.func.value), statement.lineno))
        names = {"backward", "zero_grad", "step"}
        order = [found for found in order if found[0] in names]
        for (first, _, _), (second, cleared, line), (third, stepped, _) in zip(order, order[1:], order[2:]):
            if (first, second, third) != ("backward", "zero_grad", "step") or cleared != stepped:
                continue
            if not any(thing.key == stepped for thing in step.optimizers):
                continue
            yield Found(
                f"{cleared}.zero_grad() comes after backward and before {stepped}.step(): it steps without gradients",
                (cleared, f"cleared in line {line}, just before its step"),
                line=(step.source.file, line),
            )


def _bodies(step: Step) -> Iterator[list[ast.stmt]]:
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


def clip_before_unscale(step: Step) -> Iterator[Found]:
    source = step.source
    scaled = [backward for backward in source.backwards if backward.scaler]
    clips = source.calls_of("clip_grad_norm_", "clip_grad_value_")
    for backward in scaled:
        scaler = step.value(backward.scaler or "")
        if scaler is None or instance_dict(scaler).get("_enabled") is not True:
            continue
        for clip in clips:
            unscaled = [call for call in source.calls_of("unscale_") if call.line <= clip.line]
            stepped = [
                call
                for call in source.calls_of("step")
                if text_of(call.receiver) == backward.scaler and call.line > clip.line
            ]
            if backward.line < clip.line and not unscaled and stepped:
                yield Found(
                    f"{clip.name} clips gradients that {backward.scaler} has not unscaled: the limit holds for scaled ones",
                    (backward.scaler, _scale_words(scaler)),
                    line=(source.file, clip.line),
                )
                return


def scaler_bypassed(step: Step) -> Iterator[Found]:
    source = step.source
    for backward in source.backwards:
        scaler = step.value(backward.scaler or "")
        if scaler is None or instance_dict(scaler).get("_enabled") is not True:
            continue
        by_scaler = [call for call in source.calls_of("step", "unscale_") if text_of(call.receiver) == backward.scaler]
        direct = [
            call
            for call in source.calls_of("step")
            if any(thing.key == text_of(call.receiver) for thing in step.optimizers)
        ]
        if direct and not by_scaler:
            call = direct[0]
            yield Found(
                f"{call.callee}() applies gradients that {backward.scaler} has scaled, and has not unscaled",
                (backward.scaler, _scale_words(scaler)),
                line=(source.file, call.line),
                suggestion=f"{backward.scaler}.step({text_of(call.receiver)}), then {backward.scaler}.update()",
            )
            return


def _scale_words(scaler: Any) -> str:
    known = instance_dict(scaler)
    start = known.get("_init_scale")
    return f"enabled, initial scale {number(start)}" if type(start) is float or type(start) is int else "enabled"


def lr_too_high(step: Step) -> Iterator[Found]:
    """Weights and loss grow by orders of magnitude from stop to stop."""
    stops = [moment for moment in step.moments if moment.line == step.source.line]
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
        return
    name, was, value = risen[0]
    for one in step.trained():
        known = before.weights.get(one.name)
        norm = norm_of(one.tensor) if (element_count(one.tensor) or 0) < 1 << 20 else None
        if known is None or not known.norm or norm is None or not norm > 5 * known.norm:
            continue
        rates = [
            group.number("lr")
            for thing in step.optimizers
            for group in groups(thing.value)
            if any(tensor is one.tensor for tensor in group.tensors)
        ]
        rate = next((rate for rate in rates if rate is not None), None)
        if rate is None:
            continue
        thing = step.optimizers[0]
        yield Found(
            f"lr {number(rate)} is too high: a step made {one.name} {number(norm / known.norm, 2)} times as large, and {name} rose from {number(was)} to {number(value)}",
            (f'{thing.name}.param_groups[0]["lr"]', number(rate)),
            (one.name, f"norm {number(known.norm)}, then {number(norm)}"),
            (name, f"{number(was)}, then {number(value)}"),
            line=_made(step, thing.key),
        )
        return


def _has_risen(before: float, now: float) -> bool:
    return before - before == 0 and (now - now != 0 or abs(now) > 10 * max(abs(before), 1e-3))


def update_lost(step: Step) -> Iterator[Found]:
    """In the dtype of the weights nearly all of the next update rounds to nothing."""
    for thing in step.optimizers:
        kind = class_name(type(inner(thing.value)))
        for group in groups(thing.value):
            rate = group.number("lr")
            lost, total, name = 0, 0, None
            for tensor in group.tensors[:200]:
                grad = step.grad(tensor)
                low = dtype_of(tensor) in (torch.float16, torch.bfloat16)
                if (
                    not low
                    or grad is None
                    or not rate
                    or not is_plain(tensor)
                    or not is_plain(grad)
                    or tensor.numel() > 1 << 22
                ):
                    continue
                weight, change = bare(tensor), bare(grad)
                if "Adam" in kind:
                    change = change.sign()
                elif kind != "SGD":
                    continue
                moved, nonzero = weight - (rate * change).to(weight.dtype), (change != 0) & (weight != 0)
                lost += int(((moved == weight) & nonzero).sum())
                total += int(nonzero.sum())
                name = name or step.name_of(tensor)
            if total >= 16 and lost > 0.95 * total:
                yield Found(
                    f"updates are lost: for {lost} of {total} weights w − lr·g is w again in {dtype_name(group.tensors[0])}",
                    (name, f"{dtype_name(group.tensors[0])}, lr {number(rate or 0.0)}"),
                    line=_made(step, thing.key),
                )


def eps_underflow(step: Step) -> Iterator[Found]:
    for thing in step.optimizers:
        for group in groups(thing.value):
            eps = group.number("eps")
            half = next((tensor for tensor in group.tensors if dtype_of(tensor) is torch.float16), None)
            if half is not None and eps is not None and 0 < eps < 2.9e-8:
                yield Found(
                    f"eps {number(eps)} of {thing.name} is 0 in float16: a gradient of 0 makes 0/0",
                    (f'{thing.name}.param_groups[0]["eps"]', number(eps)),
                    (step.name_of(half), "float16"),
                    line=_made(step, thing.key),
                )
                break


_SECOND = (
    "target",
    "teacher",
    "ema",
    "shadow",
    "old",
    "ref",
    "reference",
    "momentum",
    "frozen",
    "average",
    "averaged",
    "initial",
    "best",
)


def aliased_models(step: Step) -> Iterator[Found]:
    """What is named as a second model is the first one."""
    for thing in step.modules:
        names = step.names.get(id(thing.value), [])
        simple = [name for name in names if name.count(".") <= 1 and "[" not in name]
        second = [name for name in simple if set(name.rpartition(".")[2].lower().split("_")) & set(_SECOND)]
        first = [
            name
            for name in simple
            if name not in second and name.rpartition(".")[0] in {other.rpartition(".")[0] for other in second}
        ]
        if second and first and requires_grad_of(thing.value):
            yield Found(
                f"{second[0]} and {first[0]} are one and the same model: what trains one changes the other",
                (second[0], f"is {first[0]}"),
                (first[0], f"{plural(len(names), 'name')}"),
                line=_made(step, second[0]),
                suggestion=f"{second[0]} = copy.deepcopy({first[0]})",
            )
    yield from _shared_models(step)


def _shared_models(step: Step) -> Iterator[Found]:
    """Two module objects with the same parameters, as a shallow copy makes them."""
    for index, thing in enumerate(step.modules):
        own = _parameters(thing.value)
        for other in step.modules[index + 1 :]:
            if own and own == _parameters(other.value) and set(other.name.lower().split("_")) & set(_SECOND):
                yield Found(
                    f"{other.name} has the very parameters of {thing.name}: what trains one changes the other",
                    (other.name, f"shares {plural(len(own), 'parameter')}"),
                    line=_made(step, other.key),
                )


def _parameters(root: Any) -> frozenset[int]:
    found = members(root, Steps(Budget()))
    return frozenset(id(tensor) for member in found for _, tensor in member.part("_parameters"))


def requires_grad_of(root: Any) -> bool:
    return any(
        requires_grad(tensor) for member in members(root, Steps(Budget())) for _, tensor in member.part("_parameters")
    )


def weights_unchanged(step: Step) -> Iterator[Found]:
    """No weight has moved between three stops in this line, though the loop around it calls a step each time."""
    stops = [moment for moment in step.moments if moment.line == step.source.line][-2:]
    loop = step.source.loop_of(step.source.line)
    if len(stops) < 2 or loop is None:
        return
    calls = [call for call in _plain_steps(step) if loop[0] <= call.line <= loop[1]]
    trained = [one for one in step.parameters.values() if requires_grad(one.tensor)]
    known = [one for one in step.trained() if all(one.name in stop.weights for stop in stops)]
    if not calls or not known or len(known) < len(trained):
        return
    moved = [one for one in known if any(stop.weights[one.name].version != version_of(one.tensor) for stop in stops)]
    if not moved and all(_has_new_grad(step, one, stops) for one in known):
        yield Found(
            f"no weight has changed in {len(stops)} steps of {text_of(calls[0].receiver)}",
            (known[0].name, "the same version as before"),
            line=(step.source.file, calls[0].line),
        )


def _has_new_grad(step: Step, one: Parameter, stops: list[Any]) -> bool:
    """Whether a backward has given a parameter other gradients at each of the stops."""
    grad = step.grad(one.tensor)
    norms = [stop.weights[one.name].grad_norm for stop in stops]
    if grad is None or None in norms:
        return False
    return len({*norms, norm_of(grad)}) == len(stops) + 1


def _plain_steps(step: Step) -> Iterator[Call]:
    """Calls of ``step`` on an optimizer in sight that stand in the body of a loop, under no condition."""
    for body in _bodies(step):
        for statement in body:
            if isinstance(statement, ast.For):
                lines = {inside.lineno for inside in statement.body if isinstance(inside, ast.Expr)}
                for call in step.source.calls_of("step"):
                    if call.line in lines and any(thing.key == text_of(call.receiver) for thing in step.optimizers):
                        yield call


def _made(step: Step, key: str) -> tuple[str, int] | None:
    for source in step.sources:
        found = source.bindings.get(key)
        if found:
            return source.file, found[-1][0]
    return None


RULES = [
    Rule(
        "optimizer-stale-params",
        optimizer_stale_params,
        "loss optimizer module",
        "error",
        "The optimizer updates tensors that are not part of the model any more.",
        "make the optimizer after the model is complete",
    ),
    Rule(
        "param-not-in-optimizer",
        param_not_in_optimizer,
        "loss optimizer module",
        "warning",
        "It keeps its initial values, although a gradient is computed for it.",
        "give it to an optimizer, or freeze it with requires_grad_(False)",
    ),
    Rule(
        "lr-zero",
        lr_zero,
        "optimizer",
        "error",
        "A step of rate 0 changes no weight.",
        "check what the schedule multiplies the rate by",
    ),
    Rule(
        "lr-too-low",
        lr_too_low,
        "optimizer",
        "warning",
        "Steps of this size change nothing any more.",
        "step the scheduler once an epoch, or with a smaller decay",
    ),
    Rule(
        "grads-accumulated",
        grads_accumulated,
        "optimizer moments",
        "error",
        "Each step follows the sum of all gradients so far.",
        "call optimizer.zero_grad() before backward",
    ),
    Rule(
        "step-without-grads",
        step_without_grads,
        "optimizer source",
        "error",
        "The optimizer finds no gradient, and changes nothing.",
        "call zero_grad before backward, or after step",
    ),
    Rule(
        "clip-before-unscale",
        clip_before_unscale,
        "scaler source",
        "error",
        "Scaled gradients are thousands of times larger: all are clipped to almost nothing.",
        "call scaler.unscale_(optimizer) before clipping",
    ),
    Rule(
        "scaler-bypassed",
        scaler_bypassed,
        "scaler source",
        "error",
        "The step is as many times too large as the scale.",
        "step through the scaler",
    ),
    Rule(
        "lr-too-high",
        lr_too_high,
        "loss optimizer moments",
        "error",
        "Each step overshoots further than the one before.",
        "try a rate of a tenth or a hundredth",
    ),
    Rule(
        "update-lost",
        update_lost,
        "optimizer thorough",
        "warning",
        "Weights of few bits do not move by small steps.",
        "keep float32 weights, and compute under autocast",
    ),
    Rule(
        "eps-underflow",
        eps_underflow,
        "optimizer",
        "error",
        "The division by √v + eps becomes 0/0, which is NaN.",
        "eps=1e-4, or float32 weights",
    ),
    Rule(
        "aliased-models",
        aliased_models,
        "module",
        "error",
        "A target that moves with what it judges gives no target.",
        "copy.deepcopy",
    ),
    Rule(
        "weights-unchanged",
        weights_unchanged,
        "optimizer moments source module",
        "error",
        "The optimizer does not update this model.",
        "check which tensors the optimizer holds",
    ),
]
