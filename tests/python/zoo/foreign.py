"""What C or C++ holds: ctypes' values, what processes share, handles, and columns of other libraries in pandas."""

from __future__ import annotations

import ctypes
import datetime
import functools
import io
import multiprocessing
import re
from collections.abc import Callable
from math import nan
from typing import Any

from .specimen import Specimen, Zoo

GEOPANDAS, PANDAS, XGBOOST = ("geopandas",), ("pandas",), ("xgboost", "numpy")
_LIBRARY = ctypes.CDLL(None)
_TEXT = ctypes.create_string_buffer(b"kept")


class Point(ctypes.Structure):
    _fields_ = [("x", ctypes.c_double), ("y", ctypes.c_double)]


class Record(Point):
    """A structure that adds fields to another's, of every sort."""

    _fields_ = [
        ("kind", ctypes.c_uint8, 3),
        ("other", ctypes.c_uint8, 5),
        ("at", Point),
        ("counts", ctypes.c_int * 3),
        ("text", ctypes.c_char_p),
        ("next", ctypes.POINTER(Point)),
    ]


class Either(ctypes.Union):
    _fields_ = [("bits", ctypes.c_uint32), ("number", ctypes.c_float)]


class Big(ctypes.BigEndianStructure):
    _fields_ = [("a", ctypes.c_int32)]


class Scale(ctypes.c_double):
    """A number of the program's own class: its code must not run."""

    def __repr__(self) -> str:
        raise RuntimeError("a repr ran")

    @property
    def value(self) -> float:  # type: ignore[override]
        raise RuntimeError("a property ran")


class Handle:
    """What libraries do: all that it is stands behind an address."""

    def __init__(self, address: int) -> None:
        self.handle = ctypes.c_void_p(address)


class NamedBuffer(io.BytesIO):
    """An object whose bytes C holds, and of which an attribute says something else."""


def buffer(content: bytes) -> NamedBuffer:
    made = NamedBuffer(content)
    made.name = "b"  # type: ignore[misc]
    return made


def record(second: float = 2.0, last: int = 6) -> Record:
    return Record(1.0, second, 5, 9, Point(3, 4), (ctypes.c_int * 3)(4, 5, last), ctypes.addressof(_TEXT))


def freed() -> Any:
    """A number whose memory is gone: reading it would end the process."""
    import mmap

    pages = mmap.mmap(-1, mmap.PAGESIZE)
    first = ctypes.c_char.from_buffer(pages)
    address = ctypes.addressof(first)
    del first
    pages.close()
    return ctypes.c_double.from_address(address)


def of(make: Callable[[Any], Any], value: Any, changed: Any, *says: str, **settings: Any) -> Specimen:
    return Specimen(lambda: make(value), says=says, changed=lambda: make(changed), **settings)


def shared(value: float) -> Any:
    return multiprocessing.get_context("spawn").Value("d", value)


def shared_array(values: list[int]) -> Any:
    return multiprocessing.get_context("spawn").Array("i", values)


@functools.lru_cache
def array_type() -> Any:
    """An array type of the program's own, for pandas."""
    import pandas as pd

    class KeptType(pd.api.extensions.ExtensionDtype):
        name = "kept"
        type = float

        @classmethod
        def construct_array_type(cls) -> Any:
            return Kept

    class Kept(pd.api.extensions.ExtensionArray):
        def __init__(self, kept: Any) -> None:
            self._kept = kept

        def _trap(self, *_: Any, **__: Any) -> Any:
            raise RuntimeError("the array's own code ran")

        __getitem__ = __eq__ = __repr__ = isna = take = _trap  # type: ignore[assignment]
        dtype = KeptType()  # type: ignore[assignment]

        def __len__(self) -> int:
            return len(self._kept)

        def copy(self) -> Any:
            return Kept(self._kept.copy())

    return Kept


def column(values: list[Any]) -> Any:
    import numpy as np
    import pandas as pd

    return pd.Series(array_type()(np.array(values)), name="kept")


def points(last: float, frame: bool = False) -> Any:
    import geopandas
    import shapely

    found = geopandas.GeoSeries([shapely.Point(0, 0), shapely.Point(1, last)])
    return geopandas.GeoDataFrame({"a": [1, 2]}, geometry=found) if frame else found


def matrix(value: float) -> Any:
    import numpy as np
    import xgboost

    return xgboost.DMatrix(np.full((2, 2), value))


def connection(rows: int = 1, close: bool = False) -> Any:
    import sqlite3

    found = sqlite3.connect(":memory:")
    found.execute("create table t (a, b)")
    for row in range(rows):
        found.execute("insert into t values (?, 2)", [row])
    if close:
        found.close()
    return found


def mapped(bytes: int) -> Any:
    import mmap

    return mmap.mmap(-1, bytes)


def unmapped(_: Any) -> Any:
    found = mapped(10)
    found.close()
    return found


def block(bytes: int, close: bool = False) -> Any:
    from multiprocessing import shared_memory

    found = shared_memory.SharedMemory(create=True, size=bytes)
    found.unlink()
    if close:
        found.close()
    return found


def configuration(last: int) -> Any:
    import configparser

    found = configparser.ConfigParser()
    found.read_dict({"DEFAULT": {"rate": "0.1"}, "model": {"width": "8"}, "data": {"x": "%(rate)s", "y": str(last)}})
    return found


def cffi(declared: str, value: Any) -> Any:
    import cffi

    return cffi.FFI().new(declared, value)


def cast(declared: str, value: Any) -> Any:
    import cffi

    return cffi.FFI().cast(declared, value)


def offset(name: str, *given: Any, **settings: Any) -> Any:
    import pandas as pd

    return getattr(pd.offsets, name)(*given, **settings)


def ragged(value: Any) -> Any:
    import awkward

    return awkward.Array(value)


CFFI, AWKWARD = ("cffi",), ("awkward",)
OPENED: Zoo = {
    "connection of sqlite3": of(connection, 2, 3, "Connection · open · in transaction · 2 changes"),
    "connection of sqlite3, closed": of(lambda close: connection(1, close), True, False, "Connection · closed"),
    "cursor of sqlite3": of(
        lambda asked: connection().execute(asked), "select a, b from t", "select a from t", "Cursor · 2 columns: a, b"
    ),
    "cursor of sqlite3 after a change": of(
        lambda asked: connection(3).execute(asked), "update t set b = 1", "select a from t", "Cursor · 3 rows changed"
    ),
    "map of memory": of(mapped, 4096, 8192, "mmap · 4.0 KiB"),
    "map of memory, closed": of(lambda make: make(4096), unmapped, mapped, "mmap · closed"),
    "shared memory": Specimen(lambda: block(4096), says=("SharedMemory · ", " · 4.0 KiB")),
    "shared memory, closed": Specimen(lambda: block(4096, True), says=("SharedMemory · ", " · 4.0 KiB · closed")),
    "configuration file": of(configuration, 1, 2, "ConfigParser · 2 sections: model 1, data 2 · 1 default"),
    "section of a configuration": of(lambda last: configuration(last)["data"], 1, 2, "SectionProxy · 'data' · 2 options: x, y"),
    "section of defaults": of(lambda last: configuration(last)["DEFAULT"], 1, 2, "SectionProxy · 'DEFAULT' · 1 option: rate"),
    "the program as a library": of(ctypes.CDLL, None, "libc.so.6", "CDLL · the program itself"),
    "library": of(ctypes.CDLL, "libc.so.6", None, "CDLL · 'libc.so.6'"),
    "array of cffi": of(lambda values: cffi("int[]", values), [1, 2, 3], [1, 2, 4], "cdata · int[] · 3 items", needs=CFFI),
    "pointer of cffi": of(lambda value: cffi("int *", value), 1, 2, "cdata · int *", silent=("→",), needs=CFFI),
    "null of cffi": of(lambda at: cast("int *", at), 0, 16, "cdata · int * · NULL", needs=CFFI),
    "integer of cffi": of(lambda value: cast("long", value), -3, 3, "cdata · long · -3", needs=CFFI),
    "complex number of cffi": of(lambda value: cast("double _Complex", value), 2j, 3j, "cdata · ", " · 2j", needs=CFFI),
    "number of cffi": of(lambda value: cast("double", value), 0.5, 0.25, "cdata · double · 0.5", needs=CFFI),
    "step of dates": of(lambda n: offset("BusinessDay", n), 2, 3, "BusinessDay · 2B", needs=PANDAS),
    "step of dates and hours": of(
        lambda hours: offset("BusinessDay", offset=datetime.timedelta(hours=hours)), 1, 2, "BusinessDay · B · offset ", needs=PANDAS
    ),
    "step of weeks": of(lambda day: offset("Week", weekday=day), 6, 5, "Week · W-SUN", needs=PANDAS),
    "step of several units": of(lambda n: offset("DateOffset", months=n), 2, 3, "DateOffset · months 2", needs=PANDAS),
    "step to midnight": of(lambda to: offset("MonthEnd", normalize=to), True, False, "MonthEnd · ", needs=PANDAS),
    "ragged array": of(ragged, [[1.0, 2.0], []], [[1.0], [2.0]], "Array · 2 * var * float64", needs=AWKWARD),
    "array of records": of(
        ragged, [{"x": 1, "y": ["a"]}], [{"x": 2, "y": ["a"]}], "Array · 1 * {x: int64, y: var * string}", needs=AWKWARD
    ),
    "array of several types": of(ragged, [1, "a", None], [1, "b", None], "Array · 3 * union[?int64, ?string]", needs=AWKWARD),
    "record": of(lambda x: ragged([{"x": x}])[0], 1, 2, "Record · {x: int64}", needs=AWKWARD),
}  # fmt: skip

VALUES: Zoo = {
    "double": of(ctypes.c_double, 2.5, 2.25, "c_double · 2.5"),
    "float that is NaN": of(ctypes.c_float, nan, 1.0, "c_float · NaN", silent=("value",)),
    "NaN in a list of numbers": of(
        lambda x: [ctypes.c_double(x)], nan, 1.0, "list · NaN in [0].value · 1: c_double NaN"
    ),
    "long": of(ctypes.c_long, -(2**62), -(2**62) + 1, f"c_long · -{2**62}"),
    "bool": of(ctypes.c_bool, True, False, "c_bool · True"),
    "character": of(ctypes.c_char, b"x", b"y", "c_char · b'x'"),
    "wide character": of(ctypes.c_wchar, "é", "e", "c_wchar · 'é'"),
    "long double": of(ctypes.c_longdouble, 1.5, 1.25, "c_longdouble · 1.5"),
    "other byte order": of(ctypes.c_int32.__ctype_be__, 7, 7 << 24, " · 7"),  # type: ignore[attr-defined]
    "number of the program's class": of(Scale, 0.5, 0.25, "Scale · 0.5"),
    "address": of(ctypes.c_void_p, 0x10, 0x20, "c_void_p · → 0x10"),
    "no address": of(ctypes.c_void_p, None, 0x20, "c_void_p · NULL"),
    "text that is kept": of(ctypes.c_char_p, b"abc", b"abd", "c_char_p · b'abc'"),
    "object": of(ctypes.py_object, (1, 2), (1, 3), "py_object · tuple of 2"),
    "pointer": of(
        lambda at: ctypes.cast(at, ctypes.POINTER(ctypes.c_int)), 0x10, 0x20, "LP_c_int · → 0x10"
    ),
    "function": of(lambda name: getattr(_LIBRARY, name), "abs", "labs", "_FuncPtr · → 0x"),
    "array": of(lambda n: (ctypes.c_int * 3)(1, 2, n), 3, 4, "c_int_Array_3 · 3: 1, 2, 3", rows=("[2]  3",)),
    "array of arrays": of(
        lambda n: ((ctypes.c_float * 2) * 2)((1.0, 2.0), (3.0, n)), nan, 4.0, "NaN in [1][1] · 2: (c_float_Array_2 of 2) ×2"
    ),
    "array of addresses": of(lambda at: (ctypes.c_void_p * 2)(0x10, at), 0x20, 0x30, "2: → 0x10, → 0x20"),
    "large array": Specimen(
        lambda: (ctypes.c_int * 1_000_000)(), says=("c_int_Array_1000000 · 1,000,000: 0 ×12, …",)
    ),
    "characters": of(ctypes.create_string_buffer, b"hello", b"hella", r"c_char_Array_6 · b'hello\x00'"),
    "structure": Specimen(
        record,
        says=("Record · x 1, y 2, kind 5, other 9, at Point, counts c_int_Array_3 of 3, text → 0x",),
        rows=("    x  3", "next  LP_Point · NULL", "counts  c_int_Array_3 · 3: 4, 5, 6"),
        changed=lambda: record(last=7),
    ),
    "structure with NaN": Specimen(lambda: record(nan), says=("Record · NaN in y · ",), changed=record),
    "union": of(Either, 1, 2, "Either · bits 1, number 1.401e-45"),
    "structure of the other byte order": of(Big, 7, 7 << 24, "Big · a 7"),
    "memory that is gone": Specimen(freed, says=("c_double · storage freed",), readable=False),
    "number that processes share": of(shared, 2.5, 3.5, "Synchronized · c_double · 2.5"),
    "array that processes share": of(
        shared_array, [1, 2], [1, 3], "SynchronizedArray · c_int_Array_2 · 2: 1, 2"
    ),
    "handle": of(Handle, 0x10, 0x20, "Handle · handle c_void_p → 0x10"),
    "bytes that C holds": of(buffer, b"1", b"2", "NamedBuffer · at 0"),
    "pattern": of(re.compile, "a", "b", "Pattern · 'a'"),
    "cached function": of(lambda most: functools.lru_cache(most)(len), 1, 2, "0 of 1 cached"),
    "column of the program's array": of(
        column, [1.0, nan], [1.0, 2.0], "Series kept · Kept[2] · kept in float64[2]", "NaN",
        facts={"shape": [2], "unread": "its own code decides what its values are"}, needs=PANDAS,
    ),
    "table of the program's array": of(
        lambda values: column(values).to_frame(), [1.0, 2.0], [1.0, 3.0], "DataFrame · 2 × 1: kept Kept",
        rows=("[0]  kept=1",), needs=PANDAS,
    ),
    "large array of floats": Specimen(
        lambda: (ctypes.c_double * 1_000_000)(), says=("c_double_Array_1000000 · 1,000,000: 0 ×12, …",)
    ),
    "geometries": of(
        points, 1.0, 2.0, "GeoSeries · GeometryArray[2] · kept in object[2] · <POINT (0 0)>, <POINT (1 1)>",
        facts={"shape": [2]}, needs=GEOPANDAS,
    ),
    "geometries by themselves": of(
        lambda last: points(last).array, 1.0, 2.0, "GeometryArray[2] · kept in object[2]", needs=GEOPANDAS
    ),
    "table of geometries": of(
        lambda last: points(last, True), 1.0, 2.0, "GeoDataFrame · 2 × 2: a int64, geometry GeometryArray", needs=GEOPANDAS
    ),
    "geometry": Specimen(
        lambda: points(1.0).array._data[1], says=("Point · <POINT (1 1)>",),
        changed=lambda: points(1.0 + 1e-15).array._data[1], needs=GEOPANDAS,
    ),
    "matrix behind a handle": of(matrix, 1.0, 2.0, "DMatrix · ", needs=XGBOOST),
}  # fmt: skip

SPECIMENS: Zoo = {**OPENED, **VALUES}
