"""`Operand`: a tensor or array that an operation was given, with its text in the source, shape, dtype and device."""

from __future__ import annotations

import ast
from typing import Any, final

from ...measure.memory.extents import is_array
from ...measure.torch.metadata import device_name, dtype_name, is_tensor, requires_grad, shape_of
from ...safe.guard import c_attribute
from ...words.text import shape
from ..step.expressions import short_text

_SHOWN = 44  #: characters of an expression
#: What a tensor's methods cast to, by their names.
CASTS = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "bfloat16": "bfloat16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "byte": "uint8",
    "bool": "bool",
}


class Unknown:
    """Stands for a value that only running code could give."""


UNKNOWN = Unknown()


@final
class Operand:
    """A tensor or an array. ``value`` is None where only its shape and dtype were derived, from its operands.

    ``sizes``, ``dtype`` and ``device`` are None where they are not known. ``parts`` are what it is made of.
    """

    __slots__ = ("device", "dtype", "is_array", "is_written", "name", "parts", "sizes", "value")

    def __init__(
        self,
        name: str,
        value: Any = None,
        *,
        sizes: tuple[int, ...] | None = None,
        dtype: str | None = None,
        device: str | None = None,
        parts: tuple[Operand, ...] = (),
    ) -> None:
        self.name = name
        self.value = value
        self.sizes = sizes
        self.dtype = dtype
        self.device = device
        self.parts = parts
        self.is_array = value is not None and is_array(value)
        self.is_written = True  #: whether the name is an expression

    @property
    def fact(self) -> str:
        """``float32[32, 5] cuda:0``, as much as is known."""
        sizes = "" if self.sizes is None else shape(self.sizes)
        kind = "ndarray " if self.is_array else ""
        device = f" {self.device}" if self.device not in (None, "cpu") else ""
        return f"{kind}{self.dtype or ''}{sizes}{device}" or "not known"

    @property
    def shape(self) -> str:
        return "of unknown shape" if self.sizes is None else shape(self.sizes)

    def named(self, name: str) -> Operand:
        return Operand(name, self.value, sizes=self.sizes, dtype=self.dtype, device=self.device, parts=self.parts)

    def like(self, name: str, sizes: tuple[int, ...] | None, dtype: str | None = None) -> Operand:
        """What is computed from it, on the same device."""
        return Operand(name, None, sizes=sizes, dtype=dtype or self.dtype, device=self.device, parts=(self,))

    @property
    def written(self) -> str:
        """The expression as one can write a method after it."""
        if not self.is_written or all(sign.isalnum() or sign in "_.[]\"'" for sign in self.name):
            return self.name
        return f"({self.name})"

    def leaves(self) -> list[Operand]:
        """The tensors that it is, or was computed from."""
        if self.value is not None or not self.parts:
            return [self]
        return [leaf for part in self.parts for leaf in part.leaves()]

    def is_integer(self) -> bool:
        return self.dtype is not None and "int" in self.dtype

    def is_float(self) -> bool:
        return self.dtype is not None and "float" in self.dtype


def operand(name: str, value: Any) -> Operand | None:
    """A tensor or an array as an operand; None for everything else."""
    if is_tensor(value):
        sizes = tuple(shape_of(value))
        known = all(type(size) is int for size in sizes)
        return Operand(name, value, sizes=sizes if known else None, dtype=dtype_name(value), device=device_name(value))
    if is_array(value):
        return Operand(name, value, sizes=c_attribute(value, "shape"), dtype=_array_dtype(value), device="cpu")
    return None


def needs_grad(found: Operand) -> bool:
    return found.value is not None and not found.is_array and bool(requires_grad(found.value))


def in_title(node: ast.AST | None) -> str:
    """An expression, short enough for a title."""
    return short_text(node, _SHOWN)


def _array_dtype(value: Any) -> str | None:
    found: Any = c_attribute(value, "dtype")
    name = None if found is None or c_attribute(found, "fields") is not None else str(found)
    return None if name == "object" else name
