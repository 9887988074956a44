"""Euclidean norms of many tensors, exact to four digits and never overflowing, in slices of time.

``torch._foreach_norm`` of a whole tensor adds up in its dtype: for ten million times 0.1 in float32 it is wrong by
one percent, and squares overflow. So pieces are given to it, what they give is added up in Python's floats, and what is
not finite, or so small that squares vanish, is read again in float64.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from math import isfinite, sqrt
from typing import Any

from ...safe.budget import Budget
from ...safe.guard import module
from ...safe.record import Record
from ..stats.layout import blocks, distinct, normalised
from .elements import bare

torch: Any = module("torch")
ERROR = 1e-4  #: at most, of a norm, by its share
_PIECE = 1 << 16  #: elements that torch adds up
_AGAIN = 1 << 18  #: elements that are read in float64 at once
_BATCH = 1 << 21  #: elements read between two looks at the clock
_SMALL = 1e-15  #: a norm of a piece whose squares may have vanished


class Norm(Record):
    """The norm of a tensor; None where it has NaN or infinities, which are counted, or can't be read (``is_read``)."""

    value: float | None = None
    nan: int = 0
    inf: int = 0
    is_read: bool = True


class Norms:
    """The norms of tensors, in their order, once `go_on` has said that all are read."""

    def __init__(self, tensors: Sequence[Any]) -> None:
        self.found: list[Norm | None] = [None] * len(tensors)
        self._waiting = deque(enumerate(tensors))
        self._total = max(1, len(tensors))

    def go_on(self, budget: Budget) -> bool:
        while self._waiting:
            self._read_some()
            if budget.spent():
                break
        return not self._waiting

    def progress(self) -> float:
        return 1 - len(self._waiting) / self._total

    def _read_some(self) -> None:
        """Some tensors at once: as many elements as one look at the clock is worth, or one that is larger."""
        some: list[tuple[int, Any]] = []
        elements = 0
        while self._waiting and elements < _BATCH:
            at, tensor = self._waiting.popleft()
            values = _readable(tensor)
            if values is None:
                self.found[at] = Norm(is_read=False)
                continue
            some.append((at, values))
            elements += values.numel()
        squares = _squares([values for _, values in some])
        for (at, values), square in zip(some, squares):
            self.found[at] = _again(values) if square is None else Norm(sqrt(square))


def _readable(tensor: Any) -> Any:
    """The elements without a gradient; None where they can't be read, or are no floats of 16 bits or more."""
    values = bare(tensor)
    if values is None or not (values.is_floating_point() or values.is_complex()) or values.element_size() < 2:
        return None
    return values


def _squares(tensors: list[Any]) -> list[float | None]:
    """The square of each norm; None where it has to be worked out with care."""
    alike: dict[Any, tuple[list[int], list[Any]]] = {}
    for at, tensor in enumerate(tensors):
        owners, parts = alike.setdefault((tensor.device, tensor.dtype), ([], []))
        for part in _pieces(tensor, _PIECE):
            owners.append(at)
            parts.append(part if part.element_size() > 2 else part.float())
    found: list[float | None] = [0.0] * len(tensors)
    for owners, parts in alike.values():
        for at, norm in zip(owners, _norms(parts)):
            known = found[at]
            if known is not None:
                is_sure = isfinite(norm) and norm > _SMALL
                found[at] = known + norm * norm if is_sure else None
    return found


def _norms(parts: list[Any]) -> list[float]:
    if not parts:
        return []
    found = torch._foreach_norm(parts) if hasattr(torch, "_foreach_norm") else [part.norm() for part in parts]
    return torch.stack(found).tolist()  # type: ignore[no-any-return]


def _again(values: Any) -> Norm:
    """The norm in float64, scaled so that no square overflows or vanishes; or what is not finite, counted."""
    if not values.any():
        return Norm(0.0)
    largest, nan, inf = 0.0, 0, 0
    for part in _pieces(values, _AGAIN):
        found = float(part.abs().max())
        largest = max(largest, found)
        if not isfinite(found):
            nan += int(part.isnan().sum())
            inf += int(part.isinf().sum())
    if nan or inf:
        return Norm(None, nan, inf)
    wide = torch.complex128 if values.is_complex() else torch.float64
    norms = (float((part.to(wide) / largest).norm()) for part in _pieces(values, _AGAIN))
    return Norm(largest * sqrt(sum(norm * norm for norm in norms)))


def _pieces(values: Any, most: int) -> Iterator[Any]:
    if values.numel() <= most:
        return iter((values,))
    if values.is_contiguous():
        return iter(values.view(-1).split(most))
    return _strided(values, most)


def _strided(values: Any, most: int) -> Iterator[Any]:
    dims, weight = normalised(tuple(values.shape), values.stride())
    view = distinct(values, dims)
    for block in blocks(view, most):
        for _ in range(weight):
            yield block
