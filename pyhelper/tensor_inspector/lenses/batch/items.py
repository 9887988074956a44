"""Values of an array or column that are no numbers, as Python objects, and which of them are missing."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from ...safe.guard import class_name, instance_dict, module

_BYTES = 1 << 24


def items_of(contents: Any, rows: int) -> Iterable[Any]:
    """Those of polars by its own core, if they take little."""
    column = contents.array
    if hasattr(contents, "categories"):  # of pandas, by codes
        names = [*contents.categories.labels(0, contents.categories.length()), None]
        return (names[code] for code in column.tolist())
    if class_name(type(column)) != "PySeries":
        return islice(contents.labels(0, rows), rows)
    return column.to_list() if column.estimated_size() <= _BYTES else ()


def is_missing(item: Any) -> bool:
    """Whether it is None, NaN or pandas's NA."""
    if item is None or item is instance_dict(module("pandas")).get("NA"):
        return True
    return type(item) is float and item != item
