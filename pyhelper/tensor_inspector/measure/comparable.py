"""What a comparison of two tensors, arrays or columns has to know of the elements of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .stats import Unread


class Comparable:
    """The elements of one value. ``read`` gives the plain tensor or array that stands for them, why there is none
    (`Unread`), or None where its rows tell each of them.
    """

    __slots__ = ("absent", "array", "composed", "dtype", "layout", "mask", "read", "scale", "sizes", "tick")

    def __init__(
        self,
        dtype: str,
        sizes: tuple[Any, ...],
        read: Callable[[], Any],
        *,
        layout: str = "dense",
        composed: bool = False,
        mask: Any = None,
        absent: str = "masked",
        tick: Callable[[int], str] | None = None,
        scale: str | None = None,
        array: Any = None,
    ) -> None:
        self.dtype = dtype
        self.sizes = sizes  #: "*" for a dimension in which parts have different ones
        self.read = read
        self.layout = layout  #: ``sparse_csr`` of torch, ``csr`` of scipy; "strided" or "dense" of all else
        self.composed = composed  #: its rows, which are its parts, are all there is to it: sparse and nested values
        self.mask = mask  #: True where an element is not there; it may be of fields, in records
        self.absent = absent  #: what is said of such an element
        self.tick = tick  #: the text of a date or span of time that an integer stands for
        self.scale = scale  #: how numbers are made of the integers of a quantized tensor, in words
        self.array = array  #: the numpy array that is looked at, where there is one

    @classmethod
    def of(cls, elements: Any) -> Comparable:
        """Of a plain tensor or array, or of why there is none."""
        if isinstance(elements, Unread):
            return cls("", (), lambda: elements)
        dtype = str(elements.dtype).replace("torch.", "")
        return cls(dtype, tuple(elements.shape), lambda: elements)
