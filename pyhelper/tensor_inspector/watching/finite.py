"""Tests whether elements are finite: their sum first, since NaN and Inf survive addition."""

from __future__ import annotations

from typing import Any

from ..safe.guard import module

torch: Any = module("torch")


_PLAIN = {torch.Tensor, torch.nn.Parameter}
_HALF = {torch.float16, torch.bfloat16}
_FLOATING = {torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64, torch.complex128}
_functorch: Any = getattr(torch._C, "_functorch", None)
_knows_levels = hasattr(_functorch, "maybe_current_level")  # from torch 2.1 on
_gradients_on, _switch_gradients = torch.is_grad_enabled, torch._C._set_grad_enabled


class Found:
    """What is not finite among elements."""

    __slots__ = ("inf", "nan")

    def __init__(self, nan: bool, inf: bool) -> None:
        self.nan = nan
        self.inf = inf


def is_readable(value: Any) -> bool:
    """Whether it is a plain tensor of floats whose elements are there."""
    if type(value) not in _PLAIN or value.dtype not in _FLOATING or value.layout is not torch.strided or value.is_meta:
        return False
    return not (value.is_cuda and torch.cuda.is_current_stream_capturing())


def is_dense(value: Any) -> bool:
    """Whether it is a plain tensor of any numbers whose elements are there."""
    if type(value) not in _PLAIN or value.layout is not torch.strided or value.is_meta:
        return False
    return not (value.is_cuda and torch.cuda.is_current_stream_capturing())


def plain(value: Any) -> Any:
    """The tensor inside what ``torch.func`` has wrapped."""
    if not _knows_levels or _functorch.maybe_current_level() is None:
        return value
    while _functorch.is_functorch_wrapped_tensor(value):
        value = _functorch.get_unwrapped(value)
    return value


def find(value: Any) -> Found | None:
    """What is not finite in a readable tensor; None where all is.

    A sum of finite elements may overflow: only then each element is looked at. A sum that is Inf has no NaN in it.
    """
    was_on = _gradients_on()
    _switch_gradients(False)
    try:
        value = plain(value)
        total = value.sum(dtype=torch.float32) if value.dtype in _HALF else value.sum()
        number = total.item()
        if number - number == 0:
            return None
        value = value.detach()
        nan, inf = number != number and bool(value.isnan().any()), bool(value.isinf().any())
        return Found(nan, inf) if nan or inf else None
    finally:
        _switch_gradients(was_on)
