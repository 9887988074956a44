"""One JSON call in, one out. Every failure becomes an answer: nothing is ever raised into the debugger."""

from __future__ import annotations

import json
import math
import sys
from binascii import a2b_base64
from time import perf_counter
from types import FrameType
from typing import Any, Callable, Literal

from . import debugger, preferences
from .kinds import Child, NotFound, NotStatic, Property, Rows, kind_of, libraries
from .protocol import (
    Answer,
    ChildrenAnswer,
    ChildrenRequest,
    ErrorAnswer,
    EvaluateRequest,
    FailureCode,
    FrameAnswer,
    FrameRequest,
    InspectRequest,
    InterruptRequest,
    NodeAnswer,
    Page,
    Pin,
    PinAnswer,
    Preferences,
)
from .safe.budget import Budget
from .safe.guard import class_name, plain_message
from .safe.untouched import Untouched
from .stock import provider
from .stop import frame, interruption, process, properties
from .stop.expression import resolve
from .stop.snapshot import PAGE, Snapshot, alive
from .wire import tagged
from .words.text import shorten

# Not `json.dumps` and `json.loads`: what those need of the built-ins may be the program's.
_encode = json.JSONEncoder(allow_nan=False, separators=(",", ":")).iterencode
_decode: Any = vars(json.JSONDecoder())["scan_once"]
_NO_ANSWER = '{"op":"error","error":{"code":"internal","message":"the program left nothing to answer with"}}'

_cold = True  #: until the first frame is answered: modules are compiled for it, and torch starts its threads
_HOVERED = 10  #: children that a hover lists
_ROWS, _ONE = 2 / 3, 5 / 6  #: of the time for a frame: what a page of rows, and what one value may take
_MOST_BYTES = 4 << 20  #: of any answer; 16 MB would hang the debug adapter for good


class Reply(str):
    """An answer as the debugger keeps it until the program continues, and with it the snapshot it speaks of."""

    snapshot: Snapshot | None = None


class Refused(Exception):
    def __init__(self, code: FailureCode, message: str) -> None:
        super().__init__(message)
        self.code: FailureCode = code


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
        request = _request(text)
        if "preferences" in request:
            prefer(request["preferences"])
        answer, snapshot = _OPERATIONS[request["op"]](request)
    except BaseException as error:
        answer = _failed(error)
    reply = Reply(_json(answer))
    reply.snapshot = snapshot
    if snapshot is not None and "at" in request:
        debugger.keep(reply, request["at"])
    return reply


def _json(answer: Answer) -> str:
    try:
        text = "".join(_encode(tagged(answer), True))
    except BaseException as error:
        text = "".join(_encode(_failed(error), True))
    if len(text) > _MOST_BYTES:
        text = "".join(_encode(_failed(Refused("internal", "the answer was too large")), True))
    return text


def _request(text: str) -> dict[str, Any]:
    try:
        request, _ = _decode(a2b_base64(text).decode("utf-8"), 0)
        op, wanted = request["op"], request["version"]
    except (ValueError, KeyError, TypeError, StopIteration) as error:
        raise Refused("bad_request", f"not a request: {error}") from None
    if wanted != vars(sys.modules[__package__]).get("version", ""):  # set by the loader
        raise Refused("stale_helper", "this program holds another version of the helper")
    if op not in _OPERATIONS:
        raise Refused("bad_request", f"there is no operation '{op}'")
    return request  # type: ignore[no-any-return]


def prefer(wanted: Preferences) -> None:
    """Have this hold from now on, in the debugger's own views too: they ask without saying."""
    before = preferences.now
    preferences.prefer(wanted)
    if preferences.now.summaries != before.summaries:
        kind_of.forget_all()
    provider.switch(wanted.get("stock_views") is True)
    if preferences.now.inline_values != before.inline_values:
        debugger.views_changed()  # VS Code has no other way to be told to ask for them anew


def _frame(request: FrameRequest) -> tuple[Answer, Snapshot]:
    global _cold
    budget, started = _budget(request), perf_counter()
    _cold = False
    paused = _paused(request)
    with Untouched():
        snapshot = Snapshot(frame.rows(paused, request.get("filter", "all"), budget))
        rows = snapshot.page(0, 0, request.get("count", request.get("page_size", PAGE)), budget)
        pins = [_pin(pin, paused, snapshot, budget) for pin in request.get("pins", [])]
        snapshot.expand(rows, request.get("expanded", {}), budget)
        listed = {node["name"] for node in rows["nodes"]}
        inline = frame.inline(paused, listed, budget) if preferences.now.inline_values else []
    answer: FrameAnswer = {
        "op": "frame",
        "snapshot": snapshot.id,
        "ms": _since(started),
        "function": frame.function_name(paused),
        "first_line": paused.f_code.co_firstlineno,
        "line": paused.f_lineno,
        "libraries": libraries(),
        "rows": rows,
        "pins": pins,
        "types": sorted(snapshot.types),
    }
    own = process.name()
    if own is not None:
        answer["process"] = own
    if debugger.dynamo_runs():
        answer["frameless"] = True
    if inline:
        answer["inline"] = inline
    if budget.cut:
        answer["cut"] = "; ".join(budget.cut)
    return answer, snapshot


def _pin(pin: Pin, paused: FrameType, snapshot: Snapshot, budget: Budget) -> PinAnswer:
    expression = pin["expression"]
    try:
        value = resolve(expression, frame.variables(paused), paused.f_globals, budget)
    except Exception as error:
        failed: PinAnswer = {"expression": expression, "error": _failed(error)["error"]}
        return failed
    node = snapshot.describe(Child(expression, value, expression), 0, budget, marked=False)
    if "count" in pin:
        page: Page = {"start": 0, "total": 1, "nodes": [node]}
        snapshot.expand(page, {expression: {"count": pin["count"], "rows": pin.get("rows", {})}}, budget)
    return {"expression": expression, "node": node}


def _children(request: ChildrenRequest) -> tuple[Answer, Snapshot]:
    budget, started = _budget(request, _ROWS), perf_counter()
    snapshot, node = alive.get(request["snapshot"]), request["node"]
    if snapshot is None or node not in snapshot:
        raise Refused("gone", "the program has run on since this row was shown")
    asked = snapshot.value(node)
    if type(asked) is Property:
        snapshot.replace(node, Rows.of("", [Child("value", properties.read(asked, request.get("id")), "")]))
        budget, started = _budget(request, _ROWS, most=400), perf_counter()  # of the 2 s that a reply may take
    with Untouched():
        page = snapshot.page(node, request["start"], request["count"], budget)
    answer: ChildrenAnswer = {
        "op": "children",
        "snapshot": snapshot.id,
        "ms": _since(started),
        "node": node,
        "page": page,
        "types": sorted(snapshot.types),
    }
    return answer, snapshot


def _inspect(request: InspectRequest) -> tuple[Answer, Snapshot]:
    budget, started = _budget(request, _ONE), perf_counter()
    paused, expression = _paused(request), request["expression"].strip()
    with Untouched():
        value = resolve(expression, frame.variables(paused), paused.f_globals, budget)
        return _node("inspect", request, Child(expression, value, expression), budget, started)


def _evaluate(request: EvaluateRequest) -> tuple[Answer, Snapshot]:
    """Runs the program's code, as the user asked: no guard, no limit but an interruption, in the frame's own state."""
    paused, expression = _paused(request), request["expression"].strip()
    try:
        code = compile(expression, "<string>", "eval", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise Refused("raised", f"{class_name(type(error))}: {plain_message(error)}") from None
    names = {**paused.f_globals, **frame.variables(paused)}
    try:
        value = properties.run(lambda: eval(code, names, paused.f_locals), request=request.get("id"))
    except (properties.Raised, properties.Stopped) as error:
        raise Refused("raised", str(error)) from None
    budget, started = _budget(request), perf_counter()
    with Untouched():
        return _node("evaluate", request, Child(expression, value), budget, started)


def _node(
    op: Literal["inspect", "evaluate"], request: Any, child: Child, budget: Budget, started: float
) -> tuple[Answer, Snapshot]:
    snapshot = alive.get(request.get("snapshot", 0)) or Snapshot(Rows.of("", []))
    node = snapshot.describe(child, 0, budget, facts=True, marked=False)
    if "children" in node and (op == "evaluate" or "values" not in node["facts"]):
        amount = request.get("page_size", PAGE) if op == "evaluate" else _HOVERED
        node["page"] = snapshot.page(node["id"], 0, amount, budget)
    answer: NodeAnswer = {
        "op": op,
        "snapshot": snapshot.id,
        "ms": _since(started),
        "node": node,
        "types": sorted(snapshot.types),
    }
    return answer, snapshot


def _interrupt(request: InterruptRequest) -> tuple[Answer, None]:
    return {"op": "interrupt", "interrupted": interruption.interrupt(request["request"])}, None


_OPERATIONS: dict[str, Callable[[Any], tuple[Answer, Snapshot | None]]] = {
    "frame": _frame,
    "children": _children,
    "inspect": _inspect,
    "evaluate": _evaluate,
    "interrupt": _interrupt,
}


def _paused(request: Any) -> FrameType:
    found = debugger.frame_at(request["at"]) if "at" in request else debugger.user_frame()
    if found is None:
        raise Refused("no_frame", "the debugger shows no paused frame here")
    return found


def _budget(request: Any, share: float = 1.0, most: float = math.inf) -> Budget:
    limits = request.get("limits", {})
    usual = min(most, share * preferences.now.budget_ms)
    time = limits.get("ms", min(3 * usual, max(usual, 1000)) if _cold else usual)
    return Budget(time, limits.get("nodes", 500), limits.get("bytes", 256 * 1024), reads=preferences.now.reads)


def _since(started: float) -> float:
    return round((perf_counter() - started) * 1000, 3)


def _failed(error: BaseException) -> ErrorAnswer:
    code: FailureCode = "internal"
    message = f"{class_name(type(error))}: {plain_message(error)}".rstrip(": ")
    if isinstance(error, Refused):
        code, message = error.code, str(error)
    elif isinstance(error, NotStatic):
        code, message = "not_static", f"only running code could answer: {error}"
    elif isinstance(error, NotFound):
        code, message = "not_found", str(error)
    return {"op": "error", "error": {"code": code, "message": shorten(message, 500)}}
