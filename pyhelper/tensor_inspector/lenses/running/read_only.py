"""Protects memory that code may read but not write, since it is too large to be copied."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...measure.torch.metadata import is_any_tensor
from ...measure.torch.readable import storage_address
from ...safe.guard import module

_dispatching: Any = module("torch.utils._python_dispatch")


class WouldWrite(RuntimeError):
    """Raised before code writes in place to memory that could not be restored."""


class ReadOnly(_dispatching.TorchDispatchMode):  # type: ignore[misc]
    """A mode in which torch raises `WouldWrite` before an operation writes to these tensors or to views of them."""

    def __init__(self, tensors: Iterable[Any]) -> None:
        super().__init__()
        self._memory = {storage_address(one) for one in tensors} - {None}
        self._known: dict[Any, tuple[tuple[int, str], ...]] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = kwargs or {}
        known = self._known.get(func)
        if known is None:
            known = self._known[func] = _written(func)
        for at, name in known:
            value = args[at] if at < len(args) else given.get(name)
            for one in value if type(value) is list else [value]:
                if is_any_tensor(one) and storage_address(one) in self._memory:
                    raise WouldWrite("a parameter would be changed in place, and is too large to be copied")
        return func(*args, **given)


def _written(func: Any) -> tuple[tuple[int, str], ...]:
    """The arguments that an operation writes to, as pairs of position and name."""
    arguments = enumerate(func._schema.arguments)
    return tuple((at, one.name) for at, one in arguments if one.alias_info is not None and one.alias_info.is_write)
