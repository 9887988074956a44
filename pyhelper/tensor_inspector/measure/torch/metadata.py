"""Metadata of a tensor, read by the C descriptors behind its attributes.

A subclass's property of the same name does not run. Call these inside `untouched.Untouched`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...safe.guard import ByClass, Classes, class_dict, class_name, instance_dict, library_of, module, mro
from ...safe.record import Record
from ...safe.torch_name import torch_name
from .readable import why_opaque

torch: Any = module("torch")
Base: Any = torch.Tensor.__mro__[1]  # TensorBase, or _TensorBase before torch 2.1
#: torch's own classes, no subclass: what is asked of their instances runs no code of the program.
EXACT_TENSORS = Classes(torch.Tensor, torch.nn.Parameter)


def _getter(name: str) -> Any:
    """What reads an attribute, by its C descriptor; None from a version of torch that has none."""
    return Base.__dict__[name].__get__ if name in Base.__dict__ else _no_attribute


def _no_attribute(value: Any) -> None:
    return None


shape_of, dtype_of, device_of, layout_of = map(_getter, ("shape", "dtype", "device", "layout"))
requires_grad, _is_leaf, _grad, _retains_grad = map(_getter, ("requires_grad", "is_leaf", "grad", "retains_grad"))
_grad_fn, base_of, hooks_of, _version = map(_getter, ("grad_fn", "_base", "_backward_hooks", "_version"))
output_number = _getter("output_nr")  #: which output of its node a tensor is
grad_hooks_of = _getter("_post_accumulate_grad_hooks")
is_on_meta = _getter("is_meta")
is_nested, is_quantized = map(_getter, ("is_nested", "is_quantized"))
names_of = _getter("names")  # gone since torch 2.13
attributes_of: Any = torch.Tensor.__dict__["__dict__"].__get__  #: of an instance of `EXACT_TENSORS`, by name
_forward_ad = module("torch.autograd.forward_ad")
_creation = getattr(torch._C._autograd, "_get_creation_meta", None)  # since torch 2.1


#: The keys of torch's dispatcher, which tell how an exact tensor keeps its elements; and a set of them as a number.
keys_of: Any = torch._C._dispatch_keys
signature_of: Any = getattr(torch._C.DispatchKeySet, "raw_repr", str)  # the latter before torch 2.1


def is_exact_tensor(value: object) -> bool:
    """Whether it is a tensor of one of torch's own classes, which run no code of the program when asked."""
    return type(value) in EXACT_TENSORS


def is_trainable_leaf(value: object) -> bool:
    """Whether it is an exact tensor whose ``.grad`` a backward adds to: a leaf that requires a gradient."""
    return is_exact_tensor(value) and requires_grad(value) and gradient_of(value).is_leaf


def is_tensor(value: object) -> bool:
    """Whether it is a tensor that can be asked for its metadata."""
    return is_tensor_class(type(value))


def is_tensor_class(cls: type) -> bool:
    """Whether the instances of a class are tensors that can be asked for their metadata."""
    return cls in EXACT_TENSORS or (issubclass(cls, Base) and not computes_itself(cls))


def is_parameter(value: object) -> bool:
    """Whether it is an ``nn.Parameter``, or of a class derived from it."""
    return _is_parameter_class(type(value))


_is_parameter_class = ByClass(lambda cls: any(base is torch.nn.Parameter for base in mro(cls)))


def is_any_tensor(value: object) -> bool:
    """Whether it is a tensor, also one whose class computes even its shape."""
    return issubclass(type(value), Base)


def computes_itself(cls: type) -> bool:
    """Whether a class has a ``__torch_dispatch__`` that is the program's: even the shape may be computed by it."""
    dispatching = next((base for base in mro(cls) if "__torch_dispatch__" in class_dict(base)), Base)
    is_custom = dispatching is not Base and dispatching is not torch.Tensor
    return is_custom and library_of(dispatching) != "torch"


def _text(of_torch: Any) -> str:
    """A dtype, a device or a layout without ``torch.``."""
    text = _texts.get(of_torch)
    if text is None:
        text = _texts[of_torch] = torch_name(of_torch)
    return text


_texts: dict[Any, str] = {}  #: there are few of each


def dtype_name(value: Any) -> str:
    """``float32``, of a tensor."""
    return _text(dtype_of(value))


def device_name(value: Any) -> str:
    """``cpu``, ``cuda:0``, of a tensor."""
    return _text(device_of(value))


def layout_name(value: Any) -> str:
    """``strided``, ``sparse_coo``, of a tensor."""
    return _text(layout_of(value))


def sizes_text(value: Any) -> str:
    """``[32, 3, 224]``, symbols as such."""
    return f"[{', '.join(map(size_text, shape_of(value)))}]"


def dtype_and_shape(value: Any) -> str:
    """``float32[32, 10]``"""
    return f"{dtype_name(value)}{sizes_text(value)}"


def size_text(size: Any) -> str:
    """A size, a symbolic one by its symbol: its own ``str`` would look up what is known of it by now, and keep that."""
    if type(size) is int:
        return str(size)
    node = instance_dict(size).get("node", size)
    return str(instance_dict(node).get("_expr", node))[:100]


def sizes_listed(sizes: Iterable[Any]) -> list[Any]:
    """Sizes or strides as plain data."""
    return [size if type(size) is int else size_text(size) for size in sizes]


def element_count(value: Any) -> int | None:
    """How many elements; None where that is a symbol."""
    count = Base.numel(value)
    return count if type(count) is int else None


class ByteCounts:
    """How many bytes the elements take, which are those of the storage where the same bytes stand for many elements,
    and how many the whole storage; None where that is not known."""

    __slots__ = ("bytes", "stored")

    def __init__(self, bytes: int | None, stored: int | None) -> None:
        self.bytes = bytes
        self.stored = stored


def byte_counts_of(value: Any) -> ByteCounts:
    """The counts of a tensor: no ``bytes`` if it has no strides, is nested or on no device, or has symbolic sizes."""
    stored = stored_bytes(value)
    if is_nested(value) or layout_of(value) is not torch.strided or is_on_meta(value):
        return ByteCounts(None, stored)
    count = Base.numel(value)
    if type(count) is not int:
        return ByteCounts(None, stored)
    elements = count * int(Base.element_size(value))
    return ByteCounts(elements if stored is None else min(elements, stored), stored)


def byte_count(value: Any) -> int | None:
    """How many bytes the elements of a tensor take, as `byte_counts_of` says."""
    return byte_counts_of(value).bytes


def stored_bytes(value: Any) -> int | None:
    """The size of the storage; None for what has none of its own, as wrappers, and where it is a symbol."""
    try:
        stored = Base.untyped_storage(value).nbytes()
    except Exception:
        return None
    return stored if type(stored) is int else None


class Gradient(Record):
    """What autograd knows of a tensor.

    ``function`` is its node, where that is known without making it; ``origin`` tells where its gradient comes from.
    ``is_lost`` where the node is no more, since the tensor was modified in place.
    """

    required: bool = False
    is_leaf: bool = True
    function: Any = None
    origin: str | None = None
    grad: Any = None
    is_lost: bool = False


_NONE = Gradient()


def grad_fn_of(value: Any) -> Any:
    """The node of a tensor, where that is known without making it."""
    try:
        return _grad_fn(value) if requires_grad(value) and not _would_make_a_node(value) else None
    except RuntimeError:  # lost: modified in place
        return None


def gradient_of(value: Any) -> Gradient:
    """What autograd knows of a tensor, without adding to the program's graph."""
    if not requires_grad(value):
        return _NONE
    if _would_make_a_node(value):
        function = _grad_fn(base_of(value))
        source = ", a leaf" if function is None else f" ← {class_name(type(function))}"
        return Gradient(True, False, origin=f"base{source}", grad=grad_of(value))
    try:
        function = _grad_fn(value)
    except RuntimeError:
        return Gradient(True, False, origin="grad_fn lost: modified in place", is_lost=True)
    return Gradient(
        True, function is None, function, None if function is None else class_name(type(function)), grad_of(value)
    )


def retains_grad(value: Any) -> bool:
    """Whether a tensor that is no leaf keeps its gradient all the same."""
    return bool(_retains_grad(value))


def _would_make_a_node(value: Any) -> bool:
    """Whether asking for ``grad_fn`` or ``is_leaf`` may make a node in the program's graph.

    It does for a view that was modified in place since it was made. When that was is kept from us, so of a view whose
    memory was ever modified, its base is asked instead: that is where its gradient goes. Views made in a special way
    (without gradients, several at once) never get a new node: asking raises instead.
    """
    base = base_of(value)
    if base is None or not requires_grad(base) or not _version(value):
        return False
    return _creation is None or bool(_creation(value) == torch._C._autograd.CreationMeta.DEFAULT)


def grad_of(value: Any) -> Any:
    """``.grad`` where it may be asked for: of a non-leaf it warns, and is None anyway unless it is retained."""
    if not requires_grad(value):  # a leaf
        return _grad(value)
    try:
        is_known = _retains_grad(value) or (not _would_make_a_node(value) and _is_leaf(value))
        return _grad(value) if is_known else None
    except RuntimeError:  # its grad_fn is lost
        return None


def grads_of(values: list[Any]) -> list[Any]:
    """The ``.grad`` of each of many tensors, as `grad_of` gives it; usually all are asked at once."""
    are_wanting = any(map(requires_grad, values))
    if are_wanting and not (all(base is None for base in map(base_of, values)) and all(map(_is_leaf, values))):
        return [grad_of(value) for value in values]
    return list(map(_grad, values))


def tangent_of(value: Any) -> Any:
    """The tangent of a dual tensor of forward-mode differentiation; None outside of it."""
    level = getattr(_forward_ad, "_current_level", -1)
    if level < 0:
        return None
    torch._C._set_fwd_grad_enabled(True)  # the guard has switched it off
    try:
        return torch._VF._unpack_dual(value, level=level).tangent
    except RuntimeError:  # inside another transform
        return None
    finally:
        torch._C._set_fwd_grad_enabled(False)


def plain(value: Any) -> Any:
    """The same elements as a ``torch.Tensor``, so that no method of a subclass or of the instance runs on them."""
    is_plain = type(value) in EXACT_TENSORS and not attributes_of(value)
    return value if is_plain else Base.as_subclass(value, torch.Tensor)


def is_opaque(value: Any) -> bool:
    """Whether the elements of a tensor are only bytes to torch, as those of ``uint4`` are."""
    return why_opaque(dtype_of(value)) is not None


def is_integer(dtype: Any) -> bool:
    """Whether a dtype of torch is one of integers, which bool is not."""
    return not (dtype.is_floating_point or dtype.is_complex or dtype is torch.bool)


def is_channels_last(value: Any) -> bool:
    """Whether a tensor of four or five dimensions lies in memory with its channels, dimension 1, as the innermost."""
    dimensions = Base.dim(value)
    format = {4: torch.channels_last, 5: torch.channels_last_3d}.get(dimensions)
    return format is not None and bool(Base.is_contiguous(value, memory_format=format))
