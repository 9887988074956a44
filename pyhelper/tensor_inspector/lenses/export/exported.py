"""The elements of a value that are written to a file, piece by piece, with all their bits."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from math import prod
from typing import TYPE_CHECKING, Any

from ...measure.held import HeldElements
from ...safe.guard import each, module, plain_str
from ...safe.torch_name import torch_name
from ..compare.kept import parts_of, repeated
from ..details.source import readable
from ..picture.source import is_tensor

if TYPE_CHECKING:
    from ...safe.budget import Budget

try:
    from ctypes import string_at
except ImportError:  # a Python without it
    string_at = None  # type: ignore[assignment]

_PIECE = 1 << 18  #: bytes
_MOST_NAMED = 100_000  #: tensors in one file


class Exported:
    """A tensor of torch or an array of numpy's. Of a value of another library, such an array."""

    def __init__(self, value: Any, budget: Budget) -> None:
        found = readable(value, "file", budget)
        self.is_tensor = is_tensor(found)
        self.values = _bare(found) if self.is_tensor else found
        self.shape: tuple[int, ...] = tuple(map(int, found.shape))
        self.dtype: str = torch_name(found.dtype) if self.is_tensor else found.dtype.name
        self.itemsize: int = found.element_size() if self.is_tensor else found.dtype.itemsize
        self.place = self._place()  #: the same for two tensors over the same elements; None of what has none in memory
        self.notes = list(self._notes(_dtype_of(value)))  #: what no format can hold of them
        self._held = HeldElements(self.values)

    def count(self) -> int:
        return prod(self.shape)

    def nbytes(self) -> int:
        return self.count() * self.itemsize

    def is_big_endian(self) -> bool:
        """Whether the most significant byte of each element comes first."""
        order = "=" if self.is_tensor else self.values.dtype.byteorder
        return order == ">" or (order == "=" and sys.byteorder == "big")

    def _place(self) -> object:
        if not self.is_tensor:
            return None
        from ...measure.torch.elements import elements_key  # which needs torch

        return elements_key(self.values)

    def _notes(self, was: str | None) -> Iterator[str]:
        if was is not None and was != self.dtype:
            yield f"{was} is written as {self.dtype}, which holds its numbers"
        if repeated(self.values):
            yield "expanded: an element is written as often as it is shown"

    def check(self) -> None:
        """Raises ``ValueError`` where they are not what they were: the user may run code between two slices."""
        why = self._held.why_lost()
        if why is not None:
            raise ValueError(why)

    def read(self, *, little_endian: bool = False) -> Iterator[bytes]:
        """Their bytes in row-major order. Those of an array are in its own byte order, unless ``little_endian``."""
        if not self.count():
            return
        self.check()
        for data in self._read(self.values, little_endian):
            yield data
            self.check()  # a slice may have ended there

    def _read(self, values: Any, little_endian: bool) -> Iterator[bytes]:
        """What is repeated is read once where it is small: its bytes are told again."""
        size = prod(map(int, values.shape)) * self.itemsize
        at = next((at for at, length in enumerate(values.shape) if length > 1), None)
        if size <= _PIECE or at is None:
            yield _bytes_of_tensor(values) if self.is_tensor else _bytes_of_array(values, little_endian)
            return
        again = repeated(values)
        if at in again:
            sizes = list(map(int, values.shape))
            end = next((dim for dim in range(at, len(sizes)) if sizes[dim] > 1 and dim not in again), len(sizes))
            times, once = prod(sizes[at:end]), values[(slice(0, 1),) * end]
            if size // times > _PIECE:
                for _ in range(times):
                    yield from self._read(once, little_endian)
                return
            (data,) = self._read(once, little_endian)
            many = min(times, _PIECE // len(data))
            block = data * many
            for _ in range(times // many):
                yield block
            if times % many:
                yield data * (times % many)
            return
        for piece in parts_of(values, at, max(1, _PIECE // self.itemsize)):
            yield from self._read(piece, little_endian)


def named(value: Any, name: str, budget: Budget) -> Generator[None, None, list[tuple[str, Exported]]]:
    """A tensor under a name; of a module what its ``state_dict()`` has, of a dict or list all it holds, one a step.

    Raises ``TypeError`` and ``ValueError`` with a sentence.
    """
    items = _items(value)
    if items is None:
        return [(name, Exported(value, budget))]
    found: list[tuple[str, Exported]] = []
    names: set[str] = set()
    for key, item in items:
        if key in names:
            raise ValueError(f"the tensors of a file have names: two of these are {key}")
        names.add(key)
        if len(found) == _MOST_NAMED:
            raise ValueError(f"a file is of up to {_MOST_NAMED:,} tensors")
        try:
            found.append((key, Exported(item, budget)))
        except (TypeError, ValueError) as error:
            raise ValueError(f"{key}: {error}") from None
        yield
    if not found:
        raise ValueError(f"a file is of tensors: {name} holds none")
    return found


def _items(value: Any) -> Iterator[tuple[str, Any]] | None:
    """What a value holds, by names; None of what is exported as one."""
    cls = type(value)
    if issubclass(cls, dict):
        return ((plain_str(key) if issubclass(type(key), str) else repr(key), item) for key, item in _pairs(value))
    torch = module("torch")
    if torch is not None and issubclass(cls, torch.nn.Module):
        from ...measure.torch.modules import state_of  # which needs torch

        return state_of(value)
    if issubclass(cls, (list, tuple)):
        iterate: Any = list.__iter__ if issubclass(cls, list) else tuple.__iter__
        items = list(each(iterate, value))
        if any(map(_is_array, items)):
            return ((str(at), item) for at, item in enumerate(items))
    return None


def _pairs(value: Any) -> list[tuple[Any, Any]]:
    found = list(each(dict.items, value))
    odd = next((key for key, _ in found if not issubclass(type(key), str) and type(key) is not int), None)
    if odd is not None:
        raise ValueError("the tensors of a file have names: the keys of this dict are no texts")
    return found


def _is_array(value: Any) -> bool:
    numpy = module("numpy")
    return is_tensor(value) or (numpy is not None and issubclass(type(value), numpy.ndarray))


def _dtype_of(value: Any) -> str | None:
    numpy = module("numpy")
    is_array = numpy is not None and issubclass(type(value), numpy.ndarray)
    return numpy.ndarray.__dict__["dtype"].__get__(value).name if is_array else None


def _bare(tensor: Any) -> Any:
    from ...measure.torch.metadata import Base, plain  # which need torch

    return Base.detach(plain(tensor))


def _bytes_of_tensor(piece: Any) -> bytes:
    """Copied by their address: not every torch can hand them to numpy, nor every program has numpy."""
    from ...measure.torch.readable import address_of  # which needs torch

    kept = piece.resolve_conj().resolve_neg().cpu().contiguous()
    if string_at is None:
        raise ValueError("this Python has no ctypes, by which elements of tensors are read")
    return string_at(address_of(kept), kept.numel() * kept.element_size())


def _bytes_of_array(piece: Any, little_endian: bool) -> bytes:
    if little_endian:
        piece = piece.astype(piece.dtype.newbyteorder("<"))
    return piece.tobytes()  # type: ignore[no-any-return]
