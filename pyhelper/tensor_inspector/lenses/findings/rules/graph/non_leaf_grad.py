"""A weight is the result of an operation, and gets no `.grad`.

Why: Only leaves get a .grad; the optimizer can't hold this.

Example:
    w = torch.randn(8, requires_grad=True) * 0.1
    loss = (x @ w).square().mean()
    loss.backward()
    w.data -= w.grad

Instead:
    w = (torch.randn(8) * 0.1).requires_grad_()
    loss = (x @ w).square().mean()
    loss.backward()
    w.data -= w.grad

Silent when:
    - something else holds the leaf that it is computed from, or it comes from several leaves or many operations
    - nothing reads its gradient, and no module keeps it
    - `retain_grad` is called
    - each forward sets it anew
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.metadata import is_exact_tensor, requires_grad, retains_grad, shape_of
from .....measure.torch.modules import is_module
from .....words.text import listed, shape
from ....flow.gradient.readers import functions_given, loops_in, readers_of, reads_gradients
from ....flow.lines import Line, line_of_assignment, line_of_binding
from ....step.calls import Call
from ....step.classes import function_called, methods_of
from ....step.expressions import key_of, last_name, parent_of, root_of, text_of
from ....step.sight import VisibleVariable
from ....step.source import Source
from ....step.step import Step
from ...finding import Violation
from ...rule import rule


@rule(
    "error",
    why="Only leaves get a .grad; the optimizer can't hold this.",
    suggestion="make the result a leaf: nn.Parameter(value), or scale under no_grad",
    causes="graph-freed retained-graph graph-grows",
    needs="source",
)
def non_leaf_grad(step: Step) -> Iterator[Violation]:
    for name, member, key, item in step.kept_by_modules():
        leaf = _lonely_leaf(step, item) if is_exact_tensor(item) else None
        if leaf is not None and not _is_set_in_forward(type(member.module), key):
            node = step.node_of(item)
            yield Violation(
                (
                    f"{name}.{key} is no leaf but the result of {node.op if node else 'an operation'}",
                    ": ",
                    "its .grad stays None, and parameters() does not see it",
                ),
                (f"{name}.{key}", f"computed from a leaf of {shape(shape_of(leaf))} that has no name"),
                line=line_of_assignment(type(member.module), key),
            )
    if step.source.mentions("retain_grad"):
        return
    for variable in step.tensors:
        if variable.depth or not requires_grad(variable.value) or not step.source.is_known():
            continue
        names = (variable.key, *_looped_as(step.source, variable.key))
        wanted = [node for name in names for node in _attributes(step.source, name) if node.attr == "grad"]
        is_wanted = bool(wanted) or _is_updated_with_others(step, variable.key)
        leaf = _lonely_leaf(step, variable.value) if is_wanted else None
        if leaf is not None:
            yield Violation(
                (f"{variable.name} is no leaf", ": ", f"{variable.name}.grad stays None"),
                (variable.name, "computed from a leaf that has no name"),
                line=line_of_binding(step, variable.key),
            )
    yield from _in_containers(step)


def _in_containers(step: Step) -> Iterator[Violation]:
    """What a dict or list of weights holds, whose gradients the source, or a function that it gives it to, reads."""
    by_container: dict[str, list[VisibleVariable]] = {}
    for variable in step.tensors:
        for name in (
            step.names[id(variable.value)] if variable.level == step.level and requires_grad(variable.value) else ()
        ):
            key = key_of(name)
            container = parent_of(key)
            if container is not None and not is_module(step.value(container)):
                by_container.setdefault(container, []).append(
                    VisibleVariable(key, variable.value, variable.level, variable.depth)
                )
    for container, variables in by_container.items():
        found = [one for one in variables if step.grad(one.value) is None and _lonely_leaf(step, one.value) is not None]
        if not found or not any(reads_gradients(source, name) for source, name in readers_of(step, container)):
            continue
        names = listed((one.name for one in found), False, 60)
        yield Violation(
            (f"{names} is no leaf", ": ", "its .grad stays None")
            if len(found) == 1
            else (f"{names} are no leaves", ": ", "their .grad stays None"),
            *((one.name, "computed from a leaf that has no name") for one in found[:4]),
            line=_leaf_used_in(step, container) or line_of_binding(step, container),
        )


def _is_updated_with_others(step: Step, name: str) -> bool:
    """Whether the gradients of what a tuple or list with a variable in it holds are read: ``update((w, b), lr)``."""

    def holds(value: ast.expr) -> bool:
        return isinstance(value, (ast.Tuple, ast.List)) and name in map(text_of, value.elts)

    bound = [(step.source, key) for key, value in _bound_in(step.source) if holds(value)]
    return any(reads_gradients(source, inner) for source, inner in (*bound, *functions_given(step, holds)))


def _bound_in(source: Source) -> Iterator[tuple[str, ast.expr]]:
    """What assignments bind to what: ``parts, rate = (w, b), 0.1`` two names."""
    for node in source.statements:
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                yield from zip(map(text_of, target.elts), node.value.elts)
            else:
                yield text_of(target), node.value


def _leaf_used_in(step: Step, container: str) -> Line | None:
    """Where a function that makes a container computes with a new leaf: ``torch.randn(8, requires_grad=True) * 0.1``."""
    made = step.source.binding_of(root_of(container))
    calls = [node for node in ast.walk(made[1]) if isinstance(node, ast.Call)] if made is not None else []
    called = [function_called(step, Call(node, None, False), step.level) for node in calls]
    for source in (step.source, *(one for one in called if one is not None)):
        for node in source.nodes:
            parts = [node.left, node.right] if isinstance(node, ast.BinOp) else []
            parts += [node.func.value] if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else []
            if any(isinstance(one, ast.Call) and _makes_a_leaf(one) for one in parts):
                return source.file, node.lineno  # type: ignore[attr-defined]
    return None


def _makes_a_leaf(call: ast.Call) -> bool:
    is_asked = any(one.arg == "requires_grad" and text_of(one.value) == "True" for one in call.keywords)
    return is_asked or last_name(call.func) in ("requires_grad_", "Parameter")


def _is_set_in_forward(cls: type, attribute: str) -> bool:
    """Whether each forward sets it, to what that was given or has computed."""
    return any(
        f"{source.self_name}.{attribute}" in source.bindings for name, source in methods_of(cls) if name == "forward"
    )


def _lonely_leaf(step: Step, tensor: Any) -> Any:
    """The only leaf that a non-leaf is computed from, by a few operations, where nothing else holds that leaf."""
    node = step.node_of(tensor)
    if node is None or retains_grad(tensor):
        return None
    leaves = step.graph.leaves(node)
    if step.graph.size_below(node) > 6 or len(leaves) != 1:
        return None
    leaf = leaves[0]
    known = id(leaf) in step.parameters or id(leaf) in step.optimized or id(leaf) in step.names
    return None if known else leaf


def _attributes(source: Source, name: str) -> list[ast.Attribute]:
    return [node for node in source.nodes if isinstance(node, ast.Attribute) and text_of(node.value) == name]


def _looped_as(source: Source, name: str) -> list[str]:
    """The variables of loops over a tuple or list that holds a name: ``for W in (W1, W2)``."""
    return [
        loop.target.id
        for loop in loops_in(source)
        if isinstance(loop.target, ast.Name)
        and isinstance(loop.iter, (ast.Tuple, ast.List))
        and any(text_of(item) == name for item in loop.iter.elts)
    ]
