"""The format ``.npy`` of numpy's, version 1.0 (numpy.lib.format)."""

from __future__ import annotations

import sys
from struct import pack
from typing import TYPE_CHECKING

from .plan import Plan, of_bytes

if TYPE_CHECKING:
    from .exported import Exported

_ALIGNED = 64  #: bytes, of which the header is a multiple
_KINDS = {"bool": "b", "int": "i", "uint": "u", "float": "f", "complex": "c"}
_BITS = {"bfloat16": "i", "complex32": "i", "float8": "u"}  #: as what the bits of others are written


def plan(elements: Exported) -> Plan:
    """Raises ``ValueError`` for what it does not hold."""
    notes = []
    if elements.is_tensor:
        descr, is_same = _descr_of(elements.dtype, elements.itemsize)
        if not is_same:
            notes.append(_as_bits(elements.dtype, descr))
    else:
        descr = elements.values.dtype.str
        if elements.dtype[:8] == "longdoub" or elements.itemsize > (16 if elements.values.dtype.kind == "c" else 8):
            notes.append(f"{elements.dtype} is kept as this machine has it: others may not read it")
    return of_bytes(_header(descr, elements.shape), [elements], notes)


def _descr_of(dtype: str, size: int) -> tuple[str, bool]:
    """How numpy writes the dtype of a tensor, and whether it is the same."""
    order = "|" if size == 1 else "<" if sys.byteorder == "little" else ">"
    kind = _KINDS.get(dtype.rstrip("0123456789"))
    if kind is not None and dtype != "complex32":
        return f"{order}{kind}{size}", True
    kind = next((kind for start, kind in _BITS.items() if dtype.startswith(start)), None)
    if kind is None:
        raise ValueError(f"numpy has no {dtype}")
    return f"{order}{kind}{size}", False


def _as_bits(dtype: str, descr: str) -> str:
    name = f"{'int' if descr[1] == 'i' else 'uint'}{8 * int(descr[2:])}"
    return f"numpy has no {dtype}: its bits as {name}, for torch.from_numpy(…).view(torch.{dtype})"


def _header(descr: str, shape: tuple[int, ...]) -> bytes:
    said = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape!r}, }}"
    before = 10  # the magic string, the version, the length
    blanks = -(before + len(said) + 1) % _ALIGNED
    text = f"{said}{' ' * blanks}\n".encode("latin1")
    return b"\x93NUMPY\x01\x00" + pack("<H", len(text)) + text
