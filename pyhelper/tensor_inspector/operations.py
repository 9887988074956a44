"""The operations of the gateway, by name. Each turns a request into an answer, and the snapshot that it speaks of."""

from __future__ import annotations

import math
from binascii import b2a_base64
from time import perf_counter
from types import FrameType
from typing import TYPE_CHECKING, Any, Callable, Literal

from . import addressed, debugger
from .failure import Refused, failure_of
from .kinds import Child, Property, Rows, libraries
from .kinds.measured import add_measurement
from .lenses import registry
from .lenses.lens import InvalidQuestion, Lens, Paused
from .safe.budget import Budget
from .safe.guard import class_name, plain_message
from .safe.modes import Modes, gradients_are_on, modes
from .safe.untouched import Untouched
from .session import session
from .stop import frame, interruption, process, program_code
from .stop.snapshot import PAGE, Snapshot, alive, kind_or_none
from .watching import history, watchpoints
from .watching.recording import recordings
from .words.stats import fact_texts

if TYPE_CHECKING:
    from .protocol import (
        Answer,
        ChildrenAnswer,
        ChildrenRequest,
        EvaluateRequest,
        FrameAnswer,
        FrameRequest,
        InspectRequest,
        InterruptRequest,
        LensAnswer,
        LensRequest,
        NodeAnswer,
        Page,
        PinAnswer,
        PinRequest,
        WatchRequest,
    )

_HOVERED = 10  #: children that a hover lists
_ROWS_SHARE = 2 / 3  #: of the time for a frame, for a page of rows
_ONE_SHARE = 5 / 6  #: of the time for a frame, for one value
_SLICE = 200  #: milliseconds that one call of a lens works at most
_REACH = 10  #: milliseconds in which an expression that a lens names is followed


def _frame(request: FrameRequest) -> tuple[Answer, Snapshot]:
    budget, started = _budget(request), perf_counter()
    session.cold = False
    paused = addressed.paused_frame(request)
    session.kept = {number: kept for number, kept in session.kept.items() if number in request.get("kept", ())}
    with Untouched():
        snapshot = Snapshot(every := frame.rows(paused, request.get("filter", "all"), budget))
        rows = snapshot.page(0, 0, request.get("count", request.get("page_size", PAGE)), budget)
        wanted = request.get("pins", [])
        pins = [_pin(pin, paused, snapshot, budget) for pin in wanted]
        if session.recordings or any("record_after" in pin for pin in wanted):
            recordings.follow(wanted, paused)
            recordings.add_to(pins, wanted)
        snapshot.expand(rows, request.get("expanded", {}), budget)
        listed = {node["name"] for node in rows["nodes"]}
        inline = frame.inline(paused, listed, budget) if session.preferred.inline_values else []
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
    if (name := process.name()) is not None:
        answer["process"] = name
    if frame.raised(paused) is not None:
        answer["raised"] = True
    if debugger.dynamo_runs():
        answer["frameless"] = True
    if len(rows["nodes"]) < (every.total or 0):
        answer["groups"] = frame.group_count(every)
    if inline:
        answer["inline"] = inline
    if session.watchpoints:
        answer["watchpoints"] = watchpoints.states(paused)
    if files := frame.files(paused):
        answer["files"] = files
    if budget.cut:
        answer["cut"] = "; ".join(budget.cut)
    return answer, snapshot


def _pin(pin: PinRequest, paused: FrameType, snapshot: Snapshot, budget: Budget) -> PinAnswer:
    expression = pin["expression"]
    try:
        value = frame.resolved(paused, expression, budget)
    except Exception as error:
        failed: PinAnswer = {"expression": expression, "error": failure_of(error)}
        return failed
    kind = kind_or_none(value, budget)
    node = snapshot.describe(Child(expression, value, expression), 0, budget, marked=False, kind=kind)
    if "count" in pin:
        page: Page = {"start": 0, "total": 1, "nodes": [node]}
        snapshot.expand(page, {expression: {"count": pin["count"], "rows": pin.get("rows", {})}}, budget)
    answer: PinAnswer = {"expression": expression, "node": node}
    add_measurement(answer, kind)
    return answer


def _children(request: ChildrenRequest) -> tuple[Answer, Snapshot]:
    budget, started = _budget(request, _ROWS_SHARE), perf_counter()
    snapshot, node = addressed.snapshot(request), request["node"]
    asked = snapshot.value(node)
    if type(asked) is Property:
        snapshot.replace(node, Rows.of("", [Child("value", program_code.read_property(asked, request.get("id")), "")]))
        budget, started = _budget(request, _ROWS_SHARE, most=400), perf_counter()  # of the 2 s that a reply may take
    with Untouched():
        page = snapshot.page(node, request["start"], request["count"], budget, facts=request.get("facts", False))
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
    budget, started = _budget(request, _ONE_SHARE), perf_counter()
    with Untouched():
        return _node("inspect", request, addressed.value(request, request, budget), budget, started)


def _evaluate(request: EvaluateRequest) -> tuple[Answer, Snapshot]:
    """Runs the program's code, as the user asked: no guard, no limit but an interruption, in the frame's own state."""
    paused, expression = addressed.paused_frame(request), request["expression"].strip()
    try:
        code = compile(expression, "<string>", "eval", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise Refused("raised", f"{class_name(type(error))}: {plain_message(error)}") from None
    names = {**paused.f_globals, **frame.variables(paused)}
    try:
        value = program_code.run(lambda: eval(code, names, paused.f_locals), request=request.get("id"))
    except (program_code.Raised, program_code.Stopped) as error:
        raise Refused("raised", str(error)) from None
    budget, started = _budget(request), perf_counter()
    with Untouched():
        return _node("evaluate", request, Child(expression, value), budget, started)


def _node(
    op: Literal["inspect", "evaluate"], request: Any, child: Child, budget: Budget, started: float
) -> tuple[Answer, Snapshot]:
    snapshot = alive.get(request.get("snapshot", 0)) or Snapshot(Rows.of("", []))
    kind = kind_or_none(child.value, budget)
    node = snapshot.describe(child, 0, budget, facts=True, marked=False, kind=kind)
    node["facts"]["texts"] = fact_texts(node["facts"])
    if "children" in node and (op == "evaluate" or "values" not in node["facts"]):
        amount = request.get("page_size", PAGE) if op == "evaluate" else _HOVERED
        node["page"] = snapshot.page(node["id"], 0, amount, budget)
    if op == "inspect" and kind is not None and "shape" in node["facts"]:
        from .lenses.picture.thumbnail import add_thumbnail  # which is of no use before the first hover

        add_thumbnail(node["facts"], kind, budget)
    answer: NodeAnswer = {
        "op": op,
        "snapshot": snapshot.id,
        "ms": _since(started),
        "node": node,
        "types": sorted(snapshot.types),
    }
    if op == "evaluate":
        add_measurement(answer, kind)
    return answer, snapshot


def _lens(request: LensRequest) -> tuple[Answer, Snapshot]:
    try:
        return _asked(request)
    except InvalidQuestion as error:
        raise Refused("bad_request", str(error)) from None


def _asked(request: LensRequest) -> tuple[Answer, Snapshot]:
    """Works at a question until it is answered or the time is over. What is left to do stays with the snapshot."""
    budget, started = _budget(request, most=_SLICE), perf_counter()
    known_snapshot = alive.get(request.get("snapshot", 0))
    if known_snapshot is None and "snapshot" in request and registry.registered(request["lens"]).of_the_stop:
        # Asked just as the program ran on, it would be answered of the next stop.
        raise Refused("gone", "the program has run on since this was asked")
    snapshot = known_snapshot or Snapshot(Rows.of("", []))
    resume, grad_mode = request.get("resume"), gradients_are_on()
    thread_modes = modes() if resume is None and "at" not in request else None
    guard = Untouched()
    with guard:
        if resume is None:
            lens = _begun_lens(request, budget, grad_mode, thread_modes)
        elif resume in snapshot.unfinished_lenses:
            lens = snapshot.unfinished_lenses.pop(resume)
            lens.budget.renew(budget.ms)
        else:
            raise Refused("gone", "the program has run on since this was begun")
        lens.guard, is_over = guard, request.get("cancel", False)  # nothing holds it any more: it lets go of all it had
        done = not is_over and _go_on(lens, request)
        answer: LensAnswer = {
            "op": "lens",
            "snapshot": snapshot.id,
            "ms": 0.0,
            "done": done,
            "progress": 1.0 if done else round(lens.progress(), 3),
            "types": [],
        }
        if (data := lens.data()) is not None:
            answer["data"] = b2a_base64(data, newline=False).decode()
            if (file := lens.file()) is not None:
                answer["file"] = file
        if done:
            answer["found"], row = lens.found(), lens.row()
            text = lens.text()
            if text is not None:
                answer["text"] = text
            answer["node"] = node = snapshot.describe(row, 0, budget, marked=False)
            if "children" in node:
                node["page"] = snapshot.page(
                    node["id"], 0, request.get("page_size", PAGE), _budget(request, _ROWS_SHARE)
                )
        elif not is_over:
            answer["resume"] = snapshot.keep_unfinished(lens)
    answer["ms"], answer["types"] = _since(started), sorted(snapshot.types)
    return answer, snapshot


def _go_on(lens: Lens, request: LensRequest) -> bool:
    """Whether it is done. What runs the program's models can be interrupted."""
    if request.get("options", {}).get("run") is not True:
        return lens.go_on()
    try:
        return interruption.run(lens.go_on, request=request.get("id"))
    except interruption.Interrupted:
        raise Refused("raised", "the run was ended before it was done") from None


def _begun_lens(request: LensRequest, budget: Budget, grad_mode: bool, thread_modes: Modes | None) -> Lens:
    values = {name: addressed.value(address, request, budget) for name, address in request["values"].items()}
    paused = _paused_for_lens(request, grad_mode, thread_modes)
    return registry.lens(request["lens"], values, request.get("options", {}), budget, paused)


def _paused_for_lens(request: LensRequest, grad_mode: bool, thread_modes: Modes | None) -> Paused | None:
    """The paused frame with all that a lens may ask of it. Where another thread asks, gradients count as on."""
    paused = addressed.frame_of(request)
    if paused is None:
        return None

    def reach(expression: str, at: FrameType) -> object:
        return frame.resolved(at, expression, Budget(_REACH))

    return Paused(paused, frame.raised(paused), grad_mode or "at" in request, history, reach, thread_modes)


def _interrupt(request: InterruptRequest) -> tuple[Answer, None]:
    return {"op": "interrupt", "interrupted": interruption.interrupt(request["request"])}, None


def _watch(request: WatchRequest) -> tuple[Answer, None]:
    watchpoints.arm(request["watchpoints"], watchpoints.this_thread())
    return {"op": "watch", "watchpoints": watchpoints.states()}, None


OPERATIONS: dict[str, Callable[[Any], tuple[Answer, Snapshot | None]]] = {
    "frame": _frame,
    "children": _children,
    "inspect": _inspect,
    "evaluate": _evaluate,
    "lens": _lens,
    "interrupt": _interrupt,
    "watch": _watch,
}


def _budget(request: Any, share: float = 1.0, most: float = math.inf) -> Budget:
    limits = request.get("limits", {})
    usual = min(most, share * session.preferred.budget_ms)
    time = limits.get("ms", min(3 * usual, max(usual, 1000)) if session.cold else usual)
    return Budget(time, limits.get("nodes", 500), limits.get("bytes", 256 * 1024), reads=session.preferred.reads)


def _since(started: float) -> float:
    return round((perf_counter() - started) * 1000, 3)
