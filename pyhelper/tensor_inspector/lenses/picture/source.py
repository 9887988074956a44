"""What a picture is drawn of: the elements of a value, as a tensor, an array or nested lists."""

from __future__ import annotations

from types import WrapperDescriptorType
from typing import TYPE_CHECKING, Any

from ...kinds import as_kind
from ...measure.composed import is_composed
from ...measure.unread import Unread
from ...safe.guard import Classes, class_attribute, class_name, module, mro
from ...safe.torch_name import torch_name
from .listed import NestedLists, nested

if TYPE_CHECKING:
    from ...safe.budget import Budget

_WRONG = frozenset(("dtype", "layout", "own_code", "unlike"))  #: codes of what is wrong by its type, not its values
_NUMBERS, _DATES = frozenset("biufc"), frozenset("mM")  #: kinds of numpy's dtypes


def elements_of(value: Any, budget: Budget, of: str = "picture", *, composed: bool = False) -> Any:
    """The elements: a ``torch.Tensor``, a ``numpy.ndarray`` or `NestedLists` lists; ``of`` is what is made of them.
    Where ``composed`` elements are taken too, masked and quantized ones are `ComposedElements`.

    Raises ``TypeError`` for what holds no numbers in rows, ``ValueError`` where they can't be read.
    """
    cls = type(value)
    if _is_buffer(cls):
        value = _unpacked(value)
    if issubclass(type(value), (list, tuple)):
        return nested(value, class_name(cls), of)
    kind = as_kind(value, budget)
    found = kind.elements() if kind.kind in ("tensor", "array") else None
    if isinstance(found, Unread) and composed:
        composition = getattr(kind, "composition", None)  # of tensors and arrays
        parts = None if composition is None else composition()
        if parts is not None:
            return parts
    if isinstance(found, Unread):
        error = TypeError if found.code in _WRONG else ValueError
        raise error(f"no {of} of this {class_name(cls)}: {found.text}")
    kind_of_dtype = _dtype_kind(value)
    if kind_of_dtype is not None and kind_of_dtype not in _NUMBERS and (found is None or kind_of_dtype in _DATES):
        raise TypeError(f"a {of} is of numbers, not of {_dtype_of_array(value)}")
    if found is None:
        name = class_name(cls) if kind.type_name() else "a row of the tree"
        raise TypeError(f"a {of} is of a tensor, an array or lists of numbers, not of {name}")
    if not is_tensor(found) and _dtype_kind(found) not in _NUMBERS:
        raise TypeError(f"a {of} is of numbers, not of {dtype_of(found)}")
    return found


def is_tensor(elements: Any) -> bool:
    """Whether it is a tensor of torch, by its class."""
    torch = module("torch")
    return torch is not None and issubclass(type(elements), torch.Tensor)


def dtype_of(elements: Any) -> str:
    """``float32``; of nested lists the name of their class."""
    if is_composed(elements):
        return str(elements.dtype_name())
    return elements.dtype if type(elements) is NestedLists else torch_name(elements.dtype)


def arrays_of(elements: Any) -> tuple[Any, ...]:
    """The tensors or arrays that are read for elements."""
    return elements.arrays if is_composed(elements) else (elements,)


def is_mapped(elements: Any) -> bool:
    """Whether the elements lie in a file, by what torch and numpy say of it."""
    if is_composed(elements):
        return any(map(is_mapped, elements.arrays))
    if is_tensor(elements):
        return elements.is_cpu and bool(getattr(elements.untyped_storage(), "filename", None))
    numpy, mapping = module("numpy"), getattr(module("mmap"), "mmap", None)
    while numpy is not None and issubclass(type(elements), numpy.ndarray):
        if any(base is numpy.memmap for base in mro(type(elements))):
            return True
        elements = numpy.ndarray.__dict__["base"].__get__(elements)
    return mapping is not None and type(elements) is mapping


def _dtype_kind(value: Any) -> str | None:
    """The letter that numpy has for the sort of an array's elements; None of what is no array of numpy's."""
    numpy = module("numpy")
    is_array = numpy is not None and issubclass(type(value), numpy.ndarray)
    return _dtype_of_array(value).kind if is_array else None


def _dtype_of_array(value: Any) -> Any:
    return module("numpy").ndarray.__dict__["dtype"].__get__(value)


def _is_buffer(cls: type) -> bool:
    """Whether it is a ``memoryview`` or an ``array.array`` whose buffer no code of the program gives."""
    if cls is memoryview:
        return True
    array = getattr(module("array"), "array", None)
    is_array = array is not None and any(base is array for base in mro(cls))
    return is_array and type(class_attribute(cls, "__buffer__")) in Classes(type(None), WrapperDescriptorType)


def _unpacked(value: Any) -> Any:
    """A buffer as an array of numpy's over the same memory; as lists where the program has no numpy."""
    numpy = module("numpy")
    try:
        seen = memoryview(value)
        return seen.tolist() if numpy is None else numpy.asarray(seen)
    except (ValueError, TypeError, NotImplementedError) as error:
        raise ValueError(f"no picture of this {class_name(type(value))}: {error}") from None
