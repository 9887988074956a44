"""The modules that are being called, from the outermost inward, by torch's global hooks."""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from typing import Any
from weakref import ref

from ..safe.guard import class_name, module

hooks: Any = module("torch.nn.modules.module")


Called = tuple["ref[Any]", "ref[Any]"]  #: the outermost module that is called, and the innermost


class CalledModules:
    """A stack that global hooks of torch keep while a watch is on."""

    def __init__(self) -> None:
        self._stack: list[ref[Any]] = []
        self._handles: list[Any] = []
        self._thread = 0
        self._begun: Callable[[], None] | None = None

    def hook(self, begun: Callable[[], None]) -> None:
        """Of this thread alone. ``begun`` is called as the outermost module is."""
        self._thread, self._begun = get_ident(), begun
        self._handles = [
            hooks.register_module_forward_pre_hook(self._enter),
            _register_always(self._leave),
        ]

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles.clear()
        self._stack.clear()

    def innermost(self) -> Called | None:
        """The outermost module that is called, and the innermost; None outside of any."""
        return (self._stack[0], self._stack[-1]) if self._stack else None

    def _enter(self, called: Any, args: Any) -> None:
        if get_ident() != self._thread:
            return
        if not self._stack and self._begun is not None:
            self._begun()
        self._stack.append(ref(called))

    def _leave(self, called: Any, args: Any, result: Any) -> None:
        if get_ident() != self._thread:
            return
        while self._stack and self._stack.pop()() is not called:
            pass


def dotted_name(called: Called | None) -> str | None:
    """The name of a module in the outermost that was called; of that itself its class."""
    outermost, innermost = (None, None) if called is None else (one() for one in called)
    if outermost is None or innermost is None:
        return None
    name = next((name for name, one in outermost.named_modules() if one is innermost), "")
    return name or class_name(type(innermost))


def _register_always(hook: Any) -> Any:
    try:
        return hooks.register_module_forward_hook(hook, always_call=True)
    except TypeError:  # before torch 2.1
        return hooks.register_module_forward_hook(hook)
