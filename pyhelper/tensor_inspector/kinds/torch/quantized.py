"""Quantized tensors: scale, zero point, and the real numbers that the stored integers stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from ...measure.comparable import Comparable
from ...measure.composed import ComposedElements
from ...measure.stats import Reading, Unread
from ...measure.torch.codes import codes_of
from ...measure.torch.metadata import Base, plain, shape_of
from ...measure.torch.quantized import (
    composed_of,
    has_channels,
    has_one_scale,
    integers_of,
    is_read_as_reals,
    of_quantized,
    reals_of,
    scheme_of,
    why_no_elements,
)
from ...measure.values import listed_values
from ...safe.budget import Budget
from ...words.line import Word, head, prefixed
from ...words.text import number, plural, shape, size
from ...words.values import value_text
from ..kind import Child, NotStatic
from ..subscripts import element
from .dense import Strided, SubclassMemory
from .form import Form, TensorElements
from .subclass import Wrapper


class Quantized(Strided):
    """Shown by the real numbers that the stored integers represent; on devices by the integers."""

    def words(self) -> Iterator[str]:
        if has_one_scale(self.value):
            yield f"scale {number(Base.q_scale(self.value))}, zero point {Base.q_zero_point(self.value)}"
        elif has_channels(self.value):
            axis = Base.q_per_channel_axis(self.value)
            yield f"{plural(int(shape_of(self.value)[axis]), 'scale')} along dimension {axis}"
        else:
            yield "no scale yet"

    def stats_words(self) -> list[str]:
        words = super().stats_words()
        if is_read_as_reals(self.value) or isinstance(self.reading(), Unread):
            return words
        return [prefixed("stored ", words[0]), *words[1:]]

    def shown_values(self) -> str | None:
        if shape_of(self.value) or isinstance(self.reading(), Unread):
            return None
        return value_text(listed_values(self.plain()))

    def notes(self) -> Iterable[str]:
        return [] if is_read_as_reals(self.value) else ["statistics are of the stored integers"]

    def fact_rows(self) -> list[list[str]]:
        rows = [["scheme", scheme_of(self.value)], ["scale", ", ".join(self.words())]]
        return [*rows, *super().fact_rows()]

    def rows(self) -> list[Child]:
        rows = []
        if not isinstance(self.reading(), Unread):
            rows.append(Child("int_repr", TensorElements(integers_of(self.value)), ".int_repr()", copied=True))
        if has_channels(self.value):
            for name in ("scales", "zero_points"):
                method = f"q_per_channel_{name}"
                rows.append(Child(name, TensorElements(getattr(Base, method)(self.value)), f".{method}()"))
        return rows

    def read(self) -> Reading:
        return of_quantized(self.value, self.budget.share())

    def elements(self) -> Any:
        return why_no_elements(self.value)

    def composition(self) -> ComposedElements | None:
        return composed_of(self.value)

    def comparable(self) -> Comparable:
        found = super().comparable()
        found.read, found.scale = self._reals, self._scale()
        return found

    def _reals(self) -> Any:
        """The numbers that the integers stand for, written out, or why they are not."""
        if isinstance(self.reading(), Unread):
            return self.elements()
        return reals_of(self.value)

    def _scale(self) -> str:
        """The scale and the zero point with all digits, or along which dimension they are."""
        if has_one_scale(self.value):
            return f"scale {Base.q_scale(self.value)!r}, zero point {Base.q_zero_point(self.value)}"
        if has_channels(self.value):
            return f"{scheme_of(self.value)} along dimension {Base.q_per_channel_axis(self.value)}"
        return "no scale"

    def item(self, key: Any) -> Any:
        if not self.length():
            raise NotStatic("quantized")
        return TensorElements(element(plain(self.value), key))

    def length(self) -> int:
        return super().length() if has_one_scale(self.value) else 0

    def corner(self) -> str | None:
        return super().corner() if has_one_scale(self.value) else None


class _Coded(Form):
    """Codes of other numbers: by what they stand for, and what they take. Their own range would mislead."""

    unread: ClassVar[Unread] = Unread("layout", "codes: the numbers that they stand for are not computed")

    def __init__(self, value: Any, budget: Budget) -> None:
        super().__init__(value, budget)
        self.codes: Any = codes_of(value)

    def head(self) -> Word:
        kind, dtype = self.codes.kind, self.codes.dtype
        known = head(dtype, shape(self.codes.shape), self.where())
        return prefixed(f"{kind} of " if dtype else f"{kind} codes", known)

    def words(self) -> Iterator[str]:
        yield size(self.codes.bytes)

    def read(self) -> Reading:
        return self.unread

    def stats_words(self) -> list[str]:
        return []

    def shown_values(self) -> str | None:
        return None

    def fact_rows(self) -> list[list[str]]:
        return [["stands for", str(self.head())], *super().fact_rows()]


class WrappedCodes(_Coded, Wrapper):
    """Codes in a tensor that another one wraps, beside their scale."""


class StoredCodes(_Coded, SubclassMemory):
    """Codes in the memory of a parameter, with their scale among its attributes."""
