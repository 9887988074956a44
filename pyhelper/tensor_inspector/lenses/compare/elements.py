"""Compares the elements of two tensors, arrays or columns: plain, masked, quantized, sparse."""

from __future__ import annotations

import sys
from math import inf, prod
from typing import TYPE_CHECKING, Any

from ...kinds import Kind, as_kind
from ...measure.comparable import Comparable
from ...measure.stats import Unread
from ...measure.stats.difference import PartialDifference, difference
from ...safe.budget import Budget
from ...safe.record import Record
from ...safe.torch_name import torch_name
from ...words.text import count, number, shape
from .atoms import Tolerance, signed
from .comparison import Note
from .identity import layout_of
from .sparse import PARTS, difference_of, stored

if TYPE_CHECKING:
    from ...measure.stats.block_difference import ValueDifference
    from ...protocol import Relation

ELEMENTS = ("values", "data", "components", "local")  #: rows of a sparse, nested or sharded value that are no indices
#: Rows that repeat what the comparison of the elements says.
_LINKED = ("stats", "base", "grad_fn")
_COVERED = (*_LINKED, "values", "mask", "_masked_data", "_masked_mask")
_INTEGERS = ("int_repr", "scales", "zero_points")  #: and those of a quantized tensor
_DATES = ("datetime64", "timedelta64", "period")


class Compared(Record):
    """The difference of the elements, and which rows of the two say nothing new after it; None: all of them do."""

    notes: list[Note]
    covered: tuple[str, ...] | None = ()
    counted: bool = True  #: as one value
    complete: bool = True
    exact: bool = False  #: the rows left hold indices, to which no tolerance applies


def compare_elements(
    a: Kind, b: Kind, budget: Budget, tolerance: Tolerance, partial: PartialDifference | None = None
) -> Compared:
    """How the elements differ; with no notes and all rows left to compare where there are none.

    Those in plain memory are compared from where the ``partial`` of an earlier call ended.
    """
    one, other = a.comparable(), b.comparable()
    if one is None or other is None:
        return Compared([], counted=False)
    if one.composed is not other.composed:
        whole = _gathered(a, budget), _gathered(b, budget)
        if whole != (a, b):
            found = compare_elements(*whole, budget, tolerance, partial)
            return Compared(found.notes, None, complete=found.complete)
    if one.composed or other.composed:
        return _by_position((a, one), (b, other), budget, tolerance)
    taken_out = a.kind != b.kind or not (a.contains and b.contains)  # their rows are elements
    if one.scale is not None and other.scale is not None:
        has_integers = not any(isinstance(kind.reading(), Unread) for kind in (a, b))
        return _quantized(one, other, has_integers, budget, tolerance)
    read = one.read(), other.read()
    unread = next((elements for elements in read if isinstance(elements, Unread)), None)
    if read[0] is None or read[1] is None:
        return _by_rows(one, other)
    if unread is not None:
        covered = None if taken_out else _COVERED
        notes = [*_of_metadata((a, one), (b, other)), Note("not compared", f"not compared: {unread.text}")]
        return Compared(notes, covered)
    notes, complete = _dense(one, other, read, budget, tolerance, partial)
    return Compared(notes, None if taken_out else (*_COVERED, *_INTEGERS), complete=complete)


def _gathered(kind: Kind, budget: Budget) -> Kind:
    """In place of a distributed tensor the one that it holds, where that is all of it."""
    if kind.kind != "tensor":
        return kind
    from .fsdp import gathered  # only where torch is loaded

    whole = gathered(kind.value)
    return kind if whole is kind.value else as_kind(whole, budget)


def _difference_text(values: ValueDifference, tick: Any) -> str:
    """How many elements of two arrays differ, by how much, and the two that are farthest apart, with their indices.

    ``tick`` makes a text of an element that stands for something else, as a date; then no amount is told.
    """
    words = [f"{count(values['different'])} of {count(values['read'])} differ"]
    if tick is not None:
        return f"{words[0]}: {tick(values['a'])} → {tick(values['b'])}{_at(values)}"
    if not values["apart"]:
        words.append("all close")
    if values["nan_in_one"]:
        words.append(f"{count(values['nan_in_one'])} NaN in one only")
    if values["max_abs"]:
        has_share = values["apart"] and 0 < values["relative"] < inf
        relative = f", {number(100 * values['relative'], 3)}% relative" if has_share else ""
        words.append(f"|Δ| up to {number(values['max_abs'])}{relative}")
    return f"{', '.join(words)}: {_pair(values['a'], values['b'])}{_at(values)}"


def _at(values: ValueDifference) -> str:
    """Where the farthest are; nothing where there is one element."""
    return f" at {shape(values['at'])}" if values["at"] else ""


def _pair(was: Any, now: Any) -> str:
    """Two numbers with enough digits to differ; all digits where an integer is compared with a whole float."""
    if int in (type(was), type(now)) and _is_whole(was) and _is_whole(now):
        return " → ".join(signed(str(int(value))) for value in (was, now))
    texts = (tuple(_value(value, digits) for value in (was, now)) for digits in (6, 9))
    distinct = next((pair for pair in texts if pair[0] != pair[1]), None)
    return " → ".join(distinct or (signed(repr(was)), signed(repr(now))))


def _is_whole(value: Any) -> bool:
    """Whether it is an integer, or a floating-point number as large as one of 64 bits may be."""
    return type(value) is int or (type(value) is float and value % 1 == 0 and abs(value) <= 1 << 64)


def _value(value: Any, digits: int) -> str:
    return number(value, digits) if type(value) is float else signed(str(value))


def _dense(
    a: Comparable,
    b: Comparable,
    read: tuple[Any, Any],
    budget: Budget,
    tolerance: Tolerance,
    partial: PartialDifference | None,
) -> tuple[list[Note], bool]:
    """The differences, and whether all elements were read."""
    notes = _unlike(a.dtype, b.dtype, *(elements.dtype for elements in read))
    if a.dtype != b.dtype and a.dtype.startswith("V") and b.dtype.startswith("V"):  # bytes, but not as many
        return notes, True
    devices = [str(getattr(elements, "device", "cpu")) for elements in read]  # arrays have none before numpy 2
    if devices[0] != devices[1]:
        notes.append(Note("device", f"device {devices[0]} → {devices[1]}"))
    sizes = [tuple(elements.shape) for elements in read]
    if sizes[0] != sizes[1]:
        return [*notes, Note("shape", f"shape {shape(sizes[0])} → {shape(sizes[1])}")], True
    if a.dtype != b.dtype and (a.dtype.startswith(_DATES) or b.dtype.startswith(_DATES)):
        return [*notes, Note("not compared", "not compared: dates of unlike dtypes")], True
    masks: tuple[Any, ...] = ()
    if a.mask is not None or b.mask is not None:
        known = a.mask if a.mask is not None else b.mask
        nothing = known ^ known
        masks = tuple(nothing if side.mask is None else side.mask for side in (a, b))
        hidden = difference(masks[0], masks[1], budget)
        if not isinstance(hidden, Unread) and hidden["different"]:
            absent = a.absent if a.mask is not None else b.absent
            words = f"{count(hidden['different'])} of {count(hidden['read'])} {absent} in one only"
            notes.append(Note("masked", f"{words}, first{_at(hidden)}", hidden))
    found = difference(*read, budget, rtol=tolerance.rtol, atol=tolerance.atol, masks=masks, partial=partial)
    notes += _values(found, a.tick and b.tick)
    complete = _is_complete(found, budget)
    if complete and [note.what for note in notes] == ["dtype"] and a.dtype != b.dtype:
        amount = prod(sizes[0])
        relation: Relation = {"how": "dtype", "close": False, "read": amount, "count": amount}
        notes = [Note("dtype", f"equal but for the {notes[0].text}", relation=relation)]
    return notes, complete


def _of_metadata(a: tuple[Kind, Comparable], b: tuple[Kind, Comparable]) -> list[Note]:
    """What is known of elements that can't be read."""
    (kind, left), (other, right) = a, b
    notes = _unlike(left.dtype, right.dtype) if left.dtype and right.dtype else []
    if left.dtype and right.dtype and left.sizes != right.sizes:
        notes.append(_unlike_shapes(left, right))
    devices = [device(kind), device(other)]
    return [*notes, Note("device", f"device {devices[0]} → {devices[1]}")] if devices[0] != devices[1] else notes


def device(kind: Kind) -> str:
    """The device of a value; ``cpu`` for an array, and for what can't be asked."""
    if kind.kind != "tensor":
        return "cpu"
    from ...measure.torch.metadata import device_name, is_tensor  # only where torch is loaded

    return device_name(kind.value) if is_tensor(kind.value) else "cpu"


def _values(found: ValueDifference | Unread, tick: Any = None) -> list[Note]:
    if isinstance(found, Unread):
        return [Note("not compared", found.text)]
    if not found["different"]:
        return []
    return [Note("values", _difference_text(found, tick), found, nan=found["nan_in_one"] > 0)]


def _is_complete(found: ValueDifference | Unread, budget: Budget) -> bool:
    """False where the time ran out. Elements left out for another reason are named as such."""
    return not budget.spent() if isinstance(found, Unread) else found["read"] == found["count"]


def _by_rows(a: Comparable, b: Comparable) -> Compared:
    """Differences of string arrays and the like that are not among their rows."""
    covered = ("base",) if a.mask is None and b.mask is None else ("base", "mask")
    dtypes = [None if side.array is None else side.array.dtype for side in (a, b)]
    if "structured" in (a.dtype, b.dtype):
        return Compared(_laid_out(*dtypes), covered, False)
    return Compared(_unlike(a.dtype, b.dtype, *dtypes), covered, False)


def _laid_out(was: Any, now: Any) -> list[Note]:
    """Differences in the offsets of record fields, which are not among their rows."""
    if any(dtype is None or dtype.names is None for dtype in (was, now)) or {*was.names} != {*now.names}:
        return []
    one, other = layout_of(was), layout_of(now)
    texts = [f"{name} {one[name]} → {other[name]}" for name in one if one[name] != other[name]]
    return [Note("dtype", ", ".join(texts))] if texts else []


def _unlike(was: str, now: str, *dtypes: Any) -> list[Note]:
    """Two different dtypes by their names and byte orders."""
    texts = [f"dtype {was} → {now}"] if was != now else []
    orders = [_byte_order(dtype) for dtype in dtypes]
    if orders and None not in orders and orders[0] != orders[1]:
        texts.append(f"byte order {orders[0]} → {orders[1]}")
    return [Note("dtype", ", ".join(texts))] if texts else []


def _byte_order(dtype: Any) -> str | None:
    """None where it plays no part."""
    order = getattr(dtype, "byteorder", "=" if dtype is not None else "|")
    return None if order == "|" else {"<": "little", ">": "big"}.get(order, sys.byteorder) + "-endian"


def _by_position(
    a: tuple[Kind, Comparable], b: tuple[Kind, Comparable], budget: Budget, tolerance: Tolerance
) -> Compared:
    """Compares elements by their positions, where one side is sparse or nested."""
    (kind, left), (other_kind, right) = a, b
    same_layout, same_kind = left.layout == right.layout, kind.kind == other_kind.kind
    named = same_kind and kind.type_name() != other_kind.type_name()  # as csr_array and csc_array are
    notes = [] if same_layout or named else [Note("layout", f"layout {left.layout} → {right.layout}")]
    if left.sizes != right.sizes:
        return Compared([*notes, _unlike_shapes(left, right)], None)
    whole, both_composed = left.sizes, left.composed and right.composed
    one, other = (stored(*side, budget) for side in (a, b))
    if isinstance(one, Unread) or isinstance(other, Unread):
        if both_composed and same_layout:
            return Compared([], _LINKED, False, exact=True)
        unread = next(side for side in (one, other) if isinstance(side, Unread))
        return Compared([*notes, Note("not compared", f"not compared: {unread.text}")], None)
    if same_layout and one.is_at(other):
        return Compared(notes, _LINKED, False)
    dtypes = [torch_name(side.values.dtype) for side in (one, other)]
    notes += _unlike(*dtypes)
    found = difference_of(one, other, whole, budget, tolerance)
    notes += _values(found)
    differ = not isinstance(found, Unread) and found["different"]
    if both_composed and len(one.positions) != len(other.positions) and not differ:
        notes.append(Note("value", f"stored {count(len(one.positions))} → {count(len(other.positions))}"))
    complete = _is_complete(found, budget)
    covered = (*_COVERED, *PARTS) if same_kind else None
    return Compared(notes, covered, complete=complete)


def _quantized(a: Comparable, b: Comparable, has_integers: bool, budget: Budget, tolerance: Tolerance) -> Compared:
    """By their integers where these stand for the same numbers, else by the numbers. ``has_integers``: as rows."""
    notes = _unlike(a.dtype, b.dtype)
    if a.sizes != b.sizes:
        return Compared([*notes, _unlike_shapes(a, b)], None)
    if a.scale != b.scale:
        notes.append(Note("scale", f"{a.scale} → {b.scale}"))
    if not notes and not (tolerance.rtol or tolerance.atol) and has_integers:
        return Compared(notes, _COVERED, False)
    one, other = a.read(), b.read()
    unread = next((side for side in (one, other) if isinstance(side, Unread)), None)
    found = unread or difference(one, other, budget, rtol=tolerance.rtol, atol=tolerance.atol)
    complete = _is_complete(found, budget)
    return Compared([*notes, *_values(found)], (*_COVERED, *_INTEGERS), complete=complete)


def _unlike_shapes(a: Comparable, b: Comparable) -> Note:
    return Note("shape", f"shape {shape(a.sizes)} → {shape(b.sizes)}")
