"""The format ``.pt``: what ``torch.save`` pickles. It runs code of the value's classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...safe.guard import library_of, module
from ..running.unguarded import Unguarded
from .plan import Plan

if TYPE_CHECKING:
    from ...kinds import Child
    from ...safe.untouched import Untouched
    from .plan import Steps

_PIECE = 1 << 18  #: bytes


def plan(asked: Child) -> Plan:
    """Raises ``ValueError`` where the program has no torch, or for a row of the tree that is no object of the program.

    What can't be pickled shows only as that is tried.
    """
    if module("torch") is None:
        raise ValueError("the program has not imported torch, which writes .pt")
    value = _object(asked.value)
    if library_of(type(value)) == __name__.partition(".")[0]:
        raise ValueError(f"{asked.name} is a row of the tree, no object of the program")
    notes = ["pickled, which runs code of its classes; all of it is in memory before it is written"]
    if _is_exact_tensor(value):
        unread = _why_unread(value)
        if unread is not None:
            raise ValueError(unread)
    else:
        notes.append("views in it are written with all the memory that they are views of")

    def steps(guard: Untouched | None) -> Steps:
        yield from _steps(value, guard)

    return Plan(steps, 1, None, notes)


class _Pickled:
    """A file in memory, which ``torch.save`` writes to."""

    def __init__(self) -> None:
        self.data = bytearray()

    def write(self, data: Any) -> int:
        before = len(self.data)
        self.data += data
        return len(self.data) - before

    def flush(self) -> None:
        return


def _steps(value: Any, guard: Untouched | None) -> Steps:
    """In one step all is pickled, in the modes of the paused line; the others hand it over."""
    file = _Pickled()
    with Unguarded(guard):
        module("torch").save(_compact(value), file)
    yield b"", 0
    total = len(file.data)
    for start in range(0, total, _PIECE):
        piece = bytes(file.data[start : start + _PIECE])
        yield piece, int(start + len(piece) == total)


def _object(value: Any) -> Any:
    """What the program has where the tree has elements that were taken out of a tensor or array."""
    from ...kinds.numpy.contents import ArrayElements
    from ...kinds.torch.form import TensorElements  # which needs torch

    cls = type(value)
    is_whole = cls is TensorElements or (cls is ArrayElements and value.mask is None)
    return value.value if is_whole else value


def _why_unread(tensor: Any) -> str | None:
    from ...measure.torch.readable import why_unread  # which needs torch

    unread = why_unread(tensor)
    return None if unread is None else unread.text


def _is_exact_tensor(value: Any) -> bool:
    from ...measure.torch.metadata import is_exact_tensor  # which needs torch

    return is_exact_tensor(value)


def _compact(value: Any) -> Any:
    """A view with memory of its own: all of what it is a view of would be written. Anything else as it is."""
    if not _is_exact_tensor(value):
        return value
    from ...measure.torch.elements import bare  # which needs torch

    elements = bare(value)
    if elements is None or elements.untyped_storage().nbytes() <= elements.numel() * elements.element_size():
        return value
    torch, needs_gradient = module("torch"), bool(value.requires_grad)
    copy = elements.clone()
    if type(value) is torch.nn.Parameter:
        return torch.nn.Parameter(copy, needs_gradient)
    return copy.requires_grad_(needs_gradient)
