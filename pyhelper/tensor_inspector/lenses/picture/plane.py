"""Two dimensions of a value, at an index of each other, as a plane that is read by its strides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...safe.guard import class_name
from ...safe.record import Record
from .listed import NestedLists, plane_of


class Where(Record):
    """Which of a value is drawn: rows go along dimension ``down`` (None for a line), columns along ``across``."""

    down: int | None
    across: int
    index: dict[int, int]  #: of each other dimension

    def text(self) -> str:
        """``[0, :, :]``; dimensions that are not in their order by name."""
        if not self.index and not self.is_transposed():
            return ""
        amount = len(self.index) + (1 if self.down is None else 2)
        text = f"[{', '.join(str(self.index.get(at, ':')) for at in range(amount))}]" if self.index else ""
        turned = f"rows: dimension {self.down}, columns: dimension {self.across}" if self.is_transposed() else ""
        return " ".join(filter(None, (text, turned)))

    def is_transposed(self) -> bool:
        return self.down is not None and self.down > self.across


def where_of(shape: Sequence[int], dims: Sequence[int] | None, index: Sequence[int] | None) -> Where:
    """The last two dimensions, or the only one, where ``dims`` is None; index 0 elsewhere, where ``index`` is.

    Raises ``TypeError`` or ``ValueError`` where they are not of the shape.
    """
    amount = len(shape)
    if not amount:
        raise ValueError("a picture is of one dimension or two: this has none")
    chosen = list(range(max(0, amount - 2), amount)) if dims is None else _whole("dims", dims)
    if dims is not None:
        if len(chosen) not in (1, 2):
            raise ValueError(f"dims are one dimension or two, not {len(chosen)}")
        chosen = [within("dims", at, amount, f"{amount} dimensions") for at in chosen]
        if len(set(chosen)) < len(chosen):
            raise ValueError(f"dims are two different dimensions, not {chosen[0]} twice")
    others = [at for at in range(amount) if at not in chosen]
    at = [0] * len(others) if index is None else _whole("index", index)
    if len(at) != len(others):
        raise ValueError(f"index has an integer for each of {len(others)} other dimensions, not {len(at)}")
    if 0 in shape:
        raise ValueError(f"a picture is of elements: shape {list(shape)} has none")
    places = {
        dim: within("index", place, shape[dim], f"dimension {dim}, of size {shape[dim]}")
        for dim, place in zip(others, at)
    }
    return Where(None if len(chosen) == 1 else chosen[0], chosen[-1], places)


def plane(elements: Any, where: Where) -> Any:
    """The plane as a view; a line as one row. Lists are copied."""
    if type(elements) is NestedLists:
        return plane_of(elements, where.down, where.across, where.index)
    found = elements[tuple(where.index.get(at, slice(None)) for at in range(len(elements.shape)))]
    if where.down is None:
        return found[None]
    return found.swapaxes(0, 1) if where.is_transposed() else found


def _whole(name: str, values: Any) -> list[int]:
    """Whole numbers, also those of numpy's."""
    what = f"{name} is a tuple of whole numbers, as in (0, 1)"
    if type(values) is str or not hasattr(type(values), "__iter__"):
        raise TypeError(f"{what}, not {class_name(type(values))}")
    found = []
    for value in values:
        if issubclass(type(value), bool) or not hasattr(type(value), "__index__"):
            raise TypeError(f"{what}, not of {class_name(type(value))}")
        found.append(range(value).stop)
    return found


def within(name: str, value: int, size: int, what: str) -> int:
    """A place counted from the start, negative ones from the end. Raises ``ValueError`` where there is none."""
    if not -size <= value < size:
        raise ValueError(f"{name} {value} is outside of {what}")
    return value % size
