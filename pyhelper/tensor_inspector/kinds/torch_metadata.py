"""What can be asked of a tensor without its class's code: the C descriptors behind the attributes.

A subclass's property of the same name does not run. To be called inside `guard.Untouched`.
"""

from __future__ import annotations

from typing import Any

from ..guard import Classes, class_dict, class_module, class_name, module, mro

torch: Any = module("torch")
Base: Any = torch.Tensor.__mro__[1]  # TensorBase, or _TensorBase before torch 2.1
PLAIN = Classes(torch.Tensor, torch.nn.Parameter)
LOST = "grad_fn lost: modified in place"


def _getter(name: str) -> Any:
    return Base.__dict__[name].__get__


shape_of, _dtype, _device, layout_of = map(_getter, ("shape", "dtype", "device", "layout"))
requires_grad, _is_leaf, _grad, _retains_grad = map(_getter, ("requires_grad", "is_leaf", "grad", "retains_grad"))
_grad_fn, base_of, hooks_of = map(_getter, ("grad_fn", "_base", "_backward_hooks"))
is_nested, _is_quantized = map(_getter, ("is_nested", "is_quantized"))


def is_tensor(value: object) -> bool:
    """Whether it is a tensor that can be asked for its metadata."""
    cls = type(value)
    return cls in PLAIN or (issubclass(cls, Base) and not computes_itself(cls))


def computes_itself(cls: type) -> bool:
    """Whether a class has a ``__torch_dispatch__`` that is the program's: even the shape may be computed by it."""
    dispatching = next((base for base in mro(cls) if "__torch_dispatch__" in class_dict(base)), Base)
    own = dispatching is not Base and dispatching is not torch.Tensor
    return own and class_module(dispatching).partition(".")[0] != "torch"


def device_name(value: Any) -> str:
    return str(_device(value))


def element_count(value: Any) -> int:
    """How many elements; 0 where that is a symbol."""
    count = Base.numel(value)
    return count if type(count) is int else 0


def byte_count(value: Any) -> int | None:
    """Bytes that the elements take; those of the storage where the same bytes stand for many elements."""
    if is_nested(value) or layout_of(value) is not torch.strided or _device(value).type == "meta":
        return None
    count = Base.numel(value)
    if type(count) is not int:
        return None
    elements = count * int(Base.element_size(value))
    try:
        stored = Base.untyped_storage(value).nbytes()
    except Exception:  # sparse and wrapper tensors have no storage of their own
        return elements
    return min(elements, stored) if type(stored) is int else elements


def grad_of(value: Any) -> Any:
    """``.grad`` where it may be asked for: of a non-leaf it warns, and is None anyway unless it is retained."""
    return _grad(value) if is_leaf(value) or _retains_grad(value) else None


def is_leaf(value: Any) -> bool:
    try:
        return bool(_is_leaf(value))
    except RuntimeError:  # a view whose grad_fn is lost
        return False


def grad_fn_of(value: Any) -> Any:
    """``.grad_fn``; `LOST` for a view that was modified in place in a way that autograd forbids."""
    try:
        return _grad_fn(value)
    except RuntimeError:
        return LOST


def dtype_of(value: Any) -> Any:
    return _dtype(value)


def dtype_name(value: Any) -> str:
    return str(_dtype(value)).replace("torch.", "")


def plain(value: Any) -> Any:
    """The same elements as a ``torch.Tensor``, so that no method of a subclass runs on them."""
    return value if type(value) in PLAIN else Base.as_subclass(value, torch.Tensor)


def why_unread(value: Any) -> str | None:
    """Why the values of a tensor can't be read here; None when they can."""
    if torch._C._dispatch_keys(value).has(torch._C.DispatchKey.Python):
        return f"{class_name(type(value))}: no values of its own"
    is_wrapped = getattr(getattr(torch._C, "_functorch", None), "is_functorch_wrapped_tensor", None)
    if is_wrapped is not None and is_wrapped(value):
        return "inside a functorch transform"
    if any(class_name(base) == "UninitializedTensorMixin" for base in mro(type(value))):
        return "uninitialized"
    device = _device(value).type
    if device == "meta":
        return "meta tensor: no values"
    if is_nested(value):
        return "values not read"
    if layout_of(value) is not torch.strided:
        return f"{str(layout_of(value)).replace('torch.', '')} layout"
    if _is_quantized(value):
        return "quantized"
    if device == "cuda" and torch.cuda.is_initialized():
        if torch.cuda.is_current_stream_capturing():
            return "values not read: CUDA graph capture"
        if torch.cuda.get_sync_debug_mode():
            return "values not read: sync debug mode"
    return None


def is_integer(dtype: Any) -> bool:
    return not (dtype.is_floating_point or dtype.is_complex or dtype is torch.bool)


def is_channels_last(value: Any) -> bool:
    return bool(Base.dim(value) == 4 and Base.is_contiguous(value, memory_format=torch.channels_last))
