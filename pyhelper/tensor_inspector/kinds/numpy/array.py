"""numpy arrays, and parts taken out of them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

from ...measure.reading import is_alarming
from ...safe.budget import Budget
from ...safe.guard import (
    Classes,
    class_name,
    dict_get,
    full_name,
    instance_dict,
    library_of,
    module,
    mro,
    owner_of,
    plain_str,
)
from ...words.line import Word, head
from ...words.text import shape, shorten, size
from ..families import by_base, by_home, either
from ..kind import Child, NotStatic
from ..python.objects import attributes, brief, other_rows
from ..python.plain import Path
from ..subscripts import element
from .by_dtype import Records
from .contents import ArrayElements, ArrayKind, Contents, UnreadableContents, dtype_name
from .masked import contents_under, mask_of
from .numbers import Numbers

if TYPE_CHECKING:
    from ...protocol import Facts

numpy: Any = module("numpy")
_ndarray: Any = numpy.ndarray
_view = _ndarray.__dict__["view"]
_WRITEABLE = 0x400  #: NPY_ARRAY_WRITEABLE
_CAST = "biufcSUmMO"  #: kinds of dtypes to which numpy casts a fill value without code of the program
_OF_MEMMAP = "_mmap", "filename", "offset", "mode"
_OF_MASKED = "_mask", "_fill_value", "_hardmask", "_sharedmask", "_isfield", "_baseclass", "_optinfo", "_basedict"
_OF_MATRIX = ("_getitem",)
_NUMPYS = {*_OF_MEMMAP, *_OF_MASKED, *_OF_MATRIX}  #: attributes that numpy's own classes keep


class NumpyArray(ArrayKind):
    """An array by the base class's own methods: a subclass's overrides do not run."""

    mask: Any = None  #: which elements are hidden, where some can be

    def __init__(self, value: Any, budget: Any) -> None:
        super().__init__(value, budget)
        self.array = _view(value, _ndarray) if type(value) is not _ndarray else value
        self.repeating = ("values",) if self.array.dtype.names else ()

    @cached_property
    def contents(self) -> Contents:
        return contents_under(self.array, self.mask, self.budget)

    def head(self) -> Word:
        return head(dtype_name(self.array.dtype), shape(self.array.shape))

    def lenses(self) -> list[str]:
        return ["batch"] if self.array.shape else []

    def brief(self) -> str:
        return self.head()

    def parts(self) -> Iterable[str | None]:
        name = None if type(self.value) is _ndarray else self.type_name()
        return [name, *self._value_words(), *self._layout_words()]

    def item(self, key: Any) -> Any:
        if isinstance(self.contents, UnreadableContents):
            raise NotStatic(self.contents.unread.text)
        found = element(self.array, key, fields=True)
        hidden = element(self.mask, key, fields=True) if type(self.mask) is _ndarray else None
        if type(found) is _ndarray:
            return ArrayElements(found, hidden)
        is_masked = hidden is not None and hidden.dtype.kind == "b" and hidden
        return module("numpy.ma.core").masked if is_masked else found

    def settings(self) -> dict[str, str]:
        return {**super().settings(), "writeable": str(self._is_writeable())}

    def facts(self) -> Facts:
        facts: Facts = {
            "type": full_name(type(self.value)),
            "shape": list(self.array.shape),
            "dtype": shorten(str(self.array.dtype)) if self.array.dtype.names else dtype_name(self.array.dtype),
            "strides": _strides(self.array),
            "bytes": _bytes(self.array),
            "notes": list(self._layout_words()),
        }
        self.contents.add_facts(facts)
        return facts

    def _value_words(self) -> list[str]:
        shown = self.contents.shown()
        if shown is not None:
            return [self.head().then(f" {shown}", loud=is_alarming(self.reading()))]
        return [self.head(), *self.contents.words()]

    def _layout_words(self) -> Iterator[str]:
        array = self.array
        if not array.dtype.isnative and array.dtype.names is None:
            yield "big-endian" if array.dtype.byteorder == ">" else "little-endian"
        if not self._is_writeable():
            yield "read-only"
        if array.base is not None and array is self.value:
            yield "view"
        taken = _bytes(array)
        if taken < array.nbytes:
            expanded = any(length > 1 and stride == 0 for length, stride in zip(array.shape, array.strides))
            yield f"expanded from {size(taken)}" if expanded else f"overlaps itself in {size(taken)}"
        elif not (array.flags.c_contiguous or array.flags.f_contiguous):
            yield "not contiguous"
        elif array.flags.f_contiguous and not array.flags.c_contiguous:
            yield "Fortran order"

    def _is_writeable(self) -> bool:
        return bool(self.array.flags.num & _WRITEABLE)  # asking for `writeable` of what was broadcast makes numpy warn

    def _suffix(self) -> str | None:
        """What reaches an element; None where a class of the program decides that."""
        owner = owner_of(type(self.value), "__getitem__")
        return "[{}]" if owner is not None and library_of(owner) == "numpy" else None

    def rows(self) -> list[Child]:
        return self._rows(())

    def rows_without(self, names: Container[str]) -> list[Child] | None:
        return [child for child in self._rows(names) if child.name not in names]

    def _rows(self, names: Container[str]) -> list[Child]:
        rows = []
        if "values" not in names and self.contents.is_open():
            is_matrix = any(base is numpy.matrix for base in mro(type(self.value)))
            rows.append(Child("values", self.contents.values(self._suffix()), ".A" if is_matrix else ""))
        if "stats" not in names or not isinstance(self.contents, Numbers):  # of numbers these are their statistics
            rows += self.contents.parts()
        base: Any = self.array.base if self.array is self.value else None
        if class_name(type(base)) == "DummyArray":  # what numpy's stride tricks put between
            rows.append(Child("base", dict_get(instance_dict(base), "base"), ".base.base"))
        elif base is not None:
            rows.append(Child("base", base, ".base"))
        return rows + self._others()

    def _others(self) -> list[Child]:
        """A row for what the program, not numpy, keeps in an array of a subclass."""
        if type(self.value) is _ndarray:
            return []
        return other_rows(self.value, [child.name for child in attributes(self.value) if child.name not in _NUMPYS])


class Mapped(NumpyArray):
    """A ``numpy.memmap``: the file it shows, and how it was opened."""

    def _layout_words(self) -> Iterator[str]:
        attrs = instance_dict(self.value)
        yield _file_name(dict_get(attrs, "filename"), self.budget)
        mode = dict_get(attrs, "mode")
        if type(mode) is str and mode != "r":  # "read-only" says that
            yield {"c": "copy on write"}.get(mode, mode)
        yield from super()._layout_words()

    def facts(self) -> Facts:
        facts, attrs = super().facts(), instance_dict(self.value)
        known = ((name, dict_get(attrs, name)) for name in ("filename", "mode", "offset"))
        facts["rows"] = [
            *facts.get("rows", []),
            *([name, brief(item, self)] for name, item in known if item is not None),
        ]
        return facts


def _file_name(path: object, budget: Budget) -> str:
    """The last part of a file's path, which numpy keeps as a string or a path of the standard library's."""
    pathlib = module("pathlib")
    if type(path) in Classes(getattr(pathlib, "PosixPath", str), getattr(pathlib, "WindowsPath", str)):
        path = Path(path, budget).written()
    return shorten(plain_str(path).replace("\\", "/").rpartition("/")[2] or "no file", 40)


class MaskedArray(NumpyArray):
    """A ``numpy.ma.MaskedArray``: what its mask leaves, and how much it hides."""

    def __init__(self, value: Any, budget: Any) -> None:
        super().__init__(value, budget)
        self.mask = mask_of(value)

    def _rows(self, names: Container[str]) -> list[Child]:
        mask = [Child("mask", self.mask, ".mask")] if type(self.mask) is _ndarray else []
        return [*super()._rows(names), *mask]

    def facts(self) -> Facts:
        facts = super().facts()
        return {**facts, "rows": [*facts.get("rows", []), ["fill value", brief(self._fill(), self)]]}

    def settings(self) -> dict[str, str]:
        return {**super().settings(), "hard mask": str(dict_get(instance_dict(self.value), "_hardmask") is True)}

    def unlisted(self) -> Iterable[Child]:
        return [Child("fill_value", self._fill(), ".fill_value")]

    def _fill(self) -> Any:
        """What stands for masked elements, by the dtype of these; a default where none was given."""
        given, dtype = dict_get(instance_dict(self.value), "_fill_value"), self.array.dtype
        fill = module("numpy.ma.core").default_fill_value(dtype) if given is None else given
        if dtype.kind in _CAST:
            with numpy.errstate(all="ignore"):
                fill = numpy.array(fill).astype(dtype)
        return fill[()] if type(fill) is _ndarray else fill


class ArrayPart(NumpyArray):
    """Elements taken out to be looked at: their values, not their layout."""

    contains = False

    def __init__(self, value: ArrayElements, budget: Any) -> None:
        super().__init__(value.value, budget)
        self.mask = value.mask

    def parts(self) -> Iterable[str | None]:
        return self._value_words()

    def settings(self) -> dict[str, str]:
        return {}

    def rows(self) -> list[Child]:
        return self.contents.parts() if isinstance(self.contents, Records) else []

    def rows_without(self, names: Container[str]) -> list[Child] | None:
        return None

    def child_count(self) -> int | None:
        return len(self.array) if self.contents.is_open() else len(self.rows())

    def children(self, start: int, count: int) -> Iterable[Child]:
        if not self.contents.is_open():
            return self.rows()[start : start + count]
        return self.contents.values().children(start, count)


def _strides(array: Any) -> list[int | float]:
    """Strides in elements, as torch has them; numpy has bytes."""
    size = array.itemsize or 1
    return [stride / size if stride % size else stride // size for stride in array.strides]


def _bytes(array: Any) -> int:
    """Bytes that the elements take, those that several elements share counted once."""
    if not array.size:
        return 0
    distinct = prod(length for length, stride in zip(array.shape, array.strides) if stride)
    reach = sum((length - 1) * abs(stride) for length, stride in zip(array.shape, array.strides))
    return int(min(distinct * array.itemsize, reach + array.itemsize))


kind_for = either(
    by_home({MaskedArray: ("MaskedArray",)}, "numpy.ma"),
    by_base({ArrayPart: (ArrayElements,), Mapped: (numpy.memmap,), NumpyArray: (_ndarray,)}),
)
