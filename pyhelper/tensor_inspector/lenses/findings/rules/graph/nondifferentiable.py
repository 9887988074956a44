"""The loss goes through an operation that has no gradient.

Why: Such an operation has no gradient: nothing before it can learn.

Example:
    guess = model(x).argmax(1).float()
    loss = F.mse_loss(guess, y)

Instead:
    p = model(x).softmax(1)
    loss = F.nll_loss(p.log(), y)

Silent when:
    - the loss has a graph that reaches parameters past the step function, and these get another gradient than zero
    - a hook, or the source, gives such parameters a gradient by hand, as a straight-through estimator does
    - a Function of the program's own defines its slope
    - of a term in a sum: another term is a plain mean of the very value that the step function takes
    - a condition decides whether the loss is backpropagated, and it may be an evaluation
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .....measure.torch.metadata import grad_hooks_of, is_exact_tensor, requires_grad
from .....measure.torch.node import AutogradNode
from ....flow.definitions import definitions_of
from ....flow.gradient.dead_losses import dead_losses
from ....flow.gradient.predictions import DetachedTerm, terms_without_gradient
from ....flow.lines import line_of_binding, line_of_call_below
from ....flow.ops import NON_DIFFERENTIABLE, ZERO_GRADIENT
from ....step.backpropagated import Loss
from ....step.expressions import is_name, key_of, names_in, shown_text, text_of
from ....step.roles import Parameter
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.lost_graph import origin_of
from .parts.parameter_groups import grouped


@rule(
    "error",
    why="Such an operation has no gradient: nothing before it can learn.",
    suggestion="use a differentiable stand-in, as softmax for argmax",
    causes="loss-without-grad",
    needs="loss source",
)
def nondifferentiable(step: Step) -> Iterator[Violation]:
    yield from _without_grad(step)
    yield from _of_slope_zero(step)
    yield from _terms(step)


def _without_grad(step: Step) -> Iterator[Violation]:
    """A loss without a graph, since a step function made it."""
    for loss in dead_losses(step):
        cut = origin_of(step, loss, NON_DIFFERENTIABLE)
        if cut is not None:
            name, line, call = cut
            yield Violation(
                (f"{loss.name} has no grad_fn", ": ", f"{name} is made by {call}, which has no gradient"),
                (name, f"line {line[1]}: {call}"),
                (loss.name, "without grad_fn"),
                line=line,
            )


def _of_slope_zero(step: Step) -> Iterator[Violation]:
    """A loss whose graph leads through a step function only."""
    for loss in step.losses:
        root = step.node_of(loss.tensor)
        steps = step.graph.below(root, *ZERO_GRADIENT) if root is not None else []
        flat = [node for node in steps if not node.is_custom]  # whose slope its class tells
        if root is None or not flat or not step.optimized & {id(leaf) for leaf in step.graph.leaves(root)}:
            continue
        if step.optimized & {id(leaf) for leaf in step.graph.leaves_beside(root, tuple(ZERO_GRADIENT))}:
            yield from _behind_a_step(step, loss, flat)
            continue
        subject = step.title_of(flat[0])
        yield Violation(
            (
                f"{loss.name} has no gradient but zero",
                ": ",
                f"{subject or 'a value'} is made by {flat[0].op.lower()}, whose slope is 0",
            ),
            (subject, f"grad ← {flat[0].op}Backward0"),
            (loss.name, "every way to a parameter leads through it"),
            line=(step.source.file, loss.backward.lineno) if subject is None else line_of_binding(step, subject),
        )


def _behind_a_step(step: Step, loss: Loss, flat: list[AutogradNode]) -> Iterator[Violation]:
    """Parameters that are reached through a step function only, though others are not: an encoder whose code is rounded."""
    roots = [root for one in step.losses if (root := step.node_of(one.tensor)) is not None]
    beside = {id(leaf) for root in roots for leaf in step.graph.leaves_beside(root, tuple(ZERO_GRADIENT))}
    if not step.has_all_losses() or not step.graph.complete:
        return
    for node in flat:
        below = {id(leaf) for leaf in step.graph.leaves(node)} - beside
        missed = [one for one in step.trained() if id(one.tensor) in below]
        if not missed or any(_is_given_one(step, one) for one in missed):
            continue
        subject = step.title_of(node)
        yield Violation(
            (
                f"{grouped(missed)} get no gradient but zero from {loss.name}",
                ": ",
                f"{subject or 'a value'} is made by {node.op.lower()}, whose slope is 0",
            ),
            (subject, f"grad ← {node.op}Backward0"),
            *((one.name, "reached through it only") for one in missed[:3]),
            line=line_of_call_below(step, *ZERO_GRADIENT[node.op])
            if subject is None
            else line_of_binding(step, subject),
        )
        return


def _is_given_one(step: Step, one: Parameter) -> bool:
    """Whether a parameter has another gradient than zero, or may be given one by hand."""
    grad = step.grad(one.tensor)
    if grad is not None and step.norm(grad) != 0:
        return True
    is_set = any(name.endswith(".grad") for source in step.sources for name in source.bindings)
    return is_set or bool(grad_hooks_of(one.tensor))


def _terms(step: Step) -> Iterator[Violation]:
    """A loss is a sum, and a step function made one term of it: only the others train."""
    for loss in step.losses:
        for flat in terms_without_gradient(step, loss):
            if _has_a_sloped_part(step, loss, flat):
                continue
            what = flat.name or "it"
            yield Violation(
                (
                    f"the term {flat.term} of {loss.name} gives no gradient",
                    ": ",
                    f"{what} is made by {flat.call}, which has none; only the other terms train",
                ),
                (flat.name if step.value(flat.name or "") is not None else None, f"line {flat.line[1]}: {flat.call}"),
                (loss.name, f"a sum with {flat.term}"),
                line=flat.line,
                certain=False,
            )


def _has_a_sloped_part(step: Step, loss: Loss, flat: DetachedTerm) -> bool:
    """Whether another term is a plain mean of the very value that the step function takes: a count and its remainder."""
    made = list(definitions_of(step.source, flat.name or ""))
    stepped = {name for one in made for name in names_in(one.value)}
    sums = [one for made in definitions_of(step.source, key_of(loss.name)) for one in _terms_of(made.value)]
    others = [one for one in sums if shown_text(one) != flat.term]
    return any(_is_linear(step, one, name) for one in others for name in stepped if name != flat.name)


def _terms_of(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        yield from _terms_of(node.left)
        yield from _terms_of(node.right)
    else:
        yield node


def _is_linear(step: Step, node: ast.expr, name: str) -> bool:
    """Whether an expression is a value that needs a gradient, shifted, scaled and reduced, by itself or by another name."""
    if isinstance(node, ast.BinOp):
        sides = [side for side in (node.left, node.right) if not isinstance(side, ast.Constant)]
        return len(sides) == 1 and _is_linear(step, sides[0], name)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in ("mean", "sum") and _is_linear(step, node.func.value, name)
    if text_of(node) == name:
        value = step.value(name)
        return is_exact_tensor(value) and requires_grad(value)
    made = step.source.binding_of(text_of(node)) if is_name(node) else None
    value = made[1].value if made is not None and isinstance(made[1], ast.Assign) else None
    return value is not None and text_of(node) not in names_in(value) and _is_linear(step, value, name)
