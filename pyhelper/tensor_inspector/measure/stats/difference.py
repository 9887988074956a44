"""How two tensors or arrays of one shape differ, element by element, in blocks and without a copy of either.

NaN equals NaN, an infinity itself. Integers are compared to the last digit, with floats too; floats are compared as
float64 (complex128), numpy's long doubles as such.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from ...safe.budget import Budget
from ...safe.guard import module
from ...safe.record import Record
from ...safe.torch_name import torch_name
from ..composed import is_composed
from ..unread import Unread
from .block_difference import Block, compare_blocks, library
from .layout import blocks

#: What ``torch.testing.assert_close`` takes as close: rtol and atol, by dtype.
_CLOSE = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}
_BLOCK = 1 << 15  # what torch works on with one thread: on busy cores, waiting for others costs more


if TYPE_CHECKING:
    from .block_difference import ValueDifference


class PartialDifference:
    """How far the elements of two are compared, for a comparison that goes on where its time ended."""

    __slots__ = ("blocks", "found", "hidden")

    def __init__(self) -> None:
        self.found: ValueDifference | None = None
        self.blocks: Iterator[Any] = iter(())  #: those left of both, and of their masks
        self.hidden = 0

    def read(self) -> int:
        """How many elements are compared."""
        return 0 if self.found is None else self.found["read"]

    def share(self) -> float:
        """How much is compared, from 0 to 1."""
        return 0.0 if self.found is None or not self.found["count"] else self.found["read"] / self.found["count"]


def difference(
    a: Any,
    b: Any,
    budget: Budget,
    *,
    rtol: float = 0.0,
    atol: float = 0.0,
    masks: tuple[Any, ...] = (),
    partial: PartialDifference | None = None,
) -> ValueDifference | Unread:
    """Where plain tensors or arrays ``a`` and ``b`` differ by more than ``atol + rtol·|b|``.

    The caller holds the guard, and has made sure that their memory can be read and that their shapes are the same.
    Counts are of the elements read: of all, unless the budget ends. What one of the ``masks``, boolean arrays of that
    shape, hides is neither compared nor counted. With the ``partial`` of an earlier call it goes on where that ended.
    """
    pair = paired(a, b)
    if isinstance(pair, Unread):
        return pair
    (a, b, *hiding), repeats = once(a, b, *masks)
    at = PartialDifference() if partial is None else partial
    if at.found is None:
        at.found = {
            "count": math.prod(a.shape),
            "read": 0,
            "different": 0,
            "apart": 0,
            "nan_in_one": 0,
            "max_abs": 0.0,
            "relative": 0.0,
            "at": None,
            "a": None,
            "b": None,
        }
        at.blocks = together(a, b, *hiding)
    close = closeness(a, b)
    numpy = module("numpy")
    with nullcontext() if numpy is None else numpy.errstate(all="ignore"):
        # Of what is gone on with, something is read each time: the time may be over before the first block.
        read = at.found["read"] + at.hidden if partial is not None else -1
        while not budget.spent() or at.found["read"] + at.hidden == read:
            block = next(at.blocks, None)
            if block is None:
                break
            x, y, *over = block
            at.hidden += compare_blocks(at.found, pair.block(x), pair.block(y), over, tuple(a.shape), rtol, atol, close)
    found = at.found.copy()
    found["count"] -= at.hidden
    found["read"] -= at.hidden
    for amount in ("count", "read", "different", "apart", "nan_in_one"):
        found[amount] *= repeats
    if found["count"] and not found["read"]:
        return Unread("no_time", "values not compared: no time was left")
    return found


class Paired(Record):
    """What the blocks of two tensors or arrays are compared with: torch or numpy, and whether in long doubles."""

    xp: Any
    wider: bool

    def block(self, part: Any) -> Block:
        return Block(part, self.xp, self.wider)


def paired(a: Any, b: Any) -> Paired | Unread:
    """How the elements of both are compared, or why they can't be."""
    wider = _is_wider(a) or _is_wider(b)
    unknown = _is_unknown_to_torch(a) or _is_unknown_to_torch(b)
    if (wider or unknown) and (hasattr(a, "untyped_storage") or hasattr(b, "untyped_storage")):
        why = "wider than float64" if wider else "this torch has no uint64"
        return Unread("precision", f"values not compared: {why}")
    return Paired(sys.modules["numpy"] if wider or unknown else library(), wider)


def together(*sides: Any) -> Iterator[Any]:
    """The blocks of tensors or arrays of one shape, those of one place together."""
    if 0 in sides[0].shape:
        return iter(())
    return zip(*(blocks(side, _BLOCK) for side in sides)) if sides[0].shape else iter([sides])


def closeness(a: Any, b: Any) -> tuple[float, float] | None:
    """How far apart rounding may bring two: rtol and atol of the coarser dtype; None where one is no float."""
    known = [_CLOSE.get(torch_name(side.dtype)) for side in (a, b)]
    return None if None in known else max(pair for pair in known if pair is not None)


def _is_wider(value: Any) -> bool:
    """Whether float64 can't hold the elements: numpy's long doubles."""
    itemsize = {"f": 8, "c": 16}.get(getattr(value.dtype, "kind", ""), 0)
    return bool(itemsize and value.dtype.itemsize > itemsize)


def _is_unknown_to_torch(value: Any) -> bool:
    return str(value.dtype) == "uint64" and not hasattr(library(), "uint64")


def once(*sides: Any) -> tuple[list[Any], int]:
    """All without the dimensions in which all repeat the same bytes, and how often they do."""
    repeats = 1
    where = []
    for size, *strides in zip(sides[0].shape, *map(_strides, sides)):
        repeated = size > 1 and not any(strides)
        repeats *= size if repeated else 1
        where.append(slice(0, 1) if repeated else slice(None))
    return [side[tuple(where)] for side in sides] if repeats > 1 else list(sides), repeats


def _strides(value: Any) -> Any:
    if is_composed(value):
        return value.strides()
    return value.stride() if hasattr(value, "untyped_storage") else value.strides
