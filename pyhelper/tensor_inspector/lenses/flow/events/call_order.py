"""Works out in which order the source calls `zero_grad`, `backward` and `step`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from ....measure.torch.metadata import is_exact_tensor
from ....measure.torch.modules import is_module
from ....measure.torch.optimizers import is_optimizer
from ....safe.guard import Classes, instance_dict, plain_str
from ....safe.record import Record
from ...step.calls import Call
from ...step.classes import function_called, is_library, is_library_module
from ...step.expressions import root_of, text_of
from ...step.frames import global_of
from ...step.source import Source
from ...step.statements import LOOPS
from ...step.step import Step
from ..effects import MOVING, READING, SETTING_MODE
from ..lines import Line

_CHANGED_BY_METHODS = Classes(list, dict)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
#: methods of a module that begin no backward
_WITHOUT_BACKWARD = READING.union(SETTING_MODE, MOVING)
_IDLE = (*_DEFINITIONS, ast.Pass, ast.Continue, ast.Break, ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom)


class OrderedCall(Record):
    """A call of ``backward``, ``zero_grad`` or ``step``: its subject and line.

    Without a name: what may be a backward.
    """

    name: str
    subject: str
    at: Line


def call_paths(step: Step) -> Iterator[list[OrderedCall]]:
    """The calls on each path down through the source.

    A branch of an ``if`` begins with all calls before it.
    """
    yield from _CallPaths(step).through(step.source.body, [])


class _CallPaths:
    def __init__(self, step: Step) -> None:
        self._step = step

    def through(self, body: list[ast.stmt], before: list[OrderedCall]) -> Iterator[list[OrderedCall]]:
        order = list(before)
        for statement in body:
            yield from self._past(statement, order)
        yield order

    def _past(self, statement: ast.stmt, order: list[OrderedCall]) -> Iterator[list[OrderedCall]]:
        """The paths that end inside a statement; calls on all others extend the order."""
        if isinstance(statement, ast.If):
            order += self._of_expression(statement.test)
            for branch in (statement.body, statement.orelse):
                yield from self.through(branch, order) if branch else ()
        elif isinstance(statement, (ast.With, ast.AsyncWith)):
            for inner in statement.body:
                yield from self._past(inner, order)
            return
        elif isinstance(statement, (LOOPS, ast.Try)):
            for part in ("body", "orelse", "finalbody"):
                yield from self.through(getattr(statement, part, []), [self._unknown(statement)])
        else:
            order += self._of_statement(statement)
            return
        order += self._always(statement)

    def _always(self, statement: ast.stmt) -> list[OrderedCall]:
        """What a branching or looping statement calls last: nothing, a backward, or what is not known."""
        inside = [event for inner in _inside(statement) for event in self._all_of(inner)]
        if isinstance(statement, LOOPS) and inside and {event.name for event in inside} <= {"", "backward"}:
            return inside[-1:]
        return [self._unknown(statement)] if inside else []

    def _all_of(self, statement: ast.stmt) -> list[OrderedCall]:
        below = _inside(statement)
        if not below:
            return self._of_statement(statement)
        asked = self._of_expression(statement.test) if isinstance(statement, (ast.If, ast.While)) else []
        return asked + [event for inner in below for event in self._all_of(inner)]

    def _of_statement(self, statement: ast.stmt) -> list[OrderedCall]:
        event = _event(statement, self._step.source)
        if event is not None:
            return [event]
        inside = _events_of_call(self._step, statement)
        if inside is not None:
            return inside
        return [self._unknown(statement)] if _may_run_a_backward(self._step, statement) else []

    def _of_expression(self, node: ast.expr) -> list[OrderedCall]:
        statement = ast.copy_location(ast.Expr(node), node)
        return [self._unknown(node)] if _may_run_a_backward(self._step, statement) else []

    def _unknown(self, node: ast.stmt | ast.expr) -> OrderedCall:
        return OrderedCall("", "", (self._step.source.file, node.lineno))


def _inside(statement: ast.stmt) -> list[ast.stmt]:
    """The statements in the bodies of a statement; none for a definition."""
    if isinstance(statement, _DEFINITIONS):
        return []
    bodies = [getattr(statement, part, []) for part in ("body", "orelse", "finalbody")]
    bodies += [handler.body for handler in getattr(statement, "handlers", [])]
    return [inner for body in bodies for inner in body]


def _event(statement: ast.stmt, source: Source) -> OrderedCall | None:
    """``scaler.step(optimizer)`` is a step of that optimizer."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    name = call.func.attr
    if name not in ("backward", "zero_grad", "step"):
        return None
    subject = call.args[0] if name == "step" and call.args else call.func.value
    return OrderedCall(name, text_of(subject), (source.file, statement.lineno))


def _events_of_call(step: Step, statement: ast.stmt) -> list[OrderedCall] | None:
    """The calls of a function of the program that only clears and steps; else None."""
    is_kept = isinstance(statement, ast.Assign) and all(isinstance(one, ast.Name) for one in statement.targets)
    node = statement.value if isinstance(statement, ast.Expr) or is_kept else None  # type: ignore[attr-defined]
    call = Call(node, None, True) if isinstance(node, ast.Call) else None
    called = None if call is None else function_called(step, call, step.level)
    if call is None or called is None or not called.is_known():
        return None
    found = []
    for part in called.body:
        event = _event(part, called)
        if event is not None and event.name != "backward":
            event.subject = _as_given(event.subject, call, called)
            found.append(event)
        elif not isinstance(part, (ast.Pass, ast.Global, ast.Nonlocal)) and not _is_idle(part):
            return None
    return found


def _is_idle(part: ast.stmt) -> bool:
    """Whether it is a docstring, or a ``return`` that calls nothing."""
    if isinstance(part, ast.Return):
        return not any(isinstance(node, (ast.Call, ast.Await)) for node in ast.walk(part))
    return isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)


def _as_given(subject: str, call: Call, called: Source) -> str:
    """An expression of a called function in the names of its caller."""
    root, names = root_of(subject), called.arguments
    given = dict(zip(names[len(names) - len(call.args) :], map(text_of, call.args)))
    given.update({name: text_of(value) for name, value in call.keywords.items()})
    if call.receiver is not None and len(names) > len(call.args) + len(call.keywords):
        given.setdefault(names[0], text_of(call.receiver))
    return given.get(root, root) + subject[len(root) :]


def _may_run_a_backward(step: Step, statement: ast.stmt) -> bool:
    """Whether a statement may give gradients: by a call of what may reach a model."""
    if isinstance(statement, _IDLE):
        return False
    if not isinstance(statement, (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)):
        return True
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    if any(isinstance(target, ast.Attribute) for target in targets):
        return True
    for call in (node for node in ast.walk(statement) if isinstance(node, ast.Call)):
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
        owner = None if receiver is None else step.value(text_of(receiver))
        is_plain = is_exact_tensor(owner) or type(owner) in _CHANGED_BY_METHODS or _is_of_torch(step, call)
        is_plain = is_plain or (is_module(owner) and call.func.attr in _WITHOUT_BACKWARD)  # type: ignore[attr-defined]
        if not is_plain and (receiver is not None or _reaches_a_model(step, call)):
            return True
    return False


def _is_of_torch(step: Step, call: ast.Call) -> bool:
    """Whether a call is of a library's function that begins no backward: ``nn.utils.clip_grad_norm_``."""
    visible, path = step.frames[step.level], text_of(call.func).split(".")
    found: Any = visible.variables.get(path[0], global_of(visible.frame, path[0]))
    for name in path[1:]:
        if type(found) is not ModuleType or not is_library_module(found.__name__):
            return False
        found = instance_dict(found).get(name)
    is_function = type(found) is BuiltinFunctionType or (
        type(found) is FunctionType and is_library_module(plain_str(found.__module__))
    )
    return is_function and path[-1] not in ("backward", "grad")


def _reaches_a_model(step: Step, call: ast.Call) -> bool:
    """Whether a function may work on a model: an argument, or what its code names."""
    visible, name = step.frames[step.level], text_of(call.func)
    called = visible.variables.get(name, global_of(visible.frame, name))
    if called is None:
        return name not in visible.frame.f_builtins
    arguments = [*call.args, *(one.value for one in call.keywords)]
    given = [step.value(text_of(argument)) for argument in arguments]
    waiting = [(value, 0) for value in (called, *given)]
    while waiting:
        value, depth = waiting.pop()
        if type(value) is FunctionType:
            if depth < 2:
                waiting.extend((below, depth + 1) for below in _named_in(value))
        elif _may_have_a_model(value):
            return True
    return False


def _may_have_a_model(value: Any) -> bool:
    """Whether it is a model, an optimizer, or an object of the program."""
    return is_module(value) or is_optimizer(value) or not (issubclass(type(value), type) or is_library(type(value)))


def _named_in(function: FunctionType) -> Iterator[Any]:
    """The globals and closure values that a function's code names."""
    for name in function.__code__.co_names:
        if name in function.__globals__:
            yield function.__globals__[name]
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # empty
            yield cell.cell_contents
