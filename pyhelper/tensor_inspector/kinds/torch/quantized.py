"""Quantized tensors: scale and zero point, and the real numbers that the stored integers stand for."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from math import prod
from typing import Any

from ...measure.present import Arrays
from ...measure.stats import Reading, Unread, of_tensor, unreadable_tensor
from ...measure.stats.exact import kernel_for
from ...measure.stats.layout import normalised
from ...measure.stats.reductions import BLOCK
from ...measure.stats.scan import gatherer, scan
from ...measure.stats.unread import FREED, OFF, skipped
from ...measure.torch.metadata import Base, device_name, device_of, dtype_name, plain, shape_of, stored_bytes
from ...measure.values import listed_values
from ...safe.budget import Budget
from ...safe.guard import module
from ...words.line import prefixed
from ...words.text import number, plural
from ...words.values import value_text
from ..kind import Child, NotStatic
from ..subscripts import element
from .tensor import Tensor
from .values import TensorElements

torch: Any = module("torch")
_INTEGERS = {"quint8": "uint8", "qint8": "int8", "qint32": "int32"}  #: others pack several numbers into a byte


class Quantized(Tensor):
    """By the real numbers that the stored integers stand for; on devices by the integers themselves."""

    form = "quantized"

    def form_words(self) -> Iterator[str]:
        if self._is_affine():
            yield f"scale {number(Base.q_scale(self.value))}, zero point {Base.q_zero_point(self.value)}"
        elif self._scheme() == "unknown":
            yield "no scale yet"
        else:
            axis = Base.q_per_channel_axis(self.value)
            yield f"{plural(int(shape_of(self.value)[axis]), 'scale')} along dimension {axis}"

    def stats_words(self) -> list[str]:
        words = super().stats_words()
        return (
            words
            if self._is_read_as_reals() or isinstance(self.reading(), Unread)
            else [prefixed("stored ", words[0]), *words[1:]]
        )

    def shown_values(self) -> str | None:
        if shape_of(self.value) or isinstance(self.reading(), Unread):
            return None
        return value_text(listed_values(self.plain()))

    def notes(self) -> Iterable[str]:
        return [] if self._is_read_as_reals() else ["statistics are of the stored integers"]

    def form_facts(self) -> list[list[str]]:
        return [["scheme", self._scheme()], ["scale", ", ".join(self.form_words())]]

    def form_rows(self) -> list[Child]:
        rows = []
        if not isinstance(self.reading(), Unread):
            rows.append(Child("int_repr", TensorElements(self._stored()), ".int_repr()", copied=True))
        if self._has_channels():
            for name in ("scales", "zero_points"):
                method = f"q_per_channel_{name}"
                rows.append(Child(name, TensorElements(getattr(Base, method)(self.value)), f".{method}()"))
        return rows

    def read(self) -> Reading:
        if dtype_name(self.value) not in _INTEGERS:
            return Unread("layout", "values not read: several in a byte")
        if not stored_bytes(self.value) and Base.numel(self.value):
            return FREED
        stored, budget = self._stored(), self.budget.share()
        if not self._is_read_as_reals() or not Base.numel(stored):
            return of_tensor(stored, budget)
        if self._is_affine():
            return _of_affine(stored, Base.q_scale(self.value), Base.q_zero_point(self.value), budget)
        return _of_channels(self._by_channel(stored), budget)

    def elements(self) -> Any:
        return Unread("layout", "quantized")

    def item(self, key: Any) -> Any:
        if not self.length():
            raise NotStatic("quantized")
        return TensorElements(element(plain(self.value), key))

    def length(self) -> int:
        return super().length() if self._is_affine() else 0

    def corner(self) -> str | None:
        return super().corner() if self._is_affine() else None

    def _is_affine(self) -> bool:
        """Whether one scale and zero point hold for all."""
        return self._scheme().startswith("per_tensor")

    def _has_channels(self) -> bool:
        """Whether each index along one dimension has a scale and zero point of its own."""
        return self._scheme().startswith("per_channel")

    def _is_read_as_reals(self) -> bool:
        return (self._is_affine() or self._has_channels()) and device_name(self.value) == "cpu"

    def _by_channel(self, stored: Any) -> Arrays:
        """The integers, and for each of them its scale and zero point."""
        axis, value = Base.q_per_channel_axis(self.value), self.value
        zero_points = Base.q_per_channel_zero_points(value)
        if not zero_points.is_floating_point():
            zero_points = zero_points.to(torch.int32)
        of_each = [-1 if index == axis else 1 for index in range(stored.dim())]
        told = (Base.q_per_channel_scales(value).float(), zero_points)
        return Arrays(stored, *(numbers.view(of_each).expand(stored.shape) for numbers in told))

    def _scheme(self) -> str:
        try:
            return str(Base.qscheme(self.value)).replace("torch.", "")
        except RuntimeError:  # made with a quantized dtype alone
            return "unknown"

    def _stored(self) -> Any:
        """The integers, in the tensor's own memory: ``int_repr`` would copy them."""
        seen_as = torch.empty(0, dtype=getattr(torch, _INTEGERS[dtype_name(self.value)]), device=device_of(self.value))
        storage, offset = Base.untyped_storage(self.value), Base.storage_offset(self.value)
        return seen_as.set_(storage, offset, tuple(shape_of(self.value)), Base.stride(self.value))


def _of_affine(stored: Any, scale: float, zero_point: int, budget: Budget) -> Reading:
    """Statistics of ``scale·(q − zero_point)`` as torch makes them, block by block: an int32, then times a float32."""
    unread = unreadable_tensor(stored)
    if unread is not None:
        return unread
    if not budget.reads:
        return OFF
    if budget.spent():
        return skipped(budget)
    dims, weight = normalised(tuple(stored.shape), stored.stride())
    kernel: Any = kernel_for(torch, torch.float32)
    factor = _single(scale)
    view = stored.as_strided([size for size, _ in dims] or [1], [stride for _, stride in dims] or [1])
    tally: Any = scan(
        view,
        gatherer(torch, stored, dims),
        lambda block: kernel(block.to(torch.int32).sub(zero_point).float().mul_(factor)),
        stored.numel() // weight,
        BLOCK // 4,
        budget,
    )
    return tally.stats(stored.numel(), weight)  # type: ignore[no-any-return]


def _of_channels(parts: Arrays, budget: Budget) -> Reading:
    """The same of integers with a scale and zero point each. Zero points may be fractions, which are then subtracted as
    float32."""
    unread = unreadable_tensor(parts.arrays[0])
    if unread is not None:
        return unread
    if not budget.reads:
        return OFF
    if budget.spent():
        return skipped(budget)
    kernel: Any = kernel_for(torch, torch.float32)
    count = prod(parts.shape)

    def reals(part: Arrays) -> Any:
        stored, scales, zero_points = part.arrays
        return kernel(stored.to(zero_points.dtype).sub(zero_points).float().mul_(scales))

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
