"""Runs code of the program because the user asked for it: a property that was opened, an expression.

It is called outside of the guards, so that the code runs as it would by itself.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any, Callable

from ..kinds import Property, TextRow
from ..safe.guard import class_name
from . import interruption
from .snapshot import alive

_SECONDS = 1.2  #: a property may run so long; a reply later than 2 s is given up, and its rows take time too


def is_asked_for(request: Any) -> bool:
    """Whether a request is to run code of the program: that alone takes long where the machine is idle."""
    if request["op"] == "children":
        snapshot, node = alive.get(request.get("snapshot", 0)), request["node"]
        return snapshot is not None and node in snapshot and type(snapshot.value(node)) is Property
    return request["op"] == "evaluate" or request.get("options", {}).get("run") is True


class Stopped(Exception):
    """It did not end by itself. The message says so."""


class Raised(Exception):
    """Raised where code of the program raised; the message describes that exception."""


def read_property(asked: Property, request: int | None = None) -> Any:
    """The property's value, or why there is none, in words; ``request`` is on whose behalf it is read."""
    if asked.running:
        return TextRow(f"'{asked.name}' is still running", failed=True)
    asked.running = True
    try:
        return run(lambda: getattr(asked.owner, asked.name), _SECONDS, request)
    except Raised as error:
        return TextRow(f"raised {error}", failed=True)
    except Stopped as error:
        return TextRow(str(error), failed=True)
    finally:
        asked.running = False


def run(code: Callable[[], Any], seconds: float | None = None, request: int | None = None) -> Any:
    """``code()``, see `interruption.run`. Raises ``Raised`` or ``Stopped``, and nothing else."""
    started = perf_counter()
    raised: list[str] = []

    def get() -> Any:
        try:
            return code()
        except interruption.Interrupted:
            raise
        except BaseException as error:
            raised.append(class_name(type(error)))
            raised.append(_text(error))  # which is the program's code as well
            return None

    try:
        value = interruption.run(get, seconds, request)
    except interruption.Interrupted:
        if not raised:
            raise Stopped(f"stopped after {perf_counter() - started:.1f} s") from None
        value = None
    if raised:
        raise Raised(": ".join(filter(None, raised)))
    return value


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except interruption.Interrupted:
        raise
    except BaseException:
        return ""
