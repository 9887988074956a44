"""`Comparable`: the elements of a tensor, array or column, as a comparison reads them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..safe.record import Record
from ..safe.torch_name import torch_name
from .stats import Unread


class Comparable(Record):
    """The elements of one value, for a comparison. ``read`` gives the plain tensor or array, why there is none
    (`Unread`), or None where the rows are compared instead."""

    dtype: str
    sizes: tuple[Any, ...]  #: "*" for a dimension in which parts have different ones
    read: Callable[[], Any]
    layout: str = "dense"  #: ``sparse_csr`` of torch, ``csr`` of scipy; "strided" or "dense" of all else
    composed: bool = False  #: its rows, which are its parts, are all there is to it: sparse and nested values
    mask: Any = None  #: True where an element is not there; it may be of fields, in records
    absent: str = "masked"  #: the word for such an element
    tick: Callable[[int], str] | None = None  #: the text of a date or span of time that an integer stands for
    scale: str | None = None  #: how numbers are made of the integers of a quantized tensor, in words
    array: Any = None  #: the numpy array that is looked at, where there is one

    @classmethod
    def of(cls, elements: Any) -> Comparable:
        """What can be compared of a plain tensor or array; or of the reason why there is none."""
        if isinstance(elements, Unread):
            return cls("", (), lambda: elements)
        dtype = torch_name(elements.dtype)
        return cls(dtype, tuple(elements.shape), lambda: elements)
