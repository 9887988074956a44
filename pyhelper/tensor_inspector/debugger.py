"""What knows pydevd, with `debugger_views.py` and `time_outs.py`: it finds the paused frame and keeps answers alive.

What it needs is looked up where the debugger has it (`sys.modules`, the frames above us). Without a debugger, as in a
notebook or a test, each function returns None or does nothing.
"""

from __future__ import annotations

import sys
from threading import Thread, current_thread, get_ident
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Callable

from .safe.guard import instance_dict, module

if TYPE_CHECKING:
    from .protocol import At

_STEP_CAUGHT_EXCEPTION = 137  #: of pydevd's commands
_OVER = {109: 108, 160: 159}  #: the command that steps over, for each that steps out
_SUSPENDED = 2  #: of the states that it gives a thread
# Names that it puts among the locals of a frame:
RETURN_VALUES = "__pydevd_ret_val_dict"  #: function name → what its last call in this frame returned
EXCEPTION = "__exception__"  #: (type, exception, traceback), in the frame that raised


def user_frame() -> FrameType | None:
    """The paused frame that this evaluate is about."""
    found = _evaluated_frame()
    return found if type(found) is FrameType and not _is_debuggers(found) else None


def is_of_template(at: At | None) -> bool:
    """Whether that frame, or this evaluate's, is what the debugger shows for a line of a Django or Jinja template."""
    found = _evaluated_frame() if at is None else _shown_frame(at)
    return getattr(type(found), "IS_PLUGIN_FRAME", False) is True


def _evaluated_frame() -> Any:
    """A local of the debugger's own function that evaluates."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_code.co_name == "evaluate_expression" and str(frame.f_globals.get("__name__")).endswith(
            "pydevd_vars"
        ):
            return frame.f_locals.get("frame")
        frame = frame.f_back
    return None


def _is_debuggers(frame: FrameType) -> bool:
    """Whether it is the frame that the debugger makes for evaluates that name none."""
    return str(frame.f_globals.get("__name__")).endswith("pydevd_comm")


def raised_in(frame: FrameType) -> tuple[Any, Any, Any] | None:
    """The exception at which the program is stopped, with its class and traceback, if it came through this frame and is
    not among its locals."""
    above: FrameType | None = sys._getframe()
    while above is not None:
        if above.f_code.co_name == "do_wait_suspend":
            argument: Any = above.f_locals.get("arg")
            if above.f_locals.get("event") != "exception" or type(argument) is not tuple or len(argument) != 3:
                return None
            trace = argument[2]
            while trace is not None and trace.tb_frame is not frame:
                trace = trace.tb_next
            return None if trace is None else argument
        above = above.f_back
    return None


def frame_at(at: At) -> FrameType | None:
    """The paused frame with that DAP id, for an evaluate that names none; None when its thread runs again."""
    found = _shown_frame(at)
    return found if type(found) is FrameType else None


def _shown_frame(at: At) -> Any:
    tracker = _tracker(at)
    return None if tracker is None else tracker.find_frame(None, _object_id(at))


def dap_id_of(frame: FrameType) -> int | None:
    """The DAP id of a frame, also of one that the client has not asked for yet; None where no debugger gives any."""
    schema = sys.modules.get("_pydevd_bundle._debug_adapter.pydevd_base_schema")
    number = None if pydevd() is None or schema is None else schema.BaseSchema._translate_id_to_dap(id(frame))
    return number if type(number) is int else None


def keep(answer: object, at: At) -> None:
    """Keep a frame-less answer until the program continues, as the debugger itself keeps an evaluate's result.

    The lock and the check make it safe against a `continue` that comes in between.
    """
    tracker = _tracker(at)
    if tracker is None:
        return
    with tracker._lock:
        if not tracker._untracked:
            tracker._variable_reference_to_variable[id(answer)] = answer


def no_delay() -> None:
    """Send small packets at once: without this every answer waits 40 ms for the acknowledgement of its header."""
    debugger = pydevd()
    try:
        import socket

        debugger.writer.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except Exception:  # no debugger, no socket: nothing to hurry
        return


def pause_of_this_thread() -> Callable[[], bool]:
    """A function that returns whether this thread stays paused. It knows of a resumption before the thread runs: a
    `continue` changes its state, and a step waits in its queue."""
    thread = current_thread()
    info = getattr(thread, "additional_info", None)
    constants: Any = sys.modules.get("_pydevd_bundle.pydevd_constants")
    suspended = getattr(constants, "STATE_SUSPEND", None)
    if suspended is None or getattr(info, "pydev_state", None) != suspended:
        return lambda: True
    commands = _commands_for(constants.get_thread_id(thread))
    return lambda: (
        getattr(info, "pydev_state", suspended) == suspended
        and not any("step" in getattr(getattr(one, "method", None), "__name__", "") for one in list(commands))
    )


def _commands_for(thread: str) -> Any:
    """What waits for a paused thread to do it."""
    queues = getattr(pydevd(), "_cmd_queue", {})
    return queues[thread].queue if thread in queues else ()


def start_thread(target: Callable[[], None], name: str) -> Thread:
    """Run a function in a thread that the debugger neither traces nor shows. To be held until it has ended: what a
    thread does about its own end is seen by the debugger, which would have it among the program's threads."""
    thread: Any = Thread(target=target, name=name, daemon=True)
    thread.pydev_do_not_trace = thread.is_pydev_daemon_thread = True
    thread.start()
    return thread  # type: ignore[no-any-return]


def is_only_thread() -> bool:
    """Whether the program has no thread but this one: the debugger's own run none of its code."""
    active = instance_dict(module("threading")).get("_active") or {}
    known = list(dict.items(active))
    quiet = {number for number, one in known if instance_dict(one).get("is_pydev_daemon_thread") is True}
    return set(sys._current_frames()) <= {get_ident(), *quiet}


def stop_key() -> tuple[int, ...]:
    """A value that is equal within one stop and different in the next, and that keeps nothing of the stop alive."""
    debugger = pydevd()
    manager = getattr(debugger, "suspended_frames_manager", None)
    trackers = getattr(manager, "_thread_id_to_tracker", None)
    return tuple(map(id, list(trackers.values()))) if isinstance(trackers, dict) else ()


def views_changed() -> None:
    """Tell the client to fetch the rows of its views again; while nothing is paused they show nothing."""
    if stop_key():
        _send_event("invalidated", {"areas": ["variables"]})


def _send_event(name: str, body: dict[str, Any]) -> None:
    debugger = pydevd()
    commands = sys.modules.get("_pydevd_bundle.pydevd_net_command")
    if debugger is not None and commands is not None:
        event = {"type": "event", "event": name, "body": body}
        debugger.writer.add_command(commands.NetCommand(0, 0, event, is_json=True))


def set_trace(tracer: Any) -> None:
    """``sys.settrace``, in whose place the debugger has put one that writes a warning into the program's output."""
    tracing = sys.modules.get("pydevd_tracing")
    own = getattr(getattr(tracing, "TracingFunctionHolder", None), "_original_tracing", None)
    (sys.settrace if own is None else own)(tracer)


def dynamo_runs() -> bool:
    """Whether torch.compile has compiled frames here: in one, an evaluate on the frame's thread is compiled too."""
    utils = sys.modules.get("torch._dynamo.utils")
    counters = getattr(utils, "counters", None)
    return isinstance(counters, dict) and bool(dict.get(counters, "frames"))


def stop_dynamo() -> Any:
    """Keep torch.compile from compiling what runs on this thread, until `resume_dynamo` gets what is returned here."""
    frames = sys.modules.get("torch._C._dynamo.eval_frame") if dynamo_runs() else None
    return None if frames is None else (frames, frames.set_eval_frame(None))


def resume_dynamo(stopped: Any) -> None:
    if stopped is not None:
        frames, callback = stopped
        frames.set_eval_frame(callback)


def is_attached() -> bool:
    """Whether a client is connected to the debugger."""
    ask = getattr(pydevd(), "is_attached", None)
    return ask is not None and bool(ask())


def is_paused() -> bool:
    """Whether the debugger holds this thread: what runs now is asked for by a view or by the user."""
    return getattr(getattr(current_thread(), "additional_info", None), "pydev_state", 0) == _SUSPENDED


def log(text: str) -> None:
    """Write a line into the client's debug console."""
    _send_event("output", {"category": "console", "output": f"{text}\n"})


def stop(frame: FrameType, error: Exception, *, is_returning: bool = False) -> bool:
    """Stop the program in a frame, as if an exception were raised there; False without a debugger.

    Of one that ``is_returning`` the debugger has seen the end already: a step goes to its caller. Tracing is off
    meanwhile: with it, later evaluates hang, or the program stops in another frame.
    """
    debugger, thread = pydevd(), current_thread()
    information: Any = sys.modules.get("_pydevd_bundle.pydevd_additional_thread_info")
    if debugger is None or information is None or getattr(debugger, "writer", None) is None:
        return False
    info = information.set_additional_thread_info(thread)
    trace = TracebackType(None, frame, frame.f_lasti, frame.f_lineno)
    info.is_tracing += 1
    try:
        debugger.set_suspend(thread, _STEP_CAUGHT_EXCEPTION)
        debugger.do_wait_suspend(thread, frame, "exception", (type(error), error, trace), "handled")
        if is_returning and info.pydev_step_stop is frame:
            info.pydev_step_stop = frame.f_back
            info.pydev_step_cmd = _OVER.get(info.pydev_step_cmd, info.pydev_step_cmd)
    finally:
        info.is_tracing -= 1
    return True


def pydevd() -> Any:
    constants = sys.modules.get("_pydevd_bundle.pydevd_constants")
    return constants.get_global_debugger() if constants is not None else None


def _object_id(at: At) -> Any:
    schema = sys.modules.get("_pydevd_bundle._debug_adapter.pydevd_base_schema")
    return None if schema is None else schema.BaseSchema._dap_id_to_obj_id.get(at["frame"])


def _tracker(at: At) -> Any:
    debugger, object_id = pydevd(), _object_id(at)
    if debugger is None or object_id is None:
        return None
    for _ in range(10):
        try:
            return debugger.suspended_frames_manager._get_tracker_for_variable_reference(object_id)
        except RuntimeError:  # another thread has changed the dict that it goes through
            continue
    return None
