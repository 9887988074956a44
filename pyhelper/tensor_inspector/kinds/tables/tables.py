"""Tables of any library: columns, each described as an array is, and rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Callable, ClassVar

from ...measure.unread import Reading, Unread
from ...safe.budget import Budget
from ...safe.guard import class_name, full_name
from ...words.line import Word, class_word, content, dtype_word
from ...words.text import joined, listed, one_line, plural, shorten
from ..alarms import Alarms
from ..families import by_base
from ..kind import Child, Elements, Kind, NotFound, NotStatic
from ..numpy.contents import ArrayKind, Contents
from ..python.mappings import key_name, key_word
from ..registry import as_kind
from ..rows import Rows, TextRow

if TYPE_CHECKING:
    from ...protocol import Badge, Facts

_SHOWN = 12  #: columns looked at for a line, and cells shown of a row
COUNTED = 1000  #: columns, kept one by one, whose bytes are added up
_PRINTED = 3  #: rows that the debug console prints
_FEW = 50  #: columns of a table whose missing values are counted for its line
_COUNTED = 200_000  #: cells among which what is missing is counted for a line
_SEARCHED = 1 << 22  #: cells among which NaN and Inf are looked for
_CELL, _WHOLE_CELL = 24, 200  #: characters, in a line and in a table of its own
_WHOLE = 1 << 64  #: beyond which an integer is told as a float, where there is one
_REALS = ("float", "double", "struct")  #: in the names of the dtypes that may have NaN and Inf
_BY_COLUMN = Unread("elsewhere", "each column has statistics of its own")


class Column(Elements):
    """A column taken out of its table: what its library keeps for it, and the contents that read it."""

    __slots__ = ("contents", "suffix")

    def __init__(self, value: Any, contents: Callable[[Any, Budget], Contents], suffix: str) -> None:
        super().__init__(value)
        self.contents = contents
        self.suffix = suffix  #: what reaches one of its values


class Values(ArrayKind):
    """Values in one dimension that a library keeps in its own way: a column, a series, an index."""

    suffix: str | None = "[{}]"  #: what reaches one of them

    def parts(self) -> Iterable[str | None]:
        return self.words()

    def words(self) -> list[str]:
        """The parts of the line that dtype, length and values give."""
        head, shown = self.contents.head(), self.contents.shown()
        return [head, *self.contents.words()] if shown is None else [f"{head} {shown}"]

    def settings(self) -> dict[str, str]:
        return self.contents.settings()

    def facts(self) -> Facts:
        facts: Facts = {"type": full_name(type(self.value)), "dtype": self.contents.dtype()}
        if self.contents.is_sized():
            facts["shape"] = [self.contents.length()]
        self.contents.add_facts(facts)
        return facts

    def rows(self) -> list[Child]:
        values = [Child("values", self.contents.values(self.suffix), "")] if self.contents.is_open() else []
        return [*values, *self.contents.parts()]


class ColumnValues(Values):
    contains = False

    @cached_property
    def contents(self) -> Contents:
        return self.value.contents(self.value.value, self.budget)  # type: ignore[no-any-return]

    def type_name(self) -> str:
        return class_name(type(self.value.value))

    def rows(self) -> list[Child]:
        self.suffix = self.value.suffix
        return super().rows()


class Table(Kind):
    """A few rows that every table has, then its columns in their order."""

    kind = "mapping"
    summarized = True
    repeating = ("rows",)
    rank = 0
    nan_is_missing: ClassVar[bool] = False  #: counted as such already

    def size(self) -> tuple[int, int]:
        """Rows and columns."""
        raise NotImplementedError

    def labels(self, start: int, count: int) -> Iterable[object]:
        raise NotImplementedError

    def column(self, at: int) -> Column:
        raise NotImplementedError

    def column_suffix(self, at: int, label: object) -> str | None:
        """What reaches a column."""
        raise NotImplementedError

    def row_suffix(self) -> str | None:
        """What reaches a row."""
        return None

    def row_labels(self, start: int, count: int) -> Iterable[str]:
        """What its library calls some of its rows: their numbers, where it has no names for them."""
        return map(str, range(start, min(start + count, self.size()[0])))

    def head(self, start: int, count: int) -> list[tuple[str, str]]:
        """The names of some columns, each with what its values are."""
        names = self.column_names(start, count)
        return [(name, self._contents(at).dtype()) for at, name in enumerate(names, start)]

    def column_names(self, start: int, count: int) -> Iterable[str]:
        return (key_word(label, self) for label in islice(self.labels(start, count), count))

    def cells(self, at: int, start: int, count: int) -> list[tuple[str, float | None]]:
        """Values of a column: each as text, and as a number where it is one."""
        contents = self._contents(at)
        has_numbers = contents.has_numbers
        values = contents.labels(start, count)
        texts = self.texts(contents, start, count)
        return [(text, _number(value) if has_numbers else None) for text, value in zip(texts, values)]

    def texts(self, contents: Contents, start: int, count: int) -> Iterable[str]:
        """Values as the cells of a table of its own, where texts stand without quotes."""
        return islice(map(self._text, contents.items(start, count), contents.labels(start, count)), count)

    def _text(self, item: object, value: object) -> str:
        return shorten(one_line(value), _WHOLE_CELL) if type(value) is str else self._cell(item, _WHOLE_CELL)

    def bytes(self) -> int | None:
        """What the values take; None where that would have to be asked of too many columns."""
        raise NotImplementedError

    def first_rows(self) -> list[Child]:
        """Rows of the table besides its columns."""
        return []

    def ordered(self) -> bool | None:
        return True

    def brief(self) -> str:
        rows, columns = self.size()
        return f"{self.type_name()} {rows:,} × {columns:,}"

    def inline(self) -> str | None:
        return " ".join([*self.alarms.words(), *filter(None, (self._missing_words(), self.brief()))])

    def console_rows(self, count: int) -> list[Child]:
        """Its first rows stand for the one that opens to all rows."""
        first = list(self._rows(0, _PRINTED + 1)) if self.size()[1] else []
        more = [Child("…", TextRow(""))] if len(first) > _PRINTED else []
        return [*first[:_PRINTED], *more, *self.first_rows(), *self._columns(0, count)][: count + 1]

    def parts(self) -> Iterable[str | None]:
        rows, columns = self.size()
        labels = list(islice(self.labels(0, _SHOWN), _SHOWN))
        texts = [
            (f"{key_word(label, self)} ", dtype_word(self._contents(at).dtype())) for at, label in enumerate(labels)
        ]
        missing, sizes, found = self._missing_words(), f"{rows:,} × {columns:,}", self.alarms.words()
        beside = joined([self.type_name(), *found, missing])
        shown = content(beside, f"{sizes}: ", texts, columns > len(labels)) if texts else sizes
        return [class_word(self.type_name()), *found, shown, Word(missing, loud=True) if missing else None]

    def badges(self) -> list[Badge]:
        found = self.alarming()
        return ["nan", *found] if self._missing() and "nan" not in found else found

    def alarming(self) -> list[Badge]:
        """NaN and Inf: of what is missing, no other row warns."""
        return self.alarms.badges()

    @cached_property
    def alarms(self) -> Alarms:
        """The columns of numbers that hold NaN, where that is not what is missing, and Inf."""
        rows, columns = self.size()
        is_searched = columns <= _FEW and rows * columns <= _SEARCHED and self.budget.reads
        found = Alarms.of(self._warnings(columns) if is_searched else ())
        return Alarms((), found.inf, found.late) if self.nan_is_missing else found

    def _warnings(self, columns: int) -> Iterator[tuple[str, list[Badge]]]:
        budget = self.budget.share()
        for at, label in enumerate(self.labels(0, columns)):
            column = self.column(at)
            contents = column.contents(column.value, budget)
            if any(word in contents.dtype().lower() for word in _REALS) and not budget.spent():
                yield key_word(label, self), contents.badges()

    def child_count(self) -> int | None:
        return len(self._fixed()) + self.size()[1]

    def children(self, start: int, count: int) -> Iterable[Child]:
        fixed = self._fixed()
        before = max(0, start - len(fixed))
        return islice(chain(fixed[start:], self._columns(before, start + count - len(fixed))), count)

    def facts(self) -> Facts:
        bytes = self.bytes()
        facts: Facts = {"type": full_name(type(self.value)), "shape": list(self.size())}
        if bytes is not None:
            facts["bytes"] = bytes
        return facts

    def lenses(self) -> list[str]:
        return ["batch"] if self.size()[1] else []

    def reading(self) -> Reading:
        return _BY_COLUMN

    def item(self, key: Any) -> Any:
        if type(key) is not str and type(key) is not int:
            raise NotStatic("it computes what this selects")
        for at, label in enumerate(self.labels(0, self.size()[1])):
            if type(label) is type(key) and label == key:
                return self.column(at)
        raise NotFound(f"there is no column {key!r}")

    def _columns(self, start: int, stop: int) -> Iterator[Child]:
        stop = min(stop, self.size()[1])
        if start < stop:
            for at, label in enumerate(self.labels(start, stop - start), start):
                name, suffix = key_name(label, at, self), self.column_suffix(at, label)
                yield Child(name, self.column(at), suffix, copied=True)

    def _fixed(self) -> list[Child]:
        rows, columns = self.size()
        below = Rows(plural(rows, "row"), rows, self._rows)
        return [*([Child("rows", below, "")] if rows and columns else []), *self.first_rows()]

    def _rows(self, start: int, count: int) -> Iterator[Child]:
        columns = min(self.size()[1], _SHOWN)
        labels = [key_word(label, self) for label in self.labels(0, columns)]
        cells = zip(*(map(self._cell, self._contents(at).items(start, count)) for at in range(columns)))
        more, suffix = self.size()[1] > columns, self.row_suffix()
        for index, row in enumerate(cells, start):
            text = listed((f"{label}={cell}" for label, cell in zip(labels, row)), more, 110)
            yield Child(f"[{index}]", TextRow(text), None if suffix is None else suffix.format(index))

    def _cell(self, item: object, length: int = _CELL) -> str:
        return shorten(as_kind(item, self.budget).brief() if type(item) is not TextRow else item.text, length)

    def _contents(self, at: int) -> Contents:
        column = self.column(at)
        return column.contents(column.value, self.budget)

    def _missing_words(self) -> str | None:
        amount = self._missing()
        return f"{amount:,} missing" if amount else None

    def _missing(self) -> int:
        """How much is missing, where that is quickly known; else 0."""
        rows, columns = self.size()
        if columns > _FEW or rows * columns > _COUNTED or self.budget.spent():
            return 0
        amounts = [self._contents(at).missing() for at in range(columns)]
        return sum(amount for amount in amounts if amount)


def _number(item: object) -> float | None:
    if type(item) is bool:
        return int(item)
    if type(item) is int and abs(item) > _WHOLE:
        try:
            return float(item)
        except OverflowError:
            return None
    return item if type(item) is int or type(item) is float else None


kind_for = by_base({ColumnValues: (Column,)})
