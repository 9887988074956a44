"""Tells whether memory of this process can be read.

Reading beyond the end of a truncated file's mapping kills the process with SIGBUS; through /proc it is an error.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable

_PAGE = 4096  #: bytes that can all be read, or none of them


def bytes_at(address: int, count: int) -> bytes | None:
    """Bytes of our own memory: empty where none can be read; None where the system can't tell (it can on Linux)."""
    return _bytes_at_each((address,), count)[0]


def mapped(address: int) -> bool:
    """Whether a byte of our own memory can be read; true where the system can't tell."""
    return are_mapped((address,))


def are_mapped(addresses: Iterable[int]) -> bool:
    """Whether the bytes at all of these addresses can be read, asked at once; true where the system can't tell."""
    return b"" not in _bytes_at_each({address - address % _PAGE for address in addresses}, 1)


def _bytes_at_each(addresses: Collection[int], count: int) -> list[bytes | None]:
    try:
        memory = os.open("/proc/self/mem", os.O_RDONLY)
    except OSError:
        return [None] * len(addresses)
    try:
        return [_read(memory, address, count) for address in addresses]
    finally:
        os.close(memory)


def _read(memory: int, address: int, count: int) -> bytes | None:
    try:
        return os.pread(memory, count, address)
    except OverflowError:
        return None
    except OSError:
        return b""
