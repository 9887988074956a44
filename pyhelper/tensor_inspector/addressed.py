"""What a request is about: the paused frame, a snapshot, a value of either."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import debugger
from .failure import NO_FRAME, OF_TEMPLATE, Refused
from .kinds import Child
from .session import session
from .stop import frame
from .stop.snapshot import Snapshot, alive

if TYPE_CHECKING:
    from types import FrameType

    from .protocol import Address, InspectRequest
    from .safe.budget import Budget


def frame_of(request: Any) -> FrameType | None:
    """The frame that a request names by its ids, else the one that it is evaluated on."""
    return debugger.frame_at(request["at"]) if "at" in request else debugger.user_frame()


def paused_frame(request: Any) -> FrameType:
    """The same; `Refused` where there is none."""
    found = frame_of(request)
    if found is None:
        raise Refused("no_frame", OF_TEMPLATE if debugger.is_of_template(request.get("at")) else NO_FRAME)
    return found


def snapshot(address: Any) -> Snapshot:
    """The snapshot that holds a node; `Refused` where its stop is over."""
    found = alive.get(address.get("snapshot", 0))
    if found is None or address["node"] not in found:
        raise Refused("gone", "the program has run on since this row was shown")
    return found


def _kept(number: int) -> Child:
    kept = session.kept.get(number)
    if kept is None:
        raise Refused("gone", "this value was kept in another process, or is not kept any more")
    return Child(f"{kept.name} as kept", kept.value, None)


def value(address: Address | InspectRequest, request: Any, budget: Budget) -> Child:
    """The value at an address: its node's, or what its expression reaches without running anything."""
    if "node" in address:
        return snapshot(address).child(address["node"])
    if "kept" in address:
        return _kept(address["kept"])
    if "expression" not in address:
        raise Refused("bad_request", "a value is named by a node or by an expression")
    expression = address["expression"].strip()
    return Child(expression, frame.resolved(paused_frame(request), expression, budget), expression)
