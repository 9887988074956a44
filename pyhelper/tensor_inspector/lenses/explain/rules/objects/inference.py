"""Tensors that were made under inference mode: a graph can't save them, and they can't be changed in place."""

from __future__ import annotations

from typing import Any

from .....measure.torch.metadata import is_exact_tensor
from .....words.text import listed
from ....findings.finding import Violation
from ...error_context import ErrorContext
from ...operand import Operand


def inference_tensor(context: ErrorContext) -> Violation | None:
    """The operands of the failing line that keep being inference tensors outside of the mode."""
    candidates = [*context.failing.tensors(), *context.operands()]
    if context.layer is not None:
        candidates += context.layer.tensors()
    found: dict[int, Operand] = {id(one.value): one for one in candidates if _is_inference(one.value)}
    if not found:
        return None
    made = list(found.values())
    names = listed([one.name for one in made], False, 60)
    does = "can't be saved for backward" if "saved" in context.message else "can't be used so outside of it"
    are = "was" if len(made) == 1 else "were"
    first = made[0]
    fit = f"make {first.name} under no_grad instead, or take {first.written}.clone()"
    return context.found((f"{names} {are} made under inference_mode", ", ", f"and {does}"), *made[:4], suggestion=fit)


def _is_inference(value: Any) -> bool:
    return is_exact_tensor(value) and bool(value.is_inference())
