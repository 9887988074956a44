"""Elements that are made of several arrays of one shape, as they are read: nothing of the whole's size is made."""

from __future__ import annotations

from typing import Any

from ..safe.guard import module
from ..safe.torch_name import torch_name


class ComposedElements:
    """Tensors, or arrays of numpy's, of one shape, cut as one. A part is `read` to get its elements."""

    __slots__ = ("arrays", "shape")
    can_be_masked = True

    def __init__(self, *arrays: Any) -> None:
        self.arrays = arrays
        self.shape = tuple(map(int, arrays[0].shape))

    def __getitem__(self, where: Any) -> ComposedElements:
        return type(self)(*(array[where] for array in self.arrays))

    def swapaxes(self, first: int, second: int) -> ComposedElements:
        return type(self)(*(array.swapaxes(first, second) for array in self.arrays))

    def strides(self) -> tuple[int, ...]:
        """Of the first array; 0 only where all are expanded along a dimension."""
        torch = module("torch")
        of_each = [
            array.stride() if torch is not None and issubclass(type(array), torch.Tensor) else array.strides
            for array in self.arrays
        ]
        return tuple(of_each[0][dim] or max(map(abs, steps)) for dim, steps in enumerate(zip(*of_each)))

    def like(self) -> Any:
        """An empty tensor or array of the type of what is read."""
        return self[(slice(0, 0),) * len(self.shape)].read()[0]

    def dtype_name(self) -> str:
        dtype = self.like().dtype
        return torch_name(dtype)

    def distinct(self) -> ComposedElements:
        """One index of each dimension along which all arrays are expanded."""
        return self[tuple(slice(None if step else 1) for step in self.strides())]

    def at(self, positions: range) -> ComposedElements:
        """The elements at some positions, in row-major order."""
        torch, first = module("torch"), self.arrays[0]
        if torch is not None and issubclass(type(first), torch.Tensor):
            left: Any = torch.arange(positions.start, positions.stop, positions.step, device=first.device)
        else:
            left = module("numpy").arange(positions.start, positions.stop, positions.step)
        where = []
        for size in reversed(self.shape):
            where.append(left % size)
            left = left // size
        return self[tuple(reversed(where))]

    def read(self) -> tuple[Any, Any]:
        """The elements of all that this is, and which of them are masked (None: none can be)."""
        raise NotImplementedError

    def kept(self) -> Any:
        """The elements that are not masked, in one dimension and on the CPU."""
        values, hidden = self.read()
        values = (values if hidden is None else values[~hidden]).reshape(-1)
        return values.cpu().resolve_conj().resolve_neg() if hasattr(values, "untyped_storage") else values


class MaskedElements(ComposedElements):
    """Elements, and a mask that is True where one is masked."""

    __slots__ = ()

    def read(self) -> tuple[Any, Any]:
        values, mask = self.arrays
        return values, mask


class KeptElements(ComposedElements):
    """Elements, and a mask that is True where one is kept, as torch has it."""

    __slots__ = ()

    def read(self) -> tuple[Any, Any]:
        values, mask = self.arrays
        return values, ~mask


class QuantizedElements(ComposedElements):
    """Integers of torch's, and of each its scale and its zero point."""

    __slots__ = ()
    can_be_masked = False

    def read(self) -> tuple[Any, Any]:
        integers, scales, zero_points = self.arrays
        return integers.to(zero_points.dtype).sub(zero_points).float().mul(scales), None

    def dtype_name(self) -> str:
        return f"q{torch_name(self.arrays[0].dtype)}"


def is_composed(elements: Any) -> bool:
    return issubclass(type(elements), ComposedElements)


def like_of(elements: Any) -> Any:
    """A tensor or array of the type of the elements: they themselves, where they are one."""
    return elements.like() if is_composed(elements) else elements


def read_part(part: Any) -> tuple[Any, Any]:
    """The elements of a part of some, and which of them are masked (None: none can be)."""
    return part.read() if is_composed(part) else (part, None)
