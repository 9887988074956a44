"""What can't be copied or pickled in an object: a tensor with a graph, a local function, a handle."""

from __future__ import annotations

import ast
import re
from types import FunctionType
from typing import Any

from .....measure.torch.metadata import gradient_of, is_exact_tensor
from .....safe.guard import class_name, full_name, instance_dict
from ....findings.finding import Violation
from ....step.expressions import last_name
from ...error_context import ErrorContext
from ...operand import in_title, operand
from ...operation import FailingLine
from ...trace import TraceEntry
from .inside import path_to

#: What a message of pickle names: a function, a class, or an object by what it is.
_NAME = re.compile(r"<function ([\w.<>]+) at|<class '([^']+)'|(?:local object|pickle|of) '([^']+)'")
_COPIES = ("deepcopy", "copy", "__deepcopy__", "clone", "dump", "dumps", "save", "put", "send")


def graph_copied(context: ErrorContext) -> Violation | None:
    """``copy.deepcopy`` of what holds a result: which attribute keeps the graph."""
    text, value = _given(context, "deepcopy", "x")
    found = path_to(value, text, _has_graph)
    if found is None:
        return None
    path, tensor = found
    known = operand(path, tensor)
    title = (f"{path} has a graph", ": ", "deepcopy takes only leaves, as parameters are")
    fact = (path, f"{'a tensor' if known is None else known.fact} · grad {gradient_of(tensor).origin or ''}".rstrip())
    return context.found(title, fact, suggestion=f"keep {path}.detach(), or clear it before the copy")


def not_picklable(context: ErrorContext) -> Violation | None:
    """What of an object has no name by which another process would find it, or belongs to this process alone."""
    name = _NAME.search(context.message)
    wanted = None if name is None else next(filter(None, name.groups()))
    if wanted is None:
        return None
    text, value = _given(context, "", "obj")

    def is_meant(one: Any) -> bool:
        if type(one) is FunctionType:
            return bool(one.__qualname__ == wanted)
        return bool(wanted in (full_name(type(one)), class_name(type(one))))

    found = path_to(value, text, is_meant)
    if found is None:
        return None
    path, _ = found
    why, fit = _reason(wanted, context.message)
    what = "a lambda" if wanted.endswith("<lambda>") else wanted.rpartition(".")[2]
    return context.found((f"{path} can't be pickled", ": ", why), (path, f"{what}: {wanted}"), suggestion=fit)


def _reason(wanted: str, text: str) -> tuple[str, str]:
    """Why it can't be pickled, and what to do."""
    if "<locals>" in wanted:
        return "a process finds it by its name, and it is defined inside a function", "define it at the top of a file"
    if wanted.endswith("<lambda>"):
        return "a process finds a function by its name, and this has none", "define it by def at the top of a file"
    if "<class" in text:
        return "another process does not find its class by this name", "define the class in a file that can be imported"
    return "it is of this process alone", "make it anew where it is needed: __getstate__ can leave it out"


def _has_graph(value: Any) -> bool:
    known = gradient_of(value) if is_exact_tensor(value) else None
    return known is not None and known.required and not known.is_leaf


def _given(context: ErrorContext, function: str, argument: str) -> tuple[str, Any]:
    """What the user's line gives to the copying function, with its text."""
    line = FailingLine(context.user)
    for call in line.calls():
        if last_name(call.func) in _COPIES and call.args:
            value = line.reader.value(call.args[0])
            if value is not None:
                return in_title(call.args[0]), value
    entry = _outermost(context, function)
    value = None if entry is None else entry.variables.get(argument, entry.variables.get("self"))
    return _name_of(line, value), value


def _outermost(context: ErrorContext, function: str) -> TraceEntry | None:
    at = context.trace.index(context.user)
    later = context.trace[at + 1 :]
    return next((entry for entry in later if not function or entry.function == function), None)


def _name_of(line: FailingLine, value: Any) -> str:
    for node in line.below():
        if isinstance(node, (ast.Name, ast.Attribute)) and value is not None and line.reader.value(node) is value:
            return in_title(node)
    return class_name(type(value)) if value is not None and instance_dict(value) else "it"
