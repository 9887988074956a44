"""Reading a property that the user opened: the program's code runs, under a deadline."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from . import interruption
from .guard import class_name
from .kinds import Property, Said

_SECONDS = 1.2  #: a property may run so long; a reply later than 2 s is given up, and its rows take time too


def read(asked: Property, request: int | None = None) -> Any:
    """The property's value, or what reading it raised, in words; ``request`` is on whose behalf it is read.

    To be called outside of the guards: the program's code runs as it would by itself.
    """
    if asked.running:
        return Said(f"'{asked.name}' is still running", failed=True)
    asked.running = True
    started = perf_counter()
    try:
        return interruption.run(lambda: getattr(asked.owner, asked.name), _SECONDS, request)
    except interruption.Interrupted:
        return Said(f"stopped after {perf_counter() - started:.1f} s", failed=True)
    except BaseException as error:
        return Said(f"raised {described(error)}", failed=True)
    finally:
        asked.running = False


def described(error: BaseException) -> str:
    """``ValueError: its text``; the text may come from the program's own ``__str__``, which may fail."""
    name = class_name(type(error))
    try:
        text = str(error)
    except BaseException:
        text = ""
    return f"{name}: {text}" if text else name
