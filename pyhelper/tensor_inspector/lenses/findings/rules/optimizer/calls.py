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
from .....safe.guard import instance_dict
from .....words.text import number
from ....step.expressions import text_of
from ....step.step import Step
from ...classes import is_library
from ...finding import Found
from ...rule import Rule


def step_without_grads(step: Step) -> Iterator[Found]:
    """Gradients are cleared between their backward and the step that should use them."""
    for body in bodies(step):
        order: list[tuple[str, str, int]] = []
        for statement in body:
            call = statement.value if isinstance(statement, ast.Expr) else None
            named = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
            name, receiver = (call.func.attr, text_of(call.func.value)) if named else ("", "")  # type: ignore[union-attr]
            is_step = name == "step" and not call.args  # type: ignore[union-attr]
            if name in ("backward", "zero_grad") or is_step:
                order.append((name, receiver, statement.lineno))
            elif _may_run_a_backward(step, statement):
                order.append(("", "", statement.lineno))
        for (first, _, _), (second, cleared, line), (third, stepped, _) in zip(order, order[1:], order[2:]):
            if (first, second, third) != ("backward", "zero_grad", "step"):
                continue
            optimizer = next((thing for thing in step.optimizers if thing.key == stepped), None)
            if optimizer is None or (cleared != stepped and not _clears(step, cleared, optimizer.value)):
                continue
            yield Found(
                f"{cleared}.zero_grad() comes after backward and before {stepped}.step(): it steps without gradients",
                (cleared, f"cleared in line {line}, just before its step"),
                line=(step.source.file, line),
            )


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
        is_plain_method = is_own(owner) or type(owner) in (list, dict)
        if not is_plain_method and (receiver is not None or _reaches_a_model(step, call)):
            return True
    return False


def _reaches_a_model(step: Step, call: ast.Call) -> bool:
    """Whether a function may work on a model: it is given one, or one stands in what its code names."""
    view, name = step.views[step.at], text_of(call.func)
    called = view.variables.get(name, view.frame.f_globals.get(name))
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
    return is_module(value) or is_optimizer(value) or not (isinstance(value, type) or is_library(type(value)))


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
