"""Whether a device that is not the CPU can be asked for values now: nothing is disturbed, and no one waits for long."""

from __future__ import annotations

from time import perf_counter, sleep
from typing import Any

from ..safe.budget import Budget
from ..safe.guard import class_name, module
from ..session import session
from .unread import META, Unread

_PATIENCE = 100.0  #: milliseconds to wait for a busy device where there is no budget
_AGAIN = 1.0  #: seconds after which a device that was waited for in vain is waited for again
_LAZY = ("xla", "lazy")  #: devices that compute only when a value is asked for
_FORKED = Unread("elsewhere", "values not read: a forked process can't use CUDA")


def why_silent(t: Any, budget: Budget | None) -> Unread | None:
    """Why the device of a tensor gives no values now, or not within the time there is; None where it does."""
    if t.is_meta:
        return META
    device = t.device.type
    if device in _LAZY:
        return Unread("disturbing", f"values not read: {device} would compute them now")
    return _why_cuda_is(t, module("torch").cuda, budget) if device == "cuda" else None


def failed(error: Exception, device: object) -> Unread:
    """What a device raised that was asked for values."""
    if class_name(type(error)) == "OutOfMemoryError":
        return Unread("no_memory", f"stats skipped: no memory left on {device}")
    message = str(error).partition("\n")[0]
    return Unread("fault", f"values not read: {message}")


def _why_cuda_is(t: Any, cuda: Any, budget: Budget | None) -> Unread | None:
    if not cuda.is_initialized():
        return _FORKED if getattr(cuda, "_is_in_bad_fork", bool)() else None
    try:
        if cuda.is_current_stream_capturing():
            return Unread("disturbing", "values not read: CUDA graph capture")
        if cuda.get_sync_debug_mode():
            return Unread("disturbing", "values not read: sync debug mode")
        patience = _PATIENCE if budget is None else budget.remaining_ms()
        if patience < float("inf") and not _comes_to_an_end(cuda.current_stream(t.device), t.device, patience):
            return Unread("no_time", f"values not read: {t.device} is busy")
    except RuntimeError as error:  # after a fault on the device nothing can be asked any more
        return failed(error, t.device)
    return None


def _comes_to_an_end(stream: Any, device: Any, patience: float) -> bool:
    """Whether all that was given to a stream so far is done, or will be soon: reading would wait for it."""
    if stream.query():
        return True
    begun = perf_counter()
    if begun < session.busy_devices.get(device, 0.0):
        return False
    while (perf_counter() - begun) * 1000 < patience:
        sleep(0.001)
        if stream.query():
            return True
    session.busy_devices[device] = perf_counter() + _AGAIN
    return False
