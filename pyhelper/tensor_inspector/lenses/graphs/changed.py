"""Finds what was changed in place after the graph had saved it: the variable, and the line that changed it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

from ...measure.torch.elements import memory_of, version_of
from ...measure.torch.modules import is_module
from ...measure.torch.node import AutogradNode
from ...measure.torch.optimizers import each_group
from ...safe.budget import Steps
from ..flow.effects import CHANGING_NOTHING
from ..step.expressions import key_of, names_given, names_in, shown, text_of
from ..step.functions import Called, functions_called_by_all
from ..step.source import Source, source_of
from ..step.statements import end_of, start_of
from ..step.step import Step
from .lines import methods_in_sight, methods_of_module, names_calling

_LAYERS = ("Addmm", "Convolution", "Mm", "Mv", "Bmm", "NativeBatchNorm", "NativeLayerNorm", "Embedding")
_SIGNS: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Mult: ("Mul",),
    ast.Div: ("Div",),
    ast.Pow: ("Pow",),
    ast.MatMult: ("Mm", "Mv", "Bmm", "Dot", "Addmm"),
}


class Change:
    """``name`` is what the user would type, None where no variable in sight refers to it. ``line`` and ``by_call``, the
    call that changes it, are given where they are certain."""

    __slots__ = ("by_call", "line", "name")

    def __init__(self, name: str | None, line: tuple[str, int] | None = None, by_call: str = "") -> None:
        self.name = None if name is None else shown(name)
        self.line = line
        self.by_call = by_call


class _InPlaceWrite(NamedTuple):
    """A write in the source: the expression that is changed, and the node of the syntax tree."""

    key: str
    node: ast.expr | ast.stmt
    by_call: str


class _VisibleTensor(NamedTuple):
    """A tensor in sight: what holds it, under which attribute, and the level of its frame."""

    name: str
    tensor: Any
    owner: Any
    attribute: str
    level: int


def change_of(step: Step, node: AutogradNode, saved: str) -> Change:
    """The change of a saved tensor, found by its memory, under whatever name."""
    memory, steps, known = memory_of(node.saved(saved).now), Steps(step.budget), list[_VisibleTensor]()
    for named in _named(step) if memory is not None else ():
        if steps.end():
            break
        if memory_of(named.tensor) == memory:
            known.append(named)
    if known:
        sure = [] if step.budget.spent() else list(_sure_changes(step, node, saved, known))
        return sure[0] if len({change.line for change in sure}) == 1 else Change(known[0].name)
    inside = {} if steps.over else {(change.line, change.name): change for change in _inside(step, node, saved)}
    return next(iter(inside.values())) if len(inside) == 1 else Change(None)


def _named(step: Step) -> Iterator[_VisibleTensor]:
    for variable in step.tensors:
        owner, _, attribute = variable.key.rpartition(".")
        yield _VisibleTensor(
            variable.name,
            variable.value,
            step.value(owner, variable.level) if owner else None,
            attribute,
            variable.level,
        )
    parts = [(one.name, one.tensor, one.member) for one in step.parameters.values()]
    for name, tensor, member in (*parts, *step.buffers):
        yield _VisibleTensor(name, tensor, member.module, name.rpartition(".")[2], step.level)


def _sure_changes(step: Step, node: AutogradNode, saved: str, known: list[_VisibleTensor]) -> Iterator[Change]:
    """What has surely run after the operation: lines in the frames, an optimizer's step, lines of methods."""
    is_new = node.saved(saved).expected == 0  # nothing had changed it before the operation
    for level in dict.fromkeys((*(named.level for named in known), step.level)):
        start = (0, 0) if is_new else _first_younger_result(step, node, level)
        if start is not None:
            yield from _in_frame(step.sources[level], start, [one for one in known if one.level == level])
            yield from _by_optimizers(step, start, known) if level == step.level else ()
    is_alone = not any(_operations(step.sources[one.level], node.op, key_of(one.name)) for one in known)
    running = {_source_key(source) for source in step.sources}
    for called in functions_called_by_all(step):
        if _source_key(called.source) not in running and _surely_called(step, called):
            for change, named in _of_owners(called, known):
                if is_new or (is_alone and _is_after(called.source, node.op, change)):
                    yield Change(named.name, (called.source.file, change.node.lineno), change.by_call)
    for named in known if is_alone else ():
        for source in _forward(named.owner):
            for change in _writes_in(source) if _source_key(source) not in running else ():
                if change.key == f"{source.self_name}.{named.attribute}" and _is_after(source, node.op, change):
                    yield Change(named.name, (source.file, change.node.lineno), change.by_call)


def _in_frame(source: Source, start: tuple[int, int], known: list[_VisibleTensor]) -> Iterator[Change]:
    names = {key_of(one.name): one.name for one in known}
    for key, changing, by_call in _writes_in(source):
        if key in names and start_of(changing) >= start and source.surely_ran(changing):
            line, column = end_of(changing)
            if source.is_current(key, line, column + 1):
                yield Change(names[key], (source.file, changing.lineno), by_call)


def _forward(owner: Any) -> list[Source]:
    """The program's ``forward`` of a module: it has run where the operation stands in it, and nowhere else."""
    methods = methods_of_module(owner)[:1] if is_module(owner) else []
    return [source_of(method.__code__) for method in methods if method.__code__.co_name == "forward"]


def _first_younger_result(step: Step, node: AutogradNode, level: int) -> tuple[int, int] | None:
    """Where a frame has bound the first result that is younger than a node: the operation has run by then.

    A result that was itself changed in place may be older than its node.
    """
    order, source, steps, ends = node.order(), step.sources[level], Steps(step.budget), list[tuple[int, int]]()
    for variable in step.tensors if order >= 0 else ():
        if steps.end():
            return None
        made = step.node_of(variable.value) if variable.level == level and not version_of(variable.value) else None
        if made is None or made.leaf is not None or made.order() < order:
            continue
        bound = source.binding_of(variable.key)
        if bound is None and variable.key in source.arguments:
            return 0, 0
        if bound is not None and isinstance(bound[1], (ast.stmt, ast.expr)):
            ends.append(end_of(bound[1]))
    return min(ends, default=None)


def _by_optimizers(step: Step, start: tuple[int, int], known: list[_VisibleTensor]) -> Iterator[Change]:
    """The steps of optimizers that hold it."""
    source, trained = step.source, {id(one.tensor) for one in step.trained()}
    names = {id(one.tensor): one.name for one in known if id(one.tensor) in trained}
    for call in source.calls_of("step") if names else ():
        if start_of(call.node) < start or not source.surely_ran(call.node):
            continue
        for variable in step.optimizers:
            tensors = [id(one) for group in each_group(variable.value) for one in group.tensors]
            name = next((names[one] for one in tensors if one in names), None)
            if name is not None and variable.key == text_of(call.receiver):
                yield Change(name, (source.file, call.lineno), call.callee)


def _surely_called(step: Step, called: Called) -> bool:
    """Whether a function, and those through which it was called, have surely run."""
    source = step.sources[called.level] if called.caller is None else called.caller.source
    line, column = end_of(called.call.node)
    if not source.surely_ran(called.call.node) or not source.is_current(called.call.callee, line, column):
        return False
    return called.caller is None or _surely_called(step, called.caller)


def _of_owners(called: Called, known: list[_VisibleTensor]) -> Iterator[tuple[_InPlaceWrite, _VisibleTensor]]:
    """What a function changes of the objects that hold it, whatever its conditions are."""
    for change in _writes_in(called.source):
        owner, _, attribute = change.key.rpartition(".")
        value = called.value(owner) if owner else None
        for named in known if value is not None and called.source.surely_ran(change.node) else ():
            if named.owner is value and named.attribute == attribute:
                yield change, named


def _is_after(source: Source, op: str, change: _InPlaceWrite) -> bool:
    """Whether an operation stands in a source with what is changed, and always before that."""
    nodes = _operations(source, op, change.key)
    return bool(nodes) and source.surely_ran(change.node) and all(end_of(one) <= start_of(change.node) for one in nodes)


def _writes_in(source: Source) -> Iterator[_InPlaceWrite]:
    """What a source changes in place: by a method whose name ends with ``_``, by an item, or as in ``x += 1``."""
    for call in source.calls:
        if call.name.endswith("_") and not call.name.endswith("__") and call.name not in CHANGING_NOTHING:
            yield _InPlaceWrite(text_of(call.receiver), call.node, call.callee)
    for _, node in (one for bound in source.bindings.values() for one in bound):
        targets = node.targets if isinstance(node, ast.Assign) else ()
        if isinstance(node, ast.AugAssign):
            yield _InPlaceWrite(text_of(node.target), node, "")
            targets = [node.target]
        for target in targets:
            while isinstance(target, ast.Subscript):  # of `slots[0][1:]`, `slots[0]` and `slots`
                target = target.value
                yield _InPlaceWrite(text_of(target), node, "")  # type: ignore[arg-type]


def _source_key(source: Source) -> tuple[str, int]:
    return source.file, source.body[0].lineno if source.body else 0


def _inside(step: Step, node: AutogradNode, saved: str) -> Iterator[Change]:
    """Changes of variables of functions that have ended, if the node's operation makes such a variable, or takes it."""
    functions = [called.source for called in functions_called_by_all(step)]
    for source in (*functions, *methods_in_sight(step)):
        for name, changing, by_call in _writes_in(source):
            if _is_of(source, node.op, name, changing.lineno, is_result="result" in saved):
                yield Change(name, (source.file, changing.lineno), by_call)


def _is_of(source: Source, op: str, name: str, line: int, is_result: bool) -> bool:
    """Whether a variable is what an operation has made, or was given, above a line."""
    if is_result:
        values = [getattr(node, "value", None) for at, node in source.bindings.get(name, ()) if at < line]
        return any(_is_operation(value, op) for value in values if isinstance(value, ast.expr))
    return any(node.lineno < line for node in _operations(source, op, name))


def _operations(source: Source, op: str, name: str) -> list[ast.expr]:
    """Where a source computes an operation of a variable, or gives it to a layer that does."""
    nodes = source.nodes
    return [
        node
        for node in nodes
        if isinstance(node, (ast.Call, ast.BinOp))
        and (
            _is_operation(node, op)
            or (op in _LAYERS and isinstance(node, ast.Call) and name in names_given(*node.args))
        )
        and name in names_in(node)
    ]


def _is_operation(node: ast.expr, op: str) -> bool:
    if isinstance(node, ast.BinOp):
        return op in _SIGNS.get(type(node.op), ())
    return isinstance(node, ast.Call) and text_of(node.func).rpartition(".")[2] in names_calling(op)
