"""Rules about updates: too large, lost, none, or of another model."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import bare, is_plain, version_of
from .....measure.torch.metadata import dtype_name, dtype_of, element_count, requires_grad
from .....measure.torch.optimizers import groups, highest_rate, inner
from .....safe.guard import class_name, module
from .....words.text import number, plural
from ....step.expressions import text_of
from ....step.moment import Moment, norm_of
from ....step.roles import Parameter
from ....step.sight import Thing
from ....step.source import Call
from ....step.step import Step
from ...finding import Found
from ...places import made
from ...rule import Rule
from .calls import bodies, named_only

torch: Any = module("torch")


def grads_accumulated(step: Step) -> Iterator[Found]:
    """The same gradient tensor went on growing although the optimizer has stepped in between."""
    stops = [moment for moment in step.moments if moment.lineno == step.source.lineno]
    if not stops or not _has_newer_graph(step, stops[-1]):
        return
    before, subject, kept = stops[-1], None, []
    for one in step.trained():
        known, grad = before.weights.get(one.name), step.grad(one.tensor)
        if known is None or grad is None or not known.grad_norm or not known.had(grad) or not norm_of(grad):
            continue
        if version_of(one.tensor) == known.version:
            return  # no step of the optimizer that has it
        if subject is None and version_of(grad) - known.grad_version == 1:
            subject = one
            kept = [stop for stop in stops if one.name in stop.weights and stop.weights[one.name].had(grad)]
    if subject is None or not _ran_between(step):
        return
    summed = len(kept) + 1
    optimizer = next((call for call in step.source.calls_of("step")), None)
    yield Found(
        f"gradients were not cleared since the last optimizer step: {subject.name}.grad is the sum of {summed} steps, zero_grad was not called",
        (f"{subject.name}.grad", f"added to {plural(summed - 1, 'time')}, while {subject.name} was updated"),
        line=None if optimizer is None else (step.source.file, optimizer.lineno),
    )


def _has_newer_graph(step: Step, before: Moment) -> bool:
    """Whether a loss was computed since a stop: two stops in one line may be of the same round."""
    roots = [node for node in (step.node_of(loss.tensor) for loss in step.losses) if node is not None]
    newest = max((root.order() for root in roots if root.leaf is None), default=-1)
    return newest < 0 or before.newest < 0 or newest > before.newest


def _ran_between(step: Step) -> bool:
    """Whether a backward has surely run since the last stop in this line: the one change of a gradient is its sum."""
    source = step.source
    loop = source.loop_of(source.lineno)
    return any(
        not source.is_conditional(backward.lineno, seen_from=source.lineno)
        and (loop is None or loop[0] <= backward.lineno <= loop[1])
        for backward in source.backwards
    )


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
        held = next(
            (
                (thing, group.number("lr"))
                for thing in step.optimizers
                for group in groups(thing.value)
                if any(tensor is one.tensor for tensor in group.tensors)
            ),
            None,
        )
        thing, rate = held or (None, None)
        if thing is None or rate is None or _is_raised(thing, before):
            continue
        yield Found(
            f"lr {number(rate)} is too high: a step made {one.name} {number(norm / known.norm, 2)} times as large, and {name} rose from {number(was)} to {number(value)}",
            (f'{thing.name}.param_groups[0]["lr"]', number(rate)),
            (one.name, f"norm {number(known.norm)}, then {number(norm)}"),
            (name, f"{number(was)}, then {number(value)}"),
            line=made(step, thing.key),
        )
        return


def _is_raised(thing: Thing, before: Moment) -> bool:
    """Whether the program raises the rate from stop to stop: so one looks for the rate that is too high."""
    now, was = highest_rate(thing.value), before.rates.get(thing.name)
    return now is not None and was is not None and now > was


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


def weights_unchanged(step: Step) -> Iterator[Found]:
    """No weight has moved between three stops in this line, though the loop around it calls a step each time.

    Or a step is only named, where it should be called: that is told at once.
    """
    for written, line in named_only(step):
        yield Found(
            f"{written} is not called: without () nothing happens",
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
        "weights-unchanged",
        weights_unchanged,
        "optimizer source",
        "error",
        "The optimizer does not update this model.",
        "check which tensors the optimizer holds",
    ),
]
