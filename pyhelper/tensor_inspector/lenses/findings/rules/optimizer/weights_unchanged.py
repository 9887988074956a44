"""No weight moves although the loop makes steps.

Why: The optimizer does not update this model.

Example:
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step  # not called

Instead:
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()

Silent when:
    - fewer than two earlier stops in this line are remembered (but for a step that is only named, or an update by hand
      that is lost)
    - a weight has moved, or not all trainable weights are held by optimizers and remembered
    - the step stands under a condition
    - gradients are the same as before: no new backward has come; or a function that is called may run one
    - what an update by hand makes is read, or goes where gradients are
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .....measure.torch.elements import version_of
from ....flow.effects import CLIPPING_OF_ANY
from ....step.calls import Call
from ....step.expressions import own_name, text_of
from ....step.functions import sources_in_reach
from ....step.moment import Moment, ParameterState
from ....step.roles import Parameter
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.updates_by_hand import updates_of_nothing

#: Names of what computes no gradient.
_WITHOUT = (
    *CLIPPING_OF_ANY,
    *("enable_grad", "is_grad_enabled", "no_grad", "set_grad_enabled"),
    *("requires_grad", "requires_grad_", "zero_grad"),
)


@rule(
    "error",
    why="The optimizer does not update this model.",
    suggestion="check which tensors the optimizer holds",
    needs="source",
)
def weights_unchanged(step: Step) -> Iterator[Violation]:
    lost = next(updates_of_nothing(step), None)
    if lost is not None:
        yield lost
        return
    for written, line in _named_only(step):
        yield Violation(
            (f"{written} is not called", ": ", "without () nothing happens"),
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
    known = [one for one in step.trained() if all(one.name in stop.weights for stop in stops)]
    if not calls or not known or len(known) < len(step.trainable()):
        return
    moved = any(_has_moved(step, one, stop.weights[one.name]) for one in known for stop in stops)
    if not moved and _is_without_backward(step, known, stops):
        yield Violation(
            (
                f"no weight has changed in {len(stops)} steps of {text_of(calls[0].receiver)}",
                ": ",
                "nothing calls backward",
            ),
            (known[0].name, "grad None, the same version as before"),
            line=(step.source.file, calls[0].lineno),
            suggestion="call backward() on the loss before the step",
        )
    elif not moved and all(_has_new_grad(step, one, stops) for one in known):
        yield Violation(
            f"no weight has changed in {len(stops)} steps of {text_of(calls[0].receiver)}",
            (known[0].name, "the same version as before"),
            line=(step.source.file, calls[0].lineno),
        )


def _is_without_backward(step: Step, known: list[Parameter], stops: list[Moment]) -> bool:
    """Whether no weight has had a gradient at any of the stops, and no function that is called names a backward."""
    if any(step.grad(one.tensor) is not None for one in known):
        return False
    if any(stop.weights[one.name].grad_norm is not None for stop in stops for one in known):
        return False
    names = (node for source in sources_in_reach(step) for node in source.nodes)
    return not any("backward" in text or "grad" in text for text in map(own_name, names) if text not in _WITHOUT)


def _has_moved(step: Step, one: Parameter, known: ParameterState) -> bool:
    """Whether a parameter is another than at a stop: what changes its ``.data`` leaves its version as it was."""
    return known.version != version_of(one.tensor) or known.norm != step.norm(one.tensor)


def _has_new_grad(step: Step, one: Parameter, stops: list[Moment]) -> bool:
    """Whether a backward has given a parameter other gradients at each of the stops."""
    grad = step.grad(one.tensor)
    norms = [stop.weights[one.name].grad_norm for stop in stops]
    if grad is None or None in norms:
        return False
    return len({*norms, step.norm(grad)}) == len(stops) + 1


def _plain_steps(step: Step) -> Iterator[Call]:
    """Calls of ``step`` on an optimizer in sight that stand in the body of a loop, under no condition."""
    for body in _bodies(step):
        for statement in body:
            if isinstance(statement, ast.For):
                lines = {inside.lineno for inside in statement.body if isinstance(inside, ast.Expr)}
                for call in step.source.calls_of("step"):
                    if call.lineno in lines and any(
                        variable.key == text_of(call.receiver) for variable in step.optimizers
                    ):
                        yield call


def _bodies(step: Step) -> Iterator[list[ast.stmt]]:
    """The lists of statements in the source of the step, but for those of functions and classes inside it."""
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


def _named_only(step: Step) -> Iterator[tuple[str, int]]:
    """Statements that name the step of an optimizer in sight, and do not call it: ``optimizer.step``."""
    steps = {f"{variable.key}.step" for variable in step.optimizers}
    for node in ast.walk(step.source.tree) if step.source.tree is not None else ():
        if isinstance(node, ast.Expr) and text_of(node.value) in steps:
            yield text_of(node.value), node.lineno
