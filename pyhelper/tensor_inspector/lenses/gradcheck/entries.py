"""Judges one entry of an input: the gradient of backward beside finite differences."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

from ...safe.record import Record

if TYPE_CHECKING:
    from typing import Literal

    Part = Literal["real", "imag"]
    Verdict = Literal["agrees", "wrong", "kink", "unsure"]

STEPS = (1e-6, 1e-4, 1e-2)  #: by which an entry is moved, as a share of its size: the larger where the first disagrees
_RELATIVE = 1e-3  #: how far apart the two may be
_SCALE = 1e-6  #: and how far as a share of the largest gradient there is
_EPS = 2.2e-16
_NOTHING = 1e-12  #: and as a share of the largest gradient of any number of the result
_ROUNDED = 64  #: how many roundings of the result's size a value may be off
_HALVED = 0.6  #: what is left at most of the gap between two slopes that come together, when the step is halved
_GROWN = 2.0  #: by which factor a slope is larger for the smaller step at most
_STEADY, _LOOSE = 1e-2, 0.5  #: how far apart differences of the smaller steps, and of the largest, may be


class Slope(Record):
    """How a number changes with an entry, by a step of this size: to its left, to its right, and between the two."""

    left: float
    right: float
    middle: float
    noise: float  #: what rounding may make of it

    @classmethod
    def of(cls, before: float, at: float, after: float, back: float, on: float) -> Slope:
        """The slope through three values; ``back`` and ``on``: how far the entry was moved for the first and last."""
        size, step = max(abs(one) for one in (before, at, after)), min(back, on)
        left, right, middle = (at - before) / back, (after - at) / on, (after - before) / (back + on)
        if isfinite(left) != isfinite(right):  # at the edge of what it is defined for
            left = right = middle = left if isfinite(left) else right
        return cls(left, right, middle, _ROUNDED * _EPS * size / step)

    def gap(self) -> float:
        return abs(self.right - self.left)


class Disagreement(Record):
    """An entry of an input whose backward is wrong. ``output`` is the number of the result that tells it best, of all
    its outputs as one vector; None where it is all of them, weighted. ``part`` is that of a complex entry.
    """

    name: str
    index: tuple[int, ...]
    part: Part | None
    output: int | None
    analytic: float
    numeric: float

    def gap(self) -> float:
        found = abs(self.analytic - self.numeric)
        return found if isfinite(found) else inf

    def is_more_precise(self, other: Disagreement) -> bool:
        """Whether it is better evidence than another one for the same entry: one output number beats their sum."""
        known = self.output is not None, other.output is not None
        return known[0] if known[0] is not known[1] else self.gap() > other.gap()

    def is_finite(self) -> bool:
        """Whether the backward gives a finite number."""
        return isfinite(self.analytic)

    def order(self) -> tuple[float, float]:
        """The worst come first: those that are farthest apart as a share of the larger one, of these the farthest."""
        largest = max(abs(self.analytic), abs(self.numeric))
        return -round(self.gap() / largest, 3) if largest < inf else -inf, -self.gap()


def judged(analytic: float, slope_by: Callable[[float], Slope | None], scale: float, most: float) -> Verdict:
    """What is to be said of an entry, by as many steps as that takes: ``slope_by`` tells what one of this size shows,
    ``scale`` is the largest gradient of this number of the result, ``most`` of any.

    Only where all steps tell of one limit is the backward wrong: what is rounded, or not smooth, tells of others. NaN
    and Inf are, whatever the steps tell: no weight is trained with them.
    """
    if not isfinite(analytic):
        return "wrong"
    seen: list[Slope] = []
    for step in STEPS:
        slope = slope_by(step)
        if slope is None or not isfinite(slope.middle):
            return "unsure"
        allowed = _RELATIVE * max(abs(analytic), abs(slope.middle)) + _SCALE * scale + _NOTHING * most + slope.noise
        if abs(analytic - slope.middle) <= allowed:
            return "agrees"
        is_between = min(slope.left, slope.right) - allowed <= analytic <= max(slope.left, slope.right) + allowed
        if is_between and not _is_smooth(slope, slope_by(step / 2)):
            return "kink"  # any slope between the two is right there
        if seen and not _is_one(seen[-1], slope, _STEADY if len(seen) == 1 else _LOOSE, scale):
            return "unsure"
        seen.append(slope)
    return "wrong"


def _is_smooth(slope: Slope, halved: Slope | None) -> bool:
    """Whether the slopes to both sides come together as the step gets smaller: they differ by curvature alone."""
    return halved is not None and halved.gap() <= _HALVED * slope.gap() + halved.noise


def _is_one(slope: Slope, wider: Slope, share: float, scale: float) -> bool:
    """Whether the slopes of two steps agree on one limit: not where the smaller finds a larger slope."""
    if abs(slope.middle) > _GROWN * abs(wider.middle) + slope.noise + wider.noise:
        return False
    apart = abs(slope.middle - wider.middle)
    largest = max(abs(slope.middle), abs(wider.middle))
    return apart <= share * largest + _SCALE * scale + slope.noise + wider.noise


def chosen_entries(count: int, most: int, gradient: Any) -> list[int]:
    """Which entries are looked at: all, or half of them those with the largest gradients and half from everywhere."""
    if count <= most:
        return list(range(count))
    found: dict[int, None] = {}
    if gradient is not None:
        found.update(dict.fromkeys(gradient.abs().topk(most // 2).indices.tolist()))
    at = 0
    while len(found) < most:
        found[at * _STRIDE % count] = None
        at += 1
    return list(found)


_STRIDE = 2_654_435_761  #: a prime: places that it steps to lie everywhere
