"""scipy's sparse matrices and arrays: what they store."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import chain, islice
from math import prod
from typing import TYPE_CHECKING, Any

from ...measure.comparable import Comparable
from ...measure.reading import badges
from ...measure.stats import Reading, Unread, of_array, unreadable_array
from ...measure.unread import UNFIT
from ...safe.guard import class_name, dict_get, full_name, instance_dict, library_of, module, mro
from ...words.stats import stats_words
from ...words.text import count, out_of, percent, shape
from ..facts import add_stats
from ..kind import Child, Kind, WithRows
from ..numpy.contents import dtype_name
from ..python.objects import attributes, other_rows
from ..stats_rows import stats_rows

if TYPE_CHECKING:
    from ...protocol import Badge, Facts

numpy: Any = module("numpy")
_FORMATS = ("csr", "csc", "coo", "bsr", "dia", "dok", "lil")
#: Attributes that hold arrays, or what stands for them.
_ARRAYS = ("data", "indices", "indptr", "row", "col", "coords", "offsets", "rows", "_dict")
_SCIPYS = {
    *_ARRAYS,
    "_shape",
    "maxprint",
    "dtype",
    "has_canonical_format",
    "has_sorted_indices",
    "_has_canonical_format",
    "_has_sorted_indices",
}
_ROWS = 1 << 15  #: rows of a lil that are looked at
_PARTS = 1 << 12  #: diagonals that are joined
_GATHERED = 1 << 17  #: values up to which those of formats that hold them in pieces are gathered


class SparseMatrix(WithRows):
    """Statistics are of the stored values alone; the zeros between them are not stored."""

    kind = "array"
    summarized = True
    repeating = ("stats",)
    rank = 0

    def __init__(self, value: Any, budget: Any) -> None:
        super().__init__(value, budget)
        self.attrs = instance_dict(value)
        arrays = ((name, item) for name, item in self.attrs.items() if issubclass(type(item), numpy.ndarray))
        self._arrays = {name: numpy.ndarray.view(item, numpy.ndarray) for name, item in arrays}  # no code of a class
        sizes: Any = dict_get(self.attrs, "_shape")
        self.sizes: tuple[int, ...] = sizes if type(sizes) is tuple else ()
        self.format = next((name for name in map(_format_of, mro(type(value))) if name), "")

    def dtype(self) -> str:
        dtype = dict_get(self.attrs, "dtype")
        if dtype is None:
            dtype = getattr(self._arrays.get("data"), "dtype", None)
        return "?" if dtype is None else dtype_name(dtype)

    def comparable(self) -> Comparable:
        return Comparable(self.dtype(), self.sizes, self.elements, layout=self.format, composed=True)

    def head(self) -> str:
        return f"{self.dtype()}{shape(self.sizes)}"

    def brief(self) -> str:
        return f"{self.format} {self.head()}"

    def parts(self) -> Iterable[str | None]:
        is_counted = self.stored and not self._uncounted
        values = stats_words(self.reading(), self.dtype() == "bool") if is_counted else []
        return [self.type_name(), self.head(), self._density(), *values]

    def badges(self) -> list[Badge]:
        return badges(self.reading())

    def facts(self) -> Facts:
        arrays = [item for name, item in self.attrs.items() if name in _ARRAYS and type(item) is numpy.ndarray]
        facts: Facts = {
            "type": full_name(type(self.value)),
            "shape": list(self.sizes),
            "dtype": self.dtype(),
            "layout": self.format,
            "bytes": sum(int(array.nbytes) for array in arrays),
            "rows": [["stored", self._stored_text()]],
        }
        add_stats(facts, self.reading())
        return facts

    def rows(self) -> list[Child]:
        rows = [] if isinstance(self.reading(), Unread) else [Child("stats", stats_rows(self.reading()))]
        rows += [Child(name, self.attrs[name], f".{name}") for name in _ARRAYS if name in self.attrs]
        others = [child.name for child in attributes(self.value) if child.name not in _SCIPYS]
        return [*rows, *other_rows(self.value, others)]

    def _density(self) -> str:
        size = prod(self.sizes)
        if self.stored is None:
            return "not consistent"
        if self._uncounted:
            return f"≥{count(self.stored)} stored: {out_of(_ROWS, self.sizes[0])} rows counted"
        share = f" ({percent(self.stored, size)})" if size else ""
        return f"{count(self.stored, size)} stored{share}"

    def _stored_text(self) -> str:
        if self.stored is None:
            return "?"
        among = f" in the first {_ROWS:,} rows, of {self.sizes[0]:,}" if self._uncounted else ""
        return f"{self.stored:,}{among}" if among else f"{self.stored:,} of {prod(self.sizes):,}"

    @cached_property
    def _uncounted(self) -> bool:
        """Whether there are more lists of values than are looked at."""
        return self.format == "lil" and int(self._arrays["data"].size) > _ROWS

    @cached_property
    def stored(self) -> int | None:
        """How many values are stored; None where its arrays do not fit each other."""
        try:
            return self._count()
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            return None

    def reading(self) -> Reading:
        return self._reading

    @cached_property
    def _reading(self) -> Reading:
        data = self.measured()
        return data if isinstance(data, Unread) else of_array(data, self.budget.share())

    def _count(self) -> int:
        if self.format in ("csr", "csc", "bsr"):
            return int(self._arrays["indptr"][-1]) * int(prod(self._arrays["data"].shape[1:]))
        if self.format == "dia":
            return int(self._spans()[1].sum())
        if self.format == "dok":
            return dict.__len__(self._cells())
        if self.format == "lil":
            return sum(map(list.__len__, islice(self._arrays["data"].flat, _ROWS)))
        return int(self._arrays["data"].size)

    def measured(self) -> Any:
        """The values that are stored as an array, or why there is none."""
        try:
            return self._values()
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            return UNFIT

    def _values(self) -> Any:
        if self.stored is None:
            return UNFIT
        data: Any = self._arrays.get("data")
        if self.format in ("csr", "csc", "bsr", "coo"):
            unread = unreadable_array(data)
            rows = self.stored // max(1, prod(data.shape[1:]))
            return data[:rows] if unread is None else unread
        pieces = Unread("layout", f"{self.format} holds its values in pieces: too many to gather")
        if self.stored > _GATHERED or self._uncounted:
            return pieces
        if self.format == "dia":
            starts, lengths = self._spans()
            filled = numpy.flatnonzero(lengths).tolist()
            parts = [data[at, starts[at] : starts[at] + lengths[at]] for at in filled[:_PARTS]]
            return numpy.concatenate([*parts, data[:0, 0]]) if len(filled) <= _PARTS else pieces
        lists = [dict.values(self._cells())] if self.format == "dok" else map(list.__iter__, data.flat)
        return numpy.array(list(chain.from_iterable(lists)), dtype=self.attrs["dtype"])

    def _cells(self) -> dict[Any, Any]:
        """The entries of a `dok` by position: before it held a dict, it was one itself."""
        cells = dict_get(self.attrs, "_dict")
        return self.value if cells is None else cells  # type: ignore[no-any-return]

    def _spans(self) -> tuple[Any, Any]:
        """Where the part of each row of a `dia`'s data that lies inside starts, and how long it is."""
        rows, columns = self.sizes
        data = self._arrays["data"]
        offsets = self._arrays["offsets"][: len(data)].astype(numpy.int64)
        starts = numpy.maximum(offsets, 0)
        return starts, numpy.maximum(numpy.minimum(rows + offsets, min(columns, data.shape[1])) - starts, 0)


def _format_of(cls: type) -> str | None:
    found = class_name(cls).lstrip("_").partition("_")[0]
    return found if found in _FORMATS and library_of(cls) == "scipy" else None


def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    return SparseMatrix if any(map(_format_of, bases)) else None
