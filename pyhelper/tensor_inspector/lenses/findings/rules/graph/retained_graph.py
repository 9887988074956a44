"""A sum or a list keeps the graphs of steps that are done.

Why: Memory grows with every step.

Example:
    total += loss
    history.append(loss)

Instead:
    total += loss.item()
    history.append(loss.item())

Silent when:
    - it is reset in the loop with the step, or by a caller
    - it holds only one graph, or graphs that are not freed yet
    - a backward is called on it
    - no line in the source adds to it, step by step
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from .....measure.torch.metadata import is_exact_tensor, requires_grad
from .....measure.torch.modules import is_module
from .....safe.guard import Classes
from .....words.text import plural
from ....flow.constants.running_sums import additions, adds_to_item, is_reset_in
from ....flow.reach.growing_lists import (
    Iterations,
    appended_in,
    called_by,
    is_never_reset,
    is_never_reset_by_callers,
    iterations_of,
    outlives_a_step,
)
from ....step.classes import is_library, methods_of
from ....step.expressions import key_of, parent_of, root_of, shown, text_of
from ....step.sight import VisibleVariable
from ....step.source import Source
from ....step.step import Step
from ...finding import Violation
from ...rule import rule

_CONTAINERS, _HOLDERS = Classes(list, dict), Classes(tuple, list, dict)
_ITEMS = 64  #: of one container


@rule(
    "warning",
    why="Memory grows with every step.",
    suggestion="keep numbers, not tensors with a graph",
    causes="graph-grows",
    needs="source",
)
def retained_graph(step: Step) -> Iterator[Violation]:
    source, rounds = step.source, iterations_of(step)
    used = {root_of(name) for backward in source.backwards for name in backward.mentioned}
    buffers = (VisibleVariable(key_of(name), tensor, step.level, 1) for name, tensor, _ in step.buffers)
    for variable in (*step.tensors, *buffers):
        if variable.level != step.level or root_of(variable.key) in used or not requires_grad(variable.value):
            continue
        line = _grows_in(source, variable.key, rounds)
        place = (source.file, line) if line is not None else _grows_in_methods(step, variable.key, rounds)
        if place is None:
            continue
        kept = _kept_addends(step, variable.value, rounds.are_retained)
        what = "graphs" if rounds.are_retained else "freed graphs"
        if kept > 1:
            yield Violation(
                (f"{variable.name} keeps {kept} {what} alive", ": ", "those of what was added to it"),
                (variable.name, f"requires grad, {kept} {what} below it"),
                line=place,
                suggestion="add the number: loss.item() or loss.detach()",
            )
    for (level, key), value in step.named_values():
        if level != step.level or type(value) not in _CONTAINERS or root_of(key) in used:
            continue
        name = shown(key)
        items = [item for item in _tensors_in(value) if requires_grad(item)]
        freed = sum(_is_freed(step, item) for item in items)
        place = appended_in(step, key, value, rounds) if freed > 1 else None
        if place is not None:
            yield Violation(
                (f"{name} keeps {freed} freed graphs alive", ": ", f"those of what was {_put(value)} it"),
                (name, f"{plural(len(items), 'tensor')} with grad_fn, their graphs freed"),
                line=place,
                suggestion=f"{'append' if type(value) is list else 'keep'} the number: loss.item() or loss.detach()",
            )


def _put(container: Any) -> str:
    return "appended to" if type(container) is list else "put into"


def _tensors_in(container: Any) -> Iterator[Any]:
    """The tensors that are items of a list, values of a dict, or stand in such an item: ``(step, loss)``, ``{"loss": loss}``."""
    for item in _first_values(container):
        inside = _first_values(item) if type(item) in _HOLDERS else [item]
        yield from filter(is_exact_tensor, inside)


def _first_values(container: Any) -> list[Any]:
    values = dict.values(container) if type(container) is dict else container
    return list(islice(values, _ITEMS))


def _grows_in(source: Source, name: str, rounds: Iterations) -> int | None:
    """The line in which a name is added to, in a loop that does not reset it."""
    adds = additions(source, name)
    bindings = source.bindings.get(name, [])
    resets = [line for line, node in bindings if all(node is not added for _, added in adds)]
    parent = parent_of(name)
    if parent is not None:
        resets += [line for line, node in source.bindings.get(parent, ()) if not adds_to_item(node, parent)]
    return next((line for line, _ in adds if outlives_a_step(source, name, line, resets, rounds)), None)


def _grows_in_methods(step: Step, name: str, rounds: Iterations) -> tuple[str, int] | None:
    """The line in which a method that is called in each step adds to what its object keeps, and none resets it."""
    source, owner = step.source, parent_of(name)
    while owner is not None:
        value = step.value(owner)
        methods = {} if value is None or is_library(type(value)) else dict(methods_of(type(value)))
        attribute = "self" + name[len(owner) :]
        resetting = {method for method, inside in methods.items() if is_reset_in(inside, attribute)}
        calls = [call for call in source.calls if text_of(call.receiver) == owner or call.callee == owner]
        itself = "forward" if is_module(value) else "__call__"
        names = [(call, itself if call.callee == owner else call.name) for call in calls]
        resets = [*source.lines_of(owner), *(call.lineno for call, method in names if method in resetting)]
        for call, method in ((call, inner) for call, outer in names for inner in called_by(methods, outer)):
            adds = additions(methods[method], attribute) if method not in resetting else []
            if adds and (
                is_never_reset(source, call.lineno, resets, rounds)
                or (not resets and is_never_reset_by_callers(step, value, resetting, call.lineno, rounds))
            ):
                return methods[method].file, adds[0][0]
        owner = parent_of(owner)
    return None


def _kept_addends(step: Step, tensor: Any, is_retained: bool) -> int:
    """How many graphs of earlier rounds a chain of additions joins: freed ones, or all but that of the latest round."""
    node, found = step.node_of(tensor), 0
    waiting = [] if node is None else [node]
    while waiting and found < 10_000:
        node = waiting.pop()
        if node.op == "Add" or (node.op in ("Div", "Mul") and not node.is_freed()):
            waiting.extend(step.graph.inputs(node))
        elif is_retained:
            found += any(id(leaf) in step.optimized for leaf in step.graph.leaves(node))
        else:
            found += step.graph.freed_below(node, most=20) is not None
    return max(0, found - is_retained)


def _is_freed(step: Step, tensor: Any) -> bool:
    node = step.node_of(tensor)
    return node is not None and step.graph.freed_below(node, most=20) is not None
