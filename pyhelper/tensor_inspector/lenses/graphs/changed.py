"""What was changed in place after the graph had saved it: the variable, and the line that changes it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from ...measure.torch.elements import memory_of
from ...measure.torch.node import AutogradNode
from ...safe.guard import class_dict, mro
from ..findings.classes import is_library, undecorated
from ..findings.lines import Line
from ..step.called import functions_called
from ..step.expressions import names_given, names_in, text_of
from ..step.source import Source
from ..step.step import Step
from .lines import called_as, methods_in_sight

_KEEPING = ("requires_grad_", "detach_", "share_memory_", "retain_grad_")  #: that change no element
_LAYERS = ("Addmm", "Convolution", "Mm", "Mv", "Bmm", "NativeBatchNorm", "NativeLayerNorm", "Embedding")
_SIGNS: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Mult: ("Mul",),
    ast.Div: ("Div",),
    ast.Pow: ("Pow",),
    ast.MatMult: ("Mm", "Mv", "Bmm", "Dot", "Addmm"),
}


class Change:
    """``name`` as the user types it, None where no variable in sight means it; ``how`` is the call that changes it."""

    __slots__ = ("how", "line", "name")

    def __init__(self, name: str | None, line: Line | None = None, how: str = "") -> None:
        self.name = None if name is None else name.replace("'", '"')
        self.line = line
        self.how = how


def change_of(step: Step, node: AutogradNode, saved: str) -> Change:
    """The change of what a node has saved, which is the same memory under each of its names."""
    memory = memory_of(node.saved(saved).changed)
    found = [
        one
        for name, tensor, place in _named(step)
        if memory_of(tensor) == memory
        for one in _changes(step, name, *place)
    ]
    known = [Change(name) for name, tensor, _ in _named(step) if memory_of(tensor) == memory]
    if memory is not None and known:
        return next(iter(found), known[0])
    inside = {(change.line, change.name): change for change in _inside(step, node, saved)}
    return next(iter(inside.values())) if len(inside) == 1 else Change(None)


def _named(step: Step) -> Iterator[tuple[str, Any, tuple[str, Any, int]]]:
    """Tensors in sight by name: each with its attribute, the class that has it, and the number of its frame."""
    for thing in step.tensors:
        owner, _, attribute = thing.key.rpartition(".")
        value = step.value(owner, thing.view) if owner else None
        yield thing.name, thing.value, (attribute, None if value is None else type(value), thing.view)
    parts = [(one.name, one.tensor, one.member) for one in step.parameters.values()]
    for name, tensor, member in (*parts, *step.buffers):
        yield name, tensor, (name.rpartition(".")[2], type(member.module), step.at)


def _changes(step: Step, name: str, attribute: str, cls: Any, view: int) -> Iterator[Change]:
    """What changes a variable: lines above in the frame, the step of its optimizer, methods of its object."""
    source, key = step.sources[view], name.replace('"', "'")
    for line, how in sorted(_in_source(source, key), reverse=True):
        if line < source.lineno:
            yield Change(name, (source.file, line), how)
    held = any(one.name == name for one in step.trained())
    for call in step.source.calls_of("step") if held else ():
        if any(thing.key == text_of(call.receiver) for thing in step.optimizers):
            yield Change(name, (step.source.file, call.lineno), call.callee)
    for method in _methods(cls) if cls is not None and not is_library(cls) else ():
        for line, how in _in_source(method, f"{method.self_name}.{attribute}"):
            yield Change(name, (method.file, line), how)


def _methods(cls: type) -> Iterator[Source]:
    for base in mro(cls):
        for name, item in list(class_dict(base).items()) if not is_library(base) else ():
            if type(item) is FunctionType and name != "__init__":
                yield Source(undecorated(item).__code__, 0)


def _in_source(source: Source, key: str) -> Iterator[tuple[int, str]]:
    return ((line, how) for changed, line, how in _all_in(source) if changed == key)


def _all_in(source: Source) -> Iterator[tuple[str, int, str]]:
    """What a source changes in place: by a method whose name ends with ``_``, by an item, or as in ``x += 1``."""
    for call in source.calls:
        if call.name.endswith("_") and not call.name.endswith("__") and call.name not in _KEEPING:
            yield text_of(call.receiver), call.lineno, call.callee
    for line, node in (one for bound in source.bindings.values() for one in bound):
        if isinstance(node, ast.AugAssign):
            yield text_of(_whole(node.target)), line, ""
        for target in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Subscript):
                yield text_of(_whole(target)), line, ""


def _whole(target: ast.expr) -> ast.expr:
    """What an item is changed of: ``slots`` of ``slots[0][1:]``."""
    while isinstance(target, ast.Subscript):
        target = target.value
    return target


def _inside(step: Step, node: AutogradNode, saved: str) -> Iterator[Change]:
    """Changes of variables of functions that have ended, if the node's operation makes such a variable, or takes it."""
    functions = [called.source for called in functions_called(step, range(len(step.views)))]
    for source in (*functions, *methods_in_sight(step)):
        for name, line, how in _all_in(source):
            if _is_of(source, node.op, name, line, is_result="result" in saved):
                yield Change(name, (source.file, line), how)


def _is_of(source: Source, op: str, name: str, line: int, is_result: bool) -> bool:
    """Whether a variable is what an operation has made, or was given, above a line."""
    if is_result:
        values = [getattr(node, "value", None) for at, node in source.bindings.get(name, ()) if at < line]
        return any(_is_operation(value, op) for value in values if isinstance(value, ast.expr))
    nodes = (below for statement in source.body for below in ast.walk(statement))
    return any(
        node.lineno < line
        and (
            _is_operation(node, op)
            or (op in _LAYERS and isinstance(node, ast.Call) and name in names_given(*node.args))
        )
        and name in names_in(node)
        for node in nodes
        if isinstance(node, (ast.Call, ast.BinOp))
    )


def _is_operation(node: ast.expr, op: str) -> bool:
    if isinstance(node, ast.BinOp):
        return op in _SIGNS.get(type(node.op), ())
    return isinstance(node, ast.Call) and text_of(node.func).rpartition(".")[2] in called_as(op)
