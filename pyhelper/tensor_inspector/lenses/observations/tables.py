"""Tables whose rows are compared."""

from __future__ import annotations

from typing import Any

from ...measure.torch.elements import bare
from ...measure.torch.metadata import element_count
from .reading import BoundedReading

_FIRST = 16  #: places along each dimension that tell most tables apart


def table_of(tensor: Any) -> Any:
    """The elements, where there are several for each index of the first dimension, and each is one of its own."""
    if not element_count(tensor) or tensor.dim() < 2:
        return None
    values = bare(tensor)
    return None if values is None or any(not step for step in values.stride()) else values


def are_equal(reading: BoundedReading, name: str, rows: Any) -> bool:
    """Whether all rows of a table are equal, as far as that is read. The first places tell of most that they differ."""
    first = rows[(slice(_FIRST),) * rows.dim()]
    if not bool((first == first[:1]).all()) or not reading.takes(name, rows.numel()):
        return False
    return bool((rows == rows[:1]).all())
