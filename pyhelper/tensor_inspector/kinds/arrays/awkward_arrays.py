"""awkward: arrays of lists and records, by their length and type, as awkward writes it. Nothing of them is computed."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from ...measure.memory.extents import is_array
from ...safe.guard import c_attribute, class_name, dict_get, instance_dict, is_found_in, plain_str
from ...words.line import class_word
from ...words.text import shorten
from ..families import by_home
from ..numpy.contents import dtype_name
from ..python.objects import PlainObject

_DEPTH = 8  #: layouts in layouts
_FIELDS = 12  #: fields of a record, and types of a union
_WIDTH = 80  #: characters of a type
_OPAQUE = "only awkward's own code tells its items apart: ask about ak.to_numpy of it, or of a field"
#: Layouts that pick or leave out items of another one, whose type they have; before it stands what they add.
_AROUND = {
    "IndexedArray": "",
    "IndexedOptionArray": "?",
    "ByteMaskedArray": "?",
    "BitMaskedArray": "?",
    "UnmaskedArray": "?",
    "ListOffsetArray": "var * ",
    "ListArray": "var * ",
}
#: What an array of that layout is as long as; of offsets it is one less.
_LENGTHS = {
    "NumpyArray": "_data",
    "ListOffsetArray": "_offsets",
    "ListArray": "_starts",
    "IndexedArray": "_index",
    "IndexedOptionArray": "_index",
    "ByteMaskedArray": "_mask",
    "UnionArray": "_tags",
    "UnmaskedArray": "_content",
}


class AwkwardArray(PlainObject):
    """An array of awkward."""

    def parts(self) -> Iterable[str | None]:
        length = self._items()
        shown = f"{'?' if length is None else length} * {_type(self._layout(), _DEPTH)}"
        return [class_word(self.type_name()), *self.warnings(), shorten(shown, _WIDTH), self.memory_word()]

    def opaque_items(self) -> tuple[int | None, str]:
        """How many items it has, as far as its layout says, and what to ask about instead."""
        return self._items(), _OPAQUE

    def _items(self) -> int | None:
        return _length(self._layout(), _DEPTH)

    def _layout(self) -> Any:
        return dict_get(instance_dict(self.value), "_layout")


class AwkwardRecord(PlainObject):
    """A record of an array of awkward."""

    def parts(self) -> Iterable[str | None]:
        layout = dict_get(instance_dict(self.value), "_layout")
        known = _type(dict_get(instance_dict(layout), "_array"), _DEPTH)
        return [class_word(self.type_name()), *self.warnings(), shorten(known, _WIDTH), self.memory_word()]


def _type(layout: Any, depth: int) -> str:
    """The type of a layout's items; ``…`` of what is too deep, or no layout of awkward's."""
    if not depth or not is_found_in(type(layout), "awkward"):
        return "…"
    name, attrs = class_name(type(layout)), instance_dict(layout)
    parameters = dict_get(attrs, "_parameters")
    named = plain_str(dict_get(parameters, "__array__")) if type(parameters) is dict else ""
    if named in ("string", "bytestring"):
        return {"string": "string", "bytestring": "bytes"}[named]
    if name in _AROUND:
        return _AROUND[name] + _type(dict_get(attrs, "_content"), depth - 1)
    if name == "RegularArray":
        return f"{_whole(dict_get(attrs, '_size'))} * {_type(dict_get(attrs, '_content'), depth - 1)}"
    if name == "NumpyArray":
        return _type_of_numbers(dict_get(attrs, "_data"))
    if name == "EmptyArray":
        return "unknown"
    contents = dict_get(attrs, "_contents")
    types = [_type(one, depth - 1) for one in islice(contents if type(contents) is list else (), _FIELDS)]
    more = ["…"] if type(contents) is list and len(contents) > _FIELDS else []
    if name == "UnionArray":
        return f"union[{', '.join([*types, *more])}]"
    fields = dict_get(attrs, "_fields")
    if type(fields) is not list:
        return f"({', '.join([*types, *more])})"
    return f"{{{', '.join([*(f'{plain_str(field)}: {one}' for field, one in zip(fields, types)), *more])}}}"


def _type_of_numbers(data: Any) -> str:
    if not is_array(data):
        return "…"
    sizes = c_attribute(data, "shape")[1:]
    return "".join(f"{size} * " for size in sizes) + dtype_name(c_attribute(data, "dtype"))


def _length(layout: Any, depth: int) -> int | None:
    """How many items a layout has; None where its attributes do not say so."""
    name, attrs = class_name(type(layout)), instance_dict(layout)
    if name == "EmptyArray":
        return 0
    if name not in _LENGTHS:
        known = dict_get(attrs, "_length")
        return known if type(known) is int else None
    of = dict_get(attrs, _LENGTHS[name])
    if name == "UnmaskedArray":
        return _length(of, depth - 1) if depth else None
    data = of if name == "NumpyArray" else dict_get(instance_dict(of), "_data")
    sizes = c_attribute(data, "shape") if is_array(data) else ()
    return sizes[0] - (name == "ListOffsetArray") if sizes else None


def _whole(number: Any) -> str:
    return str(number) if type(number) is int else "?"


kind_for = by_home({AwkwardArray: ("Array",), AwkwardRecord: ("Record",)}, "awkward.highlevel")
