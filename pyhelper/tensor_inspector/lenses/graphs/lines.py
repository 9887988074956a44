"""Finds the user's line in which an operation of the graph was computed."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from types import FunctionType
from typing import Any

from ...measure.torch.node import AutogradNode
from ...safe.guard import class_dict, library_of, mro
from ...safe.installed import is_installed_file
from ..step.calls import Call
from ..step.functions import functions_called
from ..step.source import Source
from ..step.step import Step

#: How operations are called, where it is not by their own name.
_CALLED: dict[str, tuple[str, ...]] = {
    "LogSoftmax": ("log_softmax", "cross_entropy"),
    "NllLoss": ("nll_loss", "cross_entropy"),
    "LinalgVectorNorm": ("norm", "vector_norm", "normalize"),
    "NativeBatchNorm": ("batch_norm",),
    "NativeLayerNorm": ("layer_norm",),
    "SafeSoftmax": ("scaled_dot_product_attention",),
    "MaskedFill": ("masked_fill", "masked_fill_"),
    "Log1P": ("log1p",),
}
_FUNCTIONS = 200  #: of modules in sight that are searched


def line_of_operation(step: Step | None, node: AutogradNode, name: str | None) -> tuple[str, int] | None:
    """File and line: by the trace of torch's anomaly mode, by where the name was bound, or by the only such call."""
    traced = _traced(node)
    if traced is not None or step is None:
        return traced
    bound = step.line_of(name)
    if bound is not None:
        return bound
    if node.is_custom:
        lines = {
            (source.file, call.lineno)
            for source in (*step.sources, *methods_in_sight(step))
            for call in _applied(source, node)
        }
        return next(iter(lines)) if len(lines) == 1 else None
    called = names_calling(node.op)
    lines = _calls_in(step.sources, called) or _calls_in(methods_in_sight(step), called)
    lines = lines or _calls_in((one.source for one in functions_called(step)), called)
    return next(iter(lines)) if len(lines) == 1 else None


def names_calling(op: str) -> tuple[str, ...]:
    """The names of functions and methods that call an operation."""
    return _CALLED.get(op, (op.lower(),))


def _calls_in(sources: Iterable[Source], called: tuple[str, ...]) -> set[tuple[str, int]]:
    """Where an operation is called. A call with a text first is none, as ``self.log("loss", loss)``."""
    calls = ((source.file, call) for source in sources for call in source.calls_of(*called))
    return {(file, call.lineno) for file, call in calls if not _begins_with_text(call.node)}


def _applied(source: Source, node: AutogradNode) -> Iterator[Call]:
    """Where a Function of the program is applied by its name."""
    return (call for call in source.calls_of("apply") if f".{call.callee}".endswith(f".{node.op}.apply"))


def _begins_with_text(call: ast.Call) -> bool:
    first = call.args[0] if call.args else None
    return isinstance(first, ast.JoinedStr) or (isinstance(first, ast.Constant) and type(first.value) is str)


def _traced(node: AutogradNode) -> tuple[str, int] | None:
    """The last line of the program in the trace that anomaly mode keeps."""
    for text in reversed(node.trace()):
        head = text.strip().partition("\n")[0]
        if not head.startswith('File "') or '", line ' not in head:
            continue
        file, _, rest = head[len('File "') :].partition('", line ')
        number = rest.partition(",")[0]
        if number.isdigit() and not is_installed_file(file):
            return file, int(number)
    return None


def methods_in_sight(step: Step) -> list[Source]:
    """The source of the methods of the program's own modules in sight."""
    found: dict[int, Source] = {}
    for _, member in list(step.members.values())[:_FUNCTIONS]:
        for method in methods_of_module(member.module):
            if id(method.__code__) not in found:
                found[id(method.__code__)] = Source(method.__code__, method.__code__.co_firstlineno)
    return list(found.values())


def methods_of_module(member: Any) -> list[FunctionType]:
    """The methods of a module of the program, its ``forward`` first; none of torch's own classes."""
    found: dict[str, FunctionType] = {}
    for base in mro(type(member)):
        if library_of(base) in ("torch", "builtins"):
            break
        for name, method in list(class_dict(base).items()):
            if type(method) is FunctionType and name != "__init__":
                found.setdefault(name, method)
    return sorted(found.values(), key=lambda method: method.__name__ != "forward")
