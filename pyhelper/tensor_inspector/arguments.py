"""Checks the arguments of the public functions: each function returns one that is valid, or raises a `TypeError` or a
`ValueError` that says in a sentence what is wrong."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from types import FrameType
from typing import TypeVar

from .measure.stats.tally import MAX_POINTS
from .safe.budget import Budget
from .safe.guard import class_name

T = TypeVar("T")


def budget_of(ms: float) -> Budget:
    """A budget of ``ms`` milliseconds; infinity is no limit."""
    if isinstance(ms, (bool, str)) or not hasattr(type(ms), "__float__"):
        raise TypeError("budget_ms is a number of milliseconds, as in 40")
    if not float(ms) >= 0:
        raise ValueError(f"budget_ms must be at least 0, not {ms}")
    return Budget(float(ms))


def quantiles_of(quantiles: Iterable[float]) -> list[float]:
    """Some shares between 0 and 1."""
    try:
        shares = [float(share) for share in quantiles]
    except (TypeError, ValueError):
        raise TypeError("quantiles are shares between 0 and 1, as in [0.25, 0.5]") from None
    if not all(0.0 <= share <= 1.0 for share in shares):
        raise ValueError("quantiles lie between 0 and 1")
    if len(shares) > MAX_POINTS:
        raise ValueError(f"at most {MAX_POINTS} quantiles can be asked for")
    return shares


def clip_of(clip: tuple[float, float]) -> tuple[float, float]:
    """Two shares between 0 and 1, the lower first."""
    try:
        low, high = (float(share) for share in clip)
    except (TypeError, ValueError):
        raise TypeError("clip is two shares between 0 and 1, as in (0.01, 0.99)") from None
    if not 0.0 <= low < high <= 1.0:
        raise ValueError(f"clip is two shares between 0 and 1, the lower first, not ({low:g}, {high:g})")
    return low, high


def one_of(name: str, value: T, known: tuple[T, ...]) -> T:
    """An option that is one of some texts."""
    if type(value) is not str:
        raise TypeError(f"{name} is a text, as in {known[0]!r}")
    if value not in known:
        raise ValueError(f"{name} is one of {', '.join(map(repr, known))}, not {value!r}")
    return value


def flag(name: str, value: bool) -> bool:
    """An option that is True or False; what may mean either is refused."""
    if type(value) is not bool:
        raise TypeError(f"{name} is True or False, not {class_name(type(value))}")
    return value


def whole_number(name: str, value: int, most: float = float("inf"), least: int = 0) -> int:
    """An option that is a whole number from ``least`` up, also one of numpy's."""
    try:
        found = range(None if isinstance(value, bool) else value).stop  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} is a whole number, as in 16") from None
    if found < least:
        raise ValueError(f"{name} must be at least {least}, not {found}")
    if found > most:
        raise ValueError(f"at most {most} {name} can be asked for")
    return found


def frame_of(value: FrameType | None) -> FrameType | None:
    """A frame, or None for that of the caller."""
    if value is not None and type(value) is not FrameType:
        raise TypeError(f"frame is a frame, as sys._getframe() gives one, not {class_name(type(value))}")
    return value


def exception_of(value: BaseException) -> BaseException:
    """An exception, by its class alone: `isinstance` would ask the value."""
    if not issubclass(type(value), BaseException):
        raise TypeError(f"explain takes an exception, as sys.last_value is one, not {class_name(type(value))}")
    return value


def rules_of(value: Collection[str]) -> list[str]:
    """The ids of some rules; whether there are such is asked where the rules are loaded."""
    try:
        rules = [] if isinstance(value, str) else list(value)
    except TypeError:
        rules = [value]  # type: ignore[list-item]
    if isinstance(value, str) or any(type(rule) is not str for rule in rules):
        raise TypeError("ignore is a collection of rules, as in ['lr-zero']")
    return rules
