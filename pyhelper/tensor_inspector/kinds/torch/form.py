"""`Form`: how a tensor stores its elements (dense, sparse, nested, quantized), and their summary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from ...measure.comparable import Comparable
from ...measure.reading import badges, is_alarming
from ...measure.stats import Reading, Unread
from ...measure.torch.metadata import (
    EXACT_TENSORS,
    Base,
    attributes_of,
    base_of,
    device_name,
    dtype_name,
    dtype_of,
    layout_name,
    shape_of,
    sizes_listed,
    sizes_text,
)
from ...measure.values import listed_values
from ...safe.budget import Budget
from ...safe.guard import full_name, module
from ...words.line import Word, head
from ...words.stats import inline_text, stats_words
from ...words.text import plural
from ...words.values import value_text
from ..facts import add_firsts, add_stats
from ..kind import Child, Elements, NotStatic
from ..python.objects import other_attributes, property_rows
from ..rows import Rows, TextRow
from ..subscripts import element

if TYPE_CHECKING:
    from ...measure.composed import ComposedElements
    from ...protocol import Badge, Facts

torch: Any = module("torch")
_version = Base.__dict__["_version"].__get__


class TensorElements(Elements):
    """Elements that were taken out of a tensor, as one."""

    __slots__ = ()


class Form:
    """How a tensor keeps its elements, read under one budget. It lives as long as its kind.

    The answers of this base class are those for a layout that only its backend can read: no element can be read or
    listed.
    """

    composed: ClassVar[bool] = False  #: its parts, which are rows, are all there is to it
    repeating: ClassVar[tuple[str, ...]] = ()  #: rows that say again what the parts say
    is_dense: ClassVar[bool] = False  #: the elements stand in memory as the strides say, and are read as they are
    is_shard: ClassVar[bool] = False  #: other processes may have the rest of its elements
    is_closed: ClassVar[bool] = False  #: its rows show all that is worth seeing of the instance

    def __init__(self, value: Any, budget: Budget) -> None:
        self.value = value
        self.budget = budget
        self._reading: Reading | None = None
        self._badges: list[Badge] | None = None

    # What is known without reading an element.

    def dtype(self) -> str:
        return dtype_name(self.value)

    def device(self) -> str:
        return device_name(self.value)

    def layout(self) -> str:
        return layout_name(self.value)

    def sizes(self) -> str:
        return sizes_text(self.value)

    def listed_sizes(self) -> list[Any]:
        return sizes_listed(shape_of(self.value))

    def head(self) -> Word:
        """``float32[32, 10] cuda:0``: dtype and shape, the device only when it is not the cpu."""
        return head(self.dtype(), self.sizes(), self.where())

    def where(self) -> str:
        device = self.device()
        return "" if device in ("cpu", "") else f" {device}"

    def metadata(self) -> Facts:
        return {
            "type": full_name(type(self.value)),
            "shape": self.listed_sizes(),
            "dtype": self.dtype(),
            "device": self.device(),
            "layout": self.layout(),
        }

    def version(self) -> int | None:
        """How often its memory was written to; None where that is not counted."""
        try:
            return _version(self.value)  # type: ignore[no-any-return]
        except RuntimeError:  # one made in inference mode
            return None

    def base(self) -> Any:
        """The tensor that this one is a view of."""
        return base_of(self.value)

    def tangent(self) -> Any:
        """The tangent that forward-mode differentiation keeps with the elements."""
        return None

    # The elements.

    def reading(self) -> Reading:
        """The statistics, or why there are none. Read once, within a share of the time that is left."""
        if self._reading is None:
            self._reading = self.read()
        return self._reading

    def keep(self, reading: Reading) -> None:
        """Takes over statistics that were computed together with those of others."""
        self._reading = reading

    def read(self) -> Reading:
        return Unread("layout", f"{self._why()}: values not read")

    def elements(self) -> Any:
        """The elements as a plain tensor, or why there is none."""
        return Unread("layout", self._why())

    def composition(self) -> ComposedElements | None:
        """Where they are masked or quantized: what they are made of, to be read in parts."""
        return None

    def measured(self) -> Any:
        """The elements that the statistics are of, for percentiles."""
        return self.elements()

    def comparable(self) -> Comparable:
        sizes = tuple(size if type(size) is int else "*" for size in self.listed_sizes())
        return Comparable(self.dtype(), sizes, self.elements, layout=self.layout(), composed=self.composed)

    def item(self, key: Any) -> Any:
        elements = self.elements()
        if isinstance(elements, Unread):
            raise NotStatic(elements.text)
        return TensorElements(element(elements, key))

    def length(self) -> int:
        """The number of rows or values that can be listed."""
        return 0

    def plain(self) -> Any:
        """The tensor whose rows or values these are; only where there are some."""
        raise NotImplementedError

    def values(self) -> Rows:
        """The rows or values."""
        return _values_rows(self.plain())

    def corner(self) -> str | None:
        """The first elements as text."""
        return None

    def shown_values(self) -> str | None:
        """The values themselves, where they say more than statistics."""
        return None

    def _why(self) -> str:
        """Why its elements are not there as those of other tensors are."""
        return f"{self.layout().lstrip('_')} layout"

    # What is said of them.

    def brief(self) -> Word:
        """Dtype and sizes, and the number itself for a tensor of one number."""
        shown = None if self.listed_sizes() else self.shown_values()
        return self.head() if shown is None else self.head().then(f" {shown}")

    def line_words(self) -> list[str]:
        """Head, how the elements are kept, and statistics, as the summary line has them."""
        shown = self.shown_values()
        if shown is not None:
            return [self.head().then(f" {shown}", loud=is_alarming(self.reading())), *self.words()]
        return [self.head(), *self.words(), *self.stats_words()]

    def words(self) -> Iterable[str]:
        """How the elements are kept, where not in plain memory."""
        return ()

    def stats_words(self) -> list[str]:
        return stats_words(self.reading(), dtype_of(self.value) is torch.bool)

    def inline(self) -> str | None:
        return inline_text(self.head(), self.shown_values(), self.reading(), dtype_of(self.value) is torch.bool)

    def badges(self) -> list[Badge]:
        if self._badges is None:
            self._badges = badges(self.reading())
        return self._badges[:]

    def notes(self) -> Iterable[str]:
        """Remarks about the statistics."""
        return ()

    def layout_words(self) -> list[str]:
        """How the elements lie in memory, where not in order."""
        return []

    def first_values(self) -> str | None:
        if isinstance(self.reading(), Unread) or self.shown_values() is not None:
            return ""
        return self.corner()

    def facts(self) -> Facts:
        """The facts that a tensor and a part of one have in common."""
        facts, reading = self.metadata(), self.reading()
        add_stats(facts, reading)
        if isinstance(reading, Unread):
            return facts
        add_firsts(facts, reading, self.elements, self.budget)
        try:
            shown = self.corner()
        except Exception:  # what torch can't do with a dtype does not cost the statistics
            shown = None
        if shown is not None:
            facts["values"] = shown
        return facts

    def fact_rows(self) -> list[list[str]]:
        """Facts of this form alone: labels and texts."""
        return []

    def rows(self) -> list[Child]:
        """The parts that it is made of, as rows."""
        return []

    def unlisted(self) -> Iterable[Child]:
        """What the instance holds that no row shows."""
        return ()

    def attribute_rows(self) -> list[Child]:
        """Rows for further attributes of the instance, without the marks that torch.compile leaves."""
        if self.is_closed:
            return []
        attrs = attributes_of(self.value) if type(self.value) in EXACT_TENSORS else None
        if attrs is not None and (not attrs or all(name.startswith("_dynamo") for name in attrs if type(name) is str)):
            return []
        return [*other_attributes(self.value), *property_rows(self.value)]


def _values_rows(value: Any) -> Rows:
    """The elements along the first dimension: numbers, or parts that open in turn."""
    length = value.shape[0]

    def rows(start: int, count: int) -> Iterator[Child]:
        part = value[start : start + count]
        if value.dim() == 1:
            for index, item in enumerate(listed_values(part), start):
                yield Child(f"[{index}]", TextRow(value_text(item)), f"[{index}]")
        else:
            for index in range(part.shape[0]):
                yield Child(f"[{start + index}]", TensorElements(part[index]), f"[{start + index}]")

    return Rows(plural(length, "row" if value.dim() > 1 else "value"), length, rows)
