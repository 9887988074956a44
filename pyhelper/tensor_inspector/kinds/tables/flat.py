"""The base of one-dimensional values that are no numpy array: columns of Arrow, polars and pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...measure.comparable import Comparable
from ...measure.stats import Reading, Unread
from ...measure.valid import of_valid
from ...words.line import head
from ..kind import Child
from ..numpy.contents import Contents
from ..stats_rows import stats_rows

if TYPE_CHECKING:
    from ...protocol import Badge

_COPIED = 1 << 22  #: bytes of a column that are copied to be compared


class ColumnContents(Contents):
    def length(self) -> int:
        raise NotImplementedError

    def sizes(self) -> tuple[int, ...]:
        return (self.length(),)

    def head(self) -> str:
        return head(self.dtype(), f"[{self.length()}]")

    def badges(self) -> list[Badge]:
        return [] if isinstance(self.reading(), Unread) else super().badges()

    def is_open(self) -> bool:
        return self.length() > 0

    def has_parts(self) -> bool:
        return False


class ChunkedContents(ColumnContents):
    """Values that a library keeps in pieces, with some missing: numbers are read piece by piece, never as a whole."""

    def pieces(self) -> Any:
        """Its numbers, to be cut as arrays are (`measure.columns`), or why there are none."""
        raise NotImplementedError

    def _read(self) -> Reading:
        pieces = self.pieces()
        if isinstance(pieces, Unread):
            return pieces
        return of_valid(pieces, pieces.numbers, self.budget.share())

    def comparable(self) -> Comparable:
        """With those that are missing under a mask, where a copy of all is small."""
        found, pieces = super().comparable(), self.pieces()
        if isinstance(pieces, Unread) or pieces.bytes() > _COPIED or not isinstance(found.read(), Unread):
            return found
        values, found.mask = pieces.masked()
        found.read, found.absent = lambda: values, "missing"
        return found

    def measured(self) -> Any:
        """The numbers that are there, for percentiles."""
        pieces = self.pieces()
        if isinstance(pieces, Unread) or isinstance(self.reading(), Unread):
            return self.reading()
        from ...measure.stats.distribution import ValidElements  # compiled only where it is needed

        return ValidElements(pieces, pieces.numbers)

    def parts(self) -> list[Child]:
        return [] if isinstance(self.reading(), Unread) else [Child("stats", stats_rows(self.reading()))]
