"""The order in which a tensor's memory is read fastest.

Invariants: nothing here reads the tensor's values or allocates memory of its size; a view made here aliases the user's
memory and is never written to.
"""

from collections.abc import Iterator, Sequence
from typing import Any

Dims = list[tuple[int, int]]  # (size, stride in elements), outermost first


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


def distinct(tensor: Any, dims: Dims) -> Any:
    """A view of a tensor that has each of its elements once: by its normalised dimensions."""
    sizes, strides = zip(*(dims or [(1, 1)]))
    return tensor.as_strided(sizes, strides)


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


def index_of(position: int, shape: Sequence[int]) -> list[int]:
    """The index of the element at that position in row-major order."""
    index = []
    for size in reversed(shape):
        position, within = divmod(position, int(size))
        index.append(within)
    return index[::-1]
