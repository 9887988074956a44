"""The lens `details`: all that a page about one value shows. Each part stands for itself: where one fails, its reason
is told, and the others are there."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from ...kinds import Child, TextRow, as_kind
from ...kinds.tables.tables import Table
from ...measure import devices
from ...measure.held import HeldElements
from ...safe.budget import Budget
from ...safe.guard import class_name, module, plain_message
from ...safe.one_thread import OneThread
from ...safe.record import Record
from ..lens import Lens, Paused
from ..picture.source import arrays_of, is_tensor
from .compared import comparison_steps, error_map_steps, two_values
from .described import described
from .drawn import picture_steps
from .excerpt import excerpt_of
from .extremes import extremes_steps
from .source import gradient_of, names_of_dimensions, readable_in_parts
from .spread import distribution_steps
from .table import table_steps
from .texts import values_steps
from .wishes import OF_TWO, Wishes, wishes_of

if TYPE_CHECKING:
    from ...protocol import DetailsFound, DetailsPart, Found

_WORDS: dict[DetailsPart, str] = {
    "values": "table",
    "distribution": "distribution",
    "picture": "picture",
    "extremes": "search",
}


def lens(values: Mapping[str, Child], options: Mapping[str, Any], budget: Budget, paused: Paused | None) -> Lens:
    """About ``values["value"]``, which may be anything, and ``values["other"]``, with which it is compared. Raises
    ``TypeError`` and ``ValueError`` for its options."""
    wishes, other = wishes_of(options), values.get("other")
    alone = [part for part in OF_TWO if part in wishes.wanted]
    if other is None and alone:
        raise ValueError(f"{alone[0]} is asked about two values: the second is 'other'")
    return DetailsLens(values["value"], other, wishes, budget)


class _PartWork(Record):
    """A part that is worked at in steps, and the tensors and arrays that it reads."""

    field: str
    of: DetailsPart
    reads: tuple[Any, ...]  #: none where no memory is read
    held: list[HeldElements]
    steps: Generator[float, None, Any]


def _work(field: str, of: DetailsPart, reads: tuple[Any, ...], steps: Generator[float, None, Any]) -> _PartWork:
    return _PartWork(field, of, reads, [HeldElements(elements) for elements in reads], steps)


class DetailsLens(Lens):
    def __init__(self, asked: Child, other: Child | None, wishes: Wishes, budget: Budget) -> None:
        super().__init__(budget)
        self._asked, self._other, self._wishes = asked, other, wishes
        self._found: DetailsFound = {"lens": "details"}
        self._line = "details"
        self._parts: list[_PartWork] | None = None  #: that are left; None as long as it is not begun
        self._amount, self._done = 1, 0.0

    def go_on(self) -> bool:
        if self._parts is None:
            if "facts" in self._wishes.wanted:
                self._describe()
            self._parts = list(self._begun())
            self._amount = len(self._parts)
        else:
            self._parts = [part for part in self._parts if self._is_there(part)]
        numpy = module("numpy")
        # Blocks are too small to be split among threads, which would wait for each other on busy cores.
        with OneThread(module("torch") is not None), nullcontext() if numpy is None else numpy.errstate(all="ignore"):
            while self._parts:
                if not self._is_over(self._parts[0]):
                    return False
                self._done = 0.0
                self._parts.pop(0)
                if self._wishes.exact and self.budget.spent():
                    break
        return not self._parts

    def progress(self) -> float:
        left = self._amount if self._parts is None else len(self._parts)
        return (self._amount - left + self._done) / max(1, self._amount)

    def found(self) -> Found:
        return self._found

    def row(self) -> Child:
        return Child(self._asked.name, TextRow(self._line), None)

    def _describe(self) -> None:
        budget = self.budget if self._wishes.wanted == ("facts",) else self.budget.share()
        self._line, facts = described(self._asked.value, budget)
        self._found["line"], self._found["facts"] = self._line, facts

    def _begun(self) -> Iterator[_PartWork]:
        """The parts, none of which is begun; why the others are missing is told."""
        value, wishes, budget = self._asked.value, self._wishes, self.budget
        elements: Any = None
        reads: tuple[Any, ...] = ()
        if "table" in wishes.wanted:
            yield from self._table()
        for of, word in _WORDS.items():
            if of not in wishes.wanted:
                continue
            try:
                elements = readable_in_parts(value, word, budget) if elements is None else elements
                reads = arrays_of(elements)
                if of == "distribution":
                    yield _work("distribution", of, reads, distribution_steps(elements, wishes, budget))
                    yield from self._gradient()
                    continue
                if of == "extremes":
                    yield _work("extremes", of, reads, extremes_steps(elements))
                    continue
                excerpt = excerpt_of(tuple(map(int, elements.shape)), wishes, word)
                if of == "values":
                    yield _work("values", of, reads, values_steps(elements, excerpt, wishes))
                    continue
                names = names_of_dimensions(value)
                yield _work("picture", of, reads, picture_steps(elements, names, excerpt, wishes, budget))
            except Exception as error:
                self._add_missing(of, _sentence(error, reads))
        if self._other is not None:
            yield from self._compared(self._other)

    def _compared(self, other: Child) -> Iterator[_PartWork]:
        """What is about both values."""
        wishes, budget = self._wishes, self.budget
        reads: tuple[Any, ...] = ()
        wanted = [part for part in OF_TWO if part in wishes.wanted]
        try:
            pair = two_values(self._asked, other, budget)
            reads = tuple(array for elements in pair.elements for array in arrays_of(elements))
            if "comparison" in wanted:
                time = budget if wanted == ["comparison"] else budget.share()
                yield _work("comparison", wanted.pop(0), reads, comparison_steps(pair, wishes, time))
            if not wanted:
                return
            if not pair.elements:
                raise ValueError(pair.reason)
            a, b = pair.elements
            excerpt = excerpt_of(tuple(map(int, a.shape)), wishes, "picture")
            names = names_of_dimensions(other.value)
            yield _work("other", "error_map", arrays_of(b), picture_steps(b, names, excerpt, wishes, budget))
            yield _work("error_map", "error_map", reads, error_map_steps(pair, excerpt, wishes, budget))
        except Exception as error:
            for part in wanted:
                self._add_missing(part, _sentence(error, reads))

    def _table(self) -> Iterator[_PartWork]:
        """Most values are none, which is no reason to say so."""
        try:
            kind = as_kind(self._asked.value, self.budget)
        except Exception:  # its line is among the facts
            return
        if isinstance(kind, Table):
            yield _work("table", "table", (), table_steps(kind, self._wishes))

    def _gradient(self) -> Iterator[_PartWork]:
        try:
            gradient = gradient_of(self._asked.value)
            elements = None if gradient is None else readable_in_parts(gradient, "distribution", self.budget)
        except Exception:  # its line is among the facts
            return
        if elements is not None:
            steps = distribution_steps(elements, self._wishes, self.budget)
            yield _work("gradient", "distribution", arrays_of(elements), steps)

    def _is_there(self, part: _PartWork) -> bool:
        """Whether the memory that it reads still is: the user may run code between two slices."""
        for held in part.held:
            why = held.why_lost()
            if why is not None:
                self._miss(part, why)
                return False
        return True

    def _is_over(self, part: _PartWork) -> bool:
        """Goes on with a part. Whether it came to its end; else the time is over."""
        try:
            while True:
                self._done = next(part.steps)
                if self.budget.spent():
                    return False
        except StopIteration as end:
            if end.value is not None:
                self._found[part.field] = end.value  # type: ignore[literal-required]
        except Exception as error:
            self._miss(part, _sentence(error, part.reads))
        return True

    def _miss(self, part: _PartWork, reason: str) -> None:
        if part.field != "gradient":  # its line is among the facts
            self._add_missing(part.of, reason)

    def _add_missing(self, part: DetailsPart, reason: str) -> None:
        self._found.setdefault("missing", []).append({"part": part, "reason": reason})


def _sentence(error: Exception, reads: tuple[Any, ...]) -> str:
    if type(error) is TypeError or type(error) is ValueError:
        return str(error)
    for elements in reads:
        if is_tensor(elements) and not elements.is_cpu:
            return devices.failed(error, elements.device).text
    return f"not read: {class_name(type(error))}: {plain_message(error)}"
