"""Tests whether elements are finite: their sum first, since NaN and Inf survive addition."""

from __future__ import annotations

from typing import Any, Optional

from ..safe.guard import module

torch: Any = module("torch")


_PLAIN = {torch.Tensor, torch.nn.Parameter}
_HALF = {torch.float16, torch.bfloat16}
_FLOATING = {torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64, torch.complex128}
_FEW = 64  #: elements that are no slower to compare than to add up
_NONE = float("nan")
_functorch: Any = getattr(torch._C, "_functorch", None)
_knows_levels = hasattr(_functorch, "maybe_current_level")  # from torch 2.1 on
_gradients_on, _switch_gradients = torch.is_grad_enabled, torch._C._set_grad_enabled


class Found:
    """What is not finite among elements."""

    __slots__ = ("inf", "nan")

    def __init__(self, nan: bool, inf: bool) -> None:
        self.nan = nan
        self.inf = inf


#: What is not finite, and the largest magnitude where the last says so (NaN where there is one); else the sum.
Seen = tuple[Optional[Found], float, bool]


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
    """What is not finite in a readable tensor; None where all is."""
    return examine(value)[0]


def examine(value: Any) -> Seen:
    """What is not finite in a readable tensor, and a number by the way.

    A sum of finite elements may overflow: only then each element is looked at. A sum that is Inf has no NaN in it.
    """
    was_on = _gradients_on()
    _switch_gradients(False)
    try:
        value = plain(value)
        if 1 < value.numel() <= _FEW and value.is_cpu and not value.is_complex():
            try:
                low, high = (one.item() for one in value.aminmax())
                largest = abs(max(-low, high))
                if largest - largest == 0:
                    return None, largest, True
                return Found(largest != largest, largest == largest or bool(value.isinf().any())), largest, True
            except RuntimeError:  # not of this dtype in this torch, or in forward mode
                pass
        number = (value.sum(dtype=torch.float32) if value.dtype in _HALF else value.sum()).item()
        total = number if type(number) is float else _NONE
        if number - number == 0:
            return (None, abs(total), True) if value.numel() == 1 else (None, total, False)
        value = value.detach()
        nan, inf = number != number and bool(value.isnan().any()), bool(value.isinf().any())
        return Found(nan, inf) if nan or inf else None, total, False
    finally:
        _switch_gradients(was_on)
