"""Tensors inside a transform of torch.func: its level, and the tensor that is wrapped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...measure.stats import Reading, Unread
from ...safe.guard import module
from ..kind import Child
from .form import Form
from .forms import form_of

torch: Any = module("torch")
_functorch: Any = torch._C._functorch
_batch_dimension = getattr(_functorch, "maybe_get_bdim", None)  # since torch 2.1
_interpreters = getattr(_functorch, "get_interpreter_stack", None)


class Transformed(Form):
    """A tensor inside vmap, grad, jvp or functionalize, with the statistics of the wrapped tensor."""

    def words(self) -> Iterator[str]:
        value, inner = self.value, self._inner()
        level = _functorch.maybe_get_level(value)
        if level == -2:
            yield f"of {inner.head()}, whose transform is over"
        elif _functorch.is_batchedtensor(value):
            along = "" if _batch_dimension is None else f", dim {_batch_dimension(value)}"
            yield f"vmap level {level}{along} of {inner.head()}"
        elif level < 0:
            yield f"functionalized {inner.head()}"
        else:
            transform = "functionalize" if _functorch.is_functionaltensor(value) else _transform(level)
            yield f"{transform} level {level} of {inner.head()}"
        if isinstance(inner, Transformed):
            yield from inner.words()

    def notes(self) -> Iterable[str]:
        return [*self.words(), "statistics are of the tensor within"]

    def elements(self) -> Any:
        return Unread("layout", "inside a transform")

    def read(self) -> Reading:
        return self._inner().reading()

    def rows(self) -> list[Child]:
        return [Child("wrapped", self._inner().value)]

    def _inner(self) -> Form:
        return form_of(_functorch.get_unwrapped(self.value), self.budget)


def _transform(level: int) -> str:
    """The name of the transform at a level, or what it may be where the level is not active."""
    active = (_interpreters() if _interpreters is not None else None) or ()
    keys = [str(interpreter.key()) for interpreter in active if interpreter.level() == level]
    return keys[0].rpartition(".")[2].lower() if keys else "grad or jvp"
