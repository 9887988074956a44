"""The modules that are being called, from the outermost inward, by torch's global hooks."""

from __future__ import annotations

from typing import Any

from ..safe.guard import class_name, module

hooks: Any = module("torch.nn.modules.module")


class CalledModules:
    """A stack that global hooks of torch keep while a watch is on."""

    def __init__(self) -> None:
        self._stack: list[Any] = []
        self._handles: list[Any] = []

    def hook(self) -> None:
        self._handles = [
            hooks.register_module_forward_pre_hook(self._enter),
            _register_always(self._leave),
        ]

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles.clear()
        self._stack.clear()

    def innermost(self) -> tuple[Any, Any] | None:
        """The outermost module that is called, and the innermost; None outside of any."""
        return (self._stack[0], self._stack[-1]) if self._stack else None

    def _enter(self, called: Any, args: Any) -> None:
        self._stack.append(called)

    def _leave(self, called: Any, args: Any, result: Any) -> None:
        while self._stack and self._stack.pop() is not called:
            pass


def dotted_name(called: tuple[Any, Any] | None) -> str | None:
    """The name of a module in the outermost that was called; of that itself its class."""
    if called is None:
        return None
    outermost, innermost = called
    name = next((name for name, one in outermost.named_modules() if one is innermost), "")
    return name or class_name(type(innermost))


def _register_always(hook: Any) -> Any:
    try:
        return hooks.register_module_forward_hook(hook, always_call=True)
    except TypeError:  # before torch 2.1
        return hooks.register_module_forward_hook(hook)
