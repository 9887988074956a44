"""What one answer may cost: time, nodes and bytes. What did not fit is said, never dropped in silence."""

from __future__ import annotations

from time import perf_counter
from typing import Any, Callable
from weakref import ref

_UNLIMITED = float("inf")
_NO_TIME = "not all is shown here: there was no time for more"
_CHECKED = 64  #: steps between two looks at the clock


class Known:
    """What was found out about tensors for this answer, by their ids, and is not asked again. It holds none of them."""

    __slots__ = ("counted", "heads", "searched")

    def __init__(self) -> None:
        self.heads: dict[Any, Any] = {}  #: how lines begin, by dtype, shape and device
        self.searched: dict[int, tuple[ref[Any], bool, bool]] = {}  #: those read whole: whether they hold NaN, and Inf
        self.counted: dict[int, Any] = {}  #: what is counted of each in the modules around it


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
        """So much time from now on: another call goes on with what the last one had no time for."""
        self.ms = ms
        self._deadline = self._clock() + ms / 1000

    def remaining_ms(self) -> float:
        return (self._deadline - self._clock()) * 1000

    def spent(self) -> bool:
        """Whether the time is over."""
        return self._clock() >= self._deadline

    def cut_if_spent(self) -> bool:
        """Whether the time is over, which is then said of the answer."""
        if not self.spent():
            return False
        self._say(_NO_TIME)
        return True

    def cut_if_overdrawn(self) -> bool:
        """Whether even what is quick must end now. When the time is over no more values are read, so the rows that are
        left cost little: half as much time again is kept for showing them without."""
        if self.ms == _UNLIMITED or self.remaining_ms() > -self.ms / 2:
            return False
        self._say(_NO_TIME)
        return True

    def share(self, part: float = 0.5) -> Budget:
        """A budget with a part of the time left: one huge value shall not starve its neighbours."""
        if self.ms == _UNLIMITED:
            return self
        shared = Budget(self.ms, max_elements=self.max_elements, reads=self.reads, clock=self._clock)
        shared.known = self.known
        shared._deadline = self._clock() + max(0.0, self.remaining_ms() * part) / 1000
        return shared

    def take(self, nodes: int, bytes: int) -> bool:
        """Count what goes into the answer; False when it does not fit any more, which ``cut`` then says."""
        if nodes > self._nodes:
            self._say("not all is shown here: more rows than one answer holds")
            return False
        if bytes > self._bytes:
            self._say("not all is shown here: more text than one answer holds")
            return False
        self._nodes -= nodes
        self._bytes -= bytes
        return True

    def nodes_left(self) -> float:
        return self._nodes

    def _say(self, what: str) -> None:
        if what not in self.cut:
            self.cut.append(what)


class Steps:
    """The steps of a loop of unknown length, with a look at the clock at every 64th: it may cost as much as a step."""

    __slots__ = ("_budget", "_taken", "over")

    def __init__(self, budget: Budget) -> None:
        self.over = False  #: whether the loop was ended
        self._budget = budget
        self._taken = 0

    def end(self) -> bool:
        """Counts a step. True when there is no time for it, and from then on."""
        self._taken += 1
        self.over = self.over or (self._taken % _CHECKED == 0 and self._budget.spent())
        return self.over
