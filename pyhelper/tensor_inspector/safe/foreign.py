"""Reads what ctypes' values hold from their own memory, without asking their classes."""

from __future__ import annotations

import sys
from types import WrapperDescriptorType
from typing import Any

from .guard import class_attribute, module, mro, plain_str
from .memory import bytes_at

_POINTER = tuple.__itemsize__
#: ``_type_`` of the simple classes: `memoryview.cast` reads these itself, of pointers the address alone is read.
_CAST, POINTERS = "bBhHiIlLqQfd?c", "zZPOX"
_PARTS = {"F": "f", "D": "d"}  #: of which a complex number is two
_OTHER_ORDER = "__ctype_be__" if sys.byteorder == "little" else "__ctype_le__"


class Address(int):
    """Where a pointer leads; 0 for none."""


def address_of(value: object) -> int:
    return int(module("_ctypes").addressof(value))


def size_of(of: Any) -> int:
    return int(module("_ctypes").sizeof(of))


def read(value: object, start: int, count: int) -> bytes:
    """Bytes of its memory. Raises ``ValueError`` where they can't be read."""
    found = bytes_at(address_of(value) + start, count)
    if found is None and type(class_attribute(type(value), "__buffer__")) in (type(None), WrapperDescriptorType):
        found = bytes(memoryview(value).cast("B")[start : start + count])  # type: ignore[arg-type]
    if found is None or len(found) < count:
        raise ValueError("its memory is gone")
    return found


def pointer(value: object, start: int = 0) -> Address:
    return Address(int.from_bytes(read(value, start, _POINTER), sys.byteorder))


def stored_item(value: object, start: int, cls: type) -> object:
    """A number or an address within an array or a structure."""
    return decoded(cls, read(value, start, size_of(cls)))


def decoded(cls: type, data: bytes) -> object:
    """What a simple class makes of its bytes; these themselves where it is not known."""
    code = code_of(cls)
    if code in POINTERS:
        return Address(int.from_bytes(data, sys.byteorder))
    if is_of_other_order(cls):
        data = data[::-1]
    if code == "u":
        number = int.from_bytes(data, sys.byteorder)
        return chr(number) if number <= sys.maxunicode else data
    if code == "g":
        return module("ctypes").c_longdouble.from_buffer_copy(data).value
    if code in _PARTS:
        return complex(*memoryview(data).cast(_PARTS[code]))  # type: ignore[call-overload]
    return memoryview(data).cast(code)[0] if code in _CAST else data  # type: ignore[call-overload]


def is_text(cls: Any) -> bool:
    """Whether it is an array of characters, which ctypes gives as text up to the first zero."""
    item = class_attribute(cls, "_type_")
    is_array = any(base is module("_ctypes").Array for base in mro(cls))
    return is_array and issubclass(type(item), type) and is_simple(item) and code_of(item) in ("c", "u")


def text(cls: Any, data: bytes) -> object:
    """All that an array of characters holds, without zeros at its end; bytes where these are no characters."""
    item = class_attribute(cls, "_type_")
    if code_of(item) == "c":
        return data.rstrip(b"\0")
    size = size_of(item)
    found = [decoded(item, data[at : at + size]) for at in range(0, len(data), size)]
    return data if bytes in map(type, found) else "".join(map(str, found)).rstrip("\0")


def is_of_other_order(cls: type) -> bool:
    """Whether its bytes stand in the order that is not the machine's."""
    return any(base is class_attribute(cls, _OTHER_ORDER) for base in mro(cls))


def code_of(cls: Any) -> str:
    return plain_str(class_attribute(cls, "_type_"))


def is_simple(cls: Any) -> bool:
    return any(base is module("_ctypes")._SimpleCData for base in mro(cls))
