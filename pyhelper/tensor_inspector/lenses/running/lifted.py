"""The guard around a lens is lifted where code of the program is to run as it would at the paused line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ...safe.guard import module
from ...safe.untouched import Untouched, all_undone

torch: Any = module("torch")
#: What sets a mode, and what tells it.
_FLAGS = (
    ("_set_grad_enabled", "is_grad_enabled"),
    ("set_autocast_cache_enabled", "is_autocast_cache_enabled"),
    ("_set_cudnn_enabled", "_get_cudnn_enabled"),
    ("_set_cudnn_benchmark", "_get_cudnn_benchmark"),
    ("_set_cudnn_deterministic", "_get_cudnn_deterministic"),
    ("_set_cudnn_allow_tf32", "_get_cudnn_allow_tf32"),
    ("_set_cublas_allow_tf32", "_get_cublas_allow_tf32"),
    ("set_num_threads", "get_num_threads"),
)


class Lifted:
    """Within it gradients, autocast and all other modes are as at the paused line; what is switched there is put back.

    ``guard`` is what keeps them off around it, None where nothing does.
    """

    def __init__(self, guard: Untouched | None) -> None:
        self._guard = guard
        self._undo: list[Callable[[], object]] = []

    def __enter__(self) -> None:
        if self._guard is not None:
            self._guard.__exit__()
        self._undo = list(_modes())
        # What autocast casts of copies would stay in its cache.
        torch.set_autocast_cache_enabled(False)

    def __exit__(self, *error: object) -> None:
        failed = all_undone(self._undo)
        if failed is not None:
            all_undone(self._undo)  # it was interrupted
        if self._guard is not None:
            self._guard.__enter__()
        if failed is not None and not any(error):
            raise failed


def _modes() -> Iterator[Callable[[], object]]:
    """What sets each mode back to how it is now."""
    c = torch._C
    for change, ask in _FLAGS:
        if hasattr(c, change) and hasattr(c, ask):
            yield partial(getattr(c, change), getattr(c, ask)())
    yield partial(torch.set_anomaly_enabled, torch.is_anomaly_enabled(), *_checks_nan())
    yield partial(torch.set_default_dtype, torch.get_default_dtype())
    warns = c._get_deterministic_algorithms_warn_only()
    yield partial(c._set_deterministic_algorithms, c._get_deterministic_algorithms(), warn_only=warns)
    yield from _autocast_modes()


def _checks_nan() -> tuple[bool, ...]:
    ask: Any = getattr(torch, "is_anomaly_check_nan_enabled", None)
    return () if ask is None else (ask(),)


def _autocast_modes() -> Iterator[Callable[[], object]]:
    if hasattr(torch, "get_autocast_dtype"):  # since torch 2.4
        for device in ("cpu", "cuda"):
            yield partial(torch.set_autocast_enabled, device, torch.is_autocast_enabled(device))
            yield partial(torch.set_autocast_dtype, device, torch.get_autocast_dtype(device))
        return
    yield partial(torch.set_autocast_enabled, torch.is_autocast_enabled())
    yield partial(torch.set_autocast_gpu_dtype, torch.get_autocast_gpu_dtype())
    yield partial(torch.set_autocast_cpu_enabled, torch.is_autocast_cpu_enabled())
    yield partial(torch.set_autocast_cpu_dtype, torch.get_autocast_cpu_dtype())
