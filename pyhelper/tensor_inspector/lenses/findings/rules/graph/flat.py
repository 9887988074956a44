"""Losses that are made by steps: what has no gradient, or none but zero."""

from __future__ import annotations

from collections.abc import Iterator

from ....step.step import Step
from ...finding import Found
from ...lines import bound
from ...made_of import STEPS
from ...rule import rule
from ...terms import flat_terms
from .dead import dead_losses, origin_of

_FLAT = ("Round", "Floor", "Ceil", "Trunc", "Sign")


@rule(
    "error",
    why="Such an operation has no gradient: nothing before it can learn.",
    suggestion="use a differentiable stand-in, as softmax for argmax",
    needs="loss source",
)
def nondifferentiable(step: Step) -> Iterator[Found]:
    yield from _without_grad(step)
    yield from _of_slope_zero(step)
    yield from _terms(step)


def _without_grad(step: Step) -> Iterator[Found]:
    """A loss without a graph, since it was made by a step."""
    for loss in dead_losses(step):
        cut = origin_of(step, loss, STEPS)
        if cut is not None:
            name, line, call = cut
            yield Found(
                f"{loss.name} has no grad_fn: {name} is made by {call}, which has no gradient",
                (name, f"line {line[1]}: {call}"),
                (loss.name, "without grad_fn"),
                line=line,
            )


def _of_slope_zero(step: Step) -> Iterator[Found]:
    """A loss whose graph leads through a step only."""
    for loss in step.losses:
        root = step.node_of(loss.tensor)
        flat = step.graph.below(root, *_FLAT) if root is not None else []
        if root is None or not flat or not step.optimized & {id(leaf) for leaf in step.graph.leaves(root)}:
            continue
        if step.optimized & {id(leaf) for leaf in step.graph.leaves_beside(root, _FLAT)}:
            continue
        subject = step.title_of(flat[0])
        yield Found(
            f"{loss.name} has no gradient but zero: {subject or 'a value'} is made by {flat[0].op.lower()}, whose slope is 0",
            (subject, f"grad ← {flat[0].op}Backward0"),
            (loss.name, "every way to a parameter leads through it"),
            line=(step.source.file, loss.backward.lineno) if subject is None else bound(step, subject),
        )


def _terms(step: Step) -> Iterator[Found]:
    """A loss is a sum, and one term of it is made by a step: the others alone train."""
    for loss in step.losses:
        for flat in flat_terms(step, loss):
            what = flat.name or "it"
            yield Found(
                f"the term {flat.term} of {loss.name} gives no gradient: {what} is made by {flat.call}, which has none; only the other terms train",
                (flat.name if step.value(flat.name or "") is not None else None, f"line {flat.line[1]}: {flat.call}"),
                (loss.name, f"a sum with {flat.term}"),
                line=flat.line,
                certain=False,
            )
