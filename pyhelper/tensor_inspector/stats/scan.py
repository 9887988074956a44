"""Reading strided memory within a budget: exactly if there is time, by a sample for the rest otherwise."""

import math
from typing import Any, Callable, Protocol, TypeVar

from . import sampled
from .layout import Dims, blocks
from .tally import Budget

_SURE = 1 << 21  # elements after which the speed so far tells how long the rest will take
_RESERVE_MS = 3.0  # kept for the sample


class Mergeable(Protocol):
    """What a kernel makes of a block."""

    read: int

    def add(self, other: Any, weight: float = 1.0) -> None: ...


M = TypeVar("M", bound=Mergeable)


def scan(
    view: Any, gather: Callable[[range], Any], kernel: Callable[[Any], M], count: int, block_size: int, budget: Budget
) -> M:
    """What `kernel` makes of the `count` elements of `view`, in blocks of at most `block_size`.

    When the time runs out what was read stands for itself, and a sample of the rest, fetched by `gather(positions)`,
    stands for the rest: the `read` of the result is then below `count`. Needs at least one element.
    """
    most, position, tally = budget.max_elements, 0, None
    if most is None or count <= most:
        if count <= block_size:
            return kernel(view)
        left, last, fastest = budget.remaining_ms(), 0.0, math.inf
        for block in blocks(view, block_size):
            if tally is not None and (
                budget.spent()
                or last > left  # the next block would take us past the end
                or (position >= _SURE and fastest * (count - position) > left - _RESERVE_MS)
            ):
                break
            part = kernel(block)
            if tally is None:
                tally = part
            else:
                tally.add(part)
            position += part.read
            now = budget.remaining_ms()
            last = left - now if left < math.inf else 0.0
            fastest, left = min(fastest, last / part.read), now
        else:
            assert tally is not None
            return tally
    where = sampled.positions(
        position, count, min(count if most is None else most, sampled.size(budget.remaining_ms()))
    )
    sample = None
    for some in sampled.pieces(where):
        part = kernel(gather(some))
        if sample is None:
            sample = part
        else:
            sample.add(part)
    assert sample is not None
    if tally is None:
        return sample
    tally.add(sample, (count - position) / sample.read)
    return tally


def gatherer(torch: Any, t: Any, dims: Dims) -> Callable[[range], Any]:
    """Fetches the elements of the tensor `t` at given positions of its normalised dimensions."""
    flat = t.as_strided((1 + sum((size - 1) * stride for size, stride in dims),), (1,))

    def gather(where: range) -> Any:
        if len(dims) == 1:
            stride = dims[0][1]
            return flat[where[0] * stride : where[-1] * stride + 1 : where.step * stride]
        at = sampled.offsets(torch, where, dims)
        if flat.dtype.is_complex:
            return flat.index_select(0, at)
        plain = flat.view({1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[flat.element_size()])
        return plain.index_select(0, at).view(flat.dtype)

    return gather
