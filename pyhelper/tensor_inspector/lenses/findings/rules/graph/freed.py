"""Rules about what a backward needs: saved values that were changed, graphs that were freed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import is_own, version_of
from .....measure.torch.graph import Node
from .....measure.torch.modules import Member
from .....safe.guard import SEQUENCES
from ....step.expressions import names_given, names_in, root_of, text_of
from ....step.source import Call, Source
from ....step.step import Step
from ...classes import is_library, methods_of
from ...finding import Found
from ...outputs import INPUTS, USUAL
from ...rule import Rule


def inplace_modified(step: Step) -> Iterator[Found]:
    for loss in step.pending():
        root = step.node_of(loss.tensor)
        for node in step.graph.below(root) if root is not None else ():
            for name in node.saves():
                saved = node.saved(name)
                if saved.state != "modified":
                    continue
                changed = _changed_name(step, node, name)
                versions = f"saved at version {saved.expected}, now at version {saved.found}"
                line, how = _changed_in(step, changed)
                title = f"backward will fail: {node.op}Backward0 saved {changed or 'a tensor'} at version {saved.expected}, it is at version {saved.found} now{how}"
                yield Found(title, (changed, versions), (loss.name, "its backward goes through it"), line=line)
                return


def _changed_name(step: Step, node: Node, saved: str) -> str | None:
    """The variable that was changed: what the node made, or what was made of that in place."""
    for above in (node, *(user for user, _ in step.graph.users(node))):
        thing = step.tensor_at(above)
        if thing is not None and version_of(thing.value):
            return thing.name
    positions = [at for at in range(len(node.inputs)) if INPUTS.get(node.op, USUAL).get(at) == saved]
    inputs = [step.graph.input(node, at) for at in positions] or list(step.graph.inputs(node))
    for below in (one for one in inputs if one is not None):
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
    held = any(one.name == name for one in step.trained())
    for call in step.source.calls_of("step") if held else ():
        if any(thing.key == text_of(call.receiver) for thing in step.optimizers):
            return (step.source.file, call.lineno), f" ({call.callee})"
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
            through = f"{loss.name} goes through {what}, whose graph an earlier backward has freed"
            again = f"an earlier backward of {loss.name} has freed its graph"
            before = [other.lineno for other in step.source.backwards if other.lineno < step.source.lineno]
            yield Found(
                again if shared == loss.name else through,
                (loss.name, f"{freed.op}Backward0 below it has nothing saved any more"),
                *([(shared, "its graph is freed")] if shared and shared != loss.name else []),
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
    elif type(value) in SEQUENCES:
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
]
