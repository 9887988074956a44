"""`Contents`: summarises the elements of an array. Each sort of elements has a subclass.

The subclass is chosen by dtype (`by_dtype.contents_of`). Arrays, parts of arrays and columns of tables share them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from ...measure.comparable import Comparable
from ...measure.reading import badges
from ...measure.stats import Reading, Unread
from ...measure.unread import NOT_READ
from ...safe.budget import Budget
from ...safe.guard import class_name, module
from ...words.line import head, is_loud, short
from ...words.stats import inline_text, stats_words
from ...words.text import plural, shape
from ...words.values import value_text
from ..facts import add_stats
from ..kind import Child, Elements, WithRows
from ..rows import Rows, TextRow

if TYPE_CHECKING:
    from ...measure.composed import ComposedElements
    from ...protocol import Badge, Facts


class Contents:
    """The elements of one array or column, described under one budget."""

    unread: Unread = NOT_READ  #: why there are no statistics
    has_numbers = True  #: whether elements that are numbers count as such: categories are names

    def __init__(self, array: Any, budget: Budget) -> None:
        self.array = array
        self.budget = budget
        self._known: Reading | None = None

    def dtype(self) -> str:
        return dtype_name(self.array.dtype)

    def length(self) -> int:
        """The size of the first dimension."""
        return len(self.array)

    def is_sized(self) -> bool:
        """Whether its length is known."""
        return True

    def sizes(self) -> tuple[int, ...]:
        return tuple(self.array.shape)

    def head(self) -> str:
        return head(self.dtype(), shape(self.sizes()))

    def missing(self) -> int | None:
        """The number of missing elements; None where it is not known, or where none can be missing."""
        return None

    def reading(self) -> Reading:
        """The statistics, or why there are none. Read once, within a share of the time that is left."""
        if self._known is None:
            self._known = self._read()
        return self._known

    def _read(self) -> Reading:
        return self.unread

    def elements(self) -> Any:
        """A numeric array of the elements for a comparison, or why there is none; None where they are compared row by
        row."""
        return None

    def composition(self) -> ComposedElements | None:
        """Where some are masked: what they are made of, to be read in parts."""
        return None

    def comparable(self) -> Comparable:
        array = self.array if type(self.array) is module("numpy").ndarray else None
        return Comparable(self.dtype(), self.sizes(), self.elements, array=array)

    def measured(self) -> Any:
        """The elements that are there, as a numeric array: what the statistics are of."""
        return self.elements()

    def distribution_rows(self, distribution: Any) -> list[list[str]] | None:
        """Percentiles and bins as rows of texts, where the elements stand for something else; None for numbers."""
        return None

    def shown(self) -> str | None:
        """The values themselves as text, where they say more than statistics."""
        return None

    def words(self) -> list[str]:
        """The parts of the summary line about the values."""
        return stats_words(self.reading())

    def inline(self) -> str:
        reading, shown = self.reading(), self.shown()
        if shown is not None or not isinstance(reading, Unread):
            return inline_text(self.head(), shown, reading, self.dtype() == "bool")
        why = stats_words(reading)
        words = [word for word in self.words() if word not in why]
        quiet = (short(word) for word in words if not is_loud(word))
        return " ".join([*filter(is_loud, [*why, *words]), short(self.head()), *islice(quiet, 1)])

    def badges(self) -> list[Badge]:
        return badges(self.reading())

    def first_values(self) -> str | None:
        """The first values as text; empty where the line shows all of them, None where they are rows."""
        return None

    def console_rows(self, count: int) -> list[Child]:
        """The first elements as rows, and one more where there are others; empty where none can be listed."""
        return list(self.values().children(0, count + 1)) if self.is_open() else []

    def fact_rows(self) -> list[list[str]]:
        """Facts that are no statistics: labels and texts."""
        return []

    def settings(self) -> dict[str, str]:
        """What else distinguishes them besides values and parts, by name."""
        return {}

    def parts(self) -> list[Child]:
        """Rows below the array besides its values."""
        return []

    def items(self, start: int, amount: int) -> Iterable[object]:
        """Elements of one dimension, as rows show them."""
        return map(TextRow, map(self.text, self.array[start : start + amount].tolist()))

    def rows(self, start: int, amount: int) -> Iterable[object]:
        """Parts along the first of several dimensions."""
        return map(ArrayElements, self.array[start : start + amount])

    def labels(self, start: int, amount: int) -> Iterable[object]:
        """The elements as Python objects, where they are such."""
        if getattr(self.array, "dtype", None) is not None and self.array.dtype.kind in "biufUO":
            return self.array[start : start + amount].tolist()  # type: ignore[no-any-return]
        return (Label(item.text) if type(item) is TextRow else item for item in self.items(start, amount))

    def objects(self, amount: int) -> Iterable[object]:
        """The first elements, to be counted."""
        return islice(self.labels(0, amount), amount)

    def text(self, item: Any) -> str:
        """One element, as ``tolist`` gives it."""
        return value_text(item)

    def is_open(self) -> bool:
        """Whether there are values to list."""
        return self.array.ndim > 0 and self.length() > 0

    def has_parts(self) -> bool:
        """Whether what is listed are parts that open in turn."""
        return bool(self.array.ndim > 1)

    def values(self, suffix: str | None = "[{}]") -> Rows:
        """The row that opens to the elements. ``suffix`` is a format for the expression of one of them."""
        length, parts = self.length(), self.has_parts()

        def rows(start: int, amount: int) -> Iterator[Child]:
            items = self.rows(start, amount) if parts else self.items(start, amount)
            for index, item in enumerate(items, start):
                yield Child(f"[{index}]", item, None if suffix is None else suffix.format(index))

        return Rows(plural(length, "row" if parts else "value"), length, rows)

    def add_facts(self, facts: Facts) -> None:
        """Adds the facts about these elements to ``facts``."""
        add_stats(facts, self.reading())
        rows = self.fact_rows()
        if rows:
            facts["rows"] = rows


class ArrayKind(WithRows):
    """The base of arrays and columns of every library. Its ``contents`` describe the elements."""

    kind = "array"
    summarized = True
    rank = 0

    @cached_property
    def contents(self) -> Contents:
        raise NotImplementedError

    def brief(self) -> str:
        return self.contents.head()

    def first_values(self) -> str | None:
        return self.contents.first_values()

    def inline(self) -> str | None:
        return self.contents.inline()

    def console_rows(self, count: int) -> list[Child]:
        return self.contents.console_rows(count) or super().console_rows(count)

    def badges(self) -> list[Badge]:
        return self.contents.badges()

    def reading(self) -> Reading:
        return self.contents.reading()

    def elements(self) -> Any:
        return self.contents.elements()

    def composition(self) -> ComposedElements | None:
        return self.contents.composition()

    def comparable(self) -> Comparable:
        return self.contents.comparable()

    def measured(self) -> Any:
        return self.contents.measured()

    def distribution_rows(self, distribution: Any) -> list[list[str]] | None:
        return self.contents.distribution_rows(distribution)


class Label(str):
    """A label that no literal stands for, as text."""


class ArrayElements(Elements):
    """Elements that were taken out of an array, as one; with the mask over them, if there is one."""

    __slots__ = ("mask",)

    def __init__(self, value: Any, mask: Any = None) -> None:
        super().__init__(value)
        self.mask = mask


class RawBytes(Contents):
    """Bytes without a numeric meaning, or with one that only another library knows."""

    unread = Unread("dtype", "raw bytes")

    def elements(self) -> Any:
        return self.unread

    def comparable(self) -> Comparable:
        found, dtype = super().comparable(), self.array.dtype
        if dtype.char == "V" and dtype.itemsize:
            found.read = self._bytes
        return found

    def _bytes(self) -> Any:
        """The bytes of each element, along one more dimension."""
        bytes = {"names": ["bytes"], "formats": [("u1", (self.array.dtype.itemsize,))]}
        return self.array.view(module("numpy").dtype(bytes))["bytes"]


class UnreadableContents(Contents):
    """Elements whose memory can't be read."""

    def __init__(self, array: Any, budget: Budget, unread: Unread) -> None:
        super().__init__(array, budget)
        self.unread = unread

    def comparable(self) -> Comparable:
        return Comparable.of(self.unread)

    def elements(self) -> Any:
        return self.unread

    def is_open(self) -> bool:
        return False


def dtype_name(dtype: Any) -> str:
    """A dtype in a few characters: ``float32``, ``U5``, ``structured``."""
    if dtype.names is not None:
        return "structured"
    if dtype.kind in "SU" or dtype.char == "V":
        return str(dtype).lstrip("<|>=")
    if dtype.kind == "T":
        return class_name(type(dtype))
    return "object" if dtype.kind == "O" else str(dtype.name)
