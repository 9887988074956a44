"""Arrays in files: h5py, netCDF4, tensorstore. Their values stay there; a closed file is said to be closed.

HDF5, in which both libraries of files end, crashes when two threads are in it. h5py lets one in at a time by a lock of
its own, netCDF4 has none.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any, Callable, TypeVar
from weakref import CallableProxyType, ProxyType

from ...debugger import is_only_thread
from ...measure.stats import Unread
from ...safe.guard import (
    Classes,
    c_attribute,
    class_attribute,
    dict_get,
    instance_dict,
    is_found_in,
    module,
    plain_str,
)
from ...words.text import listed, plural, shorten_middle
from ..families import by_home, either
from ..python.objects import WordedObject
from .foreign_arrays import ON_DISK, ForeignArray, Outline, gone, of_library

T = TypeVar("T")
_SHOWN = 12  #: names listed of what is in a file
_DEPTH = 100  #: groups in groups
_NAME = 40  #: characters of a file's name
_BUSY = "not read: its library is at work"
_AWAY = "not read: it is no local file"
_SHARED = "not read: another thread may be in its library"
_CLOSED = "closed"
_PROXIES = Classes(ProxyType, CallableProxyType)
#: Drivers of files that lie here: others run the program's code, or wait for a network or other processes.
_LOCAL = ("CORE", "SEC2", "STDIO", "WINDOWS")


class H5Dataset(ForeignArray):
    """A dataset of h5py, read by its identifier in C."""

    needs = ("_id",)

    def outline(self) -> Outline:
        known = _asked(self.value, self._outline)
        return gone(known) if isinstance(known, str) else known

    def _outline(self, identifier: Any) -> Outline:
        # Not its `dtype`, which the identifier keeps once it was asked for.
        dtype = c_attribute(class_attribute(type(identifier), "get_type")(identifier), "dtype")
        name = _name_of(identifier)
        return Outline(
            "" if dtype is None else _dtype_text(dtype),
            c_attribute(identifier, "shape"),
            [name] if name else [],
            ON_DISK,
            {"name": name},
        )


class H5Group(WordedObject):
    """A group or file of h5py: the first of what is in it, by name."""

    needs = ("_id",)

    def words(self) -> Iterable[str | None]:
        known = _asked(self.value, _file_and_items)
        if isinstance(known, str):
            return [known]
        name, items = known
        if items is None:
            return [shorten_middle(name, _NAME), _AWAY]
        return [
            shorten_middle(name, _NAME) or None,
            f"items: {listed(items[:_SHOWN], len(items) > _SHOWN, 60)}" if items else "empty",
        ]

    def settings(self) -> dict[str, str]:
        known = _asked(self.value, _file_and_items)
        return {} if isinstance(known, str) or known[1] is None else {"items": ", ".join(known[1])}

    def hidden(self) -> str | None:
        return "what is in the file"


class H5Attributes(WordedObject):
    """The attributes of a dataset or group of h5py: how many there are."""

    needs = ("_id",)

    def words(self) -> Iterable[str | None]:
        known = _asked(self.value, _attribute_count)
        return [known if isinstance(known, str) else plural(known, "attribute")]

    def settings(self) -> dict[str, str]:
        known = _asked(self.value, _attribute_count)
        return {} if isinstance(known, str) else {"attributes": str(known)}

    def hidden(self) -> str | None:
        return "what is in the file"


class H5Reference(WordedObject):
    """A reference of h5py to an object or a region of a file, which is not followed."""

    def words(self) -> Iterable[str | None]:
        return ["to an object of a file, not followed"]


class NetcdfVariable(ForeignArray):
    """A variable of netCDF4, with the names of its dimensions."""

    def outline(self) -> Outline:
        dtype, name = c_attribute(self.value, "dtype"), plain_str(c_attribute(self.value, "_name"))
        written, group = "str" if dtype is str else _dtype_text(dtype), c_attribute(self.value, "_grp")
        unread = _why_not_asked(group)
        if unread == _CLOSED:
            return gone(_CLOSED, written, [name])
        if unread is not None:
            sizes = ("?",) * c_attribute(self.value, "ndim")
            return Outline(written, sizes, [name], Unread("elsewhere", unread), {"name": name})
        dimensions = ", ".join(c_attribute(self.value, "dimensions") or ())
        return Outline(
            written,
            tuple(c_attribute(self.value, "shape")),
            [name, f"dims {dimensions}" if dimensions else "no dimensions"],
            ON_DISK,
            {"name": name, "dims": dimensions},
        )


class NetcdfGroup(WordedObject):
    """A dataset or group of netCDF4: its dimensions and variables."""

    def words(self) -> Iterable[str | None]:
        if not _is_open(self.value):
            return [_CLOSED]
        dimensions = c_attribute(self.value, "dimensions") or {}
        variables, groups = c_attribute(self.value, "variables") or {}, c_attribute(self.value, "groups") or {}
        sizes = [
            name if length is None else f"{name} {length:,}"
            for name, length in ((name, _length(one)) for name, one in islice(dict.items(dimensions), _SHOWN))
        ]
        return [
            f"dims {listed(sizes, len(dimensions) > _SHOWN, 40)}" if sizes else None,
            f"{plural(len(variables), 'variable')}: {listed(islice(variables, _SHOWN), len(variables) > _SHOWN, 40)}"
            if variables
            else "no variables",
            plural(len(groups), "group") if groups else None,
        ]

    def settings(self) -> dict[str, str]:
        return {"open": str(_is_open(self.value))}

    def first_rows(self) -> list[Any]:
        return self.c_rows("variables", "dimensions", "groups") if _is_open(self.value) else []


class NetcdfDimension(WordedObject):
    """A dimension of netCDF4."""

    def words(self) -> Iterable[str | None]:
        length = _length(self.value)
        unread = _why_not_asked(c_attribute(self.value, "_grp"))
        return [plain_str(c_attribute(self.value, "_name")) or None, unread if length is None else f"{length:,}"]

    def settings(self) -> dict[str, str]:
        length = _length(self.value)
        return {} if length is None else {"size": str(length)}


class TensorStore(ForeignArray):
    """An array of tensorstore."""

    def outline(self) -> Outline:
        sizes = tuple(of_library(self.value, "shape", "tensorstore"))
        dtype = of_library(of_library(self.value, "dtype", "tensorstore"), "name", "tensorstore")
        return Outline(plain_str(dtype), sizes, [], Unread("elsewhere", "not read from its store"))


def _asked(value: Any, ask: Callable[[Any], T]) -> T | str:
    """What is found when the identifier of an object of h5py is asked; why it is not, where it is closed or in use.

    A lock that another thread holds while it is paused would never be free. This thread may hold it in the midst of
    reading a file that is an object of the program.
    """
    identifier = dict_get(instance_dict(value), "_id")
    lock = instance_dict(module("h5py._objects")).get("phil")
    is_nested = lock is not None and lock._is_owned()
    if lock is None or not lock.acquire(blocking=False):
        return _BUSY
    try:
        if not c_attribute(identifier, "valid"):
            return _CLOSED
        return _BUSY if is_nested and not _is_local(identifier) else ask(identifier)
    finally:
        lock.release()


def _file_and_items(identifier: Any) -> tuple[str, list[str] | None]:
    """The name of a file, or of a group in it, and of some of what is in it; None where that may not be read."""
    file = c_attribute(identifier, "name")
    name = _text(file) if file else _name_of(identifier)
    if not _is_local(identifier):
        return name, None
    names: list[str] = []

    def take(found: bytes) -> bool:
        names.append(_text(found))
        return len(names) > _SHOWN  # which ends it: the number of all takes as long as reading them all

    links = c_attribute(identifier, "links")
    order = instance_dict(module("h5py.h5")).get("ITER_NATIVE")
    class_attribute(type(links), "iterate")(links, take, order=order)
    return name, names


def _attribute_count(identifier: Any) -> int | str:
    count = instance_dict(module("h5py.h5a")).get("get_num_attrs")
    return int(count(identifier)) if count is not None and _is_local(identifier) else _AWAY


def _name_of(identifier: Any) -> str:
    """The name of a group or dataset; of one that was found by a reference HDF5 may have to look for it in the file."""
    get = instance_dict(module("h5py.h5i")).get("get_name")
    return _text(get(identifier) or b"") if get is not None and _is_local(identifier) else ""


def _is_local(identifier: Any) -> bool:
    """Whether to read what a file says of its contents waits for nothing and runs no code of the program."""
    file_of, drivers = instance_dict(module("h5py.h5i")).get("get_file_id"), instance_dict(module("h5py.h5fd"))
    if file_of is None:
        return False
    file = file_of(identifier)
    access = class_attribute(type(file), "get_access_plist")(file)
    driver = class_attribute(type(access), "get_driver")(access)
    return any(drivers.get(name) == driver for name in _LOCAL)


def _text(name: Any) -> str:
    return name.decode("utf-8", "replace") if type(name) is bytes else plain_str(name)


def _dtype_text(dtype: Any) -> str:
    if dtype.names is not None:
        return "structured"
    return "object" if dtype.kind == "O" else plain_str(dtype.name)


def _why_not_asked(group: Any) -> str | None:
    """Why nothing in a group of netCDF4 is asked of the library; None where it can be."""
    if type(group) in _PROXIES:
        return "not read: it holds its file by a weak reference"
    if not _is_open(group):
        return _CLOSED
    return None if is_only_thread() else _SHARED


def _is_open(group: Any) -> bool:
    """Whether a group of netCDF4 and those around it are open. What is left of a closed file would tell of another one,
    which was opened later and has its number."""
    root = group
    for _ in range(_DEPTH):  # which alone knows
        if group is None or not is_found_in(type(group), "netCDF4"):
            break
        root, group = group, c_attribute(group, "parent")
    return bool(c_attribute(root, "_isopen"))


def _length(dimension: Any) -> int | None:
    """The length of a dimension of netCDF4; None where it is not asked for it."""
    if _why_not_asked(c_attribute(dimension, "_grp")) is not None:
        return None
    try:
        return int(class_attribute(type(dimension), "__len__")(dimension))
    except Exception:  # of the library
        return None


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
