"""Tells tables of pandas, and objects of other libraries whose memory is unknown."""

from __future__ import annotations

from ...kinds import Kind
from ...kinds.registry import kind_of
from ...safe.guard import class_module, class_name, mro, top_package

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
    if not is_of_pandas(cls):  # then its kind need not be chosen
        return False
    kind: type[Kind] = kind_of(cls)
    return kind.stores_parts()


def is_of_pandas(cls: type) -> bool:
    return any(top_package(class_module(base)) == "pandas" for base in mro(cls))


def is_uncounted(cls: type) -> bool:
    return any(class_name(base) in _UNCOUNTED.get(top_package(class_module(base)), ()) for base in mro(cls))
