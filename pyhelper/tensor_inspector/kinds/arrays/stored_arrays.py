"""Arrays in files: h5py, netCDF4, tensorstore. Their values stay there; a closed file is said to be closed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from ...measure.stats import Unread
from ...safe.guard import c_attribute, class_attribute, dict_get, instance_dict, is_found_in, module, plain_str
from ...words.text import listed, plural, shorten_middle
from ..families import by_home, either
from ..python.objects import WordedObject
from .foreign_arrays import ON_DISK, ForeignArray, Outline, gone, of_library

_SHOWN = 12  #: names listed of what is in a file
_DEPTH = 100  #: groups in groups
_NAME = 40  #: characters of a file's name
BUSY = "not read: another thread is in its library"


class H5Dataset(ForeignArray):
    """A dataset of h5py, read by its identifier in C."""

    needs = ("_id",)

    def outline(self) -> Outline:
        identifier = dict_get(instance_dict(self.value), "_id")
        with _h5py_lock() as is_free:
            if not is_free:
                return gone(BUSY)
            if not c_attribute(identifier, "valid"):
                return gone("closed")
            # Not its `dtype`, which the identifier keeps once it was asked for.
            dtype = c_attribute(class_attribute(type(identifier), "get_type")(identifier), "dtype")
            sizes = c_attribute(identifier, "shape")
            name = _name_of(identifier)
        return Outline("" if dtype is None else _dtype_text(dtype), sizes, [name] if name else [], ON_DISK)


class H5Group(WordedObject):
    """A group or file of h5py: what is in it, by name."""

    needs = ("_id",)

    def words(self) -> Iterable[str | None]:
        identifier = dict_get(instance_dict(self.value), "_id")
        with _h5py_lock() as is_free:
            if not is_free:
                return [BUSY]
            if not c_attribute(identifier, "valid"):
                return ["closed"]
            file = c_attribute(identifier, "name")
            total = class_attribute(type(identifier), "__len__")(identifier)
            names = list(islice(class_attribute(type(identifier), "__iter__")(identifier), _SHOWN))
            name = shorten_middle(_text(file), _NAME) if file else _name_of(identifier)
        shown = listed(map(_text, names), total > len(names), 60)
        return [name or None, f"{plural(total, 'item')}: {shown}" if total else "empty"]

    def settings(self) -> dict[str, str]:
        return {"items": " · ".join(list(filter(None, self.words()))[1:])}

    def hidden(self) -> str | None:
        return "what is in the file"


class NetcdfVariable(ForeignArray):
    """A variable of netCDF4, with the names of its dimensions."""

    def outline(self) -> Outline:
        dtype = c_attribute(self.value, "dtype")
        sizes = c_attribute(self.value, "shape") if _is_open(c_attribute(self.value, "_grp")) else None
        written = "str" if dtype is str else _dtype_text(dtype)
        if sizes is None:
            return gone("closed", written)
        dimensions = c_attribute(self.value, "dimensions") or ()
        name = plain_str(c_attribute(self.value, "name"))
        return Outline(
            written, tuple(sizes), [name, f"dims {', '.join(dimensions)}" if dimensions else "no dimensions"], ON_DISK
        )


class NetcdfGroup(WordedObject):
    """A dataset or group of netCDF4: its dimensions and variables."""

    def words(self) -> Iterable[str | None]:
        if not _is_open(self.value):
            return ["closed"]
        dimensions = c_attribute(self.value, "dimensions") or {}
        variables, groups = c_attribute(self.value, "variables") or {}, c_attribute(self.value, "groups") or {}
        sizes = [f"{name} {_length(dimension)}" for name, dimension in islice(dict.items(dimensions), _SHOWN)]
        return [
            f"dims {listed(sizes, len(dimensions) > _SHOWN, 40)}" if sizes else None,
            f"{plural(len(variables), 'variable')}: {listed(islice(variables, _SHOWN), len(variables) > _SHOWN, 40)}"
            if variables
            else "no variables",
            plural(len(groups), "group") if groups else None,
        ]

    def settings(self) -> dict[str, str]:
        return {"state": " · ".join(filter(None, self.words()))}

    def first_rows(self) -> list[Any]:
        return self.c_rows("variables", "dimensions", "groups") if _is_open(self.value) else []


class NetcdfDimension(WordedObject):
    """A dimension of netCDF4."""

    def words(self) -> Iterable[str | None]:
        return [plain_str(c_attribute(self.value, "_name")) or None, _length(self.value)]

    def settings(self) -> dict[str, str]:
        return {"size": _length(self.value)}


class TensorStore(ForeignArray):
    """An array of tensorstore."""

    def outline(self) -> Outline:
        sizes = tuple(of_library(self.value, "shape", "tensorstore"))
        dtype = of_library(of_library(self.value, "dtype", "tensorstore"), "name", "tensorstore")
        return Outline(plain_str(dtype), sizes, [], Unread("elsewhere", "not read from its store"))


class H5Attributes(WordedObject):
    """The attributes of a dataset or group of h5py: how many there are."""

    needs = ("_id",)

    def words(self) -> Iterable[str | None]:
        identifier = dict_get(instance_dict(self.value), "_id")
        with _h5py_lock() as is_free:
            if not is_free:
                return [BUSY]
            if not c_attribute(identifier, "valid"):
                return ["closed"]
            amount = instance_dict(module("h5py.h5a")).get("get_num_attrs")
            return [plural(int(amount(identifier)), "attribute")] if amount is not None else []

    def settings(self) -> dict[str, str]:
        return {"state": " · ".join(filter(None, self.words()))}

    def hidden(self) -> str | None:
        return "what is in the file"


class H5Reference(WordedObject):
    """A reference of h5py to an object or a region of a file, which is not followed."""

    def words(self) -> Iterable[str | None]:
        return ["to an object of a file, not followed"]


@contextmanager
def _h5py_lock() -> Iterator[bool]:
    """Takes h5py's lock where it is free: one that another thread holds while it is paused would never be."""
    lock = instance_dict(module("h5py._objects")).get("phil")
    is_free = lock is None or bool(lock.acquire(blocking=False))
    try:
        yield is_free
    finally:
        if lock is not None and is_free:
            lock.release()


def _name_of(identifier: Any) -> str:
    get = instance_dict(module("h5py.h5i")).get("get_name")
    return "" if get is None else _text(get(identifier) or b"")


def _text(name: Any) -> str:
    return name.decode("utf-8", "replace") if type(name) is bytes else plain_str(name)


def _dtype_text(dtype: Any) -> str:
    if dtype.names is not None:
        return "structured"
    return "object" if dtype.kind == "O" else plain_str(dtype.name)


def _is_open(group: Any) -> bool:
    """Whether a group of netCDF4 and those around it are open. What is left of a closed file would tell of another one,
    which was opened later and has its number."""
    root = group
    for _ in range(_DEPTH):  # which alone knows
        if group is None or not is_found_in(type(group), "netCDF4"):
            break  # a weak reference to it, or nothing above
        root, group = group, c_attribute(group, "parent")
    return bool(c_attribute(root, "_isopen"))


def _length(dimension: Any) -> str:
    if not _is_open(c_attribute(dimension, "_grp")):
        return "closed"
    try:
        return f"{class_attribute(type(dimension), '__len__')(dimension):,}"
    except Exception:  # of a closed file
        return "closed"


kind_for = either(
    by_home(
        {
            H5Dataset: ("Dataset",),
            H5Group: ("Group",),
            H5Attributes: ("AttributeManager",),
            H5Reference: ("Reference",),
        },
        "h5py",
    ),
    by_home({NetcdfVariable: ("Variable",), NetcdfGroup: ("Dataset",), NetcdfDimension: ("Dimension",)}, "netCDF4"),
    by_home({TensorStore: ("TensorStore",)}, "tensorstore"),
)
