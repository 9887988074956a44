"""A backward still to come leads through a graph that is freed.

Why: backward() frees what it went through; a second one raises.

Example:
    hidden = cell(x, hidden)
    loss = hidden.square().mean()
    loss.backward()  # in the second round it fails

Instead:
    hidden = cell(x, hidden.detach())
    loss = hidden.square().mean()
    loss.backward()

Silent when:
    - the earlier backward kept the graph, or what it freed is not on the way
    - of a state that is about to be given on: it may be bound anew before, may be detached by the module, or no loss is
      surely made of it
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.graph import Graph
from .....measure.torch.metadata import gradient_of
from .....measure.torch.modules import Member
from .....measure.torch.node import AutogradNode
from ....flow.loop_carried import State, carried_states, tensors_with_graph
from ....flow.reach.between import runs_its_forward_alone
from ....flow.reach.coming_calls import ComingCall, coming_calls, is_computed_from, may_change, will_run
from ....step.calls import Call
from ....step.classes import forward_of, is_library
from ....step.expressions import names_given, names_in, root_of, text_of
from ....step.grad_mode import no_grad_block
from ....step.source import Source
from ....step.step import Step
from ...finding import Violation
from ...rule import rule


@rule(
    "error",
    why="backward() frees what it went through; a second one raises.",
    suggestion="add the losses and call backward once, or retain_graph=True",
    causes="graph-grows",
    needs="source",
)
def graph_freed(step: Step) -> Iterator[Violation]:
    for loss in step.pending():
        root = step.node_of(loss.tensor)
        if root is None:
            continue
        freed = step.graph.freed_below(root)
        if freed is not None:
            state = _carried_through(step, root)
            if state is not None:
                yield Violation(
                    (
                        f"{state.name} is carried from step to step with its graph",
                        ": ",
                        f"{loss.name} goes back through it into an earlier step, whose backward has freed that graph",
                    ),
                    (state.name, "has the graph of the steps before"),
                    (loss.name, f"{freed.op}Backward0 below it has nothing saved any more"),
                    line=state.line,
                    suggestion=f"detach it between steps: {state.detaching}",
                )
                return
            shared = step.title_of(freed) or _named_above(step, root, freed)
            what = f"{shared}, made by {freed.op}" if shared else freed.op
            through = f"{loss.name} goes through {what}, whose graph an earlier backward has freed"
            is_own = any(other.tensor is loss.tensor and other.done for other in step.losses)
            again = f"an earlier backward of {loss.name} has freed its graph"
            before = [other.lineno for other in step.source.backwards if other.lineno < step.source.lineno]
            yield Violation(
                again if shared == loss.name or is_own else through,
                (loss.name, f"{freed.op}Backward0 below it has nothing saved any more"),
                *([(shared, "its graph is freed")] if shared and shared != loss.name else []),
                line=(step.source.file, before[-1] if before else loss.backward.lineno),
            )
            return
    for state in (*_given_again(step), *_kept_by_modules(step)):
        top = next((nodes[0] for nodes in _graphs_of(step, state) if any(node.is_freed() for node in nodes)), None)
        if top is not None:
            yield Violation(
                (
                    f"{state.name} still has the graph of the step before",
                    ", ",
                    "which its backward has freed: the next backward will fail",
                ),
                (state.name, f"grad ← {top.op}Backward0, freed below"),
                line=state.line,
                suggestion=f"detach it between steps: {state.detaching}",
            )
            return


def _carried_through(step: Step, root: AutogradNode) -> State | None:
    """The state through which a graph reaches into an earlier step: what was freed is in the graph of both."""
    freed = {id(node.function) for node in step.graph.below(root) if node.is_freed()}
    for state in carried_states(step):
        if any(id(node.function) in freed for nodes in _graphs_of(step, state) for node in nodes):
            return state
    return None


def _graphs_of(step: Step, state: State) -> Iterator[list[AutogradNode]]:
    """For each tensor of a state, the nodes of its graph, nearest first."""
    for tensor in state.tensors:
        node = step.node_of(tensor)
        found = step.graph.below(node) if node is not None else _nodes_of(step, tensor)
        if found:
            yield found


def _nodes_of(step: Step, tensor: Any) -> list[AutogradNode]:
    """The nodes of the graph of a tensor that lies deeper inside a value than what is in sight."""
    return Graph([gradient_of(tensor).function], step.budget.share()).nodes


def _given_again(step: Step) -> Iterator[State]:
    """What is about to be given to a module, for what is backpropagated."""
    source = step.source
    for coming in coming_calls(step):
        call = coming.call
        for argument in (*call.args, *call.keywords.values()):
            for name in names_given(argument):
                is_state = "." in name or source.loop_of(call.lineno) is not None
                column = argument.col_offset if argument.lineno == call.lineno else 0
                if (
                    is_state
                    and source.is_current(name, call.lineno, column)
                    and not source.will_change(name, call.lineno)
                    and _takes_as_it_is(step, call, argument)
                    and _is_backpropagated(step, coming)
                ):
                    yield State(name, step.value(name), (source.file, call.lineno))


def _is_backpropagated(step: Step, coming: ComingCall, *attributes: str) -> bool:
    """Whether a loss is surely made of a call, and nothing before that call may set one of these attributes."""
    line = coming.call.node.end_lineno or coming.call.lineno
    return is_computed_from(step, coming) and not may_change(step, coming, line, *attributes)


def _kept_by_modules(step: Step) -> Iterator[State]:
    """What a module that is about to be called has kept of the step before, and computes with as it is."""
    for coming in coming_calls(step) if not step.level else ():
        module = coming.variable.value
        name, member = step.members.get(id(module), ("", None))
        if member is None or is_library(type(module)) or not runs_its_forward_alone(step, module):
            continue
        for key, value in (*member.attributes.items(), *member.items("_buffers")):
            forward = forward_of(type(module)) if tensors_with_graph(value) else None
            line = None if forward is None or forward.decorators else _takes_its_own(forward, key, module)
            if forward is not None and line is not None and _is_backpropagated(step, coming, key):
                yield State(f"{name}.{key}", value, (forward.file, line))


def _takes_its_own(forward: Source, key: str, module: Any) -> int | None:
    """The line in which a ``forward`` hands an attribute to a layer of the library, if that is the first it does with it.

    What it does only where the attribute is None is not done: it is a tensor now.
    """
    own, layers = forward.self_name, _library_parts(forward, module)
    name = f"{own}.{key}"
    for statement in forward.body:
        if isinstance(statement, ast.If) and text_of(statement.test) == f"{name} is None" and not statement.orelse:
            continue
        calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
        uses = [
            node
            for node in ast.walk(statement)
            if isinstance(node, ast.Attribute) and text_of(node) == name and isinstance(node.ctx, ast.Load)
        ]
        taking = [call for call in calls if text_of(call.func) in layers and will_run(forward, call)]
        given = [node for call in taking for node in call.args if text_of(node) == name]
        if uses and isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr, ast.Return)):
            return statement.lineno if len(given) == len(uses) else None
        methods = [
            call for call in calls if text_of(call.func).startswith(f"{own}.") and text_of(call.func) not in layers
        ]
        leaves = isinstance(statement, (ast.With, ast.Try)) or any(
            isinstance(node, ast.Return) for node in ast.walk(statement)
        )
        if uses or methods or leaves:
            return None
    return None


def _takes_as_it_is(step: Step, call: Call, argument: ast.expr) -> bool:
    """Whether a module surely computes with what it is given, and does not detach it first.

    A module of the library does so. One of the program does where its ``forward`` only hands it on to such modules.
    """
    found = step.module_of(call.callee, step.level)
    if found is None or not runs_its_forward_alone(step, found.value):
        return False
    if is_library(type(found.value)):
        return True
    forward = forward_of(type(found.value))
    name = None if forward is None or forward.decorators else _received(forward, call, argument)
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
    parts = _library_parts(forward, module)
    calls = [call for call in forward.calls if any(root_of(used) == name for used in names_in(call.node))]
    lines = {call.lineno for call in calls}
    bound = {line for line, node in forward.bindings.get(name, []) if not isinstance(node, ast.arg)}
    return (
        bool(calls)
        and all(call.callee in parts and name in map(root_of, names_given(*call.args)) for call in calls)
        and bound <= lines
        and all(will_run(forward, call.node) for call in calls)
        and not any(no_grad_block(forward, line) for line in lines)
    )


def _library_parts(forward: Source, module: Any) -> set[str]:
    """The layers of the library that a module has, as its ``forward`` writes them."""
    own = forward.self_name
    return {f"{own}.{key}" for key, part in Member(module).items("_modules") if is_library(type(part))}


def _named_above(step: Step, root: AutogradNode, freed: AutogradNode) -> str | None:
    """The nearest variable that the freed node has become."""
    for variable in step.tensors:
        node = step.node_of(variable.value)
        if node is not None and node is not root and step.graph.reaches(root, node) and step.graph.reaches(node, freed):
            return variable.name
    return None
