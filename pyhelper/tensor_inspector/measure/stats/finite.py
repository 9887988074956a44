"""Which of many tensors hold NaN or Inf, at a fraction of what the statistics of each would cost.

A finite sum proves that all it was made of is finite: no addition loses a NaN or an infinity. A sum that is not
finite may have overflowed, so then the elements themselves are asked.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ...safe.budget import Budget
from .layout import blocks, distinct, normalised
from .scan import ALONE, Pace

_PIECE = 1 << 18  #: elements of a tensor that are read before it is the next one's turn
_BATCH = 1 << 21  #: elements read between two looks at the clock
_PARTS = 256  #: pieces, likewise
_FEW = 1 << 11  #: elements: of pieces with no more, copying all into one costs less than adding up each
_TOGETHER = ALONE // _FEW  #: pieces: as many elements as torch adds up with one thread, which starts no other ones
_SUMMED = ("float64", "float32", "float16", "bfloat16", "complex128", "complex64")
_summed: set[Any] = set()  #: these dtypes, once there is torch
if TYPE_CHECKING:
    #: Some elements of a tensor: its number, they, how many they are, how often the tensor repeats each of them.
    Piece = tuple[int, Any, int, int]


class NotFiniteTensors(NamedTuple):
    """What was found: of tensors their numbers, in the order in which they were given."""

    nan: set[int]
    inf: set[int]
    read: int  #: elements


def summed_dtypes(torch: Any) -> set[Any]:
    """Those of which a sum tells whether all of a tensor is finite."""
    if not _summed:
        _summed.update(getattr(torch, name) for name in _SUMMED)
    return _summed


def not_finite(torch: Any, tensors: Iterable[tuple[int, Any]], budget: Budget) -> NotFiniteTensors:
    """Which of the numbered tensors hold NaN or Inf; a piece of each in turn, as long as there is time.

    The tensors are strided, their dtypes are among the `summed_dtypes`, their memory can be read. The caller holds the
    guard.
    """
    pieces, pace = _in_turn(tensors), Pace(budget, _PIECE)
    nan: set[int] = set()
    inf: set[int] = set()
    read = 0
    while not budget.spent():
        batch = _batch(pieces)
        if not batch:
            break
        if max(piece[2] for piece in batch) > ALONE and pace.alone():
            batch = [part for piece in batch for part in _for_one_thread(piece)]
        for at, elements, _, _ in _doubtful(torch, batch):
            if at not in nan and elements.isnan().any().item():
                nan.add(at)
            if at not in inf and elements.isinf().any().item():
                inf.add(at)
        pace.note(sum([size for _, _, size, _ in batch]))
        read += sum([size * weight for _, _, size, weight in batch])
    return NotFiniteTensors(nan, inf, read)


def _in_turn(tensors: Iterable[tuple[int, Any]]) -> Iterator[Piece]:
    """The first piece of each tensor, then the second of each that has one, and so on."""
    waiting: deque[Iterator[Piece]] = deque()
    for at, tensor in tensors:
        size = tensor.numel()
        if size <= _PIECE:
            yield at, tensor, size, 1
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
    return ((at, block, block.numel(), weight) for block in blocks(distinct(tensor, dims), _PIECE))


def _batch(pieces: Iterator[Piece]) -> list[Piece]:
    batch, elements = [], 0
    for piece in pieces:
        batch.append(piece)
        elements += piece[2]
        if elements >= _BATCH or len(batch) >= _PARTS:
            break
    return batch


def _for_one_thread(piece: Piece) -> Iterator[Piece]:
    at, elements, size, weight = piece
    if size <= ALONE:
        return iter((piece,))
    parts = elements.split(ALONE) if elements.dim() == 1 else blocks(elements, ALONE)
    return ((at, part, part.numel(), weight) for part in parts)


def _doubtful(torch: Any, batch: list[Piece]) -> Iterator[Piece]:
    """The pieces whose elements do not add up to a finite number."""
    alike: dict[Any, list[Piece]] = {}
    small: dict[Any, list[Piece]] = {}
    for piece in batch:
        part = piece[1]
        if not part.is_cpu:
            alike.setdefault((part.device, part.dtype), []).append(piece)
        elif piece[2] <= _FEW:
            small.setdefault(part.dtype, []).append(piece)
        else:
            alike.setdefault(part.dtype, []).append(piece)
    for dtype, pieces in small.items():
        for at in range(0, len(pieces), _TOGETHER):
            together = pieces[at : at + _TOGETHER]
            if not _is_finite_together(torch, [piece[1] for piece in together]):
                alike.setdefault(dtype, []).extend(together)
    for pieces in alike.values():
        parts = [piece[1] for piece in pieces]
        one_by_one = parts[0].is_cpu or not hasattr(torch, "_foreach_norm")
        totals = torch.stack(sums(torch, parts) if one_by_one else norms(torch, parts)).tolist()
        yield from (piece for piece, total in zip(pieces, totals) if total - total != 0)


def _is_finite_together(torch: Any, parts: list[Any]) -> bool:
    """Whether all elements of small tensors on the CPU add up to a finite number, which proves that each is."""
    flat = torch._C._nn.flatten_dense_tensors(parts)
    total = (flat.float() if flat.dtype is torch.float16 else flat).sum().item()  # of float16 a few are too large
    return bool(total - total == 0)


def sums(torch: Any, parts: list[Any]) -> list[Any]:
    """The quickest on a CPU: of float32 two thirds of what the norms take, of complex numbers a twentieth."""
    return [part.sum() for part in parts]


def norms(torch: Any, parts: list[Any]) -> list[Any]:
    """The same on a device, where few calls count. All parts are on one device, and of one dtype."""
    return torch._foreach_norm(parts)  # type: ignore[no-any-return]
