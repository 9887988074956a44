"""A context in which reading tensors changes no state of torch."""

from __future__ import annotations

from functools import partial
from typing import Any

from .guard import instance_dict, module
from .restoring import RestoringContext
from .system import is_forked


class Untouched(RestoringContext):
    """A context in which reading a value disturbs no state of torch, and no mode of the program sees the reading.

    Off while it lasts: torch-function overrides and modes, functorch levels, autocast, dispatch modes, tracing,
    profiling, gradients; in a forked child all threads but one. All is left as found. The order matters:
    ``_set_grad_enabled`` is seen by a torch-function mode, so that goes first. Without torch it does nothing.
    """

    __slots__ = ()

    def __enter__(self) -> None:
        self._undo = []
        torch = module("torch")
        if "_C" not in instance_dict(torch):
            return
        try:
            self._enter(torch, torch._C)
        except BaseException:
            self.__exit__()
            raise

    def _enter(self, torch: Any, c: Any) -> None:
        if is_forked():  # it has none of the threads that torch would wait for
            from .one_thread import OneThread  # compiled only where it is needed

            self._hold(OneThread(True))
        # `_DisableTorchDispatch` hides the dispatch modes; torch's own Python way of doing so imports half of torch.
        # `_DisableAutocast` hides autocast's keys, of all devices; the weights that it has cast stay in its cache.
        names = ["DisableTorchFunction", "_DisableFuncTorch", "_DisableAutocast"]
        if getattr(c, "_len_torch_dispatch_stack", int)():
            names.append("_DisableTorchDispatch")
        makers = [getattr(c, name, None) for name in names]
        for make in makers:
            if make is not None:
                self._hold(make())
        tracing = getattr(c, "_get_tracing_state", int)()
        if tracing:  # `torch.jit.trace` would record what is read, even a size
            self._undo.append(partial(c._set_tracing_state, tracing))
            c._set_tracing_state(None)
        profiler: Any = getattr(c, "_autograd", None)
        if getattr(profiler, "_profiler_enabled", bool)() and hasattr(profiler, "_enable_record_function"):
            self._undo.append(partial(profiler._enable_record_function, True))
            profiler._enable_record_function(False)
        if getattr(c, "_is_fwd_grad_enabled", int)():
            self._undo.append(partial(c._set_fwd_grad_enabled, True))
            c._set_fwd_grad_enabled(False)
        if getattr(torch, "is_grad_enabled", bool)():
            self._undo.append(partial(c._set_grad_enabled, True))
            c._set_grad_enabled(False)

    def _hold(self, context: Any) -> None:
        if not hasattr(context, "__exit__"):  # before torch 2.1 some are in force as long as they live
            self._undo.append([context].clear)
            return
        self._undo.append(partial(context.__exit__, None, None, None))
        context.__enter__()


class Released(Untouched):
    """Within `Untouched`, a context for code of the program: torch's overrides and functorch work there, and what is
    computed is recorded. Dispatch modes, autocast and tracing stay off.
    """

    __slots__ = ()

    def _enter(self, torch: Any, c: Any) -> None:
        if hasattr(c, "_EnableTorchFunction"):
            self._hold(c._EnableTorchFunction())
        exclude = getattr(c, "_dispatch_tls_set_dispatch_key_excluded", None)
        for name in ("FuncTorchDynamicLayerFrontMode", "FuncTorchDynamicLayerBackMode"):
            key = getattr(c.DispatchKey, name, None)
            if key is not None and exclude is not None and c._dispatch_tls_is_dispatch_key_excluded(key):
                self._undo.append(partial(exclude, key, True))
                exclude(key, False)
        if hasattr(torch, "inference_mode"):
            self._hold(torch.inference_mode(False))
        if not torch.is_grad_enabled():
            self._undo.append(partial(c._set_grad_enabled, False))
            c._set_grad_enabled(True)
