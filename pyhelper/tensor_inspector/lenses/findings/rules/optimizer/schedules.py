"""Tells whether a LambdaLR has come to its end: whether its function is 0 for good."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .....measure.torch.optimizers import turns_of
from .....safe.guard import instance_dict
from ....step.computed import NotComputed, function_of_number, place_of_function
from ...lines import Line

_NEXT = 300  #: steps that are computed one by one
_FAR = 100  #: steps beyond them, up to ten times as far as the schedule has come


def ended_at(scheduler: Any) -> int | None:
    """The step from which on the functions of a schedule are 0, if it was stepped on well after that.

    None where they rise again, or may do so, or where what they compute is not known.
    """
    now = turns_of(scheduler)
    computed = [function_of_number(one) for one in _functions(scheduler)]
    known = [one for one in computed if one is not None]
    if now < 1 or not known or len(known) < len(computed):
        return None
    far = range(now, 10 * now + _NEXT, max(1, (9 * now + _NEXT) // _FAR))
    try:
        if any(one(turn) for one in known for turn in (*range(now, now + _NEXT), *far)):
            return None
        ended = now
        while ended > 0 and not any(one(ended - 1) for one in known):
            ended -= 1
        has_fallen = ended > 0
    except NotComputed:
        return None
    return ended if has_fallen and now > ended + max(1, ended // 10) else None


def written_in(scheduler: Any) -> Line | None:
    """Where the only function of a schedule is written."""
    functions = _functions(scheduler)
    return place_of_function(functions[0]) if len(functions) == 1 else None


def _functions(scheduler: Any) -> list[Callable[[int], float]]:
    kept = instance_dict(scheduler).get("lr_lambdas")
    return list(kept) if type(kept) is list else []
