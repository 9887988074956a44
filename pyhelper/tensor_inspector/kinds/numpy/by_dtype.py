"""Chooses how an array's elements are summarised, by dtype; structured arrays, whose fields are arrays themselves."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...measure.stats import Unread, unreadable_array
from ...safe.budget import Budget
from ...words.text import listed, shape, shorten
from ..alarms import Alarms
from ..kind import Child
from ..registry import as_kind
from .contents import ArrayElements, Contents, RawBytes, UnreadableContents, dtype_name
from .dates import Dates
from .numbers import ForeignNumbers, Numbers, wide_dtype
from .texts import Objects, Strings

if TYPE_CHECKING:
    from ...protocol import Badge

_FIELDS = 12  #: fields listed of a record


class Records(Contents):
    """A structured array: each field is an array of its own."""

    unread = Unread("elsewhere", "each field has statistics of its own")

    def shown(self) -> str | None:
        if self.array.ndim:
            return None
        fields = (f"{name}={self._brief(name)}" for name in self.array.dtype.names[:_FIELDS])
        return listed(fields, len(self.array.dtype.names) > _FIELDS, 80)

    def words(self) -> list[str]:
        dtype = self.array.dtype
        fields = (f"{name} {field_name(dtype[name])}" for name in dtype.names[:_FIELDS])
        listing = listed(fields, len(dtype.names) > _FIELDS, 80)
        return [*([] if self.array.size else ["empty"]), *self.alarms.words(), listing]

    def badges(self) -> list[Badge]:
        return self.alarms.badges()

    @cached_property
    def alarms(self) -> Alarms:
        """The fields that hold NaN, and Inf."""
        budget = self.budget.share()
        return Alarms.of((name, as_kind(self.field(name), budget).badges()) for name in self.array.dtype.names)

    def fact_rows(self) -> list[list[str]]:
        return [[name, self._field_kind(name).line()] for name in self.array.dtype.names[:_FIELDS]]

    def parts(self) -> list[Child]:
        return [Child(repr(name), self.field(name), f"[{name!r}]") for name in self.array.dtype.names]

    def items(self, start: int, amount: int) -> Iterable[object]:
        return (ArrayElements(self.array[index, ...]) for index in range(start, min(start + amount, len(self.array))))

    def field(self, name: str) -> ArrayElements:
        return ArrayElements(self.array[name])

    def _field_kind(self, name: str) -> Any:
        return as_kind(self.field(name), self.budget.share())

    def _brief(self, name: str) -> str:
        kind = self._field_kind(name)
        return shorten(kind.contents.shown() or kind.head(), 24)


_BY_KIND: dict[str, type[Contents]] = {
    **dict.fromkeys("biufc", Numbers),
    **dict.fromkeys("Mm", Dates),
    **dict.fromkeys("UST", Strings),
    "O": Objects,
}


def contents_of(array: Any, budget: Budget) -> Contents:
    """What the elements of a plain ``numpy.ndarray`` say."""
    unread = unreadable_array(array)
    if unread is not None:
        return UnreadableContents(array, budget, unread)
    dtype = array.dtype
    if dtype.names is not None:
        return Records(array, budget)
    kind = _BY_KIND.get(dtype.kind) or (ForeignNumbers if wide_dtype(dtype) is not None else RawBytes)
    return kind(array, budget)


def field_name(dtype: Any) -> str:
    """The dtype of a record's field, with the shape that it may have."""
    return f"{dtype_name(dtype.base)}{shape(dtype.shape)}" if dtype.shape else dtype_name(dtype)
