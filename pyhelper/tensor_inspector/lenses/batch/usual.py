"""What most samples are, and the first that is something else."""

from __future__ import annotations

from collections import Counter
from typing import Generic, TypeVar

_T = TypeVar("_T")


class Usual(Generic[_T]):
    """Takes in one fact of each sample, such as its dtype."""

    def __init__(self) -> None:
        self._times: Counter[_T] = Counter()
        self._first: dict[_T, int] = {}

    def note(self, fact: _T, sample: int) -> None:
        self._times[fact] += 1
        self._first.setdefault(fact, sample)

    def odd(self, most: float = 0.5) -> tuple[int, _T, _T] | None:
        """The number of the first sample that differs, what it is, and what the others are: more than ``most`` of all.
        None where all are the same, or so many are not."""
        if len(self._times) < 2:
            return None
        usual, times = self._times.most_common(1)[0]
        if times <= most * sum(self._times.values()):
            return None
        sample, odd = min(((self._first[fact], fact) for fact in self._times if fact != usual), key=lambda one: one[0])
        return sample, odd, usual
