"""Rules about graphs that outlive their step."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import is_own
from .....measure.torch.metadata import requires_grad
from .....words.text import plural
from ....step.expressions import root_of, text_of
from ....step.source import Call, Source
from ....step.step import Step
from ...finding import Found
from ...rule import Rule


def retained_graph(step: Step) -> Iterator[Found]:
    """A running sum or a list keeps the graphs of steps whose backward is long done."""
    source = step.source
    used = {root_of(name) for backward in source.backwards for name in backward.mentioned}
    for thing in step.tensors:
        if thing.view != step.at or root_of(thing.key) in used or not requires_grad(thing.value):
            continue
        line = _grows_in(source, thing.key, (ast.AugAssign, ast.Assign))
        if line is None:
            continue
        freed = _freed_addends(step, thing.value)
        if freed > 1:
            yield Found(
                f"{thing.name} carries the graphs of {freed} steps: a chain of additions that keeps them alive",
                (thing.name, f"requires grad, {freed} freed graphs below it"),
                line=(source.file, line),
                suggestion="add the number: loss.item() or loss.detach()",
            )
    for (view, key), value in step.named_values():
        if view != step.at or type(value) is not list or root_of(key) in used:
            continue
        items = [item for item in value[:64] if is_own(item) and requires_grad(item)]
        freed = sum(_is_freed(step, item) for item in items)
        line = _appended_in(source, key)
        if freed > 1 and line is not None:
            yield Found(
                f"{key} keeps the graphs of {freed} steps alive",
                (key, f"{plural(len(items), 'tensor')} with grad_fn, their graphs freed"),
                line=(source.file, line),
                suggestion="append the number: loss.item() or loss.detach()",
            )


def _grows_in(source: Source, name: str, kinds: tuple[type, ...]) -> int | None:
    """The line in which a name is added to, in a loop that does not begin it anew."""
    bindings = source.bindings.get(name, [])
    adds = [
        (line, node)
        for line, node in bindings
        if isinstance(node, ast.AugAssign) or (isinstance(node, ast.Assign) and _adds_to(node.value, name))
    ]
    fresh = [line for line, node in bindings if all(node is not added for _, added in adds)]
    return next((line for line, _ in adds if _outlives_a_step(source, name, line, fresh)), None)


def _adds_to(value: ast.expr, name: str) -> bool:
    """Whether it is a sum with the name itself in it: a cell's new state is none, nor is ``name.detach()``."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        return _adds_to(value.left, name) or _adds_to(value.right, name)
    return text_of(value) == name


def _outlives_a_step(source: Source, name: str, line: int, fresh: list[int]) -> bool:
    """Whether what grows in a line is never begun anew in the loop in which that and a backward come again and again.

    Without such a loop, the function itself is what comes again: only an attribute outlives that.
    """
    fresh = [*fresh, *(call.lineno for call in source.calls if _empties(call, name))]
    backwards = [backward.lineno for backward in source.backwards]
    around = [(first, last) for first, last in source.loops if first <= line <= last]
    steps = [loop for loop in around if any(loop[0] <= at <= loop[1] for at in backwards)]
    if not steps:
        is_once_a_step = not around and any(not source.is_conditional(at, seen_from=line) for at in backwards)
        return "." in name and not fresh and is_once_a_step
    first, last = max(steps, key=lambda loop: loop[0])
    loops = [(first, last), *(loop for loop in map(source.loop_of, backwards) if loop is not None)]
    return not any(first <= at <= last for first, last in loops for at in fresh)


def _empties(call: Call, name: str) -> bool:
    """Whether a call may take from a list what it holds: any method but those that add to it."""
    return text_of(call.receiver) == name and call.name not in ("append", "extend", "insert")


def _appended_in(source: Source, name: str) -> int | None:
    for call in source.calls_of("append"):
        if text_of(call.receiver) != name:
            continue
        if _outlives_a_step(source, name, call.lineno, source.lines_of(name)):
            return call.lineno
    return None


def _freed_addends(step: Step, tensor: Any) -> int:
    """How many freed graphs a chain of additions joins."""
    node, found = step.node_of(tensor), 0
    waiting = [] if node is None else [node]
    while waiting and found < 10_000:
        node = waiting.pop()
        if node.op in ("Add", "Div", "Mul") and node.op != "Add":
            if not node.is_freed():
                waiting.extend(step.graph.inputs(node))
                continue
        elif node.op == "Add":
            waiting.extend(step.graph.inputs(node))
            continue
        found += any(below.is_freed() for below in step.graph.below(node)[:20])
    return found


def _is_freed(step: Step, tensor: Any) -> bool:
    node = step.node_of(tensor)
    return node is not None and any(below.is_freed() for below in step.graph.below(node)[:20])


def graph_grows(step: Step) -> Iterator[Found]:
    """The graph of the loss is longer by as much at each stop in this line: it reaches back through earlier steps."""
    sizes = [moment.nodes for moment in step.moments if moment.lineno == step.source.lineno and moment.nodes]
    roots = [node for node in (step.node_of(loss.tensor) for loss in step.losses) if node is not None]
    if len(sizes) < 3 or not roots:
        return
    now = max(len(step.graph.below(root)) for root in roots)
    sizes = [*sizes[-3:], now]
    grown = [after - before for before, after in zip(sizes, sizes[1:])]
    if min(grown) < 3 or max(grown) != min(grown):
        return
    last = [moment.newest for moment in step.moments if moment.lineno == step.source.lineno and moment.nodes][-1]
    old = {
        node.index for root in roots for node in step.graph.below(root) if node.leaf is None and node.order() <= last
    }
    if last < 0 or len(old) < 2 * grown[0]:  # it is only a longer way from step to step
        return
    loss = step.losses[0]
    yield Found(
        f"the graph of {loss.name} grows by {grown[0]} nodes a step: it reaches back through earlier steps",
        (loss.name, f"{sizes[-1]} nodes now, {sizes[0]} three stops ago"),
        suggestion="detach what is carried from step to step",
    )


RULES = [
    Rule(
        "retained-graph",
        retained_graph,
        "source",
        "warning",
        "Memory grows with every step.",
        "keep numbers, not tensors with a graph",
    ),
    Rule(
        "graph-grows",
        graph_grows,
        "loss moments source",
        "warning",
        "Each step takes longer and more memory than the one before.",
        "detach what is carried over",
    ),
]
