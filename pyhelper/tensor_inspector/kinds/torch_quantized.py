"""Quantized tensors: scale and zero point, and the real numbers that the stored integers stand for."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import Any

from ..budget import Budget
from ..guard import module
from ..stats import Unread, of_tensor, unreadable_tensor
from ..stats.exact import kernel_for
from ..stats.layout import normalised
from ..stats.reductions import BLOCK
from ..stats.scan import gatherer, scan
from ..stats.tally import OFF, skipped
from ..text import number, plural
from ..words import prefixed
from .kind import Child, NotStatic
from .stats_text import Reading
from .tensor_text import element, listed_values, value_text
from .torch_metadata import Base, device_name, device_of, dtype_name, plain, shape_of, stored_bytes
from .torch_tensor import Tensor
from .torch_values import TensorElements

torch: Any = module("torch")
_INTEGERS = {"quint8": "uint8", "qint8": "int8", "qint32": "int32"}  #: others pack several numbers into a byte


class Quantized(Tensor):
    """By the real numbers where one scale holds for all, by the stored integers where each channel has its own."""

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
            rows.append(Child("int_repr", TensorElements(self._stored()), ".int_repr()"))
        if self._scheme().startswith("per_channel"):
            for name in ("scales", "zero_points"):
                method = f"q_per_channel_{name}"
                rows.append(Child(name, TensorElements(getattr(Base, method)(self.value)), f".{method}()"))
        return rows

    def read(self) -> Reading:
        if dtype_name(self.value) not in _INTEGERS:
            return Unread("values not read: several in a byte")
        if not stored_bytes(self.value) and Base.numel(self.value):
            return Unread("storage freed")
        stored, budget = self._stored(), self.budget.share()
        if not self._is_read_as_reals() or not Base.numel(stored):
            return of_tensor(stored, budget)
        return _of_affine(stored, Base.q_scale(self.value), Base.q_zero_point(self.value), budget)

    def elements(self) -> Any:
        return Unread("quantized")

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

    def _is_read_as_reals(self) -> bool:
        return self._is_affine() and device_name(self.value) == "cpu"

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
    reason = unreadable_tensor(stored)
    if reason is not None:
        return Unread(reason)
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


def _single(value: float) -> float:
    """``value`` as a float32, beyond which it is infinite."""
    rounded: float = struct.unpack("f", struct.pack("f", value))[0]
    return rounded
