"""Remembers numbers of the latest stops of each training step: bounded, and no value of the program."""

from __future__ import annotations

from collections import Counter
from threading import Lock
from typing import TYPE_CHECKING
from weakref import ref

if TYPE_CHECKING:
    from typing import Any

    from ..lenses.step.moment import Moment

_STEPS = 16  #: steps that are remembered
_OF_A_LINE = 24  #: stops of each in one line
_MOMENTS = 64  #: stops of each in all lines: who steps through a loop stops in every line of it
_lock = Lock()
#: By the step: its owner, and the latest stops, each with its number.
_known: dict[tuple[str, str, int], tuple[Any, list[tuple[int | None, Any]]]] = {}


def recall(owner: Any, file: str, function: str, stop: int | None = None) -> list[Moment]:
    """The numbers of the earlier stops in a function, with this optimizer or model; the oldest first.

    ``stop`` is the number of the present one, of which there may be numbers too: they are left out.
    """
    with _lock:
        found = _known.get((file, function, id(owner)))
        if found is None or found[0]() is not owner:
            return []
        return [moment for known, moment in found[1] if stop is None or known != stop]


def remember(owner: Any, file: str, function: str, stop: int | None, moment: Moment) -> None:
    """Keep the numbers of a stop, in place of those that were kept of it before."""
    key = (file, function, id(owner))
    with _lock:
        found = _known.pop(key, None)
        if found is None or found[0]() is not owner:
            found = (ref(owner), [])
        if stop is not None and found[1] and found[1][-1][0] == stop:
            found[1].pop()
        found[1].append((stop, moment))
        _bound(found[1])
        _known[key] = found
        while len(_known) > _STEPS:
            del _known[next(iter(_known))]


def _bound(stops: list[tuple[int | None, Any]]) -> None:
    """Drops the oldest stop of the line that has the most: each line keeps its last ones, whatever lies between."""
    [(line, count)] = Counter(moment.lineno for _, moment in stops).most_common(1)
    if count > _OF_A_LINE or len(stops) > _MOMENTS:
        del stops[next(at for at, (_, moment) in enumerate(stops) if moment.lineno == line)]


def forget() -> None:
    """Forget all."""
    with _lock:
        _known.clear()
