"""One JSON call in, one out. Every failure becomes an answer: nothing is ever raised into the debugger."""

from __future__ import annotations

import json
import sys
from binascii import a2b_base64
from typing import TYPE_CHECKING, Any

from . import debugger, time_outs
from .failure import Refused, failure_of
from .kinds import kind_of
from .operations import OPERATIONS
from .preferences import preferred
from .session import session
from .stock import provider
from .stop.program_code import is_asked_for
from .stop.snapshot import Snapshot
from .watching import watchpoints
from .wire import tagged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .protocol import Answer, ErrorAnswer, Preferences, Watchpoint

# Not `json.dumps` and `json.loads`: they call built-in functions, in whose place the program may have put its own.
_encode = json.JSONEncoder(allow_nan=False, separators=(",", ":")).iterencode
_decode: Any = vars(json.JSONDecoder())["scan_once"]
_NO_ANSWER = '{"op":"error","error":{"code":"internal","message":"neither the answer nor its error could be written"}}'
_MOST_BYTES = 4 << 20  #: of any answer; 16 MB would hang the debug adapter for good


class Reply(str):
    """An answer as the debugger keeps it until the program continues, and with it the snapshot it speaks of."""

    snapshot: Snapshot | None = None


def call(text: str) -> Reply:
    """Answer one request, base64 of UTF-8 JSON."""
    try:
        compiling = debugger.stop_dynamo()
        try:
            return _reply(text)
        finally:
            debugger.resume_dynamo(compiling)
    except BaseException:
        return Reply(_NO_ANSWER)


def _reply(text: str) -> Reply:
    request: dict[str, Any] = {}
    snapshot = None
    try:
        time_outs.dispose(with_remedies=False)  # before all else: the warning quotes the whole of what we send
        request = _request(text)
        if not is_asked_for(request):
            time_outs.dispose()
        if "preferences" in request:
            prefer(request["preferences"])
        answer, snapshot = OPERATIONS[request["op"]](request)
    except BaseException as error:
        answer = _failed(error)
    reply = Reply(_json(answer))
    reply.snapshot = snapshot
    if snapshot is not None and "at" in request:
        debugger.keep(reply, request["at"])
    return reply


def _json(answer: Answer) -> str:
    try:
        text = _encoded(answer)
    except BaseException as error:
        text = _encoded(_failed(error))
    if len(text) > _MOST_BYTES:
        text = _encoded(_failed(Refused("internal", "the answer was too large")))
    return text


def _encoded(answer: Answer) -> str:
    return "".join(_encode(tagged(answer), True))  # True: by the encoder in C


def _request(text: str) -> dict[str, Any]:
    try:
        request, _ = _decode(a2b_base64(text).decode("utf-8"), 0)
        op, wanted = request["op"], request["version"]
    except (ValueError, KeyError, TypeError, StopIteration) as error:
        raise Refused("bad_request", f"not a request: {error}") from None
    if wanted != vars(sys.modules[__package__]).get("version", ""):  # set by the loader
        raise Refused("stale_helper", "this program holds another version of the helper")
    if op not in OPERATIONS:
        raise Refused("bad_request", f"there is no operation '{op}'")
    return request  # type: ignore[no-any-return]


def prefer(wanted: Preferences) -> None:
    """Apply these preferences from now on, also where the debugger's own views ask, which send none."""
    before = session.preferred
    session.preferred = preferred(wanted)
    if session.preferred.summaries != before.summaries:
        kind_of.forget_all()
    provider.switch(wanted.get("stock_views") is True)
    if session.preferred.inline_values != before.inline_values:
        debugger.views_changed()  # VS Code has no other way to be told to ask for them anew


def begin(preferences: Preferences, points: Sequence[Watchpoint]) -> None:
    """Have what the user prefers and watches hold from the injection on: the program may not have begun."""
    prefer(preferences)
    if points or session.watchpoints:
        watchpoints.arm(list(points))


def _failed(error: BaseException) -> ErrorAnswer:
    return {"op": "error", "error": failure_of(error)}
