"""Finds where a NaN began from the values in sight and the source, once backward has freed what the graph saved."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from .....measure.torch.metadata import element_count, is_exact_tensor, shape_of
from .....words.text import plural, shape
from ....step.backpropagated import Loss
from ....step.expressions import constant_of, is_name, shown, text_of
from ....step.functions import functions_called
from ....step.source import Source
from ....step.step import Step
from ...finding import Violation
from ...made_of import Made, made_of
from .onset import flow_of, onset_outside
from .state import numbers_not_finite, parameters_not_finite

_LOGS = ("log", "log2", "log10")
_SPREADS = ("std", "var")
_UNBIASED = ("unbiased", "correction")


def nan_losses(step: Step) -> list[Loss]:
    """The losses that are NaN."""
    numbers = [(loss, step.number(loss.tensor)) for loss in step.losses]
    return [loss for loss, number in numbers if number is not None and number != number]


def _infinite_losses(step: Step) -> list[Loss]:
    """The losses that are infinite and have spoilt gradients; none that a scaler may have made infinite: it skips the step."""
    numbers = [(loss, step.number(loss.tensor)) for loss in step.losses]
    found = [loss for loss, number in numbers if number is not None and number == number and number - number != 0]
    if step.scalers:
        found = [loss for loss in found if not _may_be_scaled(step, loss)]
    grads = step.grads([one.tensor for one in step.trained()]) if found else []
    return found if numbers_not_finite(step, grads) else []


def _may_be_scaled(step: Step, loss: Loss) -> bool:
    """Whether a loss is a product, as a scaler gives, of what is not known to be infinite before."""
    root = step.node_of(loss.tensor)
    below = None if root is None or root.op != "Mul" else step.graph.input(root)
    if below is None:
        return root is None
    counts = flow_of(step).counts(below)
    return counts is None or not counts.any()


def origin_in_sight(step: Step) -> Iterator[Violation]:
    """A loss that is not finite and whose graph is freed, with what is NaN in sight, the earliest bound first."""
    infinite = _infinite_losses(step)
    losses = [*nan_losses(step), *infinite]
    if losses and parameters_not_finite(step):
        return  # the parameters are what is to be told
    for loss in losses:
        root = step.node_of(loss.tensor)
        if loss.pending or root is None or step.graph.freed_below(root) is None:
            continue
        last = {name: (line, name, nan) for line, name, nan in sorted(_nan_above(step, loss))}
        found = sorted(last.values())
        first = f"the first NaN in sight is in {found[0][1]}; " if found else ""
        binding = next(made_of(step.source, loss.name), None)
        line = loss.backward.lineno if binding is None else binding.lineno
        if found:
            line = found[0][0]
        what = "Inf" if loss in infinite else "NaN"
        yield Violation(
            (
                f"{loss.name} is {what}",
                ", ",
                f"and its graph is freed: {first}stop before backward to see where it began",
            ),
            (loss.name, f"{what}, a backward has freed its graph"),
            *((name, f"{nan:,} NaN, bound in line {at}") for at, name, nan in found[:4]),
            line=(step.source.file, line),
            suggestion="stop before backward",
        )
        return


def _nan_above(step: Step, loss: Loss) -> Iterator[tuple[int, str, int]]:
    """The values that a loss is made of and that have NaN: line, name, count."""
    for made in made_of(step.source, loss.name):
        value = step.value(made.name)
        if made.name == "_" or not is_exact_tensor(value) or value is loss.tensor or not value.dtype.is_floating_point:
            continue
        stats = step.stats(value)
        if stats is not None and stats["nan"]:
            yield made.lineno, shown(made.name), stats["nan"]


def one_sample_in_source(step: Step) -> Iterator[Violation]:
    """What a loss that is NaN is made of is NaN itself by the unbiased deviation of one finite value."""
    for loss in nan_losses(step):
        for made in made_of(step.source, loss.name):
            result = step.value(made.name)
            stats = step.stats(result) if is_exact_tensor(result) and result.dtype.is_floating_point else None
            of = _spread_of_one(step, made, step.value) if stats is not None and stats["nan"] else None
            if of is not None:
                name, spread, _ = of
                yield Violation(
                    (f"{made.name} is NaN", ": ", f"the unbiased {spread} of the one value in {name} divides by 0"),
                    (made.name, "NaN"),
                    (name, f"{plural(1, 'value')} of shape {tuple(shape_of(step.value(name)))}"),
                    (loss.name, "NaN"),
                    line=(step.source.file, made.lineno),
                )
                return
        yield from _one_sample_below(step, loss)
        yield from _one_sample_given(step, loss)


def _one_sample_below(step: Step, loss: Loss) -> Iterator[Violation]:
    """A function that returns the loss takes the unbiased deviation of one finite value that it is given."""
    made = {id(node) for one in made_of(step.source, loss.name) for node in ast.walk(one.value)}
    for called in () if parameters_not_finite(step) else functions_called(step, [step.level]):
        if id(called.first.call.node) not in made:
            continue
        for call in called.source.calls_of(*_SPREADS):
            if called.source.is_conditional(call.lineno) or _is_chosen(called.source, call.node):
                continue
            of = _spread_of_one(step, Made("", call.lineno, call.node), called.value)
            if of is not None:
                name, spread, value = of
                shown = step.name_of(value) or name
                yield Violation(
                    (
                        f"{loss.name} is NaN",
                        ": ",
                        f"the unbiased {spread} of one value, which {called.source.function} takes of {shown}, divides by 0",
                    ),
                    (shown, f"one value along that dimension of {shape(shape_of(value))}"),
                    (loss.name, "NaN"),
                    line=(called.source.file, call.lineno),
                )
                return


def _one_sample_given(step: Step, loss: Loss) -> Iterator[Violation]:
    """The one value that the loss was given is NaN, and a function called for it divides by the spread of what it takes."""
    onset = onset_outside(step)
    value = None if onset is None or onset.tensor is not loss.tensor else onset.origin.value
    stats = step.stats(value) if value is not None and element_count(value) == 1 else None
    made = {id(node) for one in made_of(step.source, loss.name) for node in ast.walk(one.value)}
    for called in functions_called(step, [step.level]) if stats is not None and stats["nan"] else ():
        for call in called.source.calls_of(*_SPREADS):
            if id(called.first.call.node) not in made or called.source.is_conditional(call.lineno):
                continue
            if _is_chosen(called.source, call.node) or call.args or call.keywords or call.receiver is None:
                continue
            yield Violation(
                (
                    f"{loss.name} is NaN",
                    ": ",
                    f"the unbiased {call.name} of one value divides by 0 in {called.source.function}",
                ),
                (loss.name, "NaN"),
                line=(called.source.file, call.lineno),
                certain=False,
            )
            return


def _is_chosen(source: Source, node: ast.AST) -> bool:
    """Whether an expression is computed only as a condition in its statement says."""
    return any(isinstance(one, (ast.IfExp, ast.BoolOp)) and node in ast.walk(one) for one in source.nodes)


def log_in_source(step: Step) -> Iterator[Violation]:
    """A loss that is NaN, and a function called for it that takes the logarithm of what has zeros, and no gradient."""
    losses = nan_losses(step)
    is_made_there = bool(losses) and not parameters_not_finite(step)
    for called in functions_called(step, [step.level]) if is_made_there else ():
        for call in called.source.calls_of(*_LOGS):
            subject = call.args[0] if text_of(call.receiver) == "torch" and call.args else call.receiver
            value = called.value(text_of(subject)) if is_name(subject) else None
            is_read = is_exact_tensor(value) and value is not None and value.dtype.is_floating_point
            stats = step.stats(value) if is_read else None
            if stats is None or not stats["zeros"] or stats["nan"]:
                continue
            name = step.name_of(value) or text_of(subject)
            yield Violation(
                (
                    f"{losses[0].name} is NaN",
                    ": ",
                    f"{called.source.function} takes the {call.name} of {name}, which has {plural(stats['zeros'], 'zero')}",
                ),
                (name, f"{plural(stats['zeros'], 'element')} are 0"),
                (losses[0].name, "NaN"),
                line=(called.source.file, call.lineno),
                certain=False,
                suggestion="torch.xlogy(p, p) is 0 where p is",
            )
            return


def _spread_of_one(step: Step, made: Made, value_of: Callable[[str], Any]) -> tuple[str, str, Any] | None:
    """A finite tensor that is known, how an expression takes the spread over one value of it: its name, that, itself."""
    for call in ast.walk(made.value):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr not in _SPREADS:
            continue
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        is_function = text_of(call.func.value) == "torch"
        subject: Any = call.args[0] if is_function and call.args else call.func.value
        rest = call.args[1:] if is_function else call.args
        name, dim = text_of(subject), rest[0] if rest else given.get("dim")
        value = value_of(name) if is_name(subject) else None
        stats = step.stats(value) if is_exact_tensor(value) else None
        is_renewed = name == made.name and element_count(value) == 1  # as what it was, which is not in sight any more
        if stats is None or len(rest) > 1:
            continue
        if (stats["nan"] or stats["pos_inf"] or stats["neg_inf"]) and not is_renewed:
            continue
        if any(key in given for key in _UNBIASED) or not _is_over_one(value, dim):
            continue
        return name, call.func.attr, value
    return None


def _is_over_one(value: Any, dim: ast.expr | None) -> bool:
    if dim is None:
        return element_count(value) == 1
    at, sizes = constant_of(dim), tuple(shape_of(value))
    return type(at) is int and -len(sizes) <= at < len(sizes) and sizes[at] == 1
