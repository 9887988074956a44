"""The only file that knows pydevd: it finds the paused frame, keeps answers alive, registers our providers.

What it needs is looked up where the debugger has it (`sys.modules`, the frames above us). Without a debugger, as in a
notebook or a test, each function returns None or does nothing.
"""

from __future__ import annotations

import sys
from threading import Thread, current_thread
from types import FrameType
from typing import TYPE_CHECKING, Any, Callable
from weakref import ref

if TYPE_CHECKING:
    from .protocol import At

# Names that it puts among the locals of a frame:
RETURN_VALUES = "__pydevd_ret_val_dict"  #: function name → what its last call in this frame returned
EXCEPTION = "__exception__"  #: (type, exception, traceback), in the frame that raised


def user_frame() -> FrameType | None:
    """The paused frame that this evaluate is about: a local of the debugger's own function that evaluates."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_code.co_name == "evaluate_expression" and str(frame.f_globals.get("__name__")).endswith(
            "pydevd_vars"
        ):
            found = frame.f_locals.get("frame")
            return found if type(found) is FrameType and not _is_debuggers(found) else None
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
    tracker = _tracker(at)
    if tracker is None:
        return None
    found = tracker.find_frame(None, _object_id(at))
    return found if type(found) is FrameType else None


def dap_id_of(frame: FrameType) -> int | None:
    """The DAP id of a frame, also of one that the client has not asked for yet; None where no debugger gives any."""
    schema = sys.modules.get("_pydevd_bundle._debug_adapter.pydevd_base_schema")
    number = None if _debugger() is None or schema is None else schema.BaseSchema._translate_id_to_dap(id(frame))
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
    debugger = _debugger()
    try:
        import socket

        debugger.writer.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except Exception:  # no debugger, no socket: nothing to hurry
        return


def register_providers(lines: Any, children: Any) -> bool:
    """Have the debugger's own views ask these providers, first and alone of ours. True where the views have asked
    before, so that their rows have to be fetched again.

    Before they have, nothing is set up in the debugger: that imports what the program may not want, django for one. Its
    own set-up, at their first question, takes the providers in.
    """
    handler = _presenter()
    if handler is None or (has_client(lines) and _is_registered(handler, lines)):
        return False
    unregister_providers()
    lines.is_of_tensor_inspector = children.is_of_tensor_inspector = ref(_debugger().writer)

    def insert() -> None:
        handler._str_providers.insert(0, lines)
        handler._resolve_providers.insert(0, children)
        _forget(handler)

    def initialize() -> None:
        type(handler)._initialize(handler)
        vars(handler).pop("_initialize", None)
        if has_client(lines) and not _is_registered(handler, lines):
            insert()

    if not handler._initialized:
        handler._initialize = initialize
        return False
    insert()
    return True


def stock_rows(value: object, format: object) -> Any:
    """What the debugger itself shows below a value."""
    resolver: Any = sys.modules["_pydevd_bundle.pydevd_resolver"]
    return resolver.defaultResolver.get_contents_debug_adapter_protocol(value, format)


def has_client(provider: Any) -> bool:
    """Whether the client for which a provider was put there is still connected: the next one may not know of us."""
    client = getattr(provider, "is_of_tensor_inspector", None)
    return client is None or client() is getattr(_debugger(), "writer", None)


def unregister_providers() -> bool:
    """Leave the debugger's own views as they were. True where they have shown anything of ours."""
    handler = _presenter()
    if handler is None:
        return False
    vars(handler).pop("_initialize", None)
    if not handler._initialized:
        return False
    found = False
    for providers in (handler._str_providers, handler._resolve_providers):
        others = [one for one in providers if not hasattr(one, "is_of_tensor_inspector")]
        found = found or len(others) < len(providers)
        providers[:] = others
    if found:
        _forget(handler)
    return found


def _is_registered(handler: Any, lines: Any) -> bool:
    if not handler._initialized:
        return "_initialize" in vars(handler) and hasattr(lines, "is_of_tensor_inspector")
    return any(one is lines for one in handler._str_providers)


def _forget(handler: Any) -> None:
    """Make the debugger ask again which classes our providers present."""
    handler._type_to_str_provider_cache.clear()
    handler._type_to_resolver_cache.clear()


def _presenter() -> Any:
    """What the debugger asks for providers by; None where it is not as we know it.

    Left alone is also one that does not tell a provider what a text is for (before 1.6.7): copying a value must give
    the whole of it.
    """
    xml = sys.modules.get("_pydevd_bundle.pydevd_xml")
    handler = getattr(xml, "_TYPE_RESOLVE_HANDLER", None)
    needed = (
        "_initialize",
        "_initialized",
        "_get_str_from_provider",
        "_type_to_str_provider_cache",
        "_type_to_resolver_cache",
    )
    return handler if all(hasattr(handler, name) for name in needed) else None


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


def expect_long_evaluate() -> None:
    """Have the debugger not notify the user that what it evaluates on this thread takes long: they have asked for it,
    and our view shows that it runs."""
    timer = getattr(getattr(_debugger(), "timeout_tracker", None), "_thread", None)
    thread = current_thread()
    for handle in list(getattr(timer, "_handles", ())):
        warning: Any = getattr(handle, "on_timeout", None)
        if getattr(warning, "__name__", "") == "on_warn_evaluation_timeout":
            cells = dict(zip(warning.__code__.co_freevars, warning.__closure__ or ()))
            if "curr_thread" in cells and cells["curr_thread"].cell_contents is thread:
                handle.disposed = True


def _commands_for(thread: str) -> Any:
    """What waits for a paused thread to do it."""
    queues = getattr(_debugger(), "_cmd_queue", {})
    return queues[thread].queue if thread in queues else ()


def start_thread(target: Callable[[], None], name: str) -> Thread:
    """Run a function in a thread that the debugger neither traces nor shows. To be held until it has ended: what a
    thread does about its own end is seen by the debugger, which would have it among the program's threads."""
    thread: Any = Thread(target=target, name=name, daemon=True)
    thread.pydev_do_not_trace = thread.is_pydev_daemon_thread = True
    thread.start()
    return thread  # type: ignore[no-any-return]


def stop_key() -> tuple[int, ...]:
    """A value that is equal within one stop and different in the next, and that keeps nothing of the stop alive."""
    debugger = _debugger()
    manager = getattr(debugger, "suspended_frames_manager", None)
    trackers = getattr(manager, "_thread_id_to_tracker", None)
    return tuple(map(id, list(trackers.values()))) if isinstance(trackers, dict) else ()


def views_changed() -> None:
    """Tell the client to fetch the rows of its views again; while nothing is paused they show nothing."""
    debugger = _debugger()
    commands = sys.modules.get("_pydevd_bundle.pydevd_net_command")
    if debugger is not None and commands is not None and stop_key():
        event = {"type": "event", "event": "invalidated", "body": {"areas": ["variables"]}}
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


def _debugger() -> Any:
    constants = sys.modules.get("_pydevd_bundle.pydevd_constants")
    return constants.get_global_debugger() if constants is not None else None


def _object_id(at: At) -> Any:
    schema = sys.modules.get("_pydevd_bundle._debug_adapter.pydevd_base_schema")
    return None if schema is None else schema.BaseSchema._dap_id_to_obj_id.get(at["frame"])


def _tracker(at: At) -> Any:
    debugger, object_id = _debugger(), _object_id(at)
    if debugger is None or object_id is None:
        return None
    for _ in range(10):
        try:
            return debugger.suspended_frames_manager._get_tracker_for_variable_reference(object_id)
        except RuntimeError:  # another thread has changed the dict that it goes through
            continue
    return None
