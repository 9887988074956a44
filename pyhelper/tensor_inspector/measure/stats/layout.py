"""Whether a tensor's memory can be read without harm, and in which order to read it fastest.

Invariants: nothing here reads the tensor's values or allocates memory of its size; a view made here aliases the user's
memory and is never written to.
"""

import os
from collections.abc import Iterator, Sequence
from typing import Any, Optional

from .unread import FREED, META, UNMAPPED, Unread, too_small

Dims = list[tuple[int, int]]  # (size, stride in elements), outermost first
PAGE = 4096


def normalised(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[Dims, int]:
    """The dimensions that hold distinct elements, sorted by stride and merged where they are adjacent, and the weight:
    how often each of those elements occurs (the product of the expanded sizes).

    Strides are not negative; no size is 0. A contiguous tensor in any permutation becomes one dimension of stride 1.
    """
    weight = 1
    dims: Dims = []
    for size, stride in sorted(zip(shape, strides), key=_by_stride):
        if size == 1:
            continue
        if stride == 0:
            weight *= size
        elif dims and dims[-1][1] == stride * size:
            dims[-1] = (dims[-1][0] * size, stride)
        else:
            dims.append((size, stride))
    return dims, weight


def _by_stride(dim: tuple[int, int]) -> tuple[int, int]:
    return (-dim[1], -dim[0])


def blocks(view: Any, most: int) -> Iterator[Any]:
    """Parts of `view` (a tensor or array, at least one dimension) that together are all of it, each of up to `most`."""
    inner = 1
    for size in view.shape[1:]:
        inner *= int(size)
    rows = int(view.shape[0])
    if inner > most:
        for i in range(rows):
            yield from blocks(view[i], most)
        return
    step = max(1, most // inner)
    for start in range(0, rows, step):
        yield view[start : start + step] if rows > step else view


def unreadable(t: Any) -> Optional[Unread]:
    """Why reading the strided tensor `t` would crash the program or make no sense, or None if it can be read."""
    if t.is_meta:
        return META
    storage, extent = t.untyped_storage(), t.numel()
    have, size = storage.nbytes(), t.element_size()
    if not t.is_contiguous():
        extent = 1 + sum((n - 1) * stride for n, stride in zip(t.shape, t.stride()))
    need = (t.storage_offset() + extent) * size
    if need > have:
        return FREED if have == 0 else too_small("storage too small", have, need)
    if not t.is_cpu:
        return None
    is_foreign = not getattr(storage, "resizable", bool)()  # taken over by torch from elsewhere, as from a file
    filename = getattr(storage, "filename", None) if is_foreign else None
    if filename:
        try:
            on_disk = os.stat(filename).st_size
        except OSError:
            on_disk = need  # removed, which leaves a mapping readable
        if on_disk < need:
            return too_small("file truncated", on_disk, need)
    # Memory that torch has allocated is there, at least its first page.
    if extent and (is_foreign or extent * size > PAGE) and not mapped(t.data_ptr() + extent * size - 1):
        return UNMAPPED
    return None


def mapped(address: int) -> bool:
    """Whether a byte of our own memory can be read; true where the system can't tell (it can on Linux).

    Reading beyond the end of a truncated file's mapping kills the process with SIGBUS; through /proc it is an error.
    """
    try:
        memory = os.open("/proc/self/mem", os.O_RDONLY)
    except OSError:
        return True
    try:
        os.pread(memory, 1, address)
    except OverflowError:
        return True
    except OSError:
        return False
    finally:
        os.close(memory)
    return True


def index_of(position: int, shape: Sequence[int]) -> list[int]:
    """The index of the element at that position in row-major order."""
    index = []
    for size in reversed(shape):
        position, within = divmod(position, int(size))
        index.append(within)
    return index[::-1]
