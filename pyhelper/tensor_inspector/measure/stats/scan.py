"""Reads strided memory within a budget: exactly if there is time, else the rest by a systematic sample."""

import math
import os
from threading import get_native_id
from typing import Any, Callable, Optional, Protocol, TypeVar

from ...safe.budget import Budget
from ...safe.guard import module
from ...safe.one_thread import OneThread
from ...safe.system import system_names, system_text
from . import systematic_sample
from .layout import Dims, blocks
from .reductions import ALONE, BLOCK

_SURE = 1 << 21  # elements after which the speed so far tells how long the rest will take
_RESERVE_MS = 3.0  # kept for the sample
_STALL_MS = 15.0  # what a block may take when the cores become busy in its midst
_REHEARSAL_MS = 0.5
_CROWDED_MS = 4e-6  # an element; several times what a block takes on idle cores
_CORES = os.cpu_count() or 1
_TASKS = 32  # threads of this process that are asked whether they want a core
_WORTH_ASKING = BLOCK // 4  # elements: fewer are read before these threads have been asked


class Mergeable(Protocol):
    """What a kernel makes of a block."""

    read: int

    def add(self, other: Any, weight: float = 1.0) -> None: ...

    def estimate(self) -> None: ...


M = TypeVar("M", bound=Mergeable)


class Pace:
    """How fast the blocks were read, and what follows from that.

    When the cores are busy, a reduction that is split among threads waits at each of its barriers until the scheduler
    lets all of them run, which takes longer than the work; one thread alone gets on.
    """

    def __init__(self, budget: Budget, block_size: int, rehearse: Optional[Callable[[], object]] = None) -> None:
        self._budget, self._rehearse = budget, rehearse
        self._block_size = block_size
        self._helpers = 0  # threads of the last block that may still spin: they wait for the next one, busily
        self._asks = block_size >= _WORTH_ASKING
        self._left, self._last, self._fastest, self._crowded = budget.remaining_ms(), 0.0, math.inf, 0

    def note(self, read: int) -> None:
        """A block of `read` elements is done."""
        left = self._budget.remaining_ms()
        self._last = self._left - left if left < math.inf else 0.0
        self._left = left
        if not read:
            return
        self._fastest = min(self._fastest, self._last / read)
        self._crowded = max(0, self._crowded - read)
        if read > ALONE and self._last > _CROWDED_MS * read:
            self._crowded = 8 * BLOCK

    def over(self, position: int, count: int) -> bool:
        """Whether the time is over, or the next block would take longer, or, even at the best speed, the rest."""
        late = position >= _SURE and self._fastest * (count - position) > self._left - _RESERVE_MS
        return late or self._left <= 0.0 or self._last > self._left

    def alone(self) -> bool:
        """Whether to go on with one of several threads: the cores are busy, or there is no time to find out that they
        are."""
        if self._threads() < 2:
            return False
        if not self._crowded and self._left > _STALL_MS:
            idle, threads = _idle_cores(), self._threads()
            if idle is not None and idle + self._helpers < threads:
                if self._asks:  # once: later only our own blocks leave any
                    self._helpers = min(threads - 1, _other_threads())  # those that something else has left spinning
                    self._asks = False
                self._crowded = BLOCK if idle + self._helpers < threads else 0
            elif idle is None and self._left < math.inf and self._rehearse is not None:
                before = self._budget.remaining_ms()
                self._rehearse()
                self._crowded = 8 * BLOCK if before - self._budget.remaining_ms() > _REHEARSAL_MS else 0
        alone = self._crowded > 0 or self._left <= _STALL_MS
        self._helpers = 0 if alone else self._threads() - 1
        return alone

    def _threads(self) -> int:
        """Among which a block is split."""
        return min(-(-self._block_size // ALONE), _CORES, _torch_threads())


def _torch_threads() -> int:
    """Among how many threads torch splits its work at the most; 0 where there is no torch."""
    return int(getattr(module("torch"), "get_num_threads", int)())


def _idle_cores() -> Optional[int]:
    """How many cores no other thread wants at this moment; None where the system does not say."""
    try:
        running = int(system_text("/proc/loadavg").split()[3].partition("/")[0])
    except (ValueError, IndexError):
        return None
    return _CORES - (running - 1) if running else None  # we run too: a sandbox that says none does not know


def _other_threads() -> int:
    """How many other threads of this process want a core, of the newest ones. Those of torch spin for some milliseconds
    after their work."""
    ours = str(get_native_id())
    tasks = [task for task in system_names("/proc/self/task")[-_TASKS:] if task != ours]
    states = [system_text(f"/proc/self/task/{task}/stat").rpartition(")")[2] for task in tasks]
    return sum(state.startswith(" R") for state in states)


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
        if count <= ALONE:
            return kernel(view)
        pace = Pace(budget, min(block_size, count), rehearse)
        tally, position = _as_far_as_there_is_time(view, kernel, count, block_size, pace)
        if position == count:
            return tally
    wanted = min(count if most is None else most, systematic_sample.size(budget.remaining_ms()))
    where = systematic_sample.positions(position, count, wanted)
    sample = None
    for some in systematic_sample.pieces(where):
        if sample is not None and budget.spent():
            break
        part = kernel(gather(some))
        sample = part if sample is None else _merged(sample, part)
    assert sample is not None
    if sample.read < count - position:
        sample.estimate()
    return sample if tally is None else _merged(tally, sample, (count - position) / sample.read)


def _as_far_as_there_is_time(
    view: Any, kernel: Callable[[Any], M], count: int, block_size: int, pace: Pace
) -> tuple[M, int]:
    """What `kernel` makes of the first elements of `view`, and how many these are: one block of them at least."""
    position, tally = 0, None
    for block in blocks(view, block_size):
        with OneThread(pace.alone()) as must_be_small:
            for some in blocks(block, ALONE) if must_be_small else (block,):
                if tally is not None and pace.over(position, count):
                    return tally, position
                part = kernel(some)
                tally = part if tally is None else _merged(tally, part)
                position += part.read
                pace.note(part.read)
    assert tally is not None
    return tally, position


def _merged(tally: M, part: M, weight: float = 1.0) -> M:
    tally.add(part, weight)
    return tally


def gatherer(torch: Any, t: Any, dims: Dims) -> Callable[[range], Any]:
    """Fetches the elements of the tensor `t` at given positions of its normalised dimensions."""
    flat = t.as_strided((1 + sum((size - 1) * stride for size, stride in dims),), (1,))

    def gather(where: range) -> Any:
        if len(dims) == 1:
            stride = dims[0][1]
            return flat[where[0] * stride : where[-1] * stride + 1 : where.step * stride]
        at = systematic_sample.offsets(torch, where, dims)
        if flat.dtype.is_complex:
            return flat.index_select(0, at)
        plain = flat.view({1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[flat.element_size()])
        return plain.index_select(0, at).view(flat.dtype)

    return gather
