"""Which of many tensors hold NaN or Inf, at a fraction of what the statistics of each would cost.

A finite sum proves that all it was made of is finite: no addition loses a NaN or an infinity. A sum that is not
finite may have overflowed, so then the elements themselves are asked.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from ...safe.budget import Budget
from .layout import blocks, distinct, normalised
from .scan import ALONE, Pace

_PIECE = 1 << 18  #: elements of a tensor that are read before it is the next one's turn
_BATCH = 1 << 21  #: elements read between two looks at the clock
_PARTS = 256  #: pieces, likewise
_FEW = 1 << 11  #: elements: of pieces with no more, copying many into one costs less than adding up each
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
        batch, largest, elements = _batch(pieces)
        if not batch:
            break
        if largest > ALONE and pace.alone():
            batch = [part for piece in batch for part in _for_one_thread(piece)]
        for at, part, _, _ in _doubtful(torch, batch):
            if at not in nan and part.isnan().any().item():
                nan.add(at)
            if at not in inf and part.isinf().any().item():
                inf.add(at)
        pace.note(elements)
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


def _batch(pieces: Iterator[Piece]) -> tuple[list[Piece], int, int]:
    """The next pieces, how many elements the largest has, and all of them together."""
    batch: list[Piece] = []
    largest = elements = 0
    for piece in islice(pieces, _PARTS):
        batch.append(piece)
        size = piece[2]
        elements += size
        if size > largest:
            largest = size
        if elements >= _BATCH:
            break
    return batch, largest, elements


def _for_one_thread(piece: Piece) -> Iterator[Piece]:
    at, elements, size, weight = piece
    if size <= ALONE:
        return iter((piece,))
    parts = elements.split(ALONE) if elements.dim() == 1 else blocks(elements, ALONE)
    return ((at, part, part.numel(), weight) for part in parts)


def _doubtful(torch: Any, batch: list[Piece]) -> Iterator[Piece]:
    """The pieces whose elements do not add up to a finite number."""
    small: defaultdict[Any, list[Piece]] = defaultdict(list)
    elsewhere: defaultdict[Any, list[Piece]] = defaultdict(list)
    one_by_one: list[Piece] = []
    for piece in batch:
        _, part, size, _ = piece
        if not part.is_cpu:
            elsewhere[part.device, part.dtype].append(piece)
        elif size <= _FEW:
            small[part.dtype].append(piece)
        else:
            one_by_one.append(piece)
    for pieces in small.values():
        at_once = ALONE // max(1, *[size for _, _, size, _ in pieces])
        for at in range(0, len(pieces), at_once):
            together = pieces[at : at + at_once]
            if not _is_finite_together(torch, [part for _, part, _, _ in together]):
                one_by_one += together
    for piece, total in zip(one_by_one, sums(torch, [part for _, part, _, _ in one_by_one])):
        if not _is_finite(total):
            yield piece
    for pieces in elsewhere.values():
        told = norms if hasattr(torch, "_foreach_norm") else sums
        totals = torch.stack(told(torch, [part for _, part, _, _ in pieces])).tolist()
        yield from (piece for piece, total in zip(pieces, totals) if total - total != 0)


def _is_finite_together(torch: Any, parts: list[Any]) -> bool:
    """Whether all elements of small tensors on the CPU add up to a finite number, which proves that each is.

    They are so few that torch adds them up with one thread, which starts no other ones.
    """
    are_flat = {1}.issuperset(map(torch.Tensor.dim, parts))  # which saves most of the work
    flat = torch.cat(parts) if are_flat else torch._C._nn.flatten_dense_tensors(parts)
    return _is_finite((flat.float() if flat.dtype is torch.float16 else flat).sum())  # of float16 a few are too large


def _is_finite(total: Any) -> bool:
    number = total.item()
    return bool(number - number == 0)


def sums(torch: Any, parts: list[Any]) -> list[Any]:
    """The quickest on a CPU: of float32 two thirds of what the norms take, of complex numbers a twentieth."""
    return [part.sum() for part in parts]


def norms(torch: Any, parts: list[Any]) -> list[Any]:
    """The same on a device, where few calls count. All parts are on one device, and of one dtype."""
    return torch._foreach_norm(parts)  # type: ignore[no-any-return]
