"""Why values were not read: a code for programs, a text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Union

from ..safe.budget import Budget

if TYPE_CHECKING:
    from ..protocol import ComplexStats, Stats

#: off: statistics are switched off; no_time, no_memory: there was none left; freed: the memory is gone; truncated: the
#: storage or file is shorter than it must be; no_values: it only stands for values, or they are not there yet; dtype:
#: such elements have no statistics; precision: float64 does not hold them or tell them apart; layout: they are kept in
#: another way; elsewhere: its parts, another device or another process have them; own_code: only the program's code
#: could tell; fault: the device raised; disturbing: reading would change what the program does; too_many: more than are
#: copied or gathered; missing: some of them are not there; unlike: two that can't be compared; secret: not to be shown.
UnreadCode = Literal[
    "off",
    "no_time",
    "no_memory",
    "freed",
    "truncated",
    "no_values",
    "dtype",
    "precision",
    "layout",
    "elsewhere",
    "own_code",
    "fault",
    "disturbing",
    "too_many",
    "missing",
    "unlike",
    "secret",
]


class Unread(NamedTuple):
    """The answer in the place of statistics or elements."""

    code: UnreadCode
    text: str

    def is_skipped(self) -> bool:
        """Whether the values could be read, and only the statistics were left out."""
        return self.code in ("off", "no_time")


Reading = Union["Stats", "ComplexStats", Unread]  #: the statistics, or why there are none

OFF = Unread("off", "statistics are switched off")
FREED = Unread("freed", "storage freed")
META = Unread("no_values", "meta tensor: no values")
NOT_READ = Unread("layout", "values not read")
UNFIT = Unread("unlike", "its arrays do not fit each other")
MISSING = Unread("missing", "its parts are no tensors")
OWN_CODE = Unread("own_code", "its own code decides what its values are")
UNMAPPED = Unread("truncated", "memory not readable: its file was truncated")


def skipped(budget: Budget) -> Unread:
    """No time is left to read anything."""
    return Unread("no_time", f"stats skipped: {budget.ms:.0f} ms budget")


def is_late(reading: Reading | None) -> bool:
    """Whether there was no time to read all of the elements, or any."""
    if reading is None or isinstance(reading, Unread):
        return reading is not None and reading.code == "no_time"
    stats: Any = reading.get("abs", reading)
    return not stats["exact"]


def too_small(what: str, have: int, need: int) -> Unread:
    """A storage or file that has fewer bytes than the elements take."""
    return Unread("truncated", f"{what}: {have} of {need} bytes")


def beyond(dtype: str) -> Unread:
    """Without its values the range would be wrong, with them there is none."""
    return Unread("precision", f"{dtype} values beyond float64")


def indistinct(dtype: str) -> Unread:
    return Unread("precision", f"{dtype} values that float64 does not tell apart")


def unknown(dtype: str) -> Unread:
    return Unread("dtype", f"{dtype} values are not read")
