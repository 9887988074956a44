"""Sparse tensors: how much of them is stored, and what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod
from typing import TYPE_CHECKING, Any

from ...measure.stats import Reading
from ...measure.torch.metadata import Base, byte_count, layout_name, plain, shape_of
from ...safe.record import Record
from ...words.line import Word
from ...words.text import out_of, percent
from ..kind import Child
from .form import Form, TensorElements
from .forms import form_of

if TYPE_CHECKING:
    from ...protocol import Facts


class Fill(Record):
    """How much of a sparse tensor is stored: ``stored`` of ``positions``. ``blocks`` describes one position, ``each``
    what is stored at one, where that is no number."""

    stored: int
    positions: int
    blocks: str
    each: str


class Sparse(Form):
    """A sparse tensor by how many values it stores, and those. It is not coalesced, as that would change it."""

    composed = True
    repeating = ("stats",)

    def head(self) -> Word:
        return super().head().then(f" {self.layout()}")

    def metadata(self) -> Facts:
        facts = super().metadata()
        taken = [byte_count(self._part(name)) for name in self._names()]
        if None not in taken:
            facts["bytes"] = sum(taken)  # type: ignore[arg-type]
        return facts

    def words(self) -> Iterator[str]:
        fill = self._fill()
        digits = 3 if 10 * fill.stored >= fill.positions else 2
        share = f" ({percent(fill.stored, fill.positions, digits)})" if fill.positions else ""
        yield f"nnz {out_of(fill.stored, fill.positions)}{fill.blocks}{share}{fill.each}"
        yield from self._order()

    def stats_words(self) -> list[str]:
        return super().stats_words() if self._fill().stored else []

    def notes(self) -> Iterable[str]:
        return ["statistics are of the stored values", *self._order()]

    def read(self) -> Reading:
        return self._values().reading()

    def measured(self) -> Any:
        """The stored values."""
        return self._values().elements()

    def fact_rows(self) -> list[list[str]]:
        fill = self._fill()
        return [["nnz", f"{fill.stored:,} of {fill.positions:,}{fill.blocks}{fill.each}"]]

    def rows(self) -> list[Child]:
        return [Child(name.strip("_"), TensorElements(self._part(name)), f".{name}()") for name in self._names()]

    def _order(self) -> list[str]:
        return ["uncoalesced"] if self._is_coo() and not Base.is_coalesced(self.value) else []

    def _is_coo(self) -> bool:
        return layout_name(self.value) == "sparse_coo"

    def _values(self) -> Form:
        return form_of(self._part(self._names()[-1]), self.budget)

    def _names(self) -> tuple[str, ...]:
        """The methods that give its parts, the values last."""
        return _PARTS[layout_name(self.value)]

    def _part(self, name: str) -> Any:
        return plain(getattr(Base, name)(self.value))

    def _fill(self) -> Fill:
        sizes = shape_of(self.value)
        dense = Base.dense_dim(self.value)
        sparse, within = sizes[: len(sizes) - dense], sizes[len(sizes) - dense :]
        each = f", each {self.dtype()}{list(within)}" if dense else ""
        if self._is_coo():
            return Fill(Base._nnz(self.value), prod(sparse), "", each)
        stored = Base.numel(self._part(self._names()[1]))
        if "bs" not in layout_name(self.value):
            return Fill(stored, prod(sparse), "", each)
        rows, columns = shape_of(self._part("values"))[len(sparse) - 1 : len(sparse) + 1]
        return Fill(stored, prod(sparse) // max(1, rows * columns), f" blocks of {rows}×{columns}", each)


_PARTS = {
    "sparse_coo": ("_indices", "_values"),
    "sparse_csr": ("crow_indices", "col_indices", "values"),
    "sparse_bsr": ("crow_indices", "col_indices", "values"),
    "sparse_csc": ("ccol_indices", "row_indices", "values"),
    "sparse_bsc": ("ccol_indices", "row_indices", "values"),
}
