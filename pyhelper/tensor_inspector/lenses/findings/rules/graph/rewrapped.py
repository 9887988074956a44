"""Rule about losses that a called function rebuilds from plain numbers, which cuts the graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .....words.text import plural
from ....step.backpropagated import Loss
from ....step.called import Called, functions_called
from ....step.expressions import last_name, names_in, shown_text, text_of
from ....step.step import Step
from ...finding import Violation
from ...made_of import made_of

_MAKING = ("tensor", "as_tensor", "Variable")


def rewrapped_in_callees(step: Step, loss: Loss) -> Iterator[Violation]:
    """``torch.tensor(losses, requires_grad=True)`` in a function that gives the loss."""
    made = {id(node) for one in made_of(step.source, loss.name) for node in ast.walk(one.value)}
    for called in functions_called(step, [step.at]):
        if id(called.first.call.node) not in made:
            continue
        for call in _new_leaves(called):
            given = shown_text(call.args[0])
            yield Violation(
                (
                    f"{loss.name} is made of the numbers of {given}",
                    ", ",
                    f"a new leaf that {called.source.function} makes: backward {'reaches' if loss.pending else 'reached'} none of {plural(len(step.trained()), 'parameter')}",
                ),
                (loss.name, "leads to a new leaf only"),
                line=(called.source.file, call.lineno),
            )
            return


def _new_leaves(called: Called) -> Iterator[ast.Call]:
    nodes = (below for statement in called.source.body for below in ast.walk(statement))
    for node in nodes:
        if isinstance(node, ast.Call) and last_name(node.func) in _MAKING and node.args:
            asked = [one for one in node.keywords if one.arg == "requires_grad" and text_of(one.value) == "True"]
            if asked and names_in(node.args[0]) and _is_returned(called, node):
                yield node


def _is_returned(called: Called, made: ast.Call) -> bool:
    """Whether a function gives it, or a name that it is bound to, or what a method of that makes."""
    nodes = [below for statement in called.source.body for below in ast.walk(statement)]
    bound = [node for node in nodes if isinstance(node, ast.Assign) and node.value is made]
    names = {text_of(target) for node in bound for target in node.targets}
    for node in nodes:
        if not isinstance(node, ast.Return) or node.value is None:
            continue
        inside = list(ast.walk(node.value))
        calls = [one for one in inside if isinstance(one, ast.Call)]
        on_it = all(isinstance(one.func, ast.Attribute) and text_of(one.func.value) in names for one in calls)
        if made in inside or (on_it and names & {text_of(one) for one in inside if isinstance(one, ast.Name)}):
            return True
    return False
