"""NaN began in the unbiased deviation or variance of one value.

Why: The unbiased estimate divides by n − 1.

Example:
    out = model(x[:1])  # one value
    loss = (out - out.mean()).square().mean() / out.std()

Instead:
    out = model(x)
    loss = (out - out.mean()).square().mean() / out.std()

Silent when:
    - the losses, and the results in sight, are finite
    - the deviation is of several values, or biased: `correction` or `unbiased` is given
    - what it was taken of is not finite itself
    - the source computes it only under a condition, or parameters are NaN already
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from .....measure.torch.causes import cause_of
from .....measure.torch.metadata import element_count, is_exact_tensor, shape_of
from .....words.text import plural, shape
from ....flow.definitions import Definition, reaching_definitions
from ....flow.lines import line_of_binding_or_call
from ....step.backpropagated import Loss
from ....step.expressions import constant_of, is_name, text_of
from ....step.functions import functions_called
from ....step.source import Source
from ....step.step import Step
from ...consequences import NOT_FINITE
from ...finding import Violation
from ...rule import rule
from .parts.nan_losses import nan_losses
from .parts.nan_onset import onset_of, onset_outside
from .parts.nan_words import line_of_node
from .parts.not_finite import parameters_not_finite

_SPREADS = ("std", "var")
_UNBIASED = ("unbiased", "correction")


@rule(
    "error",
    why="The unbiased estimate divides by n − 1.",
    suggestion="correction=0, or more samples",
    causes=NOT_FINITE,
)
def std_of_one(step: Step) -> Iterator[Violation]:
    onset = onset_of(step)
    if onset is None or cause_of(onset.origin) != "one_sample":
        yield from _one_sample_in_source(step)
        return
    node = onset.origin.node
    below = step.graph.input(node)
    sizes = None if below is None else below.sizes()
    subject = step.title_of(node) or (None if below is None else step.title_of(below))
    over = "" if sizes is None else f" of {sizes}"
    yield Violation(
        (f"{subject or onset.name} is NaN", ": ", f"the unbiased {node.op.lower()} of one value divides by 0"),
        (subject or onset.name, f"{node.op.lower()} over 1{over}"),
        (onset.name, "not finite"),
        line=line_of_node(step, node) or line_of_binding_or_call(step, node.op.lower(), subject),
    )


def _one_sample_in_source(step: Step) -> Iterator[Violation]:
    """What a loss that is NaN is made of is NaN itself by the unbiased deviation of one finite value."""
    for loss in nan_losses(step):
        for made in reaching_definitions(step.source, loss.name):
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
    made = {id(node) for one in reaching_definitions(step.source, loss.name) for node in ast.walk(one.value)}
    for called in () if parameters_not_finite(step) else functions_called(step, [step.level]):
        if id(called.first.call.node) not in made:
            continue
        for call in called.source.calls_of(*_SPREADS):
            if called.source.is_conditional(call.lineno) or _is_chosen(called.source, call.node):
                continue
            of = _spread_of_one(step, Definition("", call.lineno, call.node), called.value)
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
    made = {id(node) for one in reaching_definitions(step.source, loss.name) for node in ast.walk(one.value)}
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


def _spread_of_one(step: Step, made: Definition, value_of: Callable[[str], Any]) -> tuple[str, str, Any] | None:
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
