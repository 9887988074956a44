"""Tiles of a plane of a tensor or array, by operations over blocks: none of the plane's size is copied.

Only operations that torch and numpy have in common are used, in float64 where float32 would lose digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf, nan
from typing import TYPE_CHECKING, Any

from ...measure.composed import like_of, read_part
from ...measure.stats.reductions import ALONE
from ...safe.guard import module
from ...safe.torch_name import torch_name
from .layout import Layout, Stretch, parts
from .source import arrays_of, is_tensor
from .tiles import FINITE, MASKED, NAN, NEG_INF, POS_INF, Tiles

if TYPE_CHECKING:
    from ...safe.budget import Budget
    from .tiles import How

_SURE = 1 << 18  #: elements after which the speed so far tells how long the rest will take
_ON_DEVICE = 1 << 22  #: elements read at once from a device: 16 to 32 MiB of scratch a copy
_HALF = 1 << 63  #: how many integers of 64 bits are negative
_SHARE = 0.7  #: of the time, for reading all; what is left is for a sample


class TooSlow(Exception):
    """There is no time for reading all; ``per_ms`` elements were read in a millisecond."""

    def __init__(self, per_ms: float) -> None:
        super().__init__()
        self.per_ms = per_ms


def tiles_of(plane: Any, layout: Layout, how: How, budget: Budget | None = None) -> Tiles:
    """What is in each tile of a plane. Raises `TooSlow` where a budget is given that it would not keep."""
    grids = TileGrids(plane, layout, how)
    check_pace(grids.steps(), int(plane.shape[0]) * int(plane.shape[1]), budget)
    return grids.tiles()


def check_pace(steps: Iterator[int], total: int, budget: Budget | None) -> None:
    """Takes all steps, which say of how many elements they were. Raises `TooSlow` where a budget would not be kept."""
    start, read = inf if budget is None else budget.remaining_ms(), 0
    for amount in steps:
        read += amount
        if budget is None or start == inf or read < _SURE:
            continue
        taken = start - budget.remaining_ms()
        if taken / read * total > start * _SHARE:
            raise TooSlow(read / max(taken, 1e-3))


def first_of_tiles(plane: Any, layout: Layout) -> list[list[complex]]:
    """The first element of each tile, as complex numbers."""
    wide = Library(plane).complexes(read_part(plane[:: layout.tile[0], :: layout.tile[1]])[0])
    return (wide.cpu() if is_tensor(wide) else wide).tolist()  # type: ignore[no-any-return]


class Library:
    """torch or numpy, and what is done differently in each."""

    def __init__(self, plane: Any, base: int = 0) -> None:
        plane = like_of(plane)
        self.is_torch, self._base = is_tensor(plane), base
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
        self.is_wide = self._wide is not self.names.float32
        self.is_unsigned = (torch_name(dtype) if self.is_torch else dtype.name) == "uint64"
        self._is_long = not self.is_torch and is_float and dtype.itemsize > 8

    def full(self, shape: tuple[int, ...], value: float) -> Any:
        return self.names.full(shape, value, dtype=self.real, **self._on)

    def flags(self, shape: tuple[int, int], value: int) -> Any:
        return self.names.full(shape, value, dtype=self.names.uint8, **self._on)

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
        if self._base:
            return self._differences(block)
        if self._is_long:
            block = names.where(names.isfinite(block), block.clip(-self._largest, self._largest), block)
        return block.to(self._wide) if self.is_torch else block.astype(self._wide, copy=False)

    def signed(self, block: Any) -> Any:
        """64-bit integers as signed ones; unsigned ones less 2 to the 63rd."""
        if not self.is_unsigned:
            return block
        block = block if self.is_torch else block.astype(self.names.uint64, copy=False)  # in this machine's order
        return block.view(self.names.int64) ^ self.names.full((1, 1), -_HALF, dtype=self.names.int64, **self._on)

    def _differences(self, block: Any) -> Any:
        """Integers less ``base``; beyond 64 bits, rounded."""
        whole, base = self.signed(block), self._base - (_HALF if self.is_unsigned else 0)
        away = int(whole.min()) - base, int(whole.max()) - base
        if max(-away[0] - 1, away[1]) < _HALF:
            whole, base = whole - base, 0
        return (whole.to(self.real) if self.is_torch else whole.astype(self.real)) - float(base)

    def visible(self, block: Any) -> tuple[Any, Any]:
        """Real numbers of a part of a plane, NaN where one is masked, and which are (None: none is)."""
        elements, hidden = read_part(block)
        if hidden is None or not bool(hidden.any()):
            return self.reals(elements), None
        return self.names.where(hidden, self.full((1, 1), nan), self.reals(elements)), hidden

    def listed(self, grid: Any) -> list[Any]:
        return (grid.reshape(-1).cpu() if self.is_torch else grid.reshape(-1)).tolist()  # type: ignore[no-any-return]


class TileGrids:
    """Grids of what is known of the tiles of a plane, filled block by block. Whole numbers far from zero are read as
    their differences from ``base``, which float64 holds.

    Once all steps are taken, ``shown`` is over the finite elements of each tile (NaN where it has none), ``highs`` are
    their maxima where the range is asked for; ``marks`` and the rest are as in `Tiles`.
    """

    def __init__(self, plane: Any, layout: Layout, how: How, base: int = 0, library: Library | None = None) -> None:
        self._library, self._layout, self._how = library or Library(plane, base), layout, how
        self._plane: Any = plane
        first = arrays_of(plane)[0]
        self._block = _ON_DEVICE if is_tensor(first) and not first.is_cpu else ALONE
        self._in_one = layout.tile[0] * layout.tile[1] <= self._block  #: each tile is read in one step
        full, shape = self._library.full, layout.tiles
        self._low, self._high = full(shape, inf), full(shape, -inf)
        self._mean: Any = full(shape, 0.0) if how == "mean" else None
        self._amount: Any = full(shape, 0.0) if how == "mean" and not self._in_one else None
        self.shown: Any = None
        self.highs: Any = None
        self.marks: Any = None  #: none where all is finite
        self.nan = self.pos_inf = self.neg_inf = self.masked = self.read = 0
        self.least, self.most = inf, -inf

    def steps(self) -> Iterator[int]:
        """Reads the plane, a block a step, each of so many elements."""
        plane, (high, wide) = self._plane, self._layout.tile
        rows, columns = map(int, plane.shape)
        block = self._block
        broad = min(block, max(wide, block // high))  # whole tiles, where they are small
        for across in parts(columns, wide, broad):
            for down in parts(rows, high, max(1, block // (across.stop - across.start))):
                self._add(plane[down.start : down.stop, across.start : across.stop], down, across)
                amount = (down.stop - down.start) * (across.stop - across.start)
                self.read += amount
                yield amount
        self._finish()

    def tiles(self) -> Tiles:
        """The same as Python's own data."""
        listed, (down, across) = self._library.listed, self._layout.tiles
        marks = bytes(down * across) if self.marks is None else bytes(listed(self.marks))
        highs = [] if self.highs is None else listed(self.highs)
        counts = self.nan, self.pos_inf, self.neg_inf, self.least, self.most, self.read, self.masked
        return Tiles((down, across), listed(self.shown), highs, marks, *counts)

    def ends(self) -> tuple[float, float]:
        """The least and the greatest number that is shown."""
        names, library, highs = self._library.names, self._library, self.shown if self.highs is None else self.highs
        low = names.where(names.isnan(self.shown), library.full((1, 1), inf), self.shown).min()
        high = names.where(names.isnan(highs), library.full((1, 1), -inf), highs).max()
        return float(low), float(high)

    def is_wide(self) -> bool:
        """Whether the numbers of the plane are more than float32 holds."""
        return self._library.is_wide

    def least_magnitude(self) -> float:
        """The least magnitude that is shown, besides 0; Inf where there is none."""
        names, library = self._library.names, self._library
        found = inf
        for grid in (self.shown, self.highs):
            if grid is not None:
                sizes = abs(grid)
                found = min(found, float(names.where(sizes > 0, sizes, library.full((1, 1), inf)).min()))
        return found

    def _add(self, block: Any, down: Stretch, across: Stretch) -> None:
        names, library = self._library.names, self._library
        where = slice(down.first, down.first + down.tiles()), slice(across.first, across.first + across.tiles())
        x, hidden = library.visible(block)
        low, high = (_folded(fold, x, down, across) for fold in (names.amin, names.amax))
        amount: Any = down.width * across.width
        if not bool((names.isfinite(low) & names.isfinite(high)).all()):  # both are NaN where an element is
            self._mark(x, hidden, where, down, across)
            finite = names.isfinite(x)
            amount = self._sum(finite, down, across)
            ends = (names.where(finite, x, library.full((1, 1), end)) for end in (inf, -inf))
            low, high = (_folded(fold, y, down, across) for fold, y in zip((names.amin, names.amax), ends))
            x = names.where(finite, x, library.full((1, 1), 0.0))
        if self._in_one:
            self._low[where], self._high[where] = low, high
        else:
            self._low[where] = names.minimum(self._low[where], low)
            self._high[where] = names.maximum(self._high[where], high)
        if self._how == "mean":
            self._add_mean(x, amount, where, down, across)

    def _add_mean(self, x: Any, amount: Any, where: tuple[slice, slice], down: Stretch, across: Stretch) -> None:
        """Adds the finite numbers of a block, so many in each tile; in ``x`` all others are 0."""
        each: Any = down.width * across.width
        mean = self._sum(x, down, across) / (amount + (amount == 0))
        if not bool(self._library.names.isfinite(mean).all()):  # the sum went beyond the floats
            mean = self._sum(x / each, down, across) * (each / (amount + (amount == 0)))
        if self._in_one:
            self._mean[where] = mean
            return
        self._amount[where] += amount
        share = amount / (self._amount[where] + (self._amount[where] == 0))
        self._mean[where] += mean * share - self._mean[where] * share  # a difference of both could be infinite

    def _mark(self, x: Any, hidden: Any, where: tuple[slice, slice], down: Stretch, across: Stretch) -> None:
        """Counts what is not finite in a block, and what is masked, and marks its tiles."""
        names, flag = self._library.names, self._library.flags
        if self.marks is None:
            self.marks = flag(self._layout.tiles, FINITE)
        counts = []
        is_nan = x != x if hidden is None else (x != x) & ~hidden
        found = [(NAN, is_nan), (POS_INF, x == inf), (NEG_INF, x == -inf)]
        for mark, there in found if hidden is None else [*found, (MASKED, hidden)]:
            in_tiles = self._sum(there, down, across)
            counts.append(int(in_tiles.sum()))
            if counts[-1]:
                marks = names.where(in_tiles > 0, flag((1, 1), mark), flag((1, 1), FINITE))
                self.marks[where] = self.marks[where] | marks
        self.nan, self.pos_inf, self.neg_inf = self.nan + counts[0], self.pos_inf + counts[1], self.neg_inf + counts[2]
        self.masked += sum(counts[3:])

    def _sum(self, x: Any, down: Stretch, across: Stretch) -> Any:
        return _folded(lambda part, side: part.sum(side, dtype=self._library.real), x, down, across)

    def _finish(self) -> None:
        """Works out what is shown, and lets go of all that is only needed for that."""
        names, library = self._library.names, self._library
        self.least, self.most = float(self._low.min()), float(self._high.max())
        nothing, empty = self._low > self._high, library.full((1, 1), nan)
        if self._how == "nearest":
            x, _ = library.visible(self._plane[:: self._layout.tile[0], :: self._layout.tile[1]])
            self.shown = names.where(names.isfinite(x), x, empty)
        elif self._how == "mean":
            self._amount, mean = None, self._mean
            names.maximum(mean, self._low, out=mean)  # rounded, it could be beyond them
            names.minimum(mean, self._high, out=mean)
            self.shown = names.where(nothing, empty, mean)
        else:
            self.shown = names.where(nothing, empty, self._high if self._how == "max" else self._low)
        if self._how == "range":
            self.highs = names.where(nothing, empty, self._high)
        self._plane = self._low = self._high = self._mean = self._amount = None


def _folded(fold: Callable[[Any, int], Any], x: Any, down: Stretch, across: Stretch) -> Any:
    """What ``fold`` makes of each tile: of its rows first, which lie side by side in memory."""
    if down.width > 1:
        x = fold(x.reshape(down.tiles(), down.width, -1), 1)
    if across.width > 1 or down.width == 1:  # one fold at least: it may convert
        x = fold(x.reshape(down.tiles(), across.tiles(), across.width), 2)
    return x
