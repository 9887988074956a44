"""Euclidean norms of many tensors, exact to four digits, in slices of time. They never overflow.

``torch._foreach_norm`` of a whole tensor adds up in its dtype: for ten million times 0.1 in float32 it is wrong by one
percent, and squares overflow. So it gets pieces, whose norms are added up in Python's floats. What is not finite, or so
small that squares vanish, is read again in float64.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from math import hypot, inf, isfinite, nan, sqrt
from typing import Any

from ...safe.budget import Budget
from ...safe.guard import module
from ...safe.one_thread import OneThread
from ...safe.record import Record
from ..stats.layout import blocks, distinct, normalised
from ..stats.scan import Pace
from .elements import bare_each
from .metadata import element_count, is_exact_tensor

torch: Any = module("torch")
ERROR = 1e-4  #: at most, of a norm, by its share
_PIECE = 1 << 15  #: elements that torch adds up, at the most
_JOINED = 1 << 13  #: elements of a tensor that is read as one with others, at the most
_AGAIN = 1 << 18  #: elements that are read in float64 at once
_BATCH = 1 << 22  #: elements read between two looks at the clock
_SMALL = 1e-15  #: a norm of a piece whose squares may have vanished


class Norm(Record):
    """The norm of a tensor; None where it has NaN or infinities, which are counted, or can't be read (``is_read``)."""

    value: float | None = None
    nan: int = 0
    inf: int = 0
    is_read: bool = True


def total_norm(tensors: Sequence[Any]) -> float | None:
    """The norm of all elements together; NaN and Inf where there are such, None where nothing can be read.

    Small tensors are read as one on the CPU: there each call of torch takes longer than their elements.
    """
    alike: dict[Any, list[Any]] = {}
    for one in bare_each(list(tensors)):
        if one is not None:
            alike.setdefault((one.dtype, one.device), []).append(one)
    groups = [list(map(_as_real, some)) for some in alike.values() if _is_counted(some[0])]
    if not groups:
        return None
    square = sum(map(_sum_of_squares, groups))
    if isfinite(square) and square > _SMALL**2:
        return sqrt(square)
    norms = [_again(one) for some in groups for one in some]
    if any(norm.nan or norm.inf for norm in norms):
        return nan if any(norm.nan for norm in norms) else inf
    return hypot(*(norm.value or 0.0 for norm in norms))


def _sum_of_squares(values: list[Any]) -> float:
    """Of all elements of tensors that are alike; not finite where a square overflows.

    On the CPU a dot product takes a fifth of the time of a norm.
    """
    is_on_cpu = values[0].device.type == "cpu"
    parts = list(_joined(values)) if is_on_cpu else values
    if is_on_cpu and values[0].dtype in (torch.float32, torch.float64):
        pieces = [piece for part in parts for piece in _pieces_in_a_row(part)]
        return sum(torch.stack([torch.dot(piece, piece) for piece in pieces]).tolist())  # type: ignore[no-any-return]
    return sum(norm * norm for _, norm in _norms_of_pieces(list(enumerate(parts)), in_small_parts=False))


def _pieces_in_a_row(part: Any) -> Iterable[Any]:
    flat = part.reshape(-1)
    return flat.split(_PIECE) if flat.numel() > _PIECE else (flat,)


def _joined(values: list[Any]) -> Iterator[Any]:
    """The small ones in pieces of many, then the others."""
    some: list[Any] = []
    elements = 0
    for one in values:
        count = one.numel()
        if count > _JOINED:
            yield one
            continue
        some.append(one.reshape(-1))
        elements += count
        if elements >= _PIECE:
            yield torch.cat(some)
            some, elements = [], 0
    if some:
        yield torch.cat(some)


class Norms:
    """The norms of tensors, in their order, complete once `go_on` has returned True."""

    def __init__(self, tensors: Sequence[Any]) -> None:
        self.found: list[Norm | None] = [None] * len(tensors)
        self._waiting = deque(enumerate(tensors))
        self._total = max(1, len(tensors))

    def go_on(self, budget: Budget) -> bool:
        pace = Pace(budget, _BATCH)
        while self._waiting:
            with OneThread(pace.alone()) as must_be_small:
                read = self._read_some(must_be_small)
            pace.note(read)
            if budget.spent():
                break
        return not self._waiting

    def progress(self) -> float:
        return 1 - len(self._waiting) / self._total

    def _read_some(self, in_small_parts: bool) -> int:
        """Some tensors at once: as many elements as one look at the clock is worth, or one that is larger. Returns how
        many."""
        some: list[tuple[int, Any]] = []
        elements = 0
        while self._waiting and elements < _BATCH:
            some.append(self._waiting.popleft())
            elements += (element_count(some[-1][1]) or 0) if is_exact_tensor(some[-1][1]) else 0
        readable: list[tuple[int, Any]] = []
        for (at, _), values in zip(some, bare_each([tensor for _, tensor in some])):
            if values is not None and _is_counted(values):
                readable.append((at, values))
            else:
                self.found[at] = Norm(is_read=False)
        squares = _squares([_as_real(values) for _, values in readable], in_small_parts)
        for (at, values), square in zip(readable, squares):
            self.found[at] = _again(values) if square is None else Norm(sqrt(square))
        return elements


def _is_counted(values: Any) -> bool:
    """Whether they are floats of 16 bits or more."""
    return bool(values.is_floating_point() or values.is_complex()) and int(values.element_size()) >= 2


def _as_real(values: Any) -> Any:
    """Complex elements as pairs of floats, which have the same norm: torch adds up complex ones less exactly."""
    if not values.is_complex():
        return values
    return torch.view_as_real(values.conj() if values.is_conj() else values)


def _squares(tensors: list[Any], in_small_parts: bool) -> list[float | None]:
    """The square of each norm; None where it has to be worked out with care."""
    alike: dict[Any, list[int]] = {}
    for at, tensor in enumerate(tensors):
        alike.setdefault((tensor.device, tensor.dtype), []).append(at)
    found: list[float | None] = [0.0] * len(tensors)
    for some in alike.values():
        for at, norm in _norms_of_pieces([(at, tensors[at]) for at in some], in_small_parts):
            known = found[at]
            if known is not None:
                is_sure = isfinite(norm) and norm > _SMALL
                found[at] = known + norm * norm if is_sure else None
    return found


def _norms_of_pieces(tensors: list[tuple[int, Any]], in_small_parts: bool) -> Iterator[tuple[int, float]]:
    """The norm of each piece, with the number of its tensor. They are on one device, and of one dtype.

    All pieces of a tensor are read by one call, which saves a third of the work. With ``in_small_parts`` each is read
    alone: torch would split the call among threads.
    """
    numbers: list[int] = []
    norms: list[Any] = []
    of_parts: list[int] = []
    parts: list[Any] = []
    for at, tensor in tensors:
        rows = 0 if in_small_parts else _rows(tensor)
        if rows > 1:
            numbers += [at] * rows
            norms.append(torch.linalg.vector_norm(_wide(tensor.view(rows, -1)), dim=1))
            continue
        parts += map(_wide, _pieces(tensor, _PIECE))
        of_parts += [at] * (len(parts) - len(of_parts))
    if parts:
        of_each = torch._foreach_norm(parts) if hasattr(torch, "_foreach_norm") else [part.norm() for part in parts]
        norms.append(torch.stack(of_each))
    return zip(numbers + of_parts, torch.cat(norms).tolist())


def _rows(tensor: Any) -> int:
    """How many equal pieces a tensor has as the rows of a matrix; 0 where it can't be seen as one."""
    count = tensor.numel()
    least = -(-count // _PIECE)
    if least < 2 or not tensor.is_contiguous():
        return 0
    return next((rows for rows in range(least, 2 * least) if count % rows == 0), 0)


def _wide(part: Any) -> Any:
    return part if part.element_size() > 2 else part.float()


def _again(values: Any) -> Norm:
    """The norm in float64, scaled so that no square overflows or vanishes; or what is not finite, counted."""
    if not values.any():
        return Norm(0.0)
    largest, nans, infs = 0.0, 0, 0
    for part in _pieces(values, _AGAIN):
        found = float(part.abs().max())
        largest = max(largest, found)
        if not isfinite(found):
            nans += int(part.isnan().sum())
            infs += int(part.isinf().sum())
    if nans or infs:
        return Norm(None, nans, infs)
    wide = torch.complex128 if values.is_complex() else torch.float64
    norms = (float((part.to(wide) / largest).norm()) for part in _pieces(values, _AGAIN))
    return Norm(largest * sqrt(sum(norm * norm for norm in norms)))


def _pieces(values: Any, most: int) -> Iterable[Any]:
    if values.numel() <= most:
        return (values,)
    if values.is_contiguous():
        return values.view(-1).split(most)  # type: ignore[no-any-return]
    return _strided(values, most)


def _strided(values: Any, most: int) -> Iterator[Any]:
    dims, weight = normalised(tuple(values.shape), values.stride())
    view = distinct(values, dims)
    for block in blocks(view, most):
        for _ in range(weight):
            yield block
