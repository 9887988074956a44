"""Rules about the order of calls: clear, backward, unscale, clip, step."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.modules import parameters_of
from .....measure.torch.optimizers import tensors
from .....safe.guard import instance_dict
from .....words.text import number
from ....step.expressions import text_of
from ....step.step import Step
from ...finding import Found
from ...lines import Line
from ...rule import rule
from .order import orders


@rule(
    "error",
    why="The optimizer finds no gradient, and changes nothing.",
    suggestion="call zero_grad before backward, or after step",
    needs="optimizer source",
)
def step_without_grads(step: Step) -> Iterator[Found]:
    """Gradients are cleared between their backward and the step that should use them."""
    told = set[Line]()
    for order in orders(step):
        for first, second, third in zip(order, order[1:], order[2:]):
            if (first.name, second.name, third.name) != ("backward", "zero_grad", "step"):
                continue
            cleared, stepped = second.subject, third.subject
            optimizer = next((thing for thing in step.optimizers if thing.key == stepped), None)
            if optimizer is None or (cleared != stepped and not _clears(step, cleared, optimizer.value)):
                continue
            if second.at in told:
                continue
            told.add(second.at)
            yield Found(
                f"{cleared}.zero_grad() comes after backward and before {stepped}.step(): it steps without gradients",
                (cleared, f"cleared in line {second.at[1]}, just before its step"),
                line=second.at,
            )


def _clears(step: Step, cleared: str, optimizer: Any) -> bool:
    """Whether it is a module that has all that an optimizer holds."""
    found = step.module_of(cleared, step.at)
    ids = set() if found is None else set(map(id, parameters_of(found.value)))
    return bool(ids) and all(id(tensor) in ids for tensor in tensors(optimizer))


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


@rule(
    "error",
    why="Scaled gradients are thousands of times larger: all are clipped to almost nothing.",
    suggestion="call scaler.unscale_(optimizer) before clipping",
    needs="scaler source",
)
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


@rule(
    "error",
    why="The step is as many times too large as the scale.",
    suggestion="step through the scaler",
    needs="scaler source",
)
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
