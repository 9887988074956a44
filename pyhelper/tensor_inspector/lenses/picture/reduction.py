"""Tiles of a plane of a tensor or array, by operations over blocks: none of the plane's size is copied.

Only operations that torch and numpy have in common are used, in float64 where float32 would lose digits.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import TYPE_CHECKING, Any

from ...measure.stats.reductions import ALONE
from ...safe.guard import module
from ...safe.torch_name import torch_name
from .layout import Layout, Stretch, parts
from .source import is_tensor
from .tiles import NAN, NEG_INF, POS_INF, Tiles

if TYPE_CHECKING:
    from ...safe.budget import Budget
    from .tiles import How

_SURE = 1 << 18  #: elements after which the speed so far tells how long the rest will take
_ON_DEVICE = 1 << 22  #: elements read at once from a device: 16 to 32 MiB of scratch a copy
_SHARE = 0.7  #: of the time, for reading all; what is left is for a sample


class TooSlow(Exception):
    """There is no time for reading all; ``per_ms`` elements were read in a millisecond."""

    def __init__(self, per_ms: float) -> None:
        super().__init__()
        self.per_ms = per_ms


def tiles_of(plane: Any, layout: Layout, how: How, budget: Budget | None = None) -> Tiles:
    """What is in each tile of a plane. Raises `TooSlow` where a budget is given that it would not keep."""
    rows, columns = map(int, plane.shape)
    work = _Work(plane, layout.tiles, how)
    high, wide = layout.tile
    block = _ON_DEVICE if is_tensor(plane) and not plane.is_cpu else ALONE
    broad = min(block, max(wide, block // high))  # whole tiles, where they are small
    start, read = 0.0 if budget is None else budget.remaining_ms(), 0
    for across in parts(columns, wide, broad):
        for down in parts(rows, high, max(1, block // (across.stop - across.start))):
            work.add(plane[down.start : down.stop, across.start : across.stop], down, across)
            read += (down.stop - down.start) * (across.stop - across.start)
            if budget is None or start == inf or read < _SURE:
                continue
            taken = start - budget.remaining_ms()
            if taken / read * rows * columns > start * _SHARE:
                raise TooSlow(read / max(taken, 1e-3))
    if how == "nearest":
        work.take_first(plane[::high, ::wide])
    return work.tiles(read)


def first_of_tiles(plane: Any, layout: Layout) -> list[list[complex]]:
    """The first element of each tile, as complex numbers."""
    wide = _Library(plane).complexes(plane[:: layout.tile[0], :: layout.tile[1]])
    return (wide.cpu() if is_tensor(wide) else wide).tolist()  # type: ignore[no-any-return]


class _Library:
    """torch or numpy, and what is done differently in each."""

    def __init__(self, plane: Any) -> None:
        self.is_torch = is_tensor(plane)
        self.names: Any = module("torch" if self.is_torch else "numpy")
        dtype = plane.dtype
        self._on: dict[str, Any] = {"device": plane.device} if self.is_torch else {}
        is_single = self.is_torch and plane.device.type == "mps"
        self.real = self.names.float32 if is_single else self.names.float64
        self._largest = float(self.names.finfo(self.real).max)
        self._complex = self.names.complex64 if is_single else self.names.complex128
        self._is_complex = dtype.is_complex if self.is_torch else dtype.kind == "c"
        self._is_half_complex = self.is_torch and torch_name(dtype) == "complex32"
        is_small = dtype.itemsize <= 4 if not self.is_torch else dtype.is_floating_point and plane.element_size() <= 4
        is_float = dtype.is_floating_point if self.is_torch else dtype.kind == "f"
        self._wide = self.names.float32 if is_small and is_float else self.real  #: holds each element
        self._is_long = not self.is_torch and is_float and dtype.itemsize > 8

    def full(self, shape: tuple[int, ...], value: float) -> Any:
        return self.names.full(shape, value, dtype=self.real, **self._on)

    def complexes(self, block: Any) -> Any:
        """Complex numbers in full precision; the imaginary part of real ones is 0."""
        if self._is_half_complex:  # torch warns of what it does with it
            torch = self.names
            negative, conjugate = block.is_neg(), block.is_conj()
            stored = torch._neg_view(block) if negative else block
            both = torch.view_as_real(stored.conj() if conjugate else stored).to(self.real)
            real, imag = both.select(-1, 0), both.select(-1, 1)
            return torch.complex(-real if negative else real, -imag if negative != conjugate else imag)
        return block.to(self._complex) if self.is_torch else block.astype(self._complex)

    def reals(self, block: Any) -> Any:
        """Real numbers: of complex ones the magnitudes, NaN where a part is NaN; beyond float64 its largest."""
        names = self.names
        if self._is_complex:
            wide = self.complexes(block)
            size = abs(wide)
            is_beyond = names.isfinite(wide) & ~names.isfinite(size)
            size = names.where(is_beyond, self.full((1, 1), self._largest), size)
            return names.where(names.isnan(wide), self.full((1, 1), nan), size)
        if self._is_long:
            block = names.where(names.isfinite(block), block.clip(-self._largest, self._largest), block)
        return block.to(self._wide) if self.is_torch else block.astype(self._wide, copy=False)

    def listed(self, grid: Any) -> list[Any]:
        return (grid.reshape(-1).cpu() if self.is_torch else grid.reshape(-1)).tolist()  # type: ignore[no-any-return]


class _Work:
    """Grids of what is known of the tiles, filled block by block."""

    def __init__(self, plane: Any, shape: tuple[int, int], how: How) -> None:
        self._library, self._shape, self._how = _Library(plane), shape, how
        full = self._library.full
        self._mean, self._amount = full(shape, 0.0), full(shape, 0.0)
        self._low, self._high = full(shape, inf), full(shape, -inf)
        self._nan, self._above, self._below = (full(shape, 0.0) for _ in range(3))
        self._first: Any = None
        self._is_finite = True

    def add(self, block: Any, down: Stretch, across: Stretch) -> None:
        names, library = self._library.names, self._library
        where = slice(down.first, down.first + down.tiles()), slice(across.first, across.first + across.tiles())
        x = library.reals(block)
        each: Any = down.width * across.width
        low, high = (_folded(fold, x, down, across) for fold in (names.amin, names.amax))
        amount = each
        if not bool((names.isfinite(low) & names.isfinite(high)).all()):  # both are NaN where an element is
            self._is_finite = False
            finite = names.isfinite(x)
            amount = self._sum(finite, down, across)
            for grid, there in ((self._nan, x != x), (self._above, x == inf), (self._below, x == -inf)):
                grid[where] += self._sum(there, down, across)
            ends = (names.where(finite, x, library.full((1, 1), end)) for end in (inf, -inf))
            low, high = (_folded(fold, y, down, across) for fold, y in zip((names.amin, names.amax), ends))
            x = names.where(finite, x, library.full((1, 1), 0.0))
        self._amount[where] += amount
        self._low[where] = names.minimum(self._low[where], low)
        self._high[where] = names.maximum(self._high[where], high)
        if self._how != "mean":
            return
        mean = self._sum(x, down, across) / (amount + (amount == 0))
        if not bool(names.isfinite(mean).all()):  # the sum went beyond the floats
            mean = self._sum(x / each, down, across) * (each / (amount + (amount == 0)))
        share = amount / (self._amount[where] + (self._amount[where] == 0))
        self._mean[where] += mean * share - self._mean[where] * share  # a difference of both could be infinite

    def _sum(self, x: Any, down: Stretch, across: Stretch) -> Any:
        return _folded(lambda part, side: part.sum(side, dtype=self._library.real), x, down, across)

    def take_first(self, first: Any) -> None:
        x = self._library.reals(first)
        self._first = self._library.names.where(self._library.names.isfinite(x), x, self._library.full((1, 1), nan))

    def tiles(self, read: int) -> Tiles:
        names, library = self._library.names, self._library
        nothing, empty = self._amount == 0, library.full((1, 1), nan)
        mean = names.minimum(names.maximum(self._mean, self._low), self._high)  # rounded, it could be beyond them
        of: dict[str, Any] = {"mean": mean, "min": self._low, "max": self._high, "range": self._low}
        shown = self._first if self._how == "nearest" else names.where(nothing, empty, of[self._how])
        highs = names.where(nothing, empty, self._high) if self._how == "range" else None
        return Tiles(
            self._shape,
            library.listed(shown),
            [] if highs is None else library.listed(highs),
            self._marks(),
            int(self._nan.sum()),
            int(self._above.sum()),
            int(self._below.sum()),
            float(self._low.min()),
            float(self._high.max()),
            read,
        )

    def _marks(self) -> bytes:
        if self._is_finite:
            return bytes(self._shape[0] * self._shape[1])
        marks = self._library.names.zeros_like(self._amount, dtype=self._library.names.uint8)
        for mark, grid in ((NEG_INF, self._below), (POS_INF, self._above), (NAN, self._nan)):
            marks[grid > 0] = mark
        return bytes(self._library.listed(marks))


def _folded(fold: Callable[[Any, int], Any], x: Any, down: Stretch, across: Stretch) -> Any:
    """What ``fold`` makes of each tile: of its rows first, which lie side by side in memory."""
    if down.width > 1:
        x = fold(x.reshape(down.tiles(), down.width, -1), 1)
    if across.width > 1 or down.width == 1:  # one fold at least: it may convert
        x = fold(x.reshape(down.tiles(), across.tiles(), across.width), 2)
    return x
