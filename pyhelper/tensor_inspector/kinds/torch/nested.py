"""Nested tensors, strided and jagged, by their components."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...measure.stats import Reading, Unread
from ...measure.stats.unread import NOT_READ
from ...measure.torch.metadata import Base, byte_count, device_name, shape_of, sizes_listed
from ...protocol import Facts
from ...safe.guard import dict_get, instance_dict, module
from ...words.line import Word, head
from ...words.text import listed, plural, shape
from ..kind import Child, NotFound, NotStatic, Rows
from .forms import storage_of
from .storage import Storage, TensorElements

torch: Any = module("torch")
_SHOWN = 6  #: components whose sizes a line shows


class Components(Storage):
    """A nested tensor: components of different sizes in one buffer."""

    composed = True
    repeating = ("stats",)

    def buffer(self) -> Any:
        """The memory of all components; None where it can't be reached."""
        raise NotImplementedError

    def count(self) -> int:
        raise NotImplementedError

    def shapes(self, start: int, stop: int) -> Iterable[list[int]]:
        """The sizes of some components."""
        raise NotImplementedError

    def component(self, index: int) -> Any:
        raise NotImplementedError

    def head(self) -> Word:
        return head(self.dtype(), f" {self.layout()}{self.sizes()}", self.where())

    def sizes(self) -> str:
        return shape("*" if size is None else size for size in self.listed_sizes())

    def metadata(self) -> Facts:
        facts, buffer = super().metadata(), self.buffer()
        taken = None if buffer is None else byte_count(buffer)
        if taken is not None:
            facts["bytes"] = taken
        return facts

    def elements(self) -> Any:
        return Unread("layout", "nested")

    def read(self) -> Reading:
        buffer = self.buffer()
        return NOT_READ if buffer is None else storage_of(buffer, self.budget).reading()

    def measured(self) -> Any:
        """The whole buffer."""
        buffer = self.buffer()
        return NOT_READ if buffer is None else storage_of(buffer, self.budget).elements()

    def words(self) -> Iterator[str]:
        count = self.count()
        if isinstance(self.reading(), Unread) or not count:
            yield plural(count, "component")
            return
        shown = listed(map(str, self.shapes(0, min(count, _SHOWN))), count > _SHOWN, 50)
        yield f"{plural(count, 'component')}: {shown}"

    def notes(self) -> Iterable[str]:
        return ["statistics are of the whole buffer"]

    def fact_rows(self) -> list[list[str]]:
        return [["components", f"{self.count():,}"]]

    def rows(self) -> list[Child]:
        count = self.count()
        if not count or isinstance(self.reading(), Unread):
            return []
        return [Child("components", Rows(plural(count, "component"), count, self._page), "")]

    def item(self, key: Any) -> Any:
        if type(key) is not int or isinstance(self.reading(), Unread):
            raise NotStatic("nested")
        count = self.count()
        if not -count <= key < count:
            raise NotFound(f"there is no component {key}: it has {count:,}")
        return TensorElements(self.component(key % count))

    def _page(self, start: int, count: int) -> Iterator[Child]:
        for index in range(start, min(start + count, self.count())):
            yield Child(f"[{index}]", TensorElements(self.component(index)), f"[{index}]")


class Nested(Components):
    """A nested tensor of the strided layout, whose sizes torch keeps as tensors."""

    def layout(self) -> str:
        return "nested"

    def listed_sizes(self) -> list[Any]:
        """The number of components, then the sizes in which all agree, None where they don't."""
        sizes = self._sizes()
        if not self.count() or not Base.numel(sizes):
            return [self.count()]
        low, high = (end.tolist() for end in torch.aminmax(sizes, dim=0))
        return [self.count(), *(least if least == most else None for least, most in zip(low, high))]

    def buffer(self) -> Any:
        try:
            return Base.values(self.value)
        except (RuntimeError, NotImplementedError):  # before torch 2.1
            return None

    def count(self) -> int:
        return int(Base.size(self.value, 0))

    def shapes(self, start: int, stop: int) -> list[list[int]]:
        return self._sizes()[start:stop].tolist()  # type: ignore[no-any-return]

    def component(self, index: int) -> Any:
        [size], strides = self.shapes(index, index + 1), Base._nested_tensor_strides(self.value)
        # before torch 2.1 there was but the operation
        offsets = getattr(Base, "_nested_tensor_storage_offsets", None) or torch.ops.aten._nested_tensor_offsets
        return self.buffer().as_strided(size, strides[index].tolist(), int(offsets(self.value)[index]))

    def _sizes(self) -> Any:
        return Base._nested_tensor_size(self.value)


class Jagged(Components):
    """A nested tensor of the jagged layout: a Python class of torch's own, with values and offsets as attributes."""

    is_closed = True

    def device(self) -> str:
        return "cpu" if self.buffer() is None else device_name(self.buffer())

    def layout(self) -> str:
        return "jagged"

    def base(self) -> Any:
        return None  # its buffer, which is a row by itself

    def listed_sizes(self) -> list[Any]:
        return sizes_listed(self._own("_size") or ())

    def buffer(self) -> Any:
        return self._own("_values")

    def count(self) -> int:
        offsets = self._own("_offsets")
        length = 1 if offsets is None else shape_of(offsets)[0]
        return length - 1 if type(length) is int else 0  # comparing a symbol would add a guard to the program's trace

    def notes(self) -> Iterable[str]:
        holes = "" if self._own("_lengths") is None else ", with what is between the components"
        return [f"statistics are of the whole buffer{holes}"]

    def shapes(self, start: int, stop: int) -> list[list[int]]:
        sizes, ragged = list(shape_of(self.buffer())), self._ragged()
        return [[*sizes[:ragged], length, *sizes[ragged + 1 :]] for _, length in self._spans(start, stop)]

    def component(self, index: int) -> Any:
        [(offset, length)] = self._spans(index, index + 1)
        return Base.narrow(self.buffer(), self._ragged(), offset, length)

    def rows(self) -> list[Child]:
        parts = ((name, self._own(name)) for name in ("_values", "_offsets", "_lengths"))
        return [*super().rows(), *(Child(name[1:], part, f".{name}") for name, part in parts if part is not None)]

    def _own(self, name: str) -> Any:
        return dict_get(instance_dict(self.value), name)

    def _ragged(self) -> int:
        """The dimension of the buffer along which the components lie."""
        return int(self._own("_ragged_idx") or 1) - 1

    def _spans(self, start: int, stop: int) -> list[tuple[int, int]]:
        """Offset and length of some components."""
        bounds, lengths = self._own("_offsets")[start : stop + 1].tolist(), self._own("_lengths")
        if lengths is None:
            return [(low, high - low) for low, high in zip(bounds, bounds[1:])]
        return list(zip(bounds, lengths[start:stop].tolist()))
