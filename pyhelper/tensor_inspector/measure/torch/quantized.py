"""Statistics of quantized tensors: of the real numbers that the stored integers stand for."""

from __future__ import annotations

import struct
from math import prod
from typing import Any

from ...safe.budget import Budget
from ...safe.guard import module
from ...safe.torch_name import torch_name
from ..composed import QuantizedElements
from ..stats import Reading, Unread, of_tensor
from ..stats.exact import kernel_for
from ..stats.layout import distinct, normalised
from ..stats.reductions import BLOCK
from ..stats.scan import gatherer, scan
from ..unread import OFF, skipped
from ..valid import Arrays
from . import readable
from .metadata import Base, device_name, device_of, dtype_name, plain, shape_of

torch: Any = module("torch")
_DEQUANTIZED = 1 << 24  #: elements up to which the numbers that they stand for are written out
_INTEGERS = {"quint8": "uint8", "qint8": "int8", "qint32": "int32"}  #: others pack several numbers into a byte


def scheme_of(value: Any) -> str:
    """``per_tensor_affine``, ``per_channel_symmetric`` …; ``unknown`` of what has no scale yet."""
    try:
        return torch_name(Base.qscheme(value))
    except RuntimeError:  # made with a quantized dtype alone
        return "unknown"


def has_one_scale(value: Any) -> bool:
    """Whether one scale and zero point hold for all."""
    return scheme_of(value).startswith("per_tensor")


def has_channels(value: Any) -> bool:
    """Whether each index along one dimension has a scale and zero point of its own."""
    return scheme_of(value).startswith("per_channel")


def is_read_as_reals(value: Any) -> bool:
    """Whether the statistics are of the real numbers; if not, they are of the integers."""
    return device_name(value) == "cpu" and scheme_of(value) != "unknown"


def why_unread(value: Any) -> Unread | None:
    """Why the integers, or what numbers are made of them by, can't be read; None when they can.

    To be asked before `integers_of`, which would have torch make a storage that is too small larger.
    """
    parts = [plain(value), *_by_channel(value)] if has_channels(value) else [plain(value)]
    return next(filter(None, map(readable.why_unread, parts)), None)


def _by_channel(value: Any) -> tuple[Any, Any]:
    return Base.q_per_channel_scales(value), Base.q_per_channel_zero_points(value)


def integers_of(value: Any) -> Any:
    """The integers, in the tensor's own memory: ``int_repr`` would copy them."""
    seen_as = torch.empty(0, dtype=getattr(torch, _INTEGERS[dtype_name(value)]), device=device_of(value))
    storage, offset = Base.untyped_storage(value), Base.storage_offset(value)
    return seen_as.set_(storage, offset, tuple(shape_of(value)), Base.stride(value))


def why_no_elements(value: Any) -> Unread:
    """Why there is no tensor of the numbers that it stands for."""
    if dtype_name(value) not in _INTEGERS:
        return Unread("layout", f"{dtype_name(value)} packs several numbers into a byte: dequantize() gives them")
    if scheme_of(value) == "unknown":
        return Unread("layout", "quantized, and without a scale yet")
    if device_name(value) != "cpu":
        return Unread("layout", f"quantized, and on {device_name(value)}: dequantize() gives its numbers")
    return Unread("layout", "quantized")


def reals_of(value: Any) -> Any:
    """The numbers that the integers stand for, written out, or why they are not."""
    if why_unread(value) is not None:
        return Unread("layout", "quantized")
    if Base.numel(value) > _DEQUANTIZED:
        return Unread("too_many", "quantized: more than are written out")
    return Base.dequantize(plain(value))


def composed_of(value: Any) -> QuantizedElements | None:
    """The integers, with the scale and zero point of each, to be read in parts; None where they can't be."""
    if dtype_name(value) not in _INTEGERS or not is_read_as_reals(value) or why_unread(value) is not None:
        return None
    integers = integers_of(value)
    if has_channels(value):
        return QuantizedElements(*_with_channels(value, integers).arrays)
    if not has_one_scale(value):
        return None
    scale = torch.tensor(Base.q_scale(value), dtype=torch.float32, device="cpu")
    zero_point = torch.tensor(Base.q_zero_point(value), dtype=torch.int32, device="cpu")
    return QuantizedElements(integers, scale.expand(integers.shape), zero_point.expand(integers.shape))


def of_quantized(value: Any, budget: Budget) -> Reading:
    """Statistics of a quantized tensor, or why there are none."""
    if dtype_name(value) not in _INTEGERS:
        return Unread("layout", "values not read: several in a byte")
    unread = why_unread(value)
    if unread is not None:
        return unread
    integers = integers_of(value)
    if not is_read_as_reals(value) or not Base.numel(integers):
        return of_tensor(integers, budget)
    if not budget.reads:
        return OFF
    if budget.spent():
        return skipped(budget)
    if has_one_scale(value):
        return _of_affine(integers, Base.q_scale(value), Base.q_zero_point(value), budget)
    return _of_channels(_with_channels(value, integers), budget)


def _with_channels(value: Any, integers: Any) -> Arrays:
    """The integers, and for each of them its scale and zero point."""
    axis, (scales, zero_points) = Base.q_per_channel_axis(value), _by_channel(value)
    if not zero_points.is_floating_point():
        zero_points = zero_points.to(torch.int32)
    of_each = [-1 if index == axis else 1 for index in range(integers.dim())]
    return Arrays(
        integers, *(numbers.view(of_each).expand(integers.shape) for numbers in (scales.float(), zero_points))
    )


def _of_affine(integers: Any, scale: float, zero_point: int, budget: Budget) -> Reading:
    """Statistics of ``scale·(q − zero_point)`` as torch makes them, block by block: an int32, then times a float32."""
    dims, weight = normalised(tuple(integers.shape), integers.stride())
    kernel: Any = kernel_for(torch, torch.float32)
    factor = _single(scale)
    view = distinct(integers, dims)
    tally: Any = scan(
        view,
        gatherer(torch, integers, dims),
        lambda block: kernel(block.to(torch.int32).sub(zero_point).float().mul_(factor)),
        integers.numel() // weight,
        BLOCK // 4,
        budget,
    )
    return tally.stats(integers.numel(), weight)  # type: ignore[no-any-return]


def _of_channels(parts: Arrays, budget: Budget) -> Reading:
    """Statistics of integers that have a scale and a zero point each.

    Zero points may be fractions: these are subtracted as float32."""
    kernel: Any = kernel_for(torch, torch.float32)
    count = prod(parts.shape)

    def reals(part: Arrays) -> Any:
        integers, scales, zero_points = part.arrays
        return kernel(integers.to(zero_points.dtype).sub(zero_points).float().mul_(scales))

    def at(positions: range) -> Arrays:
        left = torch.arange(positions.start, positions.stop, positions.step, device="cpu")
        where = []
        for size in reversed(parts.shape):
            where.append(left % size)
            left = left // size
        return parts[tuple(reversed(where))]

    return scan(parts, at, reals, count, BLOCK // 4, budget).stats(count, 1)  # type: ignore[no-any-return]


def _single(value: float) -> float:
    """``value`` as a float32, beyond which it is infinite."""
    rounded: float = struct.unpack("f", struct.pack("f", value))[0]
    return rounded
