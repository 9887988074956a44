"""The numbers of a value that are kept when the value is gone: its statistics, shape, dtype and device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..measure.stats import Unread
from .kind import Kind
from .registry import as_kind

if TYPE_CHECKING:
    from ..measure.stats import Reading
    from ..protocol import Measurement, NodeAnswer, PinAnswer

_METADATA = ("shape", "dtype", "device")
_STATISTICS = ("mean", "std", "min", "max")


def measurement_of(kind: Kind) -> Measurement | None:
    """The numbers of one value; None of what has none. What its line has read is not read again."""
    number = plain_number(kind.value)
    if number is not None:
        return {"value": number}
    scalar = kind.scalar()
    if scalar is not None:
        return measurement_of(as_kind(scalar, kind.budget))
    if kind.kind not in ("tensor", "array"):
        return None
    form = getattr(kind, "form", None)  # of a tensor; its facts are more than is wanted
    metadata = kind.facts() if form is None else form.metadata()
    found: Any = {name: known for name, known in metadata.items() if name in _METADATA}
    version = None if form is None else form.version()
    if version is not None:
        found["version"] = version
    add_numbers(found, kind.reading())
    return found or None


def add_measurement(answer: PinAnswer | NodeAnswer, kind: Kind | None) -> None:
    """Adds the numbers of a value whose line was put into words. One that can't be measured has said why there."""
    try:
        measurement = None if kind is None else measurement_of(kind)
    except Exception:
        return
    if measurement is not None:
        answer["measurement"] = measurement


def add_numbers(found: Any, reading: Reading | None) -> None:
    """Adds what the statistics say; of one element, the element itself. Of complex ones there are several."""
    if reading is None or isinstance(reading, Unread) or "abs" in reading:
        return
    infinite = reading["pos_inf"] + reading["neg_inf"]
    if reading["count"] == 1 and reading["exact"]:
        special = float("nan") if reading["nan"] else float("inf" if reading["pos_inf"] else "-inf")
        value = special if reading["nan"] or infinite else reading["min"]
        if value is not None:
            found["value"] = value
    else:
        found.update({name: reading[name] for name in _STATISTICS if reading[name] is not None})  # type: ignore[literal-required]
        if reading["mean"] is not None:
            found["mean_error"] = reading["mean_error"]
        if not reading["exact"]:
            found["sampled"] = True
    found["nan"], found["inf"] = reading["nan"], infinite


def plain_number(value: Any) -> int | float | None:
    """A number of Python's own as exactly that; a subclass may have other methods."""
    cls = type(value)
    if issubclass(cls, int):
        return int.__int__(value)
    return float.__float__(value) if issubclass(cls, float) else None
