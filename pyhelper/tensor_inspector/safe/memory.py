"""Tells whether memory of this process can be read."""

from __future__ import annotations

import os


def bytes_at(address: int, count: int) -> bytes | None:
    """Bytes of our own memory: empty where none can be read; None where the system can't tell (it can on Linux).

    Reading beyond the end of a truncated file's mapping kills the process with SIGBUS; through /proc it is an error.
    """
    try:
        memory = os.open("/proc/self/mem", os.O_RDONLY)
    except OSError:
        return None
    try:
        return os.pread(memory, count, address)
    except OverflowError:
        return None
    except OSError:
        return b""
    finally:
        os.close(memory)


def mapped(address: int) -> bool:
    """Whether a byte of our own memory can be read; true where the system can't tell."""
    return bytes_at(address, 1) != b""
