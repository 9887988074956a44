"""Nested tensors, strided and jagged: their components."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from ...measure.stats import Reading, Unread
from ...measure.torch.metadata import Base, byte_count, device_name, is_tensor, shape_of, sizes_listed, stored_bytes
from ...measure.torch.readable import too_short, why_unread
from ...measure.unread import NOT_READ
from ...safe.guard import dict_get, instance_dict, module
from ...words.line import Word, head
from ...words.text import listed, plural, shape, size
from ..kind import Child, NotFound, NotStatic
from ..python.objects import attributes_but
from ..rows import Rows
from .form import Form, TensorElements
from .forms import form_of

if TYPE_CHECKING:
    from ...protocol import Facts

torch: Any = module("torch")
_GATHERED = 10_000  #: components with gaps between them that are read
_COPIED = 1 << 22  #: elements of their buffer
#: What torch keeps in a jagged tensor.
_OF_JAGGED = frozenset(
    "_ragged_idx _size _strides _values _offsets _lengths _metadata_cache _dynamo_propagated_dynamic_indices".split()
)
_SHOWN = 6  #: components whose sizes a line shows


class Components(Form):
    """A nested tensor: components of different sizes in one buffer."""

    composed = True
    repeating: ClassVar[tuple[str, ...]] = ("stats",)

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

    def why_not_apart(self) -> Unread | None:
        """Why it is not known where in the buffer the components lie; None where it is."""
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
        return NOT_READ if buffer is None else form_of(buffer, self.budget).reading()

    def measured(self) -> Any:
        """The whole buffer."""
        buffer = self.buffer()
        return NOT_READ if buffer is None else form_of(buffer, self.budget).elements()

    def are_apart(self) -> bool:
        """Whether the components can be read one by one, also where they are too many for statistics."""
        buffer = self.buffer()
        unread = buffer is None or isinstance(form_of(buffer, self.budget).elements(), Unread)
        return not unread and self.why_not_apart() is None

    def words(self) -> Iterator[str]:
        count = self.count()
        if not count or isinstance(self.reading(), Unread) or not self.are_apart():
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
        if not count or not self.are_apart():
            return []
        return [Child("components", Rows(plural(count, "component"), count, self._page), "")]

    def item(self, key: Any) -> Any:
        if type(key) is not int or not self.are_apart():
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
        if not self.count() or not Base.numel(sizes) or why_unread(sizes) is not None:
            return [self.count()]
        low, high = (end.tolist() for end in torch.aminmax(sizes, dim=0))
        return [self.count(), *(least if least == most else None for least, most in zip(low, high))]

    def buffer(self) -> Any:
        try:
            return Base.values(self.value)
        except (RuntimeError, NotImplementedError):  # before torch 2.1
            return None

    def read(self) -> Reading:
        return self.why_not_apart() or super().read()

    def why_not_apart(self) -> Unread | None:
        """The buffer is as long as its memory is now: whether that is enough for the components is looked up here."""
        sizes, strides, offsets = self._sizes(), self._strides(), self._offsets()
        unread = next(filter(None, map(why_unread, (sizes, strides, offsets))), None)
        buffer = self.buffer()
        if unread is not None or buffer is None or not self.count():
            return unread
        ends = ((sizes - 1) * strides).sum(1).add(offsets).add(1).masked_fill((sizes == 0).any(1), 0)
        need, have = int(ends.max()) * Base.element_size(buffer), stored_bytes(buffer)
        return None if have is None or need <= have else too_short(have, need)

    def count(self) -> int:
        return int(Base.size(self.value, 0))

    def shapes(self, start: int, stop: int) -> list[list[int]]:
        return self._sizes()[start:stop].tolist()  # type: ignore[no-any-return]

    def component(self, index: int) -> Any:
        [size], strides = self.shapes(index, index + 1), self._strides()
        return self.buffer().as_strided(size, strides[index].tolist(), int(self._offsets()[index]))

    def _sizes(self) -> Any:
        return Base._nested_tensor_size(self.value)

    def _strides(self) -> Any:
        return Base._nested_tensor_strides(self.value)

    def _offsets(self) -> Any:
        # before torch 2.1 there was but the operation
        ask = getattr(Base, "_nested_tensor_storage_offsets", None) or torch.ops.aten._nested_tensor_offsets
        found = ask(self.value)
        return found if is_tensor(found) else torch.tensor(found, dtype=torch.int64, device="cpu")


class Jagged(Components):
    """A nested tensor of the jagged layout: a Python class of torch's own, with values and offsets as attributes."""

    is_closed = True
    repeating = ("stats", "values", "offsets", "lengths")  #: where the components lie in their buffer is not compared

    def device(self) -> str:
        return "cpu" if self.buffer() is None else device_name(self.buffer())

    def layout(self) -> str:
        return "jagged"

    def base(self) -> Any:
        return None  # its buffer, which is a row by itself

    def listed_sizes(self) -> list[Any]:
        sizes = self._attr("_size")
        return sizes_listed(sizes if issubclass(type(sizes), tuple) else ())

    def buffer(self) -> Any:
        return self._tensor("_values")

    def count(self) -> int:
        offsets = self._tensor("_offsets")
        length = shape_of(offsets)[0] if offsets is not None and shape_of(offsets) else 1
        return length - 1 if type(length) is int else 0  # comparing a symbol would add a guard to the program's trace

    def why_not_apart(self) -> Unread | None:
        """The instance's attributes may be anything by now."""
        bounds = [self._tensor(name) for name in ("_offsets", "_lengths") if self._attr(name) is not None]
        if self.buffer() is None or not bounds or None in bounds or self._ragged() < 0:
            return NOT_READ
        read = (form_of(part, self.budget).elements() for part in bounds)
        return next((part for part in read if isinstance(part, Unread)), None)

    def notes(self) -> Iterable[str]:
        return super().notes() if self._attr("_lengths") is None else ["statistics are of the components alone"]

    def read(self) -> Reading:
        if self._attr("_lengths") is None:
            return super().read()
        gathered = self._gathered()
        return gathered if isinstance(gathered, Unread) else form_of(gathered, self.budget).reading()

    def measured(self) -> Any:
        """The components without the gaps between them; the whole buffer where there are none."""
        if self._attr("_lengths") is None:
            return super().measured()
        gathered = self._gathered()
        return gathered if isinstance(gathered, Unread) else form_of(gathered, self.budget).elements()

    def _gathered(self) -> Any:
        """All components one after another, without the gaps; why not, where they can't be had or are too many."""
        unread, buffer = self.why_not_apart(), self.buffer()
        if unread is not None:
            return unread
        plain = form_of(buffer, self.budget).elements()
        if isinstance(plain, Unread):
            return plain
        if not 0 < self.count() <= _GATHERED or Base.numel(buffer) > _COPIED:
            return Unread("too_many", f"not read: a copy would take {size(stored_bytes(buffer) or 0)}")
        spans = self._spans(0, self.count())
        return torch.cat([plain.narrow(self._ragged(), offset, length).reshape(-1) for offset, length in spans])

    def shapes(self, start: int, stop: int) -> list[list[int]]:
        sizes, ragged = list(shape_of(self.buffer())), self._ragged()
        return [[*sizes[:ragged], length, *sizes[ragged + 1 :]] for _, length in self._spans(start, stop)]

    def component(self, index: int) -> Any:
        [(offset, length)] = self._spans(index, index + 1)
        return Base.narrow(self.buffer(), self._ragged(), offset, length)

    def rows(self) -> list[Child]:
        parts = ((name, self._attr(name)) for name in ("_values", "_offsets", "_lengths"))
        return [*super().rows(), *(Child(name[1:], part, f".{name}") for name, part in parts if part is not None)]

    def unlisted(self) -> Iterable[Child]:
        return attributes_but(self.value, _OF_JAGGED)

    def _attr(self, name: str) -> Any:
        return dict_get(instance_dict(self.value), name)

    def _tensor(self, name: str) -> Any:
        """A tensor among the attributes; None where it is none."""
        found = self._attr(name)
        return found if is_tensor(found) else None

    def _ragged(self) -> int:
        """The dimension of the buffer along which the components lie; −1 where there is no such."""
        dimension = self._attr("_ragged_idx") or 1
        return dimension - 1 if type(dimension) is int and dimension <= Base.dim(self.buffer()) else -1

    def _spans(self, start: int, stop: int) -> list[tuple[int, int]]:
        """Offset and length of some components."""
        bounds, lengths = self._attr("_offsets")[start : stop + 1].tolist(), self._attr("_lengths")
        if lengths is None:
            return [(low, high - low) for low, high in zip(bounds, bounds[1:])]
        return list(zip(bounds, lengths[start:stop].tolist()))
