"""Chooses how a pandas array or index is summarised, by its class."""

from __future__ import annotations

from typing import Any

from ...safe.budget import Budget
from ...safe.guard import c_attribute, class_name, dict_get, instance_dict, library_of, module, mro
from ..numpy.by_dtype import contents_of
from ..numpy.contents import Contents
from .arrow import ArrowColumn
from .pandas_columns import (
    CategoricalColumn,
    DateTimes,
    NullableColumn,
    PeriodColumn,
    ScalarColumn,
    SparseColumn,
    StringColumn,
)
from .pandas_index import MultiIndexLabels, RangeLabels
from .unknown_array import UnknownArray

numpy: Any = module("numpy")


def index_contents(index: Any, budget: Budget) -> Contents:
    """What the labels of an index say, of the kind of index that it is."""
    attrs = instance_dict(index)
    steps = dict_get(attrs, "_range")
    if type(steps) is range:
        return RangeLabels(steps, budget)
    if any(class_name(base) == "MultiIndex" for base in mro(type(index))):
        levels = [index_contents(level, budget) for level in dict_get(attrs, "_levels") or ()]
        return MultiIndexLabels(index, budget, levels)
    return column_contents(dict_get(attrs, "_data"), budget)


_BY_NAME: dict[str, Any] = {
    "BaseMaskedArray": NullableColumn,
    "DatetimeArray": DateTimes,
    "TimedeltaArray": DateTimes,
    "PeriodArray": PeriodColumn,
    "Categorical": lambda values, budget: CategoricalColumn(values, budget, index_contents),
    "StringArray": StringColumn,
    "ArrowExtensionArray": ArrowColumn,
    "SparseArray": SparseColumn,
    "IntervalArray": ScalarColumn,
}


def column_contents(values: Any, budget: Budget, length: int | None = None) -> Contents:
    """What one of pandas' own arrays, or a plain one, says; ``length`` is that of the index beside it."""
    cls = type(values)
    if any(base is numpy.ndarray for base in mro(cls)):
        return contents_of(numpy.ndarray.view(values, numpy.ndarray), budget)  # a subclass's own code does not run
    if library_of(cls) == "pandas":
        for base in mro(cls):
            kind = _BY_NAME.get(class_name(base))
            if kind is not None:
                return kind(values, budget)  # type: ignore[no-any-return]
        plain = c_attribute(values, "_ndarray")
        if type(plain) is numpy.ndarray:
            return contents_of(plain, budget)
    return UnknownArray(values, budget, length)
