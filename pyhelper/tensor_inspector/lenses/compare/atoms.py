"""Compares two values with nothing inside, and says how they differ."""

from __future__ import annotations

from math import inf, isfinite
from types import CodeType
from typing import Any

from ...kinds import Kind, TextRow
from ...kinds.python.containers import Container
from ...measure.stats import Unread
from ...measure.stats.difference import difference
from ...safe.budget import Budget
from ...safe.guard import Classes, class_name, module
from ...safe.record import Record
from ...words.text import integer
from .identity import same_code, same_value, text_of

_READ_ALIKE = Classes(str, bytes)

_EXACT = (int, str, bytes, bytearray)  #: compared by these classes' own equality
_TEXTS = ((str, "character"), (bytes, "byte"), (bytearray, "byte"))
_LONG = 60  #: of such a text, from where on only what surrounds the first difference is shown
_BEFORE, _AFTER = 20, 30  #: how much of that is
_PIECE = 4096


class Tolerance(Record):
    """How far apart two numbers may be to count as equal: ``atol + rtol·|b|``."""

    rtol: float = 0.0
    atol: float = 0.0

    def holds(self, one: Any, other: Any) -> bool:
        """Whether two exact floats or complex numbers are close; NaN is close to NaN, an infinity to itself."""
        parts = ((one.real, other.real), (one.imag, other.imag))
        if all(a == b or (a != a and b != b) for a, b in parts):
            return True
        if not all(isfinite(part) for pair in parts for part in pair):
            return False
        try:
            return bool(abs(one - other) <= self.atol + self.rtol * abs(other))
        except OverflowError:  # of a complex number's magnitude
            return False

    def holds_whole(self, one: int, other: int) -> bool:
        """Whether two integers are close, which may be beyond the floats."""
        try:
            return abs(one - other) <= self.atol + (self.rtol * abs(other) if self.rtol else 0)
        except OverflowError:
            return False


def amount(name: str, value: Any) -> float:
    """An option that is a number from 0 up, or an error that says what it is instead."""
    if type(value) is bool or not (hasattr(type(value), "__float__") or hasattr(type(value), "__index__")):
        raise TypeError(f"{name} must be a number, not {class_name(type(value))}")
    try:
        found = float(value)
    except OverflowError:  # of an int beyond the floats
        found = inf if value > 0 else -inf
    if not found >= 0:
        raise ValueError(f"{name} must be at least 0, not {value}")
    if found == inf:
        raise ValueError(f"{name} must be finite, not {value}")
    return found


def alike(a: Kind, b: Kind, tolerance: Tolerance) -> bool | None:
    """Whether two values with nothing below them are equal; None where only their lines can be compared."""
    one, other = a.value, b.value
    if one is other:
        return True
    if type(one) is TextRow and type(other) is TextRow:
        return _alike_texts(one, other)
    for base in (float, complex):
        if issubclass(type(one), base) and issubclass(type(other), base):
            return tolerance.holds(base.__pos__(one), base.__pos__(other))
    if type(one) is int and type(other) is int:
        return one == other or tolerance.holds_whole(one, other)
    if type(one) is CodeType and type(other) is CodeType:
        return same_code(one, other)
    if issubclass(type(one), type) and issubclass(type(other), type):
        return False
    for exact in _EXACT:
        if issubclass(type(one), exact) and issubclass(type(other), exact):
            return bool(exact.__eq__(one, other))
    scalars = a.scalar(), b.scalar()
    if scalars[0] is not None and scalars[1] is not None:  # NaT would equal None
        return _alike_scalars(*scalars, tolerance)
    if isinstance(a, Container) and isinstance(b, Container):
        return True  # with nothing in either; their marks are compared before
    return _alike_arrays(a, b) if a.kind == b.kind == "array" else same_value(one, other)


def nan_in_one(a: Kind, b: Kind) -> bool:
    """Whether of two plain numbers one is NaN."""
    return ("nan" in a.badges()) is not ("nan" in b.badges())


def read_alike(a: Kind, b: Kind) -> bool:
    """Whether two values have the same line, for values without data to compare. A comparison counts these."""
    return a.line() == b.line()


def _alike_texts(one: TextRow, other: TextRow) -> bool | None:
    """Whether two elements, such as dates, are equal by their texts; None where a text may be cut short."""
    return True if one.text == other.text and "…" not in one.text else None


def differing(a: Kind, b: Kind) -> str:
    """Both in words; of long texts what surrounds their first difference."""
    for base, unit in _TEXTS:
        if issubclass(type(a.value), base) and issubclass(type(b.value), base):
            lengths = base.__len__(a.value), base.__len__(b.value)
            if max(lengths) > _LONG:
                return _first_difference(base, unit, a.value, b.value, lengths)
    text = f"{a.line()} → {b.line()}"
    if not read_alike(a, b):
        return text
    if issubclass(type(b.value), type):
        return f"{text}, another class of this name"
    if type(b.value) is CodeType:
        return f"{text}, other code"
    if issubclass(type(a.value), int) and issubclass(type(b.value), int):
        by = int.__sub__(b.value, a.value)
        return f"{text}, by {signed(integer(by))}"
    scalars = a.scalar(), b.scalar()
    if scalars[0] is not None and scalars[1] is not None:
        return " → ".join(signed(repr(scalar.item())) for scalar in scalars)
    written = text_of(a.value), text_of(b.value)
    if max(map(len, written)) > _LONG:
        return _first_difference(str, "character", *written, (len(written[0]), len(written[1])))
    return " → ".join(written) if written[0] != written[1] else text


def signed(text: str) -> str:
    """A number's text with a real minus sign before it."""
    return f"−{text[1:]}" if text[:1] == "-" else text


def _alike_scalars(one: Any, other: Any, tolerance: Tolerance) -> bool | None:
    if one.dtype.newbyteorder("=") != other.dtype.newbyteorder("="):
        return False
    if one.dtype.kind in "Mm":
        one, other = (ticks.view(f"{ticks.dtype.str[0]}i8") for ticks in (one, other))
    if one.dtype.kind not in "biufc":
        return None
    found = difference(one, other, Budget(), rtol=tolerance.rtol, atol=tolerance.atol)
    if not isinstance(found, Unread):
        return not found["different"]
    with module("numpy").errstate(all="ignore"):
        return tolerance.holds(one[()], other[()])  # wider than Python's floats


def _alike_arrays(a: Kind, b: Kind) -> bool | None:
    """Compares string arrays without dimensions or elements; their dtypes are compared before."""
    one, other = a.comparable(), b.comparable()
    if one is None or other is None or any(side.sizes and side.sizes[0] for side in (one, other)):
        return None
    if one.sizes or other.sizes:
        return one.sizes == other.sizes
    if one.array is None or other.array is None:
        return None
    items = [side.array.item() for side in (one, other)]
    return bool(items[0] == items[1]) if all(type(item) in _READ_ALIKE for item in items) else None


def _first_difference(base: Any, unit: str, one: Any, other: Any, lengths: tuple[int, int]) -> str:
    at, end = 0, min(lengths)
    while at < end and _cut(base, one, at, at + _PIECE) == _cut(base, other, at, at + _PIECE):
        at += _PIECE
    pieces = zip(_cut(base, one, at, at + _PIECE), _cut(base, other, at, at + _PIECE))
    at = min(end, at + next((index for index, (a, b) in enumerate(pieces) if a != b), _PIECE))
    start, stop = max(0, at - _BEFORE), at + _AFTER
    shown = []
    for text, length in zip((one, other), lengths):
        cut = _cut(base, text, start, stop)
        word = repr(cut if base is str else bytes(cut))
        shown.append(f"{'…' if start else ''}{word}{'…' if stop < length else ''}")
    unlike = f" · length {lengths[0]:,} → {lengths[1]:,}" if lengths[0] != lengths[1] else ""
    return f"{shown[0]} → {shown[1]} from {unit} {at:,} on{unlike}"


def _cut(base: Any, text: Any, start: int, stop: int) -> Any:
    """A part as the built-in class gives it, whatever a subclass makes of that."""
    return base.__getitem__(text, slice(start, stop))
