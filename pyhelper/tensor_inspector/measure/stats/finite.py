"""Finds which of many tensors hold NaN or Inf, much faster than by the statistics of each.

A finite sum or norm proves that all its terms are finite: no addition loses a NaN or an infinity. One that is not
finite may have overflowed, so then the elements themselves are read.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from ...safe.budget import Budget
from ...safe.one_thread import OneThread
from .layout import blocks, distinct, normalised
from .reductions import ALONE
from .scan import Pace

_PIECE = 1 << 20  #: elements of a tensor that are read before it is the next one's turn
_BATCH = 1 << 21  #: elements read between two looks at the clock
_PARTS = 256  #: pieces, likewise
_FEW = 1 << 11  #: elements: of tensors with no more, copying many into one costs less than adding up each
_SUMMED = ("float64", "float32", "float16", "bfloat16", "complex128", "complex64")
#: Those whose norm torch works out on a CPU with one thread, however long they are, where they are contiguous. There
#: the norm of complex numbers takes twenty times as long as their sum, that of float16 ten times.
_NORMED = ("float64", "float32", "bfloat16")
_summed: set[Any] = set()  #: these dtypes, once there is torch
_normed: set[Any] = set()
if TYPE_CHECKING:
    #: A tensor's number, and it.
    Numbered = tuple[int, Any]
    #: Some elements of a tensor: its number, they, how many they are, how often the tensor repeats each of them.
    Piece = tuple[int, Any, int, int]


class NotFiniteTensors(NamedTuple):
    """What was found: of tensors their numbers, in the order in which they were given."""

    nan: set[int]
    inf: set[int]
    read: int  #: elements


def summed_dtypes(torch: Any) -> set[Any]:
    """The dtypes whose sum shows whether all elements of a tensor are finite."""
    if not _summed:
        _summed.update(getattr(torch, name) for name in _SUMMED)
    return _summed


def _normed_dtypes(torch: Any) -> set[Any]:
    if not _normed and hasattr(torch, "_foreach_norm"):
        _normed.update(getattr(torch, name) for name in _NORMED)
    return _normed


def not_finite(torch: Any, tensors: Iterable[Numbered], budget: Budget) -> NotFiniteTensors:
    """Which of the numbered tensors hold NaN or Inf, as long as there is time: the small ones first, many at once, then
    a piece of each in turn.

    The tensors are strided, their dtypes are among the `summed_dtypes`, their memory can be read. They may have
    attributes of their own, so methods are called by their class. The caller holds the guard.
    """
    rest: list[Numbered] = []
    read = 0
    given = iter(tensors)
    while not budget.spent():
        some = list(islice(given, _PARTS))
        if not some:
            break
        read += _read_together(torch, some, rest)
    pieces, pace = _in_turn(torch, rest), Pace(budget, _PIECE)
    nan: set[int] = set()
    inf: set[int] = set()
    while not budget.spent():
        batch, elements = _batch(pieces)
        if not batch:
            break
        with OneThread(any(_is_split(torch, piece) for piece in batch) and pace.alone()) as must_be_small:
            if must_be_small:
                batch = [part for piece in batch for part in _for_one_thread(torch, piece)]
            for at, part, _, _ in _doubtful(torch, batch):
                if at not in nan and torch.isnan(part).any().item():
                    nan.add(at)
                if at not in inf and torch.isinf(part).any().item():
                    inf.add(at)
        pace.note(elements)
        read += sum([size * weight for _, _, size, weight in batch])
    return NotFiniteTensors(nan, inf, read)


def _read_together(torch: Any, tensors: list[Numbered], rest: list[Numbered]) -> int:
    """How many elements of small tensors add up to finite numbers, some tensors at once. ``rest`` gets all others."""
    small: defaultdict[tuple[Any, bool], list[tuple[Numbered, int]]] = defaultdict(list)
    parts = [tensor for _, tensor in tensors]
    tensor = torch.Tensor
    sizes, on_cpu = list(map(tensor.numel, parts)), list(map(tensor.is_cpu.__get__, parts))
    forms = zip(map(tensor.dtype.__get__, parts), map(tensor.dim, parts))
    keys = [(dtype, dimensions == 1) for dtype, dimensions in forms]
    if len(set(keys)) == 1 and max(sizes) <= _FEW and all(on_cpu):
        small[keys[0]] = list(zip(tensors, sizes))
    else:
        for numbered, size, is_there, key in zip(tensors, sizes, on_cpu, keys):
            if is_there and size <= _FEW:
                small[key].append((numbered, size))
            else:
                rest.append(numbered)
    read = 0
    for (_, are_flat), alike in small.items():
        for together, elements in _groups(alike):
            if _is_finite_together(torch, [tensor for _, tensor in together], are_flat):
                read += elements
            else:
                rest += together
    return read


def _groups(tensors: list[tuple[Numbered, int]]) -> Iterator[tuple[list[Numbered], int]]:
    """As many neighbours as one thread works on, and how many elements these have."""
    total = sum([size for _, size in tensors])
    if total <= ALONE:
        yield [numbered for numbered, _ in tensors], total
        return
    some: list[Numbered] = []
    elements = 0
    for numbered, size in tensors:
        if elements + size > ALONE:
            yield some, elements
            some, elements = [], 0
        some.append(numbered)
        elements += size
    yield some, elements


def _in_turn(torch: Any, tensors: Iterable[Numbered]) -> Iterator[Piece]:
    """The first piece of each tensor, then the second of each that has one, and so on."""
    waiting: deque[Iterator[Piece]] = deque()
    for at, tensor in tensors:
        size = torch.Tensor.numel(tensor)
        if size <= _PIECE:
            yield at, tensor, size, 1
            continue
        rest = _pieces(at, torch.Tensor.detach(tensor))
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


def _batch(pieces: Iterator[Piece]) -> tuple[list[Piece], int]:
    """The next pieces, and how many elements they have together."""
    batch: list[Piece] = []
    elements = 0
    for piece in islice(pieces, _PARTS):
        batch.append(piece)
        elements += piece[2]
        if elements >= _BATCH:
            break
    return batch, elements


def _is_split(torch: Any, piece: Piece) -> bool:
    """Whether torch splits a piece among threads, for which busy cores would make it wait."""
    _, part, size, _ = piece
    return (
        size > ALONE and part.is_cpu and not (part.dtype in _normed_dtypes(torch) and torch.Tensor.is_contiguous(part))
    )


def _for_one_thread(torch: Any, piece: Piece) -> Iterator[Piece]:
    at, elements, _, weight = piece
    if not _is_split(torch, piece):
        return iter((piece,))
    parts = torch.Tensor.split(elements, ALONE) if elements.ndim == 1 else blocks(elements, ALONE)
    return ((at, part, part.numel(), weight) for part in parts)


def _doubtful(torch: Any, batch: list[Piece]) -> Iterator[Piece]:
    """The pieces whose elements do not add up to a finite number."""
    alike: defaultdict[Any, list[Piece]] = defaultdict(list)
    for piece in batch:
        part = piece[1]
        alike["cpu" if part.is_cpu else part.device, part.dtype].append(piece)
    for (device, dtype), pieces in alike.items():
        has_norms = hasattr(torch, "_foreach_norm") and (device != "cpu" or dtype in _normed_dtypes(torch))
        totals = (norms if has_norms else sums)(torch, [part for _, part, _, _ in pieces])
        yield from (piece for piece, total in zip(pieces, torch.stack(totals).tolist()) if total - total != 0)


def _is_finite_together(torch: Any, parts: list[Any], are_flat: bool) -> bool:
    """Whether all elements of small tensors on the CPU add up to a finite number, which proves that each is.

    They are so few that torch adds them up with one thread, which starts no other ones.
    """
    flat = torch.cat(parts) if are_flat else torch._C._nn.flatten_dense_tensors(parts)  # which takes four times as long
    total = (flat.float() if flat.dtype is torch.float16 else flat).sum().item()  # of float16 a few are too large
    return bool(total - total == 0)


def sums(torch: Any, parts: list[Any]) -> list[Any]:
    """The quickest on a CPU of what is not `_NORMED`."""
    return list(map(torch.sum, parts))


def norms(torch: Any, parts: list[Any]) -> list[Any]:
    """One call for all parts, of one device and dtype."""
    return torch._foreach_norm(parts)  # type: ignore[no-any-return]
