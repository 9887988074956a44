"""Rules about updates: too large, lost, none, or of another model."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ....measure.torch.elements import bare, is_plain, version_of
from ....measure.torch.metadata import dtype_name, dtype_of, element_count, requires_grad
from ....measure.torch.modules import members
from ....measure.torch.optimizers import groups, inner
from ....safe.budget import Budget, Steps
from ....safe.guard import class_name, module
from ....words.text import number, plural
from ...step.moment import norm_of
from ...step.source import Call, text_of
from ...step.step import Parameter, Step
from ..finding import Found
from ..rule import Rule
from .calls import bodies
from .optimizer import made

torch: Any = module("torch")


def grads_accumulated(step: Step) -> Iterator[Found]:
    """The same gradient tensor went on growing although the optimizer has stepped in between."""
    stops = [moment for moment in step.moments if moment.lineno == step.source.lineno]
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
        line=None if optimizer is None else (step.source.file, optimizer.lineno),
    )


def _clears(step: Step) -> bool:
    return any(source.mentions("zero_grad", "zero_", "grad") for source in step.sources) or not step.source.is_known()


def lr_too_high(step: Step) -> Iterator[Found]:
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
            line=made(step, thing.key),
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
                    line=made(step, thing.key),
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
                    line=made(step, thing.key),
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
                line=made(step, second[0]),
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
                    line=made(step, other.key),
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
    stops = [moment for moment in step.moments if moment.lineno == step.source.lineno][-2:]
    loop = step.source.loop_of(step.source.lineno)
    if len(stops) < 2 or loop is None:
        return
    calls = [call for call in _plain_steps(step) if loop[0] <= call.lineno <= loop[1]]
    trained = [one for one in step.parameters.values() if requires_grad(one.tensor)]
    known = [one for one in step.trained() if all(one.name in stop.weights for stop in stops)]
    if not calls or not known or len(known) < len(trained):
        return
    moved = [one for one in known if any(stop.weights[one.name].version != version_of(one.tensor) for stop in stops)]
    if not moved and all(_has_new_grad(step, one, stops) for one in known):
        yield Found(
            f"no weight has changed in {len(stops)} steps of {text_of(calls[0].receiver)}",
            (known[0].name, "the same version as before"),
            line=(step.source.file, calls[0].lineno),
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
    for body in bodies(step):
        for statement in body:
            if isinstance(statement, ast.For):
                lines = {inside.lineno for inside in statement.body if isinstance(inside, ast.Expr)}
                for call in step.source.calls_of("step"):
                    if call.lineno in lines and any(thing.key == text_of(call.receiver) for thing in step.optimizers):
                        yield call


RULES = [
    Rule(
        "grads-accumulated",
        grads_accumulated,
        "optimizer moments",
        "error",
        "Each step follows the sum of all gradients so far.",
        "call optimizer.zero_grad() before backward",
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
