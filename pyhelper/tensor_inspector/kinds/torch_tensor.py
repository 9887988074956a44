"""Tensors: dense ones of every dtype by exact statistics, all others by what can be said without reading values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..guard import class_name, full_name, instance_dict, module
from ..protocol import Badge, Facts
from ..stats import Unread, of_tensor
from ..text import joined, listed, plural, shape, size
from .kind import Child, Elements, Kind, NotStatic, Rows, Said, WithRows
from .objects import attributes, brief, other_attributes
from .stats_text import Reading, badges, stats_rows, stats_words
from .tensor_text import corner, element, listed_values, value_text
from .torch_metadata import (
    LOST,
    PLAIN,
    Base,
    base_of,
    byte_count,
    computes_itself,
    device_name,
    dtype_name,
    dtype_of,
    grad_fn_of,
    grad_of,
    hooks_of,
    is_channels_last,
    is_integer,
    is_leaf,
    is_nested,
    layout_of,
    plain,
    requires_grad,
    shape_of,
    why_unread,
)

torch: Any = module("torch")
_VALUES = 10  #: tensors of integers up to this many elements show their values


class Values(Kind):
    """Elements by their values: what a tensor and a part of one have in common."""

    kind = "tensor"
    summarized = True
    rank = 0

    def __init__(self, value: Any, budget: Any) -> None:
        super().__init__(value, budget)
        self.tensor = value
        self._known: Reading | None = None

    def head(self) -> str:
        """``float32[32, 10] cuda:0``: dtype and shape, the device only when it is not the cpu."""
        sizes = " nested" if is_nested(self.tensor) else shape(shape_of(self.tensor))
        device = device_name(self.tensor)
        return f"{dtype_name(self.tensor)}{sizes}" + ("" if device == "cpu" else f" {device}")

    def brief(self) -> str:
        return self.head()

    def line(self) -> str:
        return joined(self._value_words())

    def badges(self) -> list[Badge]:
        return badges(self.reading())

    def reading(self) -> Reading:
        """The statistics, or why there are none. Read once, within a share of the time that is left."""
        if self._known is None:
            reason = why_unread(self.tensor)
            self._known = of_tensor(plain(self.tensor), self.budget.share()) if reason is None else Unread(reason)
        return self._known

    def item(self, key: Any) -> Any:
        reason = why_unread(self.tensor)
        if reason is not None:
            raise NotStatic(reason)
        return TensorElements(element(plain(self.tensor), key))

    def facts(self) -> Facts:
        facts: Facts = {
            "type": full_name(type(self.tensor)),
            "dtype": dtype_name(self.tensor),
            "device": device_name(self.tensor),
            "layout": str(layout_of(self.tensor)).replace("torch.", ""),
        }
        if not is_nested(self.tensor):
            facts["shape"] = [size if type(size) is int else str(size) for size in shape_of(self.tensor)]
        bytes = byte_count(self.tensor)
        if bytes is not None:
            facts["bytes"] = bytes
        reading = self.reading()
        if isinstance(reading, Unread):
            facts["stats"], facts["unread"] = None, reading.reason
        else:
            facts["stats"], facts["values"] = reading, corner(plain(self.tensor))
        if layout_of(self.tensor) is torch.strided and not is_nested(self.tensor):
            facts["strides"] = [stride if type(stride) is int else str(stride) for stride in Base.stride(self.tensor)]
        return facts

    def _value_words(self) -> list[str]:
        shown = self._shown_values()
        if shown is not None:
            return [f"{self.head()} {shown}"]
        return [self.head(), *stats_words(self.reading(), dtype_of(self.tensor) is torch.bool)]

    def _shown_values(self) -> str | None:
        """The values themselves, where they say more than statistics: of a 0-d tensor, and of few integers."""
        if isinstance(self.reading(), Unread):
            return None
        sizes = shape_of(self.tensor)
        if len(sizes) == 0:
            return value_text(listed_values(plain(self.tensor)))
        if len(sizes) == 1 and 0 < sizes[0] <= _VALUES and is_integer(dtype_of(self.tensor)):
            return str(plain(self.tensor).tolist()).replace("-", "−")
        return None

    def _is_open(self) -> bool:
        """Whether there are values to list."""
        return (
            not isinstance(self.reading(), Unread) and len(shape_of(self.tensor)) > 0 and shape_of(self.tensor)[0] > 0
        )


class Tensor(WithRows, Values):
    """A tensor of the program."""

    def line(self) -> str:
        own = None if type(self.value) in PLAIN else self.type_name()
        return joined([own, *self._value_words(), *self._autograd_words(), *self._layout_words()])

    def facts(self) -> Facts:
        facts, function, base = super().facts(), grad_fn_of(self.value), base_of(self.value)
        facts["requires_grad"] = requires_grad(self.value)
        facts["is_leaf"] = is_leaf(self.value)
        facts["grad_fn"] = function if function is None or function is LOST else class_name(type(function))
        facts["view_of"] = None if base is None else Tensor(base, self.budget).head()
        facts["notes"] = [word for word in self._layout_words() if word != "view"]  # `view_of` says that
        if requires_grad(self.value) and function is None:
            grad = grad_of(self.value)
            facts["rows"] = [["grad", "None" if grad is None else Tensor(grad, self.budget).line()]]
        return facts

    def _autograd_words(self) -> Iterator[str]:
        if not requires_grad(self.value):
            return
        function = grad_fn_of(self.value)
        if function is LOST:
            yield LOST
        elif function is not None:
            yield f"grad ← {class_name(type(function))}"
        else:
            yield "leaf"
            yield "grad None" if grad_of(self.value) is None else "has grad"

    def _layout_words(self) -> Iterator[str]:
        if is_nested(self.value) or layout_of(self.value) is not torch.strided:
            return
        if base_of(self.value) is not None:
            yield "view"
        sizes, strides = shape_of(self.value), Base.stride(self.value)
        if not all(type(number) is int for number in (*sizes, *strides)):
            return  # comparing symbols would add guards to the program's own trace
        if any(length > 1 and stride == 0 for length, stride in zip(sizes, strides)):
            yield f"expanded from {size(byte_count(self.value) or 0)}"
        elif not Base.is_contiguous(self.value):
            yield "channels_last" if is_channels_last(self.value) else "not contiguous"

    def rows(self) -> list[Child]:
        rows = []
        if self._is_open():
            rows.append(Child("values", values_rows(plain(self.value)), ""))
        if not isinstance(self.reading(), Unread):
            rows.append(Child("stats", stats_rows(self.reading())))
        function = grad_fn_of(self.value)
        for name, below in (
            ("grad", grad_of(self.value)),
            ("grad_fn", None if function is LOST else function),
            ("_base", base_of(self.value)),
        ):
            if below is not None:
                rows.append(Child(name.lstrip("_"), below, f".{name}"))
        hooks = hooks_of(self.value)
        if hooks:
            rows.append(Child("hooks", hooks, "._backward_hooks"))
        if type(self.value) not in PLAIN or instance_dict(self.value):
            rows.extend(other_attributes(self.value))
        return rows


class TensorElements(Elements):
    """Elements that were taken out of a tensor, as one."""

    __slots__ = ()


class Part(Values):
    """Elements taken out to be looked at. Their gradient is not told: they were taken out without one."""

    contains = False

    def __init__(self, value: TensorElements, budget: Any) -> None:
        super().__init__(value, budget)
        self.tensor = value.value

    def type_name(self) -> str:
        return class_name(type(self.tensor))

    def child_count(self) -> int | None:
        return shape_of(self.tensor)[0] if self._is_open() else 0

    def children(self, start: int, count: int) -> Iterable[Child]:
        return values_rows(self.tensor).children(start, count) if self._is_open() else ()


class Wrapper(Kind):
    """A tensor class of the program with its own ``__torch_dispatch__``: even its shape may be computed by that."""

    kind = "tensor"
    rank = 0
    summarized = True

    def line(self) -> str:
        shown = (f"{child.name}={brief(child.value, self)}" for child in attributes(self.value))
        return joined([self.type_name(), f"wraps {listed(shown, False, 90) or 'nothing by name'}"])

    def child_count(self) -> int | None:
        return sum(1 for _ in attributes(self.value))

    def children(self, start: int, count: int) -> Iterable[Child]:
        return list(attributes(self.value))[start : start + count]

    def facts(self) -> Facts:
        facts = super().facts()
        facts["stats"], facts["unread"] = None, "its own code decides what its values are"
        return facts


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


def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    if cls is TensorElements:
        return Part
    if not any(base is Base for base in bases):
        return None
    return Wrapper if computes_itself(cls) else Tensor
