"""Finds the tensors in a layer's input or output: alone, in containers, in dataclasses and other objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from weakref import ref

from ...kinds import as_kind
from ...kinds.python.containers import NamedTuple
from ...measure.torch.elements import bare, stats_of, version_of
from ...measure.torch.metadata import (
    device_of,
    dtype_name,
    is_any_tensor,
    is_integer,
    is_nested,
    is_tensor,
    shape_of,
    sizes_listed,
)
from ...safe.budget import Budget
from ...safe.guard import class_name, module, plain_str, raw_dict

if TYPE_CHECKING:
    from ...protocol import LayerTensor

torch: Any = module("torch")
_ITEMS = 4096  #: of one container
_VALUES = 10_000  #: in one value
_DEPTH = 5
_KEPT = 64  #: tensors whose numbers are known at one time


class TensorPath:
    """The path of a tensor in an argument: ``typed`` as a user types it, ``name`` from the keys and fields around it.

    The place in a list, or under a number in a dict, is told only below such a name: the order of shapes tells it
    elsewhere.
    """

    __slots__ = ("name", "typed")

    def __init__(self, typed: str = "", name: str = "") -> None:
        self.typed = typed
        self.name = name

    def item(self, at: int) -> TensorPath:
        return TensorPath(f"{self.typed}[{at}]", self.name and f"{self.name}[{at}]")

    def entry(self, key: Any) -> TensorPath:
        if type(key) is int:
            return self.item(key)
        known = plain_str(key) if issubclass(type(key), str) else ""
        return TensorPath(f"{self.typed}[{known!r}]" if known else f"{self.typed}[…]", self._below(known))

    def field(self, name: str, at: int | None = None) -> TensorPath:
        """The path to an attribute of an object, or to a field of a named tuple, which stands ``at`` a place too."""
        return TensorPath(f"{self.typed}.{name}" if at is None else f"{self.typed}[{at}]", self._below(name))

    def _below(self, name: str) -> str:
        return f"{self.name}.{name}" if self.name and name else self.name or name


def tensors_in(value: Any, around: TensorPath) -> list[tuple[TensorPath, Any]]:
    """The tensors in a value with their paths, among its first `_VALUES` parts."""
    found: list[tuple[TensorPath, Any]] = []
    waiting: list[tuple[TensorPath, Any, int]] = [(around, value, 0)]
    seen: set[int] = set()
    count = 0
    while waiting and count < _VALUES:
        path, one, depth = waiting.pop()
        count += 1
        if is_any_tensor(one):
            found.append((path, one))
        elif depth < _DEPTH and id(one) not in seen:
            seen.add(id(one))
            waiting.extend(reversed([(below, item, depth + 1) for below, item in _items(path, one)]))
    return found


def _items(path: TensorPath, value: Any) -> Iterator[tuple[TensorPath, Any]]:
    cls = type(value)
    if issubclass(cls, (list, tuple)):
        base: Any = list if issubclass(cls, list) else tuple
        fields = () if cls is list or cls is tuple else _fields(value)
        for at, item in enumerate(base.__getitem__(value, slice(_ITEMS))):
            yield path.field(fields[at], at) if at < len(fields) else path.item(at), item
    elif issubclass(cls, dict):
        for key, item in list(dict.items(value))[:_ITEMS]:
            yield path.entry(key), item
    elif not issubclass(cls, (str, bytes, type, torch.nn.Module)):
        for name, item in list(raw_dict(value).items())[:_ITEMS]:
            if type(name) is str:
                yield path.field(name), item


def _fields(value: Any) -> tuple[str, ...]:
    """The fields of a named tuple, also of one of C, as ``torch.topk`` returns it; none of other values."""
    kind: Any = as_kind(value, Budget(reads=False))
    return kind.fields() if issubclass(type(kind), NamedTuple) else ()


class ValueRange:
    """The lowest and the highest finite value of a tensor, and how many elements are NaN, and infinite."""

    __slots__ = ("high", "inf", "low", "nan")

    def __init__(self, low: Any, high: Any, nan: int = 0, inf: int = 0) -> None:
        self.low = low
        self.high = high
        self.nan = nan
        self.inf = inf


class ValueRanges:
    """The ranges of tensors, each read once as long as it lives and is not modified."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, int, ValueRange | None]] = {}

    def of(self, value: Any) -> ValueRange | None:
        known, version = self._known.get(id(value)), version_of(value)
        if known is not None and known[0]() is value and known[1] == version:
            return known[2]
        if len(self._known) >= _KEPT:
            self._known.clear()
        found = _read(value)
        self._known[id(value)] = ref(value), version, found
        return found


def _read(value: Any) -> ValueRange | None:
    values = bare(value)
    if values is None or not values.numel() or values.dtype.is_complex:
        return None
    try:
        low, high = torch.stack(torch.aminmax(values)).tolist()
    except (RuntimeError, NotImplementedError):  # of a dtype without an order of its own
        return _counted(value)
    if is_integer(values.dtype) or values.dtype is torch.bool:
        return ValueRange(int(low), int(high))
    return ValueRange(low, high) if low - low == 0 == high - high else _counted(value)


def _counted(value: Any) -> ValueRange | None:
    found = stats_of(value, Budget())
    if found is None:
        return None
    return ValueRange(found["min"], found["max"], int(found["nan"]), int(found["pos_inf"]) + int(found["neg_inf"]))


def tensor_data(path: TensorPath, value: Any, numbers: ValueRange | None) -> LayerTensor:
    """A tensor as data; of one whose class computes even its shape, only the class. A nested one has no shape."""
    known = is_tensor(value) and not is_nested(value)
    dtype = dtype_name(value) if is_tensor(value) else class_name(type(value))
    return {
        "place": path.typed,
        "name": path.name,
        "shape": sizes_listed(shape_of(value)) if known else None,
        "dtype": dtype if known or not is_tensor(value) else f"nested {dtype}",
        "device": str(device_of(value)) if is_tensor(value) else "",
        "low": None if numbers is None else numbers.low,
        "high": None if numbers is None else numbers.high,
        "nan": 0 if numbers is None else numbers.nan,
        "inf": 0 if numbers is None else numbers.inf,
    }
