"""How often labels occur, and how uneven that is."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...protocol import BatchLabel

IGNORED = -100  #: the label that torch's losses leave out
_LISTED = 100
_UNEVEN = 1.5  #: ratio of two labels' counts from which on classes are called uneven
_CHANCE = 3.0  #: and how many deviations beyond chance, which makes some labels of a small batch rare


def imbalance(labels: Mapping[Any, int]) -> float | None:
    """How much more often the most frequent label occurs than the rarest; without those that losses leave out."""
    times = _times(labels)
    return max(times) / min(times) if len(times) > 1 else None


def is_uneven(labels: Mapping[Any, int]) -> bool:
    """Whether some label is rarer than by chance, by Pearson's chi-square of equal shares."""
    times, ratio = _times(labels), imbalance(labels)
    if ratio is None or ratio < _UNEVEN:
        return False
    share, degrees = sum(times) / len(times), len(times) - 1
    return sum((one - share) ** 2 for one in times) / share > degrees + _CHANCE * sqrt(2 * degrees)


def label_data(labels: Mapping[Any, int]) -> list[BatchLabel]:
    """The most frequent ones, in their order."""
    most = sorted(labels.items(), key=lambda item: -item[1])[:_LISTED]
    frequent = {label for label, _ in most}
    return [{"label": label, "count": amount} for label, amount in labels.items() if label in frequent]


def _times(labels: Mapping[Any, int]) -> list[int]:
    return [amount for label, amount in labels.items() if label != IGNORED]
