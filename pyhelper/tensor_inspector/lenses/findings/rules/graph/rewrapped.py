"""Rule about losses that a called function rebuilds from plain numbers, which cuts the graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....safe.guard import SEQUENCES, instance_dict
from .....words.text import plural
from ....step.backpropagated import Loss
from ....step.called import functions_called, value_in
from ....step.classes import is_library, methods_of
from ....step.expressions import last_name, names_in, shown_text, text_of
from ....step.source import Source
from ....step.step import Step
from ...finding import Violation
from ...made_of import made_of

_MAKING = ("tensor", "as_tensor", "Variable")
_NUMBERS = frozenset(("float", "item", "tolist"))


def rewrapped_in_callees(step: Step, loss: Loss) -> Iterator[Violation]:
    """``torch.tensor(losses, requires_grad=True)`` in a function that gives the loss."""
    made = {id(node) for one in made_of(step.source, loss.name) for node in ast.walk(one.value)}
    for called in functions_called(step, [step.at]):
        if id(called.first.call.node) not in made:
            continue
        for line, given in _new_leaves(called.source):
            yield _rewrapped(step, loss, called.source, line, given)
            return
    for item, source in _methods_of_items(step, loss):
        for line, given in _new_leaves(source):
            if any(_keeps_numbers(step, item, name, source.self_name) for name in names_in(given)):
                yield _rewrapped(step, loss, source, line, given)
                return


def _rewrapped(step: Step, loss: Loss, source: Source, line: int, given: ast.expr) -> Violation:
    reaches = "reaches" if loss.pending else "reached"
    return Violation(
        (
            f"{loss.name} is made of the numbers of {shown_text(given)}",
            ", ",
            f"a new leaf that {source.function} makes: backward {reaches} none of {plural(len(step.trained()), 'parameter')}",
        ),
        (loss.name, "leads to a new leaf only"),
        line=(source.file, line),
    )


def _new_leaves(source: Source) -> Iterator[tuple[int, ast.expr]]:
    """Where a function makes what it returns a leaf of the numbers of something: the line, and of what."""
    for node in (below for statement in source.body for below in ast.walk(statement)):
        if not isinstance(node, ast.Call):
            continue
        asked = [one for one in node.keywords if one.arg == "requires_grad" and text_of(one.value) == "True"]
        is_marked = isinstance(node.func, ast.Attribute) and node.func.attr == "requires_grad_"
        made = node.func.value if isinstance(node.func, ast.Attribute) and is_marked else node
        if not isinstance(made, ast.Call) or last_name(made.func) not in _MAKING or not (asked or is_marked):
            continue
        if made.args and names_in(made.args[0]) and _is_returned(source, node):
            yield made.lineno, made.args[0]


def _methods_of_items(step: Step, loss: Loss) -> Iterator[tuple[Any, Source]]:
    """Methods of the items of a list, which a loop calls to make a loss of them: with the first item."""
    for made in made_of(step.source, loss.name):
        nodes = list(ast.walk(made.value))
        loops: list[Any] = [node for node in nodes if isinstance(node, ast.comprehension)]
        for function in (node.func for node in nodes if isinstance(node, ast.Call)):
            if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
                continue
            name = function.value.id
            around = [node for _, node in step.source.bindings.get(name, ()) if isinstance(node, ast.For)]
            for loop in (*around, *loops):
                items = value_in(step, text_of(loop.iter), step.at) if text_of(loop.target) == name else None
                item = items[0] if type(items) in SEQUENCES and items else None
                methods = {} if is_library(type(item)) else dict(methods_of(type(item)))
                if function.attr in methods:
                    yield item, methods[function.attr]


def _keeps_numbers(step: Step, item: Any, name: str, own: str) -> bool:
    """Whether an attribute of an object is a list to which methods of it, or functions that are called, append numbers."""
    owner, _, attribute = name.rpartition(".")
    if owner != own or type(instance_dict(item).get(attribute)) is not list:
        return False
    called = (*step.sources, *(one.source for one in functions_called(step, [step.at])))
    for source in (*(method for _, method in methods_of(type(item))), *called):
        for call in source.calls_of("append", "extend"):
            given = [last_name(node.func) for one in call.args for node in ast.walk(one) if isinstance(node, ast.Call)]
            if last_name(call.receiver) == attribute and not _NUMBERS.isdisjoint(given):
                return True
    return False


def _is_returned(source: Source, made: ast.Call) -> bool:
    """Whether a function gives it, or a name that it is bound to, or what a method of that makes."""
    nodes = [below for statement in source.body for below in ast.walk(statement)]
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
