"""Numbers of the latest stops of each training step, which rules compare with; bounded, no value of the program."""

from __future__ import annotations

from collections import deque
from threading import Lock
from typing import TYPE_CHECKING
from weakref import ref

if TYPE_CHECKING:
    from typing import Any

    from ..lenses.step.moment import Moment

_STEPS = 16  #: steps that are remembered
_MOMENTS = 24  #: stops of each
_lock = Lock()
_known: dict[tuple[str, str, int], tuple[Any, deque[Any]]] = {}


def recall(owner: Any, file: str, function: str) -> list[Moment]:
    """The numbers of the earlier stops in a function, with this optimizer or model; the oldest first."""
    with _lock:
        found = _known.get((file, function, id(owner)))
        return list(found[1]) if found is not None and found[0]() is owner else []


def remember(owner: Any, file: str, function: str, moment: Moment) -> None:
    key = (file, function, id(owner))
    with _lock:
        found = _known.pop(key, None)
        if found is None or found[0]() is not owner:
            found = (ref(owner), deque(maxlen=_MOMENTS))
        found[1].append(moment)
        _known[key] = found
        while len(_known) > _STEPS:
            del _known[next(iter(_known))]


def forget() -> None:
    """Forget all."""
    with _lock:
        _known.clear()
