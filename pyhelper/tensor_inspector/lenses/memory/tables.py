"""Splits pandas tables into their columns, and names objects of other libraries whose memory is unknown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...kinds import as_kind
from ...kinds.registry import kind_of
from ...safe.budget import Budget
from ...safe.guard import class_module, class_name, mro, top_package

_KINDS = ("PandasFrame", "PandasSeries")
#: Classes of libraries that keep memory of their own, and don't tell where it begins: it can't be counted once.
_UNCOUNTED = {
    "polars": ("DataFrame", "Series"),
    "pyarrow": ("Array", "ChunkedArray", "RecordBatch", "Table", "_Tabular"),
    "jaxlib": ("ArrayImpl",),
    "tensorflow": ("EagerTensor", "Tensor"),
    "cupy": ("ndarray",),
}


def is_table(cls: type) -> bool:
    """Whether it is a frame or a series of pandas."""
    return is_of_pandas(cls) and any(class_name(base) in _KINDS for base in mro(kind_of(cls)))


def is_of_pandas(cls: type) -> bool:
    return any(top_package(class_module(base)) == "pandas" for base in mro(cls))


def is_uncounted(cls: type) -> bool:
    return any(class_name(base) in _UNCOUNTED.get(top_package(class_module(base)), ()) for base in mro(cls))


def parts_of(table: Any) -> Iterator[tuple[str | None, Any]]:
    """What its manager keeps for each column, without asking the table for it; each with what reaches it."""
    kind: Any = as_kind(table, Budget())
    manager = kind.manager
    if class_name(type(kind)) == "PandasSeries":
        yield ".array", manager.blocks[0].values
    else:
        for at, label in enumerate(kind.labels(0, kind.size()[1])):
            yield kind.column_suffix(at, label), kind.column(at).value
        yield ".columns", manager.axes[0]
    yield ".index", manager.axes[-1]
