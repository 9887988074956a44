"""Limits of one answer: time, rows and bytes. An answer says what did not fit."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any, Callable
from weakref import ref

_UNLIMITED = float("inf")
_NO_TIME = "not all is shown here: there was no time for more"
_CHECKED = 64  #: steps between two looks at the clock


class Known:
    """What is known of tensors in this answer, by their ids, so that it is not computed again. It holds no tensor."""

    __slots__ = ("heads", "searched", "walked", "with_inf", "with_nan")

    def __init__(self) -> None:
        self.heads: dict[Any, Any] = {}  #: how lines begin, by dtype, shape and device
        self.searched: dict[int, ref[Any]] = {}  #: those read whole
        self.with_nan: set[int] = set()  #: of them, those that hold NaN
        self.with_inf: set[int] = set()
        self.walked: dict[int, Any] = {}  #: of modules, by their ids: the walk that met them, and their place in it

    def note_searched(self, tensors: Sequence[Any], with_nan: set[int], with_inf: set[int]) -> None:
        """Tensors were read whole: those of these ids have NaN, and Inf. An id may have been that of another before."""
        ids = list(map(id, tensors))
        self.searched.update(zip(ids, map(ref, tensors)))
        for known, found in ((self.with_nan, with_nan), (self.with_inf, with_inf)):
            if known:
                known.difference_update(ids)
            known.update(found)


class Budget:
    """Limits of one request, counted down as it is answered.

    ``clock`` returns seconds; tests pass their own. ``max_elements`` bounds how many elements of one value are read
    (``None``: as many as the time allows); with ``reads`` false none is.
    """

    __slots__ = ("_bytes", "_clock", "_deadline", "_nodes", "cut", "known", "max_elements", "ms", "reads")

    def __init__(
        self,
        ms: float = _UNLIMITED,
        nodes: float = _UNLIMITED,
        bytes: float = _UNLIMITED,
        *,
        max_elements: int | None = None,
        reads: bool = True,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self.ms = ms
        self.max_elements = max_elements
        self.reads = reads
        self.cut: list[str] = []
        self.known = Known()
        self._clock = clock
        self._deadline = clock() + ms / 1000
        self._nodes = nodes
        self._bytes = bytes

    def renew(self, ms: float) -> None:
        """Restarts the clock: the next call continues where the last one ran out of time."""
        self.ms = ms
        self._deadline = self._clock() + ms / 1000

    def remaining_ms(self) -> float:
        return (self._deadline - self._clock()) * 1000

    def spent(self) -> bool:
        """Whether the time is over."""
        return self._clock() >= self._deadline

    def cut_if_spent(self) -> bool:
        """Whether the time is over; if so, the answer says that it was cut."""
        if not self.spent():
            return False
        self._note_cut(_NO_TIME)
        return True

    def cut_if_overdrawn(self) -> bool:
        """Whether even quick work must end now. When the time is over no more values are read, so the remaining rows
        cost little: half as much time again is kept for showing them."""
        if self.ms == _UNLIMITED or self.remaining_ms() > -self.ms / 2:
            return False
        self._note_cut(_NO_TIME)
        return True

    def share(self, part: float = 0.5) -> Budget:
        """A budget with a part of the remaining time, so that one huge value does not use up the time of its
        neighbours."""
        if self.ms == _UNLIMITED:
            return self
        shared = Budget(self.ms, max_elements=self.max_elements, reads=self.reads, clock=self._clock)
        shared.known = self.known
        shared._deadline = self._clock() + max(0.0, self.remaining_ms() * part) / 1000
        return shared

    def take(self, nodes: int, bytes: int) -> bool:
        """Counts what goes into the answer. Returns False where it does not fit any more; ``cut`` then says so."""
        if nodes > self._nodes:
            self._note_cut("not all is shown here: more rows than one answer holds")
            return False
        if bytes > self._bytes:
            self._note_cut("not all is shown here: more text than one answer holds")
            return False
        self._nodes -= nodes
        self._bytes -= bytes
        return True

    def nodes_left(self) -> float:
        return self._nodes

    def _note_cut(self, what: str) -> None:
        if what not in self.cut:
            self.cut.append(what)


class Steps:
    """Counts the steps of a loop of unknown length and looks at the clock at every 64th: reading it may cost as much as
    a step."""

    __slots__ = ("_budget", "_taken", "over")

    def __init__(self, budget: Budget) -> None:
        self.over = False  #: whether the loop was ended
        self._budget = budget
        self._taken = 0

    def end(self) -> bool:
        """Counts a step. Returns True when there is no time for it, and from then on."""
        self._taken += 1
        self.over = self.over or (self._taken % _CHECKED == 0 and self._budget.spent())
        return self.over
