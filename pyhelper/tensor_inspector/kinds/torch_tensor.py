"""Tensors: dense ones of every dtype by exact statistics, all others by what can be said without reading values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..guard import Classes, class_name, full_name, instance_dict, module
from ..protocol import Badge, Facts
from ..stats import Unread, of_tensor
from ..text import joined, plural, shape, size
from .kind import Child, Kind, NotStatic, Rows, Said
from .objects import attributes_row
from .stats_text import Reading, badges, stats_rows, stats_words
from .tensor_text import corner, element, listed, value_text

torch: Any = module("torch")
_Base: Any = torch.Tensor.__mro__[1]  # TensorBase, or _TensorBase before torch 2.1
_VALUES = 10  #: tensors of integers up to this many elements show their values


def _getter(name: str) -> Any:
    """The C descriptor behind an attribute: a subclass's property of that name does not run."""
    return _Base.__dict__[name].__get__


_shape, _dtype, _device, _layout = _getter("shape"), _getter("dtype"), _getter("device"), _getter("layout")
requires_grad, _grad_fn, is_leaf, grad_slot = (
    _getter("requires_grad"),
    _getter("grad_fn"),
    _getter("is_leaf"),
    _getter("grad"),
)
_retains_grad, _base, _backward_hooks = _getter("retains_grad"), _getter("_base"), _getter("_backward_hooks")
_PLAIN = Classes(torch.Tensor, torch.nn.Parameter)


class Tensor(Kind):
    kind = "tensor"
    summarized = True
    rank = 0

    def __init__(self, value: Any, budget: Any) -> None:
        super().__init__(value, budget)
        self._known: Reading | None = None

    # -- what it is ---------------------------------------------------------------------------------------------

    def head(self) -> str:
        """``float32[32, 10] cuda:0``: dtype and shape, the device only when it is not the cpu."""
        device = device_name(self.value)
        return f"{dtype_name(self.value)}{shape(_shape(self.value))}" + ("" if device == "cpu" else f" {device}")

    def brief(self) -> str:
        return self.head()

    def line(self) -> str:
        own = None if type(self.value) in _PLAIN else self.type_name()
        return joined([own, *self.value_words(), *self._autograd_words(), *self._layout_words()])

    def value_words(self) -> list[str]:
        head = self.head()
        reading = self.reading()
        shown = self._shown_values(reading)
        return [head, *stats_words(reading, _dtype(self.value) is torch.bool)] if shown is None else [f"{head} {shown}"]

    def badges(self) -> list[Badge]:
        return badges(self.reading())

    def reading(self) -> Reading:
        """The statistics, or why there are none. Read once, within a share of the time that is left."""
        if self._known is None:
            reason = why_unread(self.value)
            self._known = of_tensor(plain(self.value), self.budget.share()) if reason is None else Unread(reason)
        return self._known

    def _shown_values(self, reading: Reading) -> str | None:
        """The values themselves, where they say more than statistics: of a 0-d tensor, and of few integers."""
        sizes = _shape(self.value)
        if isinstance(reading, Unread):
            return None
        if len(sizes) == 0:
            return value_text(plain(self.value).item())
        if len(sizes) == 1 and 0 < sizes[0] <= _VALUES and is_integer(self.value):
            return str(plain(self.value).tolist()).replace("-", "−")
        return None

    def item(self, key: Any) -> Any:
        reason = why_unread(self.value)
        if reason is not None:
            raise NotStatic(reason)
        return element(plain(self.value), key)

    def _autograd_words(self) -> Iterator[str]:
        if not requires_grad(self.value):
            return
        function = _grad_fn(self.value)
        if function is not None:
            yield f"grad ← {class_name(type(function))}"
        else:
            yield "leaf"
            yield "grad None" if grad_of(self.value) is None else "has grad"

    def _layout_words(self) -> Iterator[str]:
        if _layout(self.value) is not torch.strided:
            return
        if _base(self.value) is not None:
            yield "view"
        strides = _Base.stride(self.value)
        if 0 in strides and any(length > 1 for length, stride in zip(_shape(self.value), strides) if stride == 0):
            yield f"expanded from {size(byte_count(self.value))}"
        elif not _Base.is_contiguous(self.value):
            yield "channels_last" if _is_channels_last(self.value) else "not contiguous"

    # -- what is below ------------------------------------------------------------------------------------------

    def child_count(self) -> int | None:
        return len(self._rows())

    def children(self, start: int, count: int) -> Iterable[Child]:
        return self._rows()[start : start + count]

    def _rows(self) -> list[Child]:
        rows = []
        reading = self.reading()
        sizes = _shape(self.value)
        if not isinstance(reading, Unread) and len(sizes) > 0 and sizes[0] > 0:
            rows.append(Child("values", values_rows(plain(self.value), self.budget), ""))
        if not isinstance(reading, Unread):
            rows.append(Child("stats", stats_rows(reading)))
        grad = grad_of(self.value)
        if grad is not None:
            rows.append(Child("grad", grad, ".grad"))
        if _grad_fn(self.value) is not None:
            rows.append(Child("grad_fn", _grad_fn(self.value), ".grad_fn"))
        if _base(self.value) is not None:
            rows.append(Child("base", _base(self.value), "._base"))
        hooks = _backward_hooks(self.value)
        if hooks:
            rows.append(Child("hooks", hooks, "._backward_hooks"))
        if type(self.value) not in _PLAIN or instance_dict(self.value):
            rows.extend(attributes_row(self.value))
        return rows

    # -- all that is known --------------------------------------------------------------------------------------

    def facts(self) -> Facts:
        value = self.value
        function, base = _grad_fn(value), _base(value)
        facts: Facts = {
            "type": full_name(type(value)),
            "shape": list(_shape(value)),
            "dtype": dtype_name(value),
            "device": device_name(value),
            "layout": str(_layout(value)).replace("torch.", ""),
            "bytes": byte_count(self.value),
            "requires_grad": requires_grad(value),
            "is_leaf": is_leaf(value),
            "grad_fn": None if function is None else class_name(type(function)),
            "view_of": None if base is None else Tensor(base, self.budget).head(),
            "notes": list(self._layout_words()),
        }
        if _layout(value) is torch.strided:
            facts["strides"] = list(_Base.stride(value))
        if requires_grad(value) and function is None:
            grad = grad_of(value)
            facts["rows"] = [["grad", "None" if grad is None else Tensor(grad, self.budget).line()]]
        reading = self.reading()
        if isinstance(reading, Unread):
            facts["stats"] = None
            facts["unread"] = reading.reason
        else:
            facts["stats"] = reading
            facts["values"] = corner(plain(value))
        return facts


def is_tensor(value: object) -> bool:
    return issubclass(type(value), _Base)


def device_name(value: Any) -> str:
    return str(_device(value))


def element_count(value: Any) -> int:
    return _Base.numel(value)  # type: ignore[no-any-return]


def byte_count(value: Any) -> int:
    """Bytes that the elements take; those of the storage where the same bytes stand for many elements."""
    elements = _Base.numel(value) * _Base.element_size(value)
    try:
        return int(min(elements, _Base.untyped_storage(value).nbytes()))
    except Exception:  # sparse and wrapper tensors have no storage of their own
        return int(elements)


def grad_of(value: Any) -> Any:
    """``.grad`` where it may be asked for: of a non-leaf it warns, and is None anyway unless it is retained."""
    return grad_slot(value) if is_leaf(value) or _retains_grad(value) else None


def dtype_name(value: Any) -> str:
    return str(_dtype(value)).replace("torch.", "")


def is_integer(value: Any) -> bool:
    dtype = _dtype(value)
    return not (dtype.is_floating_point or dtype.is_complex or dtype is torch.bool)


def plain(value: Any) -> Any:
    """The same elements as a ``torch.Tensor``, so that no method of a subclass runs on them."""
    return value if type(value) in _PLAIN else _Base.as_subclass(value, torch.Tensor)


def why_unread(value: Any) -> str | None:
    """Why the values of a tensor can't be read here; None when they can."""
    keys = torch._C._dispatch_keys(value)
    if keys.has(torch._C.DispatchKey.Python):
        return f"{class_name(type(value))} wraps other tensors"
    functorch = getattr(torch._C, "_functorch", None)
    if functorch is not None and functorch.is_functorch_wrapped_tensor(value):
        return "inside a functorch transform"
    device = _device(value).type
    if device == "meta":
        return "meta tensor: no values"
    if _getter("is_nested")(value):
        return "nested tensor"
    if _layout(value) is not torch.strided:
        return f"{str(_layout(value)).replace('torch.', '')} layout"
    if _getter("is_quantized")(value):
        return "quantized"
    if device == "cuda" and torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing():
        return "CUDA graph capture"
    return None


def values_rows(value: Any, budget: Any) -> Rows:
    """The elements along the first dimension, each a number or the rows of a slice."""
    length = value.shape[0]

    def rows(start: int, count: int) -> Iterator[Child]:
        part = value[start : start + count]
        if value.dim() == 1:
            for index, item in enumerate(listed(part), start):
                yield Child(f"[{index}]", Said(value_text(item)), f"[{index}]")
            return
        for index in range(part.shape[0]):
            below = values_rows(part[index], budget)
            below.line = joined(Tensor(part[index], budget).value_words())
            below.kind = "tensor"
            yield Child(f"[{start + index}]", below, f"[{start + index}]")

    return Rows(plural(length, "row" if value.dim() > 1 else "value"), length, rows)


def _is_channels_last(value: Any) -> bool:
    return bool(value.dim() == 4 and _Base.is_contiguous(value, memory_format=torch.channels_last))


def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    return Tensor if any(base is _Base for base in bases) else None
