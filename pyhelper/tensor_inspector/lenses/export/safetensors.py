"""The format ``.safetensors``: a header in JSON, then the elements of each tensor."""

from __future__ import annotations

from json import dumps
from struct import pack
from typing import TYPE_CHECKING

from .plan import Plan, of_bytes

if TYPE_CHECKING:
    from .exported import Exported

_ALIGNED = 8  #: bytes, of which the header is a multiple
_METADATA = "__metadata__"  #: a name that the format has for itself
_CODES = {
    "bool": "BOOL", "uint8": "U8", "uint16": "U16", "uint32": "U32", "uint64": "U64", "int8": "I8", "int16": "I16",
    "int32": "I32", "int64": "I64", "float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64",
    "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2", "float8_e4m3fnuz": "F8_E4M3FNUZ",
    "float8_e5m2fnuz": "F8_E5M2FNUZ", "complex64": "C64",
}  # fmt: skip


def plan(tensors: list[tuple[str, Exported]]) -> Plan:
    """Raises ``ValueError`` for what it does not hold."""
    start, header, ordered = 0, {}, sorted(tensors, key=lambda one: -one[1].itemsize)  # so that each is aligned
    for name, elements in ordered:
        code = _CODES.get(elements.dtype)
        led = f"{name}: " if len(tensors) > 1 else ""
        if code is None:
            raise ValueError(f"{led}safetensors has no {elements.dtype}")
        if name == _METADATA:
            raise ValueError(f"safetensors keeps the name {_METADATA} for itself")
        if not _is_utf8(name):
            raise ValueError(f"safetensors keeps names in UTF-8, which can't hold {name!a}: give it another name")
        if elements.is_tensor and elements.is_big_endian() and elements.itemsize > 1:
            raise ValueError("safetensors is little-endian, and this machine is not")
        end = start + elements.nbytes()
        header[name] = {"dtype": code, "shape": list(elements.shape), "data_offsets": [start, end]}
        start = end
    text = dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % _ALIGNED)
    parts = [elements for _, elements in ordered]
    return of_bytes(pack("<Q", len(text)) + text, parts, _notes(tensors), little_endian=True)


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:  # of half a character: a surrogate
        return False
    return True


def _notes(tensors: list[tuple[str, Exported]]) -> list[str]:
    """What is the same memory is written for each of its names: how much is that?"""
    first: dict[object, str] = {}
    tied = []
    for name, elements in tensors:
        key = elements.place
        if key is not None and first.setdefault(key, name) != name:
            tied.append(f"{name} is {first[key]}")
    if not tied:
        return []
    more = f" and {len(tied) - 3} more" if len(tied) > 3 else ""
    return [f"safetensors holds no ties: {', '.join(tied[:3])}{more}, written again"]
