"""Tells what an object has stored of what it can work out again: its caches, which two equal objects need not share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...kinds.rows import Rows
from ...safe.guard import ByClass, class_attribute, class_name, instance_dict, is_found_in, library_of, mro, owner_of
from ...safe.installed import is_installed

_STORED = ("cached", "lazy", "memoized")  #: in the names of properties that store what they work out
_READ = ("property", "attribute", "accessor")
_Names = dict[tuple[str, str], frozenset[str]]  #: of attributes, by the package and name of a library's class
#: What classes fill when they are asked.
_FILLED: _Names = {
    ("geopandas", "GeometryArray"): frozenset(("_sindex",)),
    ("torch_geometric", "EdgeIndex"): frozenset("_indptr _T_perm _T_index _T_indptr _cat_metadata".split()),
    ("torch_geometric", "MessagePassing"): frozenset("_cached_edge_index _cached_adj_t _cached_x".split()),
    ("xarray", "DataArray"): frozenset(("_cache",)),
    ("xarray", "Dataset"): frozenset(("_cache",)),
    ("torchmetrics", "Metric"): frozenset(("_computed",)),
}
#: What is None until it is asked for, and then an empty dict.
_EMPTY: _Names = {
    ("xarray", "Dataset"): frozenset(("_attrs", "_encoding")),
    ("xarray", "NamedArray"): frozenset(("_attrs", "_encoding")),
}


def is_cached(value: object, name: str) -> bool:
    """Whether an attribute of an object stores what its class works out when it is asked.

    A library's class is known to fill it; or it stands in the instance's dict, before a property that stores nothing
    itself: ``functools.cached_property``, torch's ``lazy_property`` and what other libraries call alike.
    """
    owner = _owner(value)
    if name in _filled(type(owner)):
        return True
    cls = type(class_attribute(type(owner), name))
    if name not in instance_dict(owner) or not _is_cached_property(cls):
        return False
    return owner_of(cls, "__set__") is None and owner_of(cls, "__delete__") is None


def is_filled_in_one(value: object, name: str, a: Any, b: Any) -> bool:
    """Whether what a library's class fills when it is asked has nothing in it on one side."""
    if (a is None) is (b is None):
        return False
    cls, filled = type(_owner(value)), b if a is None else a
    return name in _filled(cls) or (name in _emptied(cls) and type(filled) is dict and not filled)


def _owner(value: object) -> object:
    """The object that has an attribute below a value; it may stand in a row of others."""
    return value.owner if type(value) is Rows else value


def _says_cached(cls: type) -> bool:
    if owner_of(cls, "__get__") is None:
        return False
    for base in mro(cls):
        name = class_name(base).lower() if library_of(base) == "functools" or is_installed(base) else ""
        if any(word in name for word in _STORED) and any(word in name for word in _READ):
            return True
    return False


def _named_in(table: _Names) -> Callable[[type], frozenset[str]]:
    def names_of(cls: type) -> frozenset[str]:
        found = (
            names
            for (package, name), names in table.items()
            for base in mro(cls)
            if class_name(base) == name and is_found_in(base, package)
        )
        return frozenset().union(*found)

    return names_of


_is_cached_property = ByClass(_says_cached)
_filled, _emptied = (ByClass(_named_in(table)) for table in (_FILLED, _EMPTY))
