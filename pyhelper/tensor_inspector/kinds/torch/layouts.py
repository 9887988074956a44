"""Tensors whose elements are not in plain memory: sparse ones, opaque ones, and those that torch computes when read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod
from typing import Any

from ...measure.stats import Reading, Unread
from ...measure.torch.metadata import (
    Base,
    byte_count,
    dtype_name,
    dtype_of,
    layout_name,
    names_of,
    plain,
    shape_of,
    size_text,
)
from ...protocol import Facts
from ...safe.guard import module
from ...words.line import Word
from ...words.text import out_of, percent
from ..kind import Child
from .tensor import Tensor
from .values import TensorElements

torch: Any = module("torch")


class Special(Tensor):
    """A tensor without rows of its own elements; it may have parts."""

    def why(self) -> str:
        """Why its elements are not there as those of other tensors are."""
        return f"{layout_name(self.value).lstrip('_')} layout"

    def read(self) -> Reading:
        return Unread("layout", f"{self.why()}: values not read")

    def elements(self) -> Any:
        return Unread("layout", self.why())

    def shown_values(self) -> str | None:
        return None

    def length(self) -> int:
        return 0

    def add_memory(self, facts: Facts) -> None:
        pass

    def memory_facts(self) -> list[list[str]]:
        return []

    def tangent(self) -> Any:
        return None

    def corner(self) -> str | None:
        return None

    def layout_words(self) -> Iterator[str]:
        return iter(())


class Fill:
    """How much of a sparse tensor is stored: ``blocks`` says what a place is, ``each`` what is stored at one, where
    that is no number."""

    __slots__ = ("blocks", "each", "places", "stored")

    def __init__(self, stored: int, places: int, blocks: str, each: str) -> None:
        self.stored = stored
        self.places = places
        self.blocks = blocks
        self.each = each


class Sparse(Special):
    """A sparse tensor by how many values it stores, and those. It is not coalesced, as that would change it."""

    composed = True
    repeating = ("stats",)

    def head(self) -> Word:
        return super().head().then(f" {layout_name(self.value)}")

    def form_words(self) -> Iterator[str]:
        fill = self._fill()
        digits = 3 if 10 * fill.stored >= fill.places else 2
        share = f" ({percent(fill.stored, fill.places, digits)})" if fill.places else ""
        yield f"nnz {out_of(fill.stored, fill.places)}{fill.blocks}{share}{fill.each}"
        if self._is_coo() and not Base.is_coalesced(self.value):
            yield "uncoalesced"

    def stats_words(self) -> list[str]:
        return super().stats_words() if self._fill().stored else []

    def notes(self) -> Iterable[str]:
        return ["statistics are of the stored values", *list(self.form_words())[1:]]

    def read(self) -> Reading:
        return self._values().reading()

    def present(self) -> Any:
        """The stored values, for percentiles."""
        return self._values().elements()

    def add_memory(self, facts: Facts) -> None:
        taken = [byte_count(self._part(name)) for name in self._names()]
        if None not in taken:
            facts["bytes"] = sum(taken)  # type: ignore[arg-type]

    def form_facts(self) -> list[list[str]]:
        fill = self._fill()
        return [["nnz", f"{fill.stored:,} of {fill.places:,}{fill.blocks}{fill.each}"]]

    def form_rows(self) -> list[Child]:
        return [Child(name.strip("_"), TensorElements(self._part(name)), f".{name}()") for name in self._names()]

    def _is_coo(self) -> bool:
        return layout_name(self.value) == "sparse_coo"

    def _values(self) -> Tensor:
        return Tensor(self._part(self._names()[-1]), self.budget)

    def _names(self) -> tuple[str, ...]:
        """The methods that give its parts, the values last."""
        return _PARTS[layout_name(self.value)]

    def _part(self, name: str) -> Any:
        return plain(getattr(Base, name)(self.value))

    def _fill(self) -> Fill:
        sizes = shape_of(self.value)
        dense = Base.dense_dim(self.value)
        sparse, within = sizes[: len(sizes) - dense], sizes[len(sizes) - dense :]
        each = f", each {dtype_name(self.value)}{list(within)}" if dense else ""
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


class Opaque(Special):
    """A tensor in a layout that only its backend knows."""


class Uninitialized(Special):
    """A parameter or buffer of a lazy module, whose sizes are not known before its first input."""

    def sizes(self) -> str:
        return ""

    def value_facts(self) -> Facts:
        facts = super().value_facts()
        del facts["shape"]
        return facts

    def read(self) -> Reading:
        return Unread("no_values", "uninitialized")


class Zero(Tensor):
    """Zeros that autograd keeps without memory."""

    def plain(self) -> Any:
        return torch.zeros((), dtype=dtype_of(self.value), device="cpu").expand(shape_of(self.value))

    def elements(self) -> Any:
        return self.plain()

    def add_memory(self, facts: Facts) -> None:
        super().add_memory(facts)
        facts["bytes"] = 0

    def layout_words(self) -> Iterator[str]:
        yield "zeros without memory"


class Named(Tensor):
    """A tensor with names for its dimensions, which many operations refuse."""

    def sizes(self) -> str:
        named = zip(names_of(self.value), map(size_text, shape_of(self.value)))
        return f"[{', '.join(f'{name}={size}' if name else size for name, size in named)}]"

    def plain(self) -> Any:
        return Base.rename(super().plain(), None)


class Flipped(Tensor):
    """A view whose signs are turned when it is read."""

    def layout_words(self) -> Iterator[str]:
        yield from super().layout_words()
        if Base.is_conj(self.value):
            yield "conjugated when read"
        if Base.is_neg(self.value):
            yield "negated when read"
