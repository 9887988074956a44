"""Rules about the way back through the graph: changed, freed, or kept for too long."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ....measure.torch.elements import is_own, version_of
from ....measure.torch.graph import Node
from ....measure.torch.metadata import requires_grad
from ....measure.torch.modules import Member, parameters_of
from ....words.text import plural
from ...step.source import Call, Source, names_given, names_in, root_of, text_of
from ...step.step import Step
from ..classes import is_library, methods_of
from ..finding import Found
from ..rule import Rule


def inplace_modified(step: Step) -> Iterator[Found]:
    for loss in step.pending():
        root = step.node_of(loss.tensor)
        for node in step.graph.below(root) if root is not None else ():
            for name in node.saves():
                saved = node.saved(name)
                if saved.state != "modified":
                    continue
                changed = _changed_name(step, node)
                versions = f"saved at version {saved.expected}, now at version {saved.found}"
                line, how = _changed_in(step, changed)
                title = f"backward will fail: {node.op}Backward0 saved {changed or 'a tensor'} at version {saved.expected}, it is at version {saved.found} now{how}"
                yield Found(title, (changed, versions), (loss.name, "its backward goes through it"), line=line)
                return


def _changed_name(step: Step, node: Node) -> str | None:
    """The variable that was changed: what the node made, or what was made of that in place."""
    for above in (node, *(user for user, _ in step.graph.users(node))):
        thing = step.tensor_at(above)
        if thing is not None and version_of(thing.value):
            return thing.name
    for below in step.graph.inputs(node):
        thing = step.tensor_at(below)
        if thing is not None and version_of(thing.value):
            return thing.name
        for leaf_at in step.graph.below(below)[:3]:
            if leaf_at.leaf is not None and version_of(leaf_at.leaf):
                return step.name_of(leaf_at.leaf)
    return None


def _changed_in(step: Step, name: str | None) -> tuple[tuple[str, int] | None, str]:
    if name is None:
        return None, ""
    for call in reversed(step.source.calls):
        if (
            call.name.endswith("_")
            and not call.name.endswith("__")
            and text_of(call.receiver) == name
            and call.lineno < step.source.lineno
        ):
            return (step.source.file, call.lineno), f" ({call.callee})"
    for line, node in reversed(step.source.bindings.get(name, [])):
        if isinstance(node, ast.AugAssign) and line < step.source.lineno:
            return (step.source.file, line), ""
    return None, ""


def graph_freed(step: Step) -> Iterator[Found]:
    """A backward that is still to come leads through what an earlier one has freed."""
    for loss in step.pending():
        root = step.node_of(loss.tensor)
        if root is None:
            continue
        freed = next((node for node in step.graph.below(root) if node.is_freed()), None)
        if freed is not None:
            shared = step.title_of(freed) or _named_above(step, root, freed)
            what = f"{shared}, made by {freed.op}" if shared else freed.op
            before = [other.lineno for other in step.source.backwards if other.lineno < step.source.lineno]
            yield Found(
                f"{loss.name} goes through {what}, whose graph an earlier backward has freed",
                (loss.name, f"{freed.op}Backward0 below it has nothing saved any more"),
                *([(shared, "its graph is freed")] if shared else []),
                line=(step.source.file, before[-1] if before else loss.backward.lineno),
            )
            return
    for name, tensor, line in _carried(step):
        root = step.node_of(tensor)
        freed = None if root is None else next((node for node in step.graph.below(root) if node.is_freed()), None)
        if freed is not None:
            yield Found(
                f"{name} still has the graph of the step before, which its backward has freed: the next backward will fail",
                (name, f"grad ← {root.op if root else ''}Backward0, freed below"),
                line=(step.source.file, line),
                suggestion=f"detach it between steps: {name} = {name}.detach()",
            )
            return


def _carried(step: Step) -> Iterator[tuple[str, Any, int]]:
    """What is about to be given to a module, in the loop of a backward that is still to come."""
    source = step.source
    for call, _, view in step.calls_of_modules():
        if view != step.at or call.lineno < source.lineno:
            continue
        loop = source.loop_of(call.lineno)
        if loop is None or not any(
            loop[0] <= other.lineno <= loop[1] and other.lineno >= call.lineno for other in source.backwards
        ):
            continue
        for argument in (*call.args, *call.keywords.values()):
            for name in names_given(argument):
                if not source.is_current(name, call.lineno) or not _takes_as_it_is(step, call, argument):
                    continue
                yield from ((shown, tensor, call.lineno) for shown, tensor in _tensors_named(step, name))


def _takes_as_it_is(step: Step, call: Call, argument: ast.expr) -> bool:
    """Whether a module surely computes with what it is given, and does not detach it first.

    A module of the library does so. One of the program does where its ``forward`` only hands it on to such modules.
    """
    found = step.module_of(call.callee, step.at)
    if found is None or is_library(type(found.value)):
        return found is not None
    forward = next((source for name, source in methods_of(type(found.value)) if name == "forward"), None)
    name = None if forward is None else _received(forward, call, argument)
    return forward is not None and name is not None and _only_hands_on(forward, name, found.value)


def _received(forward: Source, call: Call, argument: ast.expr) -> str | None:
    """The name that an argument of a call of a module has in its ``forward``."""
    names = forward.arguments[1:]
    at = next((at for at, given in enumerate(call.args) if given is argument), None)
    if at is not None:
        return names[at] if at < len(names) else None
    return next((name for name, given in call.keywords.items() if given is argument and name in names), None)


def _only_hands_on(forward: Source, name: str, module: Any) -> bool:
    """Whether all that a ``forward`` does with what it was given is to call modules of the library with it."""
    parts = {f"self.{key}" for key, part in Member(module, "", "", None).items("_modules") if is_library(type(part))}
    calls = [call for call in forward.calls if any(root_of(used) == name for used in names_in(call.node))]
    lines = {call.lineno for call in calls}
    bound = {line for line, node in forward.bindings.get(name, []) if not isinstance(node, ast.arg)}
    return (
        bool(calls)
        and all(call.callee in parts and name in map(root_of, names_given(*call.args)) for call in calls)
        and bound <= lines
        and not any(forward.is_under(line, "no_grad", "inference_mode") for line in lines)
    )


def _tensors_named(step: Step, name: str) -> Iterator[tuple[str, Any]]:
    value = step.value(name)
    if is_own(value):
        yield name, value
    elif type(value) in (list, tuple):
        for item in value[:8]:
            if is_own(item):
                yield name, item


def _named_above(step: Step, root: Node, freed: Node) -> str | None:
    """The nearest variable that the freed node has become."""
    for thing in step.tensors:
        node = step.node_of(thing.value)
        if node is not None and node is not root and step.graph.reaches(root, node) and step.graph.reaches(node, freed):
            return thing.name
    return None


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
            waiting.extend(step.graph.inputs(node)) if not node.is_freed() else None
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


def checkpoint_cut(step: Step) -> Iterator[Found]:
    """A reentrant checkpoint whose inputs need no gradient runs its part without one."""
    for call in step.here.calls_of("checkpoint"):
        reentrant = call.keywords.get("use_reentrant")
        if reentrant is None or text_of(reentrant) != "True":
            continue
        inputs = [step.operand(argument, 0, call.lineno) for argument in call.args[1:]]
        known = [thing for thing in inputs if thing is not None and is_own(thing.value)]
        called = step.module_of(text_of(call.args[0]), 0) if call.args else None
        if not known or len(known) < len(inputs) or any(requires_grad(thing.value) for thing in known):
            continue
        if called is not None and any(map(requires_grad, parameters_of(called.value))):
            yield Found(
                f"the reentrant checkpoint of {called.name} gets no input that needs a gradient: its parameters get none",
                (known[0].name, "requires_grad is False"),
                line=(step.here.file, call.lineno),
                suggestion="use_reentrant=False",
            )


RULES = [
    Rule(
        "inplace-modified",
        inplace_modified,
        "loss source",
        "error",
        "The backward needs the value as it was; torch will raise.",
        "use the operation that makes a new tensor",
    ),
    Rule(
        "graph-freed",
        graph_freed,
        "source",
        "error",
        "backward() frees what it went through; a second one raises.",
        "add the losses and call backward once, or retain_graph=True",
    ),
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
    Rule(
        "checkpoint-cut",
        checkpoint_cut,
        "source",
        "error",
        "A reentrant checkpoint records a graph only where an input needs a gradient.",
        "use_reentrant=False",
    ),
]
