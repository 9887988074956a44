"""Tests whether elements are finite: their sum first, since NaN and Inf survive addition."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Optional

from ..safe.guard import module

torch: Any = module("torch")


_PLAIN = {torch.Tensor, torch.nn.Parameter}
_STRIDED: Any = torch.strided
_SPARSE: Any = torch.sparse_coo
_HALF = {torch.float16, torch.bfloat16}
_FLOATING = {torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64, torch.complex128}
#: What nearly all tensors on a CPU are, as `_form` tells.
_COMMON = {(torch.float32, _STRIDED, True)}
_FEW = 64  #: elements that are no slower to compare than to add up
_NONE = float("nan")
_functorch: Any = getattr(torch._C, "_functorch", None)
_level: Any = getattr(_functorch, "maybe_current_level", lambda: None)  # from torch 2.1 on
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
    if type(value) not in _PLAIN or value.dtype not in _FLOATING or value.layout is not _STRIDED:
        return False
    return value.is_cpu or not (value.is_meta or (value.is_cuda and torch.cuda.is_current_stream_capturing()))


def are_common(tensors: list[Any]) -> bool:
    """Whether there are some, and all are plain tensors of float32 on the CPU: readable, in a word."""
    return _PLAIN.issuperset(map(type, tensors)) and set(map(_form, tensors)) == _COMMON


def _form(tensor: Any) -> tuple[Any, Any, bool]:
    return tensor.dtype, tensor.layout, tensor.is_cpu


def is_dense(value: Any) -> bool:
    """Whether it is a plain tensor of any numbers whose elements are there."""
    if type(value) not in _PLAIN or value.layout is not torch.strided or value.is_meta:
        return False
    return not (value.is_cuda and torch.cuda.is_current_stream_capturing())


def plain(value: Any) -> Any:
    """The tensor inside what ``torch.func`` has wrapped."""
    if _level() is None:
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
    It is one function, since each call of another takes as long as a small sum.
    """
    are_on = _gradients_on()
    if are_on:
        _switch_gradients(False)
    try:
        if _level() is not None:
            value = plain(value)
        size = value.numel()
        if 1 < size <= _FEW and value.is_cpu and not value.is_complex():
            few = _examine_few(value)
            if few is not None:
                return few
        number = (value.sum(dtype=torch.float32) if value.dtype in _HALF else value.sum()).item()
        if number - number == 0:
            total = number if type(number) is float else _NONE
            return (None, abs(total), True) if size == 1 else (None, total, False)
        return _examine_each(value, number)
    finally:
        if are_on:
            _switch_gradients(True)


def examine_all(values: Iterable[Any]) -> tuple[list[Any], list[Seen], bool]:
    """The readable tensors among these, what is seen of each, and whether all of them are finite.

    Of a sparse gradient they are its values.
    """
    there, seen, are_finite = [], [], True
    for value in values:
        value = elements_of(value)
        if value is not None:
            found = examine(value)
            there.append(value)
            seen.append(found)
            are_finite = are_finite and found[0] is None
    return there, seen, are_finite


def _examine_few(value: Any) -> Seen | None:
    """None where torch can't tell the smallest and the largest."""
    try:
        low, high = (one.item() for one in value.aminmax())
        largest = abs(max(-low, high))
        if largest - largest == 0:
            return None, largest, True
        return Found(largest != largest, largest == largest or bool(value.isinf().any())), largest, True
    except RuntimeError:  # not of this dtype in this torch, or in forward mode
        return None


def _examine_each(value: Any, number: Any) -> Seen:
    """Of elements whose sum is this number, which is not finite."""
    value = value.detach()
    sum_is_real = type(number) is float
    if sum_is_real and number == number:
        return Found(False, True) if _reaches(value, number) else None, number, False
    nan, inf = bool(value.isnan().any()), bool(value.isinf().any())
    return Found(nan, inf) if nan or inf else None, number if sum_is_real else _NONE, False


def _reaches(value: Any, infinity: float) -> bool:
    """Whether an element is the Inf that all of them add up to. It takes a tenth of the time of `isinf`."""
    try:
        extreme = value.amax() if infinity > 0 else value.amin()
        return bool(extreme.item() == infinity)
    except RuntimeError:  # not of this dtype in this torch
        return bool(value.isinf().any())


def elements_of(value: Any) -> Any | None:
    """The tensor that is looked at: the value, or the values of a sparse one; None where there is none to read."""
    if type(value) in _PLAIN and value.layout is _SPARSE:
        value = value._values()
    return value if is_readable(value) else None


def found_in(value: Any) -> Found | None:
    """What is not finite in anything: None also where it is no tensor that can be read."""
    elements = elements_of(value)
    return None if elements is None else find(elements)
