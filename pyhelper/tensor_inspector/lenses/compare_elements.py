"""How the elements of two tensors, arrays or columns differ: in plain memory, under masks, quantized, sparse."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ..kinds import Kind, look
from ..kinds.numpy.contents import Raw
from ..measure.stats import Unread
from ..measure.stats.difference import difference
from ..safe.budget import Budget
from ..safe.guard import module
from ..words.text import count, number, shape
from .compare_atoms import Tolerance, signed
from .compare_sparse import PARTS, difference_of, layout, stored
from .comparison import Note
from .identity import layout_of

if TYPE_CHECKING:
    from ..measure.stats.difference import ValueDifference

ELEMENTS = ("values", "data", "components")  #: rows of a sparse or nested value that are no indices
#: Rows that a comparison of the elements tells already.
_LINKED = ("stats", "base", "grad_fn")
_TOLD = (*_LINKED, "values", "mask", "_masked_data", "_masked_mask")
_INTEGERS = ("int_repr", "scales", "zero_points")  #: and those of a quantized tensor
_DEQUANTIZED = 1 << 24  #: elements of such a tensor up to which they are written out
_DATES = ("datetime64", "timedelta64", "period")


class Compared:
    """What comparing elements has told, and which rows of the two then say nothing new; None where all do."""

    __slots__ = ("complete", "counted", "exact", "notes", "told")

    def __init__(
        self,
        notes: list[Note],
        told: tuple[str, ...] | None = (),
        counted: bool = True,
        complete: bool = True,
        exact: bool = False,
    ) -> None:
        self.notes = notes
        self.told = told
        self.counted = counted  #: as one value
        self.complete = complete
        self.exact = exact  #: the rows left hold indices, to which no tolerance applies


class _Side:
    """What stands for the elements of one of the two."""

    __slots__ = ("absent", "dtype", "elements", "mask", "tick")

    def __init__(self, elements: Any, dtype: str, mask: Any = None, absent: str = "", tick: Any = None) -> None:
        self.elements = elements
        self.dtype = dtype
        self.mask = mask
        self.absent = absent  #: what is said of an element that the mask hides
        self.tick = tick  #: a date or span of time that an integer stands for, as text


def compare_elements(a: Kind, b: Kind, budget: Budget, tolerance: Tolerance) -> Compared:
    """How the elements differ; with no notes and all rows left to compare where there are none."""
    alone = a.kind != b.kind or not (a.contains and b.contains)  # as parts that were taken out
    a, b = (getattr(kind, "of", kind) if kind.kind == "tensor" else kind for kind in (a, b))  # what a part is of
    if a.composed or b.composed:
        return _by_place(a, b, budget, tolerance)
    if a.form == b.form == "quantized":
        return _quantized(a, b, budget, tolerance)
    one, other = _side(a), _side(b)
    if one is None or other is None:
        return _by_rows(a, b)
    told: tuple[str, ...] | None = None if alone else (*_TOLD, *_INTEGERS)
    if isinstance(one, Unread) or isinstance(other, Unread):
        why = one.text if isinstance(one, Unread) else other.text if isinstance(other, Unread) else ""
        told = None if alone else _TOLD
        return Compared([Note("not compared", f"not compared: {why}")], told)
    notes, complete = _dense(one, other, budget, tolerance)
    return Compared(notes, told, complete=complete)


def told_of(values: ValueDifference, tick: Any = None) -> str:
    words = [f"{count(values['different'])} of {count(values['read'])} differ"]
    if tick is not None:
        return f"{words[0]}: {tick(values['a'])} → {tick(values['b'])} at {shape(values['at'] or [])}"
    if values["nan_in_one"]:
        words.append(f"{count(values['nan_in_one'])} NaN in one only")
    if values["max_abs"]:
        relative = f", {number(100 * values['max_rel'], 3)}% relative" if values["max_rel"] else ""
        words.append(f"|Δ| up to {number(values['max_abs'])}{relative}")
    pair = tuple(map(_value, (values["a"], values["b"])))
    was, now = pair if pair[0] != pair[1] else (signed(repr(values["a"])), signed(repr(values["b"])))
    return f"{', '.join(words)}: {was} → {now} at {shape(values['at'] or [])}"


def _value(value: Any) -> str:
    return number(value, 6) if type(value) is float else signed(str(value))


def _side(kind: Kind) -> _Side | Unread | None:
    if kind.form == "masked":
        return _kept(kind)
    contents = getattr(kind, "contents", None)
    under = getattr(contents, "under", None)
    told: Any = contents if under is None else under
    elements = (
        _dequantized(kind) if kind.form == "quantized" else kind.elements() if under is None else under.elements()
    )
    if isinstance(elements, Unread) and _is_raw(told) and under is None:
        elements = _bytes_of(told.array)
    if elements is None or isinstance(elements, Unread):
        return elements
    if contents is None:
        return _Side(elements, _dtype(kind) if kind.form == "quantized" else str(elements.dtype).replace("torch.", ""))
    mask, absent = (None, "") if under is None else (contents.mask, contents.absent)
    return _Side(elements, contents.dtype(), mask, absent, getattr(told, "tick", None))


def _is_raw(contents: Any) -> bool:
    return isinstance(contents, Raw) and contents.array.dtype.char == "V" and contents.array.dtype.itemsize > 0


def _bytes_of(array: Any) -> Any:
    """The bytes of elements without a meaning, along one more dimension."""
    size = array.dtype.itemsize
    return array.view(module("numpy").dtype({"names": ["bytes"], "formats": [("u1", (size,))]}))["bytes"]


def _dense(a: _Side, b: _Side, budget: Budget, tolerance: Tolerance) -> tuple[list[Note], bool]:
    """The differences, and whether all elements were read."""
    notes = _unlike(a.dtype, b.dtype, getattr(a.elements, "dtype", None), getattr(b.elements, "dtype", None))
    if a.dtype != b.dtype and a.dtype.startswith("V") and b.dtype.startswith("V"):  # bytes, but not as many
        return notes, True
    devices = [str(getattr(side.elements, "device", "cpu")) for side in (a, b)]
    if devices[0] != devices[1]:
        notes.append(Note("device", f"device {devices[0]} → {devices[1]}"))
    sizes = [tuple(side.elements.shape) for side in (a, b)]
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
            absent = a.absent or b.absent
            words = f"{count(hidden['different'])} of {count(hidden['read'])} {absent} in one only"
            notes.append(Note("masked", f"{words}, first at {shape(hidden['at'] or [])}", hidden))
    found = difference(a.elements, b.elements, budget, rtol=tolerance.rtol, atol=tolerance.atol, masks=masks)
    notes += _values(found, a.tick and b.tick)
    return notes, _is_complete(found, budget)


def _values(found: ValueDifference | Unread, tick: Any = None) -> list[Note]:
    if isinstance(found, Unread):
        return [Note("not compared", found.text)]
    return [Note("values", told_of(found, tick), found)] if found["different"] else []


def _is_complete(found: ValueDifference | Unread, budget: Budget) -> bool:
    """Whether the time did not end it: what is not read for another why is said."""
    return not budget.spent() if isinstance(found, Unread) else found["read"] == found["count"]


def _by_rows(a: Kind, b: Kind) -> Compared:
    """Of values that have no numbers for elements; of arrays of strings and the like, what their rows do not tell."""
    one, other = (getattr(kind, "contents", None) for kind in (a, b))
    if one is None or other is None:
        return Compared([], counted=False)
    masked = getattr(one, "mask", None) is not None or getattr(other, "mask", None) is not None
    told = ("base", "mask") if masked else ("base",)
    ndarray = module("numpy").ndarray if module("numpy") is not None else None
    dtypes = [contents.array.dtype if type(contents.array) is ndarray else None for contents in (one, other)]
    if "structured" in (one.dtype(), other.dtype()):
        return Compared(_laid_out(*dtypes), told, False)
    return Compared(_unlike(one.dtype(), other.dtype(), *dtypes), told, False)


def _laid_out(was: Any, now: Any) -> list[Note]:
    """Where the fields of records lie, which their rows do not tell."""
    if any(dtype is None or dtype.names is None for dtype in (was, now)) or {*was.names} != {*now.names}:
        return []
    one, other = layout_of(was), layout_of(now)
    texts = [f"{name} {one[name]} → {other[name]}" for name in one if one[name] != other[name]]
    return [Note("dtype", ", ".join(texts))] if texts else []


def _unlike(was: str, now: str, *dtypes: Any) -> list[Note]:
    """Unlike dtypes by name, and by the order of the bytes, which the names do not tell."""
    texts = [f"dtype {was} → {now}"] if was != now else []
    orders = [_byte_order(dtype) for dtype in dtypes]
    if orders and None not in orders and orders[0] != orders[1]:
        texts.append(f"byte order {orders[0]} → {orders[1]}")
    return [Note("dtype", ", ".join(texts))] if texts else []


def _byte_order(dtype: Any) -> str | None:
    """None where it plays no part."""
    order = getattr(dtype, "byteorder", "=" if dtype is not None else "|")
    return None if order == "|" else {"<": "little", ">": "big"}.get(order, sys.byteorder) + "-endian"


def _dtype(kind: Any) -> str:
    """The name of a tensor's dtype."""
    return str(kind.storage.dtype())


def _by_place(a: Kind, b: Kind, budget: Budget, tolerance: Tolerance) -> Compared:
    """Of which one is sparse, or nested."""
    layouts, sizes = (layout(a), layout(b)), [_sizes(kind) for kind in (a, b)]
    named = a.kind == b.kind and a.type_name() != b.type_name()  # as csr_array and csc_array are
    notes = [] if layouts[0] == layouts[1] or named else [Note("layout", f"layout {layouts[0]} → {layouts[1]}")]
    if sizes[0] != sizes[1]:
        return Compared([*notes, Note("shape", f"shape {shape(sizes[0])} → {shape(sizes[1])}")], None)
    whole = sizes[0]
    one, other = (stored(kind, whole, budget) for kind in (a, b))
    if isinstance(one, Unread) or isinstance(other, Unread):
        if a.composed and b.composed and layouts[0] == layouts[1]:
            return Compared([], _LINKED, False, exact=True)
        why = one.text if isinstance(one, Unread) else other.text if isinstance(other, Unread) else ""
        return Compared([*notes, Note("not compared", f"not compared: {why}")], None)
    if layouts[0] == layouts[1] and one.is_at(other):
        return Compared(notes, _LINKED, False)
    dtypes = [str(side.values.dtype).replace("torch.", "") for side in (one, other)]
    notes += _unlike(*dtypes)
    found = difference_of(one, other, whole, budget, tolerance)
    notes += _values(found)
    differ = not isinstance(found, Unread) and found["different"]
    if a.composed and b.composed and len(one.places) != len(other.places) and not differ:
        notes.append(Note("value", f"stored {count(len(one.places))} → {count(len(other.places))}"))
    complete = _is_complete(found, budget)
    told = (*_TOLD, *PARTS) if a.kind == b.kind else None
    return Compared(notes, told, complete=complete)


def _sizes(kind: Any) -> tuple[Any, ...]:
    if kind.kind == "tensor":
        return tuple(size if type(size) is int else "*" for size in kind.storage.listed_sizes())
    return tuple(kind.sizes if kind.composed else getattr(kind.elements(), "shape", ()))


def _kept(kind: Any) -> _Side | Unread:
    """Of a masked tensor of torch, whose mask says what is there."""
    data, mask = (look(kind.storage.own(name), kind.budget).elements() for name in ("_masked_data", "_masked_mask"))
    for part in (data, mask):
        if part is None or isinstance(part, Unread):
            return part or Unread("dtype", "its parts are no tensors")
    return _Side(data, str(data.dtype).replace("torch.", ""), ~mask, "masked")


def _quantized(a: Kind, b: Kind, budget: Budget, tolerance: Tolerance) -> Compared:
    """By their integers where these stand for the same numbers, else by the numbers."""
    sizes = [_sizes(kind) for kind in (a, b)]
    notes = _unlike(_dtype(a), _dtype(b))
    if sizes[0] != sizes[1]:
        return Compared([*notes, Note("shape", f"shape {shape(sizes[0])} → {shape(sizes[1])}")], None)
    scales = [_scale(kind) for kind in (a, b)]
    if scales[0] != scales[1]:
        notes.append(Note("scale", f"{scales[0]} → {scales[1]}"))
    held = [{child.name for child in kind.children(0, 100)} for kind in (a, b)]
    if not notes and not (tolerance.rtol or tolerance.atol) and all("int_repr" in names for names in held):
        return Compared(notes, _TOLD, False)
    one, other = (_dequantized(kind) for kind in (a, b))
    unread = next((side for side in (one, other) if isinstance(side, Unread)), None)
    found = unread or difference(one, other, budget, rtol=tolerance.rtol, atol=tolerance.atol)
    complete = _is_complete(found, budget)
    return Compared([*notes, *_values(found)], (*_TOLD, *_INTEGERS), complete=complete)


def _scale(kind: Kind) -> str:
    from ..measure.torch.metadata import Base

    value: Any = kind.value
    try:
        scheme = str(Base.qscheme(value)).replace("torch.", "")
    except RuntimeError:  # made with a quantized dtype alone
        return "no scale"
    if scheme.startswith("per_tensor"):
        return f"scale {Base.q_scale(value)!r}, zero point {Base.q_zero_point(value)}"
    return f"{scheme} along dimension {Base.q_per_channel_axis(value)}"


def _dequantized(kind: Any) -> Any:
    """The numbers that the integers stand for, written out."""
    from ..measure.torch.metadata import Base, plain

    integers = next((child.value for child in kind.storage.rows() if child.name == "int_repr"), None)
    if integers is None or isinstance(look(integers, kind.budget).elements(), Unread):
        return Unread("layout", "quantized")
    if Base.numel(kind.value) > _DEQUANTIZED:
        return Unread("too_many", "quantized: more than are written out")
    return Base.dequantize(plain(kind.value))
