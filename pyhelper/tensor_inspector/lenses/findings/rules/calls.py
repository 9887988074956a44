"""Rules about the order of calls: clear, backward, unscale, clip, step."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ....safe.guard import instance_dict, module
from ....words.text import number
from ...step.source import text_of
from ...step.step import Step
from ..finding import Found
from ..rule import Rule

torch: Any = module("torch")


def step_without_grads(step: Step) -> Iterator[Found]:
    """Gradients are cleared between their backward and the step that should use them."""
    for body in bodies(step):
        order: list[tuple[str, str, int]] = []
        for statement in body:
            call = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
                order.append((call.func.attr, text_of(call.func.value), statement.lineno))
        names = {"backward", "zero_grad", "step"}
        order = [found for found in order if found[0] in names]
        for (first, _, _), (second, cleared, line), (third, stepped, _) in zip(order, order[1:], order[2:]):
            if (first, second, third) != ("backward", "zero_grad", "step") or cleared != stepped:
                continue
            if not any(thing.key == stepped for thing in step.optimizers):
                continue
            yield Found(
                f"{cleared}.zero_grad() comes after backward and before {stepped}.step(): it steps without gradients",
                (cleared, f"cleared in line {line}, just before its step"),
                line=(step.source.file, line),
            )


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
