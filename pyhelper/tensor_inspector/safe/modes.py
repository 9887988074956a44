"""The modes of torch on the current thread. Ask them outside of `Untouched`, which ends some."""

from __future__ import annotations

from typing import Any

from .guard import class_name, instance_dict, module
from .record import Record
from .torch_name import torch_name

_DEVICES = ("cpu", "cuda", "xpu", "mps", "mtia", "maia", "hpu", "xla", "privateuseone")  #: that autocast knows


class Modes(Record):
    """What the code of a thread runs under.

    ``autocast`` has the dtype for each type of device for which it is on, ``overriding`` the classes of the modes for
    torch functions and for dispatch that are on, the innermost last.
    """

    grad: bool
    inference: bool
    autocast: dict[str, str]
    autocast_cache: bool
    tracing: bool
    multithreaded: bool
    device: str
    overriding: list[str]


def modes() -> Modes | None:
    """The modes of this thread; None without torch."""
    torch = module("torch")
    if "_C" not in instance_dict(torch):
        return None
    c = torch._C
    functions = _stack(c, "_len_torch_function_stack", "_get_function_stack_at")
    devices = [mode for mode in functions if class_name(type(mode)) == "DeviceContext"]
    others = [mode for mode in functions if class_name(type(mode)) != "DeviceContext"]
    others += _stack(c, "_len_torch_dispatch_stack", "_get_dispatch_stack_at")
    return Modes(
        grad=_is(c, "is_grad_enabled"),
        inference=_is(c, "is_inference_mode_enabled", False),
        autocast=dict(_autocast(c)),
        autocast_cache=_is(c, "is_autocast_cache_enabled"),
        tracing=_is(c, "_get_tracing_state", False),
        multithreaded=_is(c, "_is_multithreading_enabled"),
        device=str(instance_dict(devices[-1]).get("device")) if devices else "cpu",
        overriding=[class_name(type(mode)) for mode in others],
    )


def gradients_are_on() -> bool:
    """Whether what this thread computes is recorded for a backward; True without torch."""
    torch = module("torch")
    return bool(getattr(torch, "is_grad_enabled", bool)()) if "_C" in instance_dict(torch) else True


def _is(c: Any, name: str, usual: bool = True) -> bool:
    """The result of a torch function without arguments; ``usual`` where this version of torch lacks it."""
    ask = getattr(c, name, None)
    return usual if ask is None else bool(ask())


def _autocast(c: Any) -> list[tuple[str, str]]:
    if not hasattr(c, "get_autocast_dtype"):  # before torch 2.4, where each type of device has functions of its own
        asked = (
            ("cuda", "is_autocast_enabled", "get_autocast_gpu_dtype"),
            ("cpu", "is_autocast_cpu_enabled", "get_autocast_cpu_dtype"),
        )
        return [(device, torch_name(getattr(c, dtype)())) for device, on, dtype in asked if _is(c, on, False)]
    found = []
    for device in _DEVICES:
        try:
            if c.is_autocast_enabled(device):
                found.append((device, torch_name(c.get_autocast_dtype(device))))
        except RuntimeError:  # this version knows no such device
            continue
    return found


def _stack(c: Any, length: str, at: str) -> list[Any]:
    if not hasattr(c, length) or not hasattr(c, at):
        return []
    return [getattr(c, at)(index) for index in range(getattr(c, length)())]
