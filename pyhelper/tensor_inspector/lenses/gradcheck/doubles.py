"""Copies in double precision: of inputs, of what modules hold, and of what a function names and closes over."""

from __future__ import annotations

from collections.abc import Sequence
from types import CellType, FunctionType, MethodType
from typing import Any

from ...measure.torch.elements import bare, is_plain
from ...measure.torch.metadata import element_count, is_exact_tensor
from ...safe.guard import class_name, module, plain_str
from ..running.code_references import names_in_code
from ..running.deep_copy import CannotCopy, DeepCopy
from ..running.isolation import Isolation
from ..step.classes import is_library_module

torch: Any = module("torch")
_SPAN = 1 << 22  #: elements of memory that the copy of a tensor with gaps may span


class Doubles(DeepCopy):
    """Copies whose numbers are of float64 or complex128, with the strides that they have.

    A function of the program is rebuilt over copies of what it closes over and of the global variables that it
    names: they are doubles too, and what it assigns to them is not the program's.
    """

    def __init__(self) -> None:
        super().__init__()
        self._namespaces: dict[int, dict[str, Any]] = {}

    def _tensor(self, value: Any) -> Any:
        if not is_exact_tensor(value) or not is_plain(value):
            raise CannotCopy(f"holds a {class_name(type(value))} in memory that is not plain")
        self._count(element_count(value) or 0)
        elements = bare(value)
        made = wide_copy(elements)
        if type(value) is torch.nn.Parameter:
            return torch.nn.Parameter(made, value.requires_grad)
        return made.requires_grad_(value.requires_grad)

    def _copied(self, value: Any, cls: type, depth: int) -> Any:
        if cls is FunctionType and not is_library_module(plain_str(value.__module__)):
            return self._function(value, depth)
        if cls is MethodType:
            return MethodType(self.of(value.__func__, depth), self.of(value.__self__, depth))
        return super()._copied(value, cls, depth)

    def _function(self, value: FunctionType, depth: int) -> FunctionType:
        self.functions.append(value)
        cells = tuple(CellType() for _ in value.__closure__ or ())
        known = value.__globals__
        names = self._namespaces.setdefault(id(known), dict(known))
        made = FunctionType(value.__code__, names, value.__name__, None, cells or None)
        self._made[id(value)] = made  # it may name itself
        made.__dict__.update(value.__dict__)
        for cell, original in zip(cells, value.__closure__ or ()):
            try:
                cell.cell_contents = self._copy_or_itself(original.cell_contents, depth)
            except ValueError:  # empty
                continue
        for name in names_in_code(value.__code__):
            if name in known:
                names[name] = self._copy_or_itself(known[name], depth)
        if value.__defaults__ is not None:
            made.__defaults__ = tuple(self._copy_or_itself(item, depth) for item in value.__defaults__)
        if value.__kwdefaults__ is not None:
            made.__kwdefaults__ = {
                name: self._copy_or_itself(item, depth) for name, item in value.__kwdefaults__.items()
            }
        return made

    def _copy_or_itself(self, value: Any, depth: int) -> Any:
        """A copy, or the value itself where it can't be copied."""
        try:
            return self.of(value, depth)
        except CannotCopy:
            return value


class Doubled(Isolation):
    """A context in which functions and modules are run on doubles."""

    def __init__(self, *values: Any) -> None:
        super().__init__(*values)
        self._copies = Doubles()


def is_continuous(tensor: Any) -> bool:
    """Whether its elements can be moved by a little."""
    return bool(tensor.dtype.is_floating_point or tensor.dtype.is_complex)


def wide_copy(elements: Any) -> Any:
    """A copy with the same strides, where no two elements share memory and the gaps are not too large."""
    dtype = elements.dtype
    if is_continuous(elements):
        dtype = torch.complex128 if dtype.is_complex else torch.float64
    return strided_like(elements, dtype).copy_(elements)


def strided_like(elements: Any, dtype: Any) -> Any:
    """An empty tensor with the same strides, as far as they can be kept."""
    shape, strides = tuple(elements.shape), elements.stride()
    if _is_apart(shape, strides):
        return torch.empty_strided(shape, strides, dtype=dtype, device=elements.device)
    return torch.empty(shape, dtype=dtype, device=elements.device)


def _is_apart(shape: Sequence[int], strides: Sequence[int]) -> bool:
    span = 1
    for stride, size in sorted((stride, size) for stride, size in zip(strides, shape) if size != 1):
        if stride < span or not size:
            return False
        span += stride * (size - 1)
    return span <= _SPAN
