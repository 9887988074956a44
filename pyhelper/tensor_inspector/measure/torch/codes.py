"""Tensors whose elements are codes: what they stand for, as the libraries that quantize weights keep it."""

from __future__ import annotations

from math import prod
from typing import Any

from ...safe.attributes import stored
from ...safe.guard import instance_dict, module, plain_str
from ...safe.record import Record
from ...safe.torch_name import torch_name
from .dispatch import inner_tensors, is_wrapper, known_bytes, known_count, metadata_of
from .metadata import EXACT_TENSORS, Base, byte_count, dtype_of, is_any_tensor, is_tensor, shape_of
from .readable import storage_address

torch: Any = module("torch")
_STATES = ("quant_state", "state", "meta", "quant_meta")  #: where a parameter keeps what its codes stand for
_SCALES = frozenset(
    ("scale", "_scale", "scales", "absmax", "scb")
)  #: names of what codes are multiplied by, in lower case
_SHAPES = ("shape", "quant_shape", "tensor_shape")


class Codes(Record):
    """``kind`` of codes, as ``nf4`` or ``4-bit``, and what they stand for: ``dtype`` is empty where that is not known.
    ``bytes`` are those of the codes and of what they are read by."""

    kind: str
    dtype: str
    shape: tuple[int, ...]
    bytes: int

    def elements(self) -> int:
        return prod(self.shape)


def codes_of(value: Any) -> Codes | None:
    """What the elements of a tensor of a class of its own stand for; None where they stand for themselves."""
    if type(value) in EXACT_TENSORS:
        return None
    return _of_wrapper(value) if is_wrapper(value) else _of_memory(value)


def _of_wrapper(value: Any) -> Codes | None:
    """Of a wrapper of real numbers with a scale: one of the tensors that it wraps has the codes."""
    if not dtype_of(value).is_floating_point:
        return None
    inner, elements = dict(inner_tensors(value)), metadata_of(value).elements()
    taken, found = known_bytes(value), [one for name, one in inner.items() if is_small(one) and "zero" not in name]
    if _SCALES.isdisjoint(map(str.lower, inner)) or not found or not elements or taken is None:
        return None
    packed = max(found, key=lambda one: known_bytes(one) or 0)
    bits = 8 * (known_bytes(packed) or 0) / elements
    dtype = instance_dict(value).get("target_dtype")
    kind = torch_name(dtype if type(dtype) is torch.dtype else dtype_of(packed))
    if type(dtype) is not torch.dtype and bits != 8 * Base.element_size(packed):
        kind = f"{round(bits, 1):g}-bit"
    return Codes(kind, torch_name(dtype_of(value)), tuple(shape_of(value)), taken)


def _of_memory(value: Any) -> Codes | None:
    """Of a parameter with codes in its memory: beside them it keeps a scale, or what says how they are read."""
    if not is_tensor(value) or not is_small(value):
        return None
    own = dict(stored(value))
    state = next((dict(stored(own[name])) for name in _STATES if own.get(name) is not None), {})
    known: dict[str, Any] = {**own, **state}
    scaled = any(name.lower() in _SCALES and is_any_tensor(item) for name, item in known.items())
    kind: Any = _kind(known)
    shape: Any = next((known[name] for name in _SHAPES if name in known), None)
    if not scaled and (kind is None or shape is None):
        return None
    logical = tuple(shape if _is_shape(shape) else shape_of(value))
    dtype = known.get("dtype")
    memory = {id(value): byte_count(value) or 0}
    for item in known.values():
        if is_any_tensor(item) and not _is_same(item, value):
            memory[id(item)] = known_bytes(item) or 0
    taken = sum(memory.values())
    return Codes(
        kind or torch_name(dtype_of(value)), torch_name(dtype) if type(dtype) is torch.dtype else "", logical, taken
    )


def codes_in(attrs: dict[str, Any]) -> tuple[int, ...] | None:
    """The shape of what the integers in a layer's parameter stand for, as hqq keeps it in a dict beside them."""
    state: Any = next((attrs[name] for name in _STATES if type(attrs.get(name)) is dict), {})
    shape: Any = next((state[name] for name in _SHAPES if name in state), None)
    return tuple(shape) if _kind(state) is not None and _is_shape(shape) else None


def known_elements(value: Any, shape: tuple[int, ...] | None = None) -> int | None:
    """How many numbers a tensor has, or stands for: in a layer of codes, those of this shape. None as `known_count`."""
    if shape is not None and is_tensor(value) and is_small(value):
        return prod(shape)
    codes = codes_of(value)
    return known_count(value) if codes is None else codes.elements()


def _is_shape(shape: Any) -> bool:
    return issubclass(type(shape), (tuple, list)) and all(type(size) is int for size in shape)


def _is_same(item: Any, value: Any) -> bool:
    """Whether a tensor beside the codes shows their own memory."""
    return is_tensor(item) and _address(item) == _address(value)


def _address(value: Any) -> int | None:
    try:
        return storage_address(value)
    except Exception:
        return None


def _kind(known: dict[str, Any]) -> str | None:
    """``nf4``, by the name of its type; ``4-bit``, by the number of bits."""
    named = known.get("quant_type")
    bits = next((known[name] for name in ("nbits", "bits", "w_bit") if type(known.get(name)) is int), None)
    text = plain_str(named) or plain_str(instance_dict(named).get("_name_"))
    return text or (None if bits is None else f"{bits}-bit")


def is_small(value: Any) -> bool:
    """Whether the elements take a byte, or several of them an integer: those of a quantized tensor do."""
    dtype = dtype_of(value)
    return "float8" in str(dtype) or not (dtype.is_floating_point or dtype.is_complex or dtype is torch.bool)
