"""Which of many tensors hold NaN or Inf, at a fraction of what the statistics of each would cost.

A finite sum proves that all it was made of is finite: no addition loses a NaN or an infinity. A sum that is not
finite may have overflowed, so then the elements themselves are asked.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ...safe.budget import Budget
from .layout import blocks, normalised
from .scan import ALONE, Pace

_PIECE = 1 << 18  #: elements of a tensor that are read before it is the next one's turn
_BATCH = 1 << 21  #: elements read between two looks at the clock
_PARTS = 256  #: pieces, likewise
_SUMMED = ("float64", "float32", "float16", "bfloat16", "complex128", "complex64")
_summed: set[Any] = set()  #: these dtypes, once there is torch


class NotFiniteTensors(NamedTuple):
    """What was found: of tensors their numbers, in the order in which they were given."""

    nan: set[int]
    inf: set[int]
    read: int  #: elements


class Piece(NamedTuple):
    """Some elements of a tensor."""

    at: int  #: the tensor's number
    elements: Any
    size: int  #: of these elements
    weight: int  #: how often the tensor repeats each of them


def can_be_summed(torch: Any, dtype: Any) -> bool:
    if not _summed:
        _summed.update(getattr(torch, name) for name in _SUMMED)
    return dtype in _summed


def not_finite(torch: Any, tensors: Iterable[tuple[int, Any]], budget: Budget) -> NotFiniteTensors:
    """Which of the numbered tensors hold NaN or Inf; a piece of each in turn, as long as there is time.

    The tensors are strided, their dtypes ``can_be_summed``, and their memory can be read. The caller holds the guard.
    """
    pieces, pace = _in_turn(tensors), Pace(budget, _PIECE)
    nan: set[int] = set()
    inf: set[int] = set()
    read = 0
    while not budget.spent():
        batch = _batch(pieces)
        if not batch:
            break
        if pace.alone():
            batch = [part for piece in batch for part in _for_one_thread(piece)]
        for (at, elements, _, _), total in zip(batch, _totals(torch, [piece.elements for piece in batch])):
            if total - total == 0:
                continue
            if at not in nan and elements.isnan().any().item():
                nan.add(at)
            if at not in inf and elements.isinf().any().item():
                inf.add(at)
        pace.note(sum([count for _, _, count, _ in batch]))
        read += sum([count * weight for _, _, count, weight in batch])
    return NotFiniteTensors(nan, inf, read)


def _in_turn(tensors: Iterable[tuple[int, Any]]) -> Iterator[Piece]:
    """The first piece of each tensor, then the second of each that has one, and so on."""
    waiting: deque[Iterator[Piece]] = deque()
    for at, tensor in tensors:
        count = tensor.numel()
        if count <= _PIECE:
            yield Piece(at, tensor, count, 1)
            continue
        rest = _pieces(at, tensor)
        yield next(rest)
        waiting.append(rest)
    while waiting:
        rest = waiting.popleft()
        for piece in rest:
            yield piece
            waiting.append(rest)
            break


def _pieces(at: int, tensor: Any) -> Iterator[Piece]:
    dims, weight = normalised(tuple(tensor.shape), tensor.stride())
    view = tensor.as_strided([size for size, _ in dims] or [1], [stride for _, stride in dims] or [1])
    return (Piece(at, block, block.numel(), weight) for block in blocks(view, _PIECE))


def _batch(pieces: Iterator[Piece]) -> list[Piece]:
    batch, elements = [], 0
    for piece in pieces:
        batch.append(piece)
        elements += piece.size
        if elements >= _BATCH or len(batch) >= _PARTS:
            break
    return batch


def _for_one_thread(piece: Piece) -> Iterator[Piece]:
    at, elements, count, weight = piece
    if count <= ALONE:
        return iter((piece,))
    parts = elements.split(ALONE) if elements.dim() == 1 else blocks(elements, ALONE)
    return (Piece(at, part, part.numel(), weight) for part in parts)


def _totals(torch: Any, parts: list[Any]) -> list[Any]:
    """For each part a number that is finite only where all of the part is."""
    alike: dict[Any, list[int]] = {}
    for index, part in enumerate(parts):
        alike.setdefault((part.device, part.dtype), []).append(index)
    totals: list[Any] = [None] * len(parts)
    for indices in alike.values():
        some = [parts[index] for index in indices]
        one_by_one = some[0].is_cpu or not hasattr(torch, "_foreach_norm")
        found = torch.stack(sums(torch, some) if one_by_one else norms(torch, some)).tolist()
        for index, total in zip(indices, found):
            totals[index] = total
    return totals


def sums(torch: Any, parts: list[Any]) -> list[Any]:
    """The quickest on a CPU: of float32 two thirds of what the norms take, of complex numbers a twentieth."""
    return [part.sum() for part in parts]


def norms(torch: Any, parts: list[Any]) -> list[Any]:
    """The same on a device, where few calls count. All parts are on one device, and of one dtype."""
    return torch._foreach_norm(parts)  # type: ignore[no-any-return]
