"""Rules about the order of calls: clear, backward, unscale, clip, step."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress
from types import FunctionType
from typing import Any

from .....measure.torch.elements import is_own
from .....measure.torch.modules import is_module, parameters_of
from .....measure.torch.optimizers import is_optimizer, tensors
from .....safe.guard import Classes, instance_dict
from .....words.text import number
from ....step.expressions import root_of, text_of
from ....step.frames import global_of
from ....step.source import Call, Source
from ....step.step import Step
from ...classes import function_called, is_library
from ...finding import Found
from ...places import Line
from ...rule import Rule

_CHANGED_BY_METHODS = Classes(list, dict)


def step_without_grads(step: Step) -> Iterator[Found]:
    """Gradients are cleared between their backward and the step that should use them."""
    for body in bodies(step):
        order = [event for statement in body for event in _events(step, statement)]
        for first, second, third in zip(order, order[1:], order[2:]):
            if (first.name, second.name, third.name) != ("backward", "zero_grad", "step"):
                continue
            cleared, stepped = second.subject, third.subject
            optimizer = next((thing for thing in step.optimizers if thing.key == stepped), None)
            if optimizer is None or (cleared != stepped and not _clears(step, cleared, optimizer.value)):
                continue
            yield Found(
                f"{cleared}.zero_grad() comes after backward and before {stepped}.step(): it steps without gradients",
                (cleared, f"cleared in line {second.line[1]}, just before its step"),
                line=second.line,
            )


class _OrderedCall:
    """A call of ``backward``, ``zero_grad`` or ``step``: on what, in which line. Without a name: what may be a backward."""

    __slots__ = ("line", "name", "subject")

    def __init__(self, name: str, subject: str, line: Line) -> None:
        self.name = name
        self.subject = subject
        self.line = line


def _events(step: Step, statement: ast.stmt) -> list[_OrderedCall]:
    event = _event(statement, step.source)
    if event is not None:
        return [event]
    inside = _events_of_call(step, statement)
    if inside is not None:
        return inside
    line = (step.source.file, statement.lineno)
    return [_OrderedCall("", "", line)] if _may_run_a_backward(step, statement) else []


def _event(statement: ast.stmt, source: Source) -> _OrderedCall | None:
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    name = call.func.attr
    if name not in ("backward", "zero_grad") and (name != "step" or call.args):
        return None
    return _OrderedCall(name, text_of(call.func.value), (source.file, statement.lineno))


def _events_of_call(step: Step, statement: ast.stmt) -> list[_OrderedCall] | None:
    """What a function or method of the user does, that does nothing but clear and step; None where it may do more."""
    node = statement.value if isinstance(statement, ast.Expr) else None
    call = Call(node, None, True) if isinstance(node, ast.Call) else None
    called = None if call is None else function_called(step, call, step.at)
    if call is None or called is None or not called.is_known():
        return None
    found = []
    for part in called.body:
        event = _event(part, called)
        if event is not None and event.name != "backward":
            event.subject = _as_given(event.subject, call, called)
            found.append(event)
        elif not isinstance(part, (ast.Pass, ast.Global, ast.Nonlocal)) and not _is_text(part):
            return None
    return found


def _is_text(part: ast.stmt) -> bool:
    return isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)


def _as_given(subject: str, call: Call, called: Source) -> str:
    """An expression in a function, in the names of where that is called: of an argument, or of ``self``."""
    root, names = root_of(subject), called.arguments
    given = dict(zip(names[len(names) - len(call.args) :], map(text_of, call.args)))
    given.update({name: text_of(value) for name, value in call.keywords.items()})
    if call.receiver is not None and len(names) > len(call.args) + len(call.keywords):
        given.setdefault(names[0], text_of(call.receiver))
    return given.get(root, root) + subject[len(root) :]


def _may_run_a_backward(step: Step, statement: ast.stmt) -> bool:
    """Whether a statement may give gradients: by a call of what may reach a model."""
    if not isinstance(statement, (ast.Expr, ast.Assign, ast.AugAssign)):
        return True
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    if any(isinstance(target, ast.Attribute) for target in targets):
        return True
    for call in (node for node in ast.walk(statement) if isinstance(node, ast.Call)):
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
        owner = None if receiver is None else step.value(text_of(receiver))
        is_plain_method = is_own(owner) or type(owner) in _CHANGED_BY_METHODS
        if not is_plain_method and (receiver is not None or _reaches_a_model(step, call)):
            return True
    return False


def _reaches_a_model(step: Step, call: ast.Call) -> bool:
    """Whether a function may work on a model: it is given one, or one stands in what its code names."""
    view, name = step.views[step.at], text_of(call.func)
    called = view.variables.get(name, global_of(view.frame, name))
    if called is None:
        return name not in view.frame.f_builtins
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
    """Whether it is a model, an optimizer, or an object of the program, which may keep one."""
    return is_module(value) or is_optimizer(value) or not (issubclass(type(value), type) or is_library(type(value)))


def _named_in(function: FunctionType) -> Iterator[Any]:
    """The values that a function's code names: of the module around it, and of the functions around it."""
    for name in function.__code__.co_names:
        if name in function.__globals__:
            yield function.__globals__[name]
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # empty
            yield cell.cell_contents


def _clears(step: Step, cleared: str, optimizer: Any) -> bool:
    """Whether it is a module that has all that an optimizer holds."""
    found = step.module_of(cleared, step.at)
    own = set() if found is None else set(map(id, parameters_of(found.value)))
    return bool(own) and all(id(tensor) in own for tensor in tensors(optimizer))


def bodies(step: Step) -> Iterator[list[ast.stmt]]:
    waiting: list[ast.AST] = list(step.source.body)
    yield step.source.body
    while waiting:
        node = waiting.pop()
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if (
                type(body) is list
                and body
                and isinstance(body[0], ast.stmt)
                and not isinstance(node, (ast.FunctionDef, ast.ClassDef))
            ):
                yield body
                waiting.extend(body)


def clip_before_unscale(step: Step) -> Iterator[Found]:
    source = step.source
    scaled = [backward for backward in source.backwards if backward.scaler]
    clips = source.calls_of("clip_grad_norm_", "clip_grad_value_")
    for backward in scaled:
        scaler = step.value(backward.scaler or "")
        if scaler is None or instance_dict(scaler).get("_enabled") is not True:
            continue
        for clip in clips:
            unscaled = [call for call in source.calls_of("unscale_") if call.lineno <= clip.lineno]
            stepped = [
                call
                for call in source.calls_of("step")
                if text_of(call.receiver) == backward.scaler and call.lineno > clip.lineno
            ]
            if backward.lineno < clip.lineno and not unscaled and stepped:
                yield Found(
                    f"{clip.name} clips gradients that {backward.scaler} has not unscaled: the limit holds for scaled ones",
                    (backward.scaler, _scale_words(scaler)),
                    line=(source.file, clip.lineno),
                )
                return


def scaler_bypassed(step: Step) -> Iterator[Found]:
    source = step.source
    for backward in source.backwards:
        scaler = step.value(backward.scaler or "")
        if scaler is None or instance_dict(scaler).get("_enabled") is not True:
            continue
        by_scaler = [call for call in source.calls_of("step", "unscale_") if text_of(call.receiver) == backward.scaler]
        direct = [
            call
            for call in source.calls_of("step")
            if any(thing.key == text_of(call.receiver) for thing in step.optimizers)
        ]
        if direct and not by_scaler:
            call = direct[0]
            yield Found(
                f"{call.callee}() applies gradients that {backward.scaler} has scaled, and has not unscaled",
                (backward.scaler, _scale_words(scaler)),
                line=(source.file, call.lineno),
                suggestion=f"{backward.scaler}.step({text_of(call.receiver)}), then {backward.scaler}.update()",
            )
            return


def _scale_words(scaler: Any) -> str:
    known = instance_dict(scaler)
    start = known.get("_init_scale")
    return f"enabled, initial scale {number(start)}" if type(start) is float or type(start) is int else "enabled"


def named_only(step: Step) -> Iterator[tuple[str, int]]:
    """Statements that name the step of an optimizer in sight, and do not call it: ``optimizer.step``."""
    steps = {f"{thing.key}.step" for thing in step.optimizers}
    for node in ast.walk(step.source.tree) if step.source.tree is not None else ():
        if isinstance(node, ast.Expr) and text_of(node.value) in steps:
            yield text_of(node.value), node.lineno


RULES = [
    Rule(
        "step-without-grads",
        step_without_grads,
        "optimizer source",
        "error",
        "The optimizer finds no gradient, and changes nothing.",
        "call zero_grad before backward, or after step",
    ),
    Rule(
        "clip-before-unscale",
        clip_before_unscale,
        "scaler source",
        "error",
        "Scaled gradients are thousands of times larger: all are clipped to almost nothing.",
        "call scaler.unscale_(optimizer) before clipping",
    ),
    Rule(
        "scaler-bypassed",
        scaler_bypassed,
        "scaler source",
        "error",
        "The step is as many times too large as the scale.",
        "step through the scaler",
    ),
]
