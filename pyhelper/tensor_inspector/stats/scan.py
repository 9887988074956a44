"""Reading strided memory within a budget: exactly if there is time, by a sample for the rest otherwise."""

import math
import os
from collections.abc import Iterator
from typing import Any, Callable, Optional, Protocol, TypeVar

from ..budget import Budget
from . import sampled
from .layout import Dims, blocks
from .reductions import BLOCK

_SURE = 1 << 21  # elements after which the speed so far tells how long the rest will take
_RESERVE_MS = 3.0  # kept for the sample
_REHEARSAL_MS = 0.5
_CROWDED_MS = 4e-6  # an element; several times what a block takes on idle cores


class Mergeable(Protocol):
    """What a kernel makes of a block."""

    read: int

    def add(self, other: Any, weight: float = 1.0) -> None: ...

    def estimate(self) -> None: ...


M = TypeVar("M", bound=Mergeable)


class _Pace:
    """How fast the blocks were read, and what follows from that."""

    def __init__(self, budget: Budget, rehearse: Optional[Callable[[], object]]) -> None:
        self._budget, self._rehearse = budget, rehearse
        self._left, self._last, self._fastest, self._crowded = budget.remaining_ms(), 0.0, math.inf, 0

    def note(self, read: int) -> None:
        """A block of `read` elements is done."""
        left = self._budget.remaining_ms()
        self._last = self._left - left if left < math.inf else 0.0
        self._left = left
        self._fastest = min(self._fastest, self._last / read)
        self._crowded = max(0, self._crowded - read)
        if read > sampled.PIECE and self._last > _CROWDED_MS * read:
            self._crowded = 8 * BLOCK

    def hopeless(self, position: int, count: int) -> bool:
        """Whether the next block would take us past the end, or even at the best speed so far the rest won't fit."""
        late = position >= _SURE and self._fastest * (count - position) > self._left - _RESERVE_MS
        return late or self._last > self._left

    def crowded(self) -> bool:
        """Whether, while a clock runs, the cores are busy: a parallel reduction would then wait for the scheduler at
        each of its barriers, where one thread alone gets on.

        Told by a small parallel reduction, which takes 10 µs on idle cores and a slice of the scheduler's on busy ones.
        """
        if not self._crowded and self._rehearse is not None and self._left < math.inf:
            before = self._budget.remaining_ms()
            if not _oversubscribed():
                self._rehearse()
            if _oversubscribed() or before - self._budget.remaining_ms() > _REHEARSAL_MS:
                self._crowded = 8 * BLOCK
        return self._crowded > 0


def _oversubscribed() -> bool:
    """Whether more threads want to run at this moment than there are cores (Linux says; elsewhere no)."""
    try:
        file = os.open("/proc/loadavg", os.O_RDONLY)
    except OSError:
        return False
    try:
        return int(os.read(file, 100).split()[3].split(b"/")[0]) > (os.cpu_count() or 1)
    except (OSError, ValueError, IndexError):
        return False
    finally:
        os.close(file)


def _steps(view: Any, block_size: int, pace: _Pace) -> Iterator[Any]:
    """Blocks of `view`; small ones, which torch reads in one thread, while the cores are busy."""
    for block in blocks(view, block_size):
        if pace.crowded():
            yield from blocks(block, sampled.PIECE)
        else:
            yield block


def scan(
    view: Any,
    gather: Callable[[range], Any],
    kernel: Callable[[Any], M],
    count: int,
    block_size: int,
    budget: Budget,
    rehearse: Optional[Callable[[], object]] = None,
) -> M:
    """What `kernel` makes of the `count` elements of `view`, in blocks of at most `block_size`.

    When the time runs out what was read stands for itself, and a sample of the rest, fetched by `gather(positions)`,
    stands for the rest: the `read` of the result is then below `count`. Needs at least one element. `rehearse` runs the
    least reduction that the library splits among threads, if it does.
    """
    most, position, tally = budget.max_elements, 0, None
    if most is None or count <= most:
        if count <= block_size:
            return kernel(view)
        pace = _Pace(budget, rehearse)
        for block in _steps(view, block_size, pace):
            if tally is not None and (budget.spent() or pace.hopeless(position, count)):
                break
            part = kernel(block)
            if tally is None:
                tally = part
            else:
                tally.add(part)
            position += part.read
            pace.note(part.read)
        else:
            assert tally is not None
            return tally
    where = sampled.positions(
        position, count, min(count if most is None else most, sampled.size(budget.remaining_ms()))
    )
    sample = None
    for some in sampled.pieces(where):
        part = kernel(gather(some))
        if sample is None:
            sample = part
        else:
            sample.add(part)
    assert sample is not None
    if len(where) < count - position:
        sample.estimate()
    if tally is None:
        return sample
    tally.add(sample, (count - position) / sample.read)
    return tally


def gatherer(torch: Any, t: Any, dims: Dims) -> Callable[[range], Any]:
    """Fetches the elements of the tensor `t` at given positions of its normalised dimensions."""
    flat = t.as_strided((1 + sum((size - 1) * stride for size, stride in dims),), (1,))

    def gather(where: range) -> Any:
        if len(dims) == 1:
            stride = dims[0][1]
            return flat[where[0] * stride : where[-1] * stride + 1 : where.step * stride]
        at = sampled.offsets(torch, where, dims)
        if flat.dtype.is_complex:
            return flat.index_select(0, at)
        plain = flat.view({1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[flat.element_size()])
        return plain.index_select(0, at).view(flat.dtype)

    return gather
