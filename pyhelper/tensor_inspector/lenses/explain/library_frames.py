"""Finds the library's frames below a failing line, and the call in the line that led into them."""

from __future__ import annotations

import ast
from typing import Any

from ...measure.torch.modules import is_module
from ...safe.guard import class_name
from ..step.expressions import last_name
from .operation import FailingLine
from .trace import TraceEntry

_CALLS = ("_wrapped_call_impl", "_call_impl")
#: Modules of torch whose functions are what users call; others are how torch does it.
_PUBLIC = tuple("torch.nn. torch.functional torch._tensor torch.utils.data torch.autograd torch.distributions".split())


class LibraryFrames:
    """``frames`` are the frames inside the library, outermost first; ``call`` led to them, None if unknown."""

    def __init__(self, frames: list[TraceEntry], failing: FailingLine) -> None:
        self.frames = frames
        self.in_modules = [entry for entry in frames if module_of(entry) is not None]
        self.call = self._call(failing)

    def _call(self, failing: FailingLine) -> ast.Call | None:
        calls = list(failing.calls())
        for call in calls if self.in_modules else ():
            if failing.reader.value(call.func) is module_of(self.in_modules[0]):
                return call
        if failing.is_exact:
            return calls[0] if calls and calls[0] in failing.nodes else None
        names = _names_of(self.frames[:1])
        likely = [call for call in calls if last_name(call.func) in names] or calls
        return likely[0] if len(likely) == 1 else None

    def function(self, name: str) -> TraceEntry | None:
        """The outermost frame of a function of that name."""
        return next((entry for entry in self.frames if entry.function == name), None)

    def arguments(self) -> dict[Any, Any]:
        """The arguments of the outermost frame as the call passes them: by index, or by name."""
        outermost = self.frames[0]
        if outermost.function not in _CALLS:
            return dict(outermost.arguments())
        given: Any = outermost.variables.get("args")  # of a module: it has its arguments as they were given
        named: Any = outermost.variables.get("kwargs")
        positional = dict(enumerate(given)) if type(given) is tuple else {}
        return {**positional, **(named if type(named) is dict else {})}

    def public(self) -> list[TraceEntry]:
        """The frames of functions that users call, the nearest to the failure first, that of the layer last."""
        known = [entry for entry in self.frames if entry.module.startswith(_PUBLIC) and entry.function not in _CALLS]
        layers = [at for at, entry in enumerate(known) if module_of(entry) is not None]
        inner = known[layers[-1] + 1 :] if layers else known
        making_batches = [entry for entry in inner if entry.module.startswith("torch.utils.data")]
        return [*reversed(making_batches), *inner[:1], *(known[at] for at in layers[-1:])]


def module_of(entry: TraceEntry, in_library: bool = True) -> Any:
    """The module whose method a frame runs."""
    names = entry.frame.f_code.co_varnames
    if not names or names[0] != "self" or (in_library and not entry.is_of_library()):
        return None
    found = entry.variables.get("self")
    return found if found is not None and is_module(found) else None


def _names_of(running: list[TraceEntry]) -> list[str]:
    """How a user calls the function that is running: by its name, or by that of the class that it makes."""
    made = [class_name(type(entry.variables.get("self"))) for entry in running if entry.function == "__init__"]
    return [entry.function for entry in running] + made
