"""The variables of a running frame, one at a time: `f_locals` of a function would keep all of them alive."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

_OPTIMIZED, _SUSPENDED = 0x1, 0x20 | 0x80 | 0x200  #: flags of code; generators, coroutines, asynchronous generators
_ALONE = 3  #: references to the dict of a frame: the frame's own, ours, and that of the call which counts them


def variable_of(frame: FrameType, name: str) -> dict[str, Any]:
    """The variable of this name as a dict of one, empty where the frame has none.

    Before Python 3.13 a function's `f_locals` is a dict that is filled anew each time it is asked for and kept until
    then: a step's graph would live on through the next forward. So it is emptied, unless the program has it too.
    """
    known: Any = frame.f_locals
    found = {name: known[name]} if name in known else {}
    is_own = type(known) is dict and known is not frame.f_globals and frame.f_code.co_flags & _OPTIMIZED
    # While a profile function is told of a frame, what is cleared here is taken from its variables as that returns.
    is_running = sys.getprofile() is None and not frame.f_code.co_flags & _SUSPENDED
    if is_own and is_running and sys.getrefcount(known) <= _ALONE:
        known.clear()
    return found
