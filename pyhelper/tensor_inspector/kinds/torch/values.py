"""The elements of a tensor: their statistics, rows and corner."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...measure.reading import badges, is_alarming
from ...measure.stats import Reading, Unread, of_tensor, unreadable_tensor
from ...measure.torch.metadata import (
    Base,
    byte_count,
    device_name,
    dtype_name,
    dtype_of,
    is_integer,
    layout_name,
    plain,
    shape_of,
    sizes_listed,
    sizes_text,
    why_unread,
)
from ...measure.values import listed_values
from ...protocol import Badge, Facts
from ...safe.guard import full_name, module
from ...words.line import Word, head
from ...words.stats import inline_text, stats_words
from ...words.text import plural
from ...words.values import corner_text, value_text
from ..facts import add_firsts
from ..kind import Child, Elements, Kind, NotStatic, Rows, Said
from ..subscripts import element

torch: Any = module("torch")
_VALUES = 10  #: tensors of integers up to this many elements show their values


class TensorElements(Elements):
    """Elements that were taken out of a tensor, as one."""

    __slots__ = ()


class Values(Kind):
    """A tensor by its elements alone. Forms of tensors that keep them in another way say so in its place."""

    kind = "tensor"
    summarized = True
    rank = 0

    def __init__(self, value: Any, budget: Any) -> None:
        super().__init__(value, budget)
        self._known: Reading | None = None

    def brief(self) -> str:
        """Dtype and sizes; of a tensor of one number, which says more, that number too."""
        shown = None if self.listed_sizes() else self.shown_values()
        return self.head() if shown is None else self.head().then(f" {shown}")

    def inline(self) -> str | None:
        return inline_text(self.head(), self.shown_values(), self.reading(), dtype_of(self.value) is torch.bool)

    def badges(self) -> list[Badge]:
        return badges(self.reading())

    def head(self) -> Word:
        """``float32[32, 10] cuda:0``: dtype and shape, the device only when it is not the cpu."""
        return head(dtype_name(self.value), self.sizes(), self.where())

    def dtype(self) -> str:
        return dtype_name(self.value)

    def where(self) -> str:
        device = self.device()
        return "" if device in ("cpu", "") else f" {device}"

    def device(self) -> str:
        return device_name(self.value)

    def layout(self) -> str:
        return layout_name(self.value)

    def sizes(self) -> str:
        return sizes_text(self.value)

    def plain(self) -> Any:
        """The same elements as a tensor with plain memory; only of what can be read."""
        return plain(self.value)

    def form_words(self) -> Iterable[str]:
        """How the elements are kept, where that is not in plain memory."""
        return ()

    def notes(self) -> Iterable[str]:
        """What else is to be known of the statistics."""
        return ()

    def reading(self) -> Reading:
        """The statistics, or why there are none. Read once, within a share of the time that is left."""
        if self._known is None:
            self._known = self.read()
        return self._known

    def read(self) -> Reading:
        return why_unread(self.value) or of_tensor(self.plain(), self.budget.share())

    def elements(self) -> Any:
        unread = why_unread(self.value)
        if unread is not None:
            return unread
        elements = self.plain()
        unread = unreadable_tensor(elements)
        return elements if unread is None else unread

    def item(self, key: Any) -> Any:
        elements = self.elements()
        if isinstance(elements, Unread):
            raise NotStatic(elements.text)
        return TensorElements(element(elements, key))

    def value_words(self) -> list[str]:
        """Head, form and statistics, as the summary line has them."""
        shown = self.shown_values()
        if shown is not None:
            return [self.head().then(f" {shown}", loud=is_alarming(self.reading())), *self.form_words()]
        return [self.head(), *self.form_words(), *self.stats_words()]

    def stats_words(self) -> list[str]:
        return stats_words(self.reading(), dtype_of(self.value) is torch.bool)

    def shown_values(self) -> str | None:
        """The values themselves, where they say more than statistics: of a 0-d tensor, and of few integers."""
        sizes = shape_of(self.value)
        if len(sizes) > 1 or isinstance(self.reading(), Unread):
            return None
        if not sizes:
            return value_text(listed_values(self.plain()))
        if 0 < sizes[0] <= _VALUES and is_integer(dtype_of(self.value)):
            return str(self.plain().tolist()).replace("-", "−")
        return None

    def value_facts(self) -> Facts:
        """Facts of the elements: what a tensor and a part of one have in common."""
        facts: Facts = {
            "type": full_name(type(self.value)),
            "shape": self.listed_sizes(),
            "dtype": dtype_name(self.value),
            "device": self.device(),
            "layout": self.layout(),
        }
        self.add_memory(facts)
        reading = self.reading()
        if isinstance(reading, Unread):
            facts["stats"], facts["unread"] = None, reading.text
        else:
            facts["stats"] = reading
            add_firsts(facts, reading, self.elements, self.budget)
            try:
                shown = self.corner()
            except Exception:  # what torch can't do with a dtype does not cost the statistics
                shown = None
            if shown is not None:
                facts["values"] = shown
        return facts

    def listed_sizes(self) -> list[Any]:
        return sizes_listed(shape_of(self.value))

    def add_memory(self, facts: Facts) -> None:
        facts["strides"] = sizes_listed(Base.stride(self.value))
        bytes = byte_count(self.value)
        if bytes is not None:
            facts["bytes"] = bytes

    def first_values(self) -> str | None:
        if isinstance(self.reading(), Unread) or self.shown_values() is not None:
            return ""
        return self.corner()

    def corner(self) -> str | None:
        """The first elements as text."""
        return corner_text(self.plain())

    def length(self) -> int:
        """How many rows or values can be listed."""
        reading = self.reading()
        if isinstance(reading, Unread) and not reading.is_skipped():
            return 0
        sizes = shape_of(self.value)
        return sizes[0] if sizes else 0

    def values(self) -> Rows:
        return values_rows(self.plain())


def values_rows(value: Any) -> Rows:
    """The elements along the first dimension: numbers, or parts that open in turn."""
    length = value.shape[0]

    def rows(start: int, count: int) -> Iterator[Child]:
        part = value[start : start + count]
        if value.dim() == 1:
            for index, item in enumerate(listed_values(part), start):
                yield Child(f"[{index}]", Said(value_text(item)), f"[{index}]")
        else:
            for index in range(part.shape[0]):
                yield Child(f"[{start + index}]", TensorElements(part[index]), f"[{start + index}]")

    return Rows(plural(length, "row" if value.dim() > 1 else "value"), length, rows)
