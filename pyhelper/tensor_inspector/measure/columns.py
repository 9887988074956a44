"""Columns of tables, cut into pieces as arrays are: missing values are left out, and no whole column is copied."""

from __future__ import annotations

from typing import Any

from ..safe.budget import Budget
from ..safe.guard import module

_PIECE = 1 << 20  #: values reduced together
_CODES = 1 << 18  #: codes counted together


class Chunks:
    """A chunked array of Arrow's, as the `Sliceable` that `of_valid` reads."""

    __slots__ = ("array", "shape")

    def __init__(self, array: Any) -> None:
        self.array = array
        self.shape = (int(array.length()),)

    def __getitem__(self, where: slice) -> Chunks:
        start, stop, _ = where.indices(self.shape[0])
        return Chunks(self.array.slice(start, stop - start))

    def at(self, positions: range) -> Chunks:
        return Chunks(self.array.take(module("numpy").arange(positions.start, positions.stop, positions.step)))

    def distinct(self) -> Chunks:
        return self

    def bytes(self) -> int:
        return int(self.array.nbytes)

    def masked(self) -> tuple[Any, Any]:
        """All of them, and where some are missing True for these."""
        if not self.array.null_count:
            return self.array.to_numpy(), None
        nothing = False if str(self.array.type) == "bool" else 0
        return self.array.fill_null(nothing).to_numpy(), self.array.is_null().to_numpy()

    @staticmethod
    def numbers(part: Chunks) -> Any:
        return part.array.drop_null().to_numpy()


class Slices:
    """A series of polars, as the `Sliceable` that `of_valid` reads."""

    __slots__ = ("series", "shape")

    def __init__(self, series: Any) -> None:
        self.series = series
        self.shape = (int(series.len()),)

    def __getitem__(self, where: slice) -> Slices:
        start, stop, _ = where.indices(self.shape[0])
        return Slices(self.series.slice(start, stop - start))

    def at(self, positions: range) -> Slices:
        numpy, polars = module("numpy"), module("polars")
        where = polars.Series(numpy.arange(positions.start, positions.stop, positions.step, dtype=numpy.uint32))
        return Slices(self.series.gather_with_series(where._s))

    def distinct(self) -> Slices:
        return self

    def bytes(self) -> int:
        return int(self.series.estimated_size())

    def masked(self) -> tuple[Any, Any]:
        """All of them, and where some are missing True for these."""
        series = self.series
        if not series.null_count():
            return series.to_numpy(False, True), None
        return series.to_numpy_masked(False, True) if hasattr(series, "to_numpy_masked") else _masked(series)

    @staticmethod
    def numbers(part: Slices) -> Any:
        values, missing = part.masked()
        return values if missing is None else values[~missing]


def _masked(series: Any) -> tuple[Any, Any]:
    """Before polars 1.30: values and mask by way of Python's objects."""
    numpy, items = module("numpy"), series.to_list()
    return numpy.array([0 if item is None else item for item in items]), numpy.array([item is None for item in items])


def range_of_series(series: Any, budget: Budget) -> tuple[Any, Any, bool]:
    """The least and the greatest value of a series of polars, None where there are none, and whether all were read."""
    length, read, low, high = int(series.len()), 0, None, None
    while read < length and (not read or not budget.spent()):
        piece = series.slice(read, _PIECE)
        least, most = piece.min(), piece.max()
        if least is not None and (low is None or least < low):
            low = least
        if most is not None and (high is None or most > high):
            high = most
        read += _PIECE
    return low, high, read >= length


def count_codes(codes: Any, total: int, budget: Budget) -> tuple[Any, int]:
    """How often each of ``total`` codes occurs in an array, that of −1 first, and how many codes were read."""
    numpy: Any = module("numpy")
    amounts, read = numpy.zeros(total + 1, numpy.int64), 0
    while read < len(codes) and (not read or not budget.spent()):
        piece = codes[read : read + _CODES]
        amounts += numpy.bincount(piece.astype(numpy.int64) + 1, minlength=total + 1)[: total + 1]
        read += len(piece)
    return amounts, read
