"""Statistics of tensors on accelerators: reduced on the device, with bounded scratch memory and one synchronisation.

Every block leaves a row of numbers on the device; all rows are copied to the CPU together, at the end. Nothing is read
twice from the device, and nothing of the tensor's size is allocated. Devices without float64 (Apple's) sum in float32.
"""

from __future__ import annotations

import math
import struct
from typing import Any

from ...safe.budget import Budget
from ...safe.guard import module
from ...safe.torch_name import torch_name
from ..unread import Unread, skipped
from .layout import blocks
from .tally import ComplexTally, Tally

_COPIED = 1 << 21  # bytes that the CPU has read before the device would have been told what to do
_BLOCK = 1 << 22  # elements: 32 MiB of scratch a copy in float64
_SCRATCH = 64 * _BLOCK  # bytes, of which real numbers take half
_MOST = 1 << 29  # elements read in one go
_PER_MS = 1e6  # elements; a slow device needs 160 bytes of traffic for each


def at_hand(t: Any) -> Any:
    """A strided tensor itself where it is on the CPU or large; else a copy on the CPU of its elements and of what lies
    between them, for which nothing is allocated on the device. The caller holds the guard, and it has elements."""
    if t.is_cpu:
        return t
    if t.is_neg():
        torch = module("torch")
        return torch._neg_view(at_hand(torch._neg_view(t)))
    if t.is_conj():
        return at_hand(t.conj()).conj()
    span = 1 + sum((size - 1) * stride for size, stride in zip(t.shape, t.stride()))
    if span * t.element_size() > _COPIED:
        return t
    return t.as_strided((span,), (1,)).cpu().as_strided(t.shape, t.stride(), 0)


def read(torch: Any, view: Any, count: int, budget: Budget) -> Tally | ComplexTally | Unread:
    """The tally of the `count` elements of a strided `view` on an accelerator; of every few of them, along its
    dimensions, if there is no time for all (launched work can't be called back, so the time is estimated)."""
    most = min(_MOST, budget.remaining_ms() * _PER_MS, math.inf if budget.max_elements is None else budget.max_elements)
    if count > most:
        view = _thinned(view, max(1, int(most)))
    if not _has_room(torch, view):
        return Unread("no_memory", f"stats skipped: no memory left on {view.device}")
    tally = _tally(torch, view)
    if tally.read < count:
        tally.estimate()
    return tally


def few(torch: Any, view: Any, most: int, budget: Budget) -> Any | Unread:
    """At most `most` elements of `view` in one dimension on the CPU: all, or every few of them."""
    if budget.spent():
        return skipped(budget)
    view = at_hand(view)
    if not _has_room(torch, view):
        return Unread("no_memory", f"no memory left on {view.device}")
    return (view if view.numel() <= most else _thinned(view, most)).reshape(-1).cpu()


def first_positions(torch: Any, view: Any, budget: Budget) -> tuple[int | None, int | None]:
    """Where the first NaN and the first infinity are, counted in the order of the indices; None if there is no time."""
    if view.numel() > min(_MOST, budget.remaining_ms() * _PER_MS) or not _has_room(torch, view):
        return None, None
    rows, sizes = [], []
    for block in blocks(view if view.dim() else view.reshape(1), _BLOCK):
        x = block.reshape(-1)
        flags = [mask.view(torch.uint8) for mask in (torch.isnan(x), torch.isinf(x))]
        rows.append(torch.stack([number for flag in flags for number in (flag.amax().long(), flag.argmax())]))
        sizes.append(x.numel())
    found: list[int | None] = [None, None]
    start = 0
    for size, (has_nan, nan, has_inf, inf) in zip(sizes, torch.stack(rows).tolist()):
        for which, has, position in ((0, has_nan, nan), (1, has_inf, inf)):
            if has and found[which] is None:
                found[which] = start + position
        start += size
    return found[0], found[1]


def _tally(torch: Any, view: Any) -> Tally | ComplexTally:
    if not view.dtype.is_complex:
        return _collected(torch, view, view.dtype)
    parts = torch.view_as_real(view)
    real, imag = parts.select(-1, 0), parts.select(-1, 1)
    magnitude = _collected(torch, view, real.dtype)
    infinite = (
        sum(int((block.isinf() & ~block.isnan()).sum()) for block in blocks(view, _BLOCK)) if magnitude.pos_inf else 0
    )
    return ComplexTally(_collected(torch, real, real.dtype), _collected(torch, imag, imag.dtype), magnitude, infinite)


def _thinned(view: Any, most: int) -> Any:
    """At most `most` elements of `view`, an odd step apart along its longest dimensions."""
    steps = [1] * view.dim()
    for axis in sorted(range(view.dim()), key=lambda axis: -int(view.shape[axis])):
        left = math.prod(-(-int(size) // step) for size, step in zip(view.shape, steps))
        if left > most:
            steps[axis] = min(-(-left // most) | 1, int(view.shape[axis]))
    return view[tuple(slice((min(step, size) - 1) // 2, None, step) for size, step in zip(view.shape, steps))]


def _has_room(torch: Any, view: Any) -> bool:
    """Whether the device has room for our scratch, also in what torch has reserved and does not use."""
    if view.device.type != "cuda" or view.numel() < 1 << 16:
        return True
    free, _ = torch.cuda.mem_get_info(view.device)
    if free > _SCRATCH:
        return True
    idle = torch.cuda.memory_reserved(view.device) - torch.cuda.memory_allocated(view.device)
    return bool(free + idle > _SCRATCH)


def _collected(torch: Any, view: Any, dtype: Any) -> Tally:
    rows, sizes = [], []
    row = _int_row if not dtype.is_floating_point else _float_row
    for block in blocks(view, _BLOCK):
        if block.dtype.is_complex:
            unknown = block.isnan()
            block = (block if block.device.type == "mps" else block.to(torch.complex128)).abs()
            block = torch.where(unknown, math.nan, block)  # an infinite part of such a number would count
        rows.append(row(torch, block))
        sizes.append(block.numel())
    tally = Tally()
    for size, numbers in zip(sizes, torch.stack(rows).tolist()):
        tally.add(_int_tally(size, numbers) if row is _int_row else _float_tally(size, numbers))
    return tally


def _float_row(torch: Any, block: Any) -> Any:
    wide = torch.float32 if block.device.type == "mps" else torch.float64
    x = block.to(wide)
    finite = torch.isfinite(x)
    counts = [finite.sum(), (x == math.inf).sum(), (x == -math.inf).sum(), (x == 0).sum()]
    lo, hi = torch.where(finite, x, math.inf).amin(), torch.where(finite, x, -math.inf).amax()
    peak = torch.maximum(hi.abs(), lo.abs()).clamp(1e-300 if wide is torch.float64 else 1e-37)
    bits, exponent = (torch.int64, 0x7FF << 52) if wide is torch.float64 else (torch.int32, 0xFF << 23)
    scale = (peak.view(bits) & exponent).view(wide)  # a power of two: nothing is rounded
    x = torch.where(finite, x, 0.0) / scale
    mean = torch.minimum(torch.maximum(x.sum() / counts[0], lo / scale), hi / scale)
    d = torch.where(finite, x - mean, 0.0)
    offset = d.sum() / counts[0]
    deviation = (d.square().sum() / counts[0] - offset * offset).clamp(0.0).sqrt()
    return torch.stack([*(c.to(wide) for c in counts), lo, hi, mean * scale, offset * scale, deviation * scale])


def _float_tally(size: int, row: list[float]) -> Tally:
    finite, pos_inf, neg_inf, zeros, lo, hi, mean, offset, deviation = row
    t = Tally(size)
    t.finite, t.pos_inf, t.neg_inf, t.zeros = int(finite), int(pos_inf), int(neg_inf), int(zeros)
    t.nan = size - t.finite - t.pos_inf - t.neg_inf
    if t.finite:
        t.lo, t.hi, t.centre, t.offset, t.deviation = lo, hi, mean, offset, deviation
        t.error = 1e-14 * max(-lo, hi)
    return t


def _int_row(torch: Any, block: Any) -> Any:
    """Minimum, maximum, zeros, the sum in two halves and the bits of the deviation, all as int64."""
    name = torch_name(block.dtype)
    if name == "bool":
        x = block.to(torch.int64)
    elif name in ("uint16", "uint32"):
        x = block.view(getattr(torch, name[1:])).to(torch.int64) & (0xFFFF if name == "uint16" else 0xFFFFFFFF)
    elif name == "uint64":
        x = block.view(torch.int64) ^ -(2**63)
    else:
        x = block.to(torch.int64)
    zero = -(2**63) if name == "uint64" else 0
    lo, hi = x.amin(), x.amax()
    high, low = (x >> 32).sum(), (x & 0xFFFFFFFF).sum()
    wide = torch.float32 if block.device.type == "mps" else torch.float64
    d = (x - lo).to(wide)
    d = torch.where(d < 0, d + 2.0**64, d)  # a difference beyond 2**63 wraps around
    deviation = (d - d.mean()).square().mean().sqrt().to(torch.float64 if wide is torch.float64 else wide)
    bits = deviation.view(torch.int64) if wide is torch.float64 else (deviation * 2.0**16).to(torch.int64)
    return torch.stack(
        [lo, hi, (x == zero).sum(), high, low, bits, torch.zeros_like(lo) + zero, lo * 0 + (wide is torch.float64)]
    )


def _int_tally(size: int, row: list[int]) -> Tally:
    lo, hi, zeros, high, low, bits, zero, double = row
    t = Tally(size)
    t.lo, t.hi, t.zeros = lo - zero, hi - zero, zeros
    t.total = (high << 32) + low - size * zero
    t.centre = t.total // size
    t.offset = (t.total - t.centre * size) / size
    t.deviation = struct.unpack("d", struct.pack("q", bits))[0] if double else bits / 2**16
    return t
