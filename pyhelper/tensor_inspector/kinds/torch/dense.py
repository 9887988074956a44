"""Tensors with strides: dense ones, and those whose elements torch computes as it reads them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...measure.stats import Reading, Unread, device, of_tensor
from ...measure.stats.together import of_alike
from ...measure.torch.metadata import (
    Base,
    ByteCounts,
    byte_counts_of,
    device_of,
    dtype_of,
    is_channels_last,
    is_integer,
    is_opaque,
    names_of,
    plain,
    shape_of,
    size_text,
    sizes_listed,
    tangent_of,
)
from ...measure.torch.readable import why_unread
from ...measure.values import listed_values
from ...safe.guard import module
from ...words.line import Word
from ...words.text import listed, size
from ...words.values import corner_text, value_text
from ..kind import Child
from .form import Form, TensorElements

if TYPE_CHECKING:
    from ...protocol import Facts

torch: Any = module("torch")
_INT = frozenset((int,))
_COUNTED = 1 << 18  #: integers of which it is counted how often each occurs
_LABELS = 64  #: the widest range of such
_SHOWN = 10  #: the most frequent ones
_VALUES = 10  #: tensors of integers up to this many elements show their values


class Strided(Form):
    """A tensor with strides whose elements are in its own memory."""

    _memory: ByteCounts | None = None

    def metadata(self) -> Facts:
        facts = super().metadata()
        facts["strides"] = sizes_listed(Base.stride(self.value))
        bytes = self.memory.bytes
        if bytes is not None:
            facts["bytes"] = bytes
        return facts

    @property
    def memory(self) -> ByteCounts:
        if self._memory is None:
            self._memory = byte_counts_of(self.value)
        return self._memory

    def plain(self) -> Any:
        """The same elements as a tensor that runs no code of a subclass."""
        return plain(self.value)

    def tangent(self) -> Any:
        return tangent_of(self.value)

    def length(self) -> int:
        reading = self.reading()
        if isinstance(reading, Unread) and not reading.is_skipped():
            return 0
        sizes = shape_of(self.value)
        return sizes[0] if sizes else 0

    def corner(self) -> str | None:
        return corner_text(self.plain())

    def layout_words(self) -> list[str]:
        sizes, strides = shape_of(self.value), Base.stride(self.value)
        if not _INT.issuperset(map(type, (*sizes, *strides))):
            return []  # comparing symbols would add guards to the program's own trace
        if Base.is_contiguous(self.value):
            return []
        if 0 not in sizes and any(length > 1 and stride == 0 for length, stride in zip(sizes, strides)):
            return [f"expanded from {size(self.memory.bytes or 0)}"]
        return ["channels_last" if is_channels_last(self.value) else "not contiguous"]

    def fact_rows(self) -> list[list[str]]:
        """Whose memory it is, where that is more than its elements take."""
        bytes, stored = self.memory.bytes, self.memory.stored
        if bytes is None or not stored:
            return []
        is_view = self.base() is not None
        if stored == bytes and not is_view:
            return []
        offset = Base.storage_offset(self.value)
        shared = "shares the base's " if is_view else ""
        return [["storage", f"{shared}{size(stored)}" + (f", offset {offset:,}" if offset else "")]]


class InMemory(Strided):
    """A tensor whose elements torch reads one by one, as they are or computed from its memory."""

    def read(self) -> Reading:
        return of_tensor(self.plain(), self.budget.share())

    def elements(self) -> Any:
        elements, is_known = self.plain(), self._reading is not None and not isinstance(self._reading, Unread)
        unread = None if is_known else why_unread(elements)  # of what was read for this answer, the memory is there
        return elements if unread is None else unread

    def fact_rows(self) -> list[list[str]]:
        return [*super().fact_rows(), *self._labels()]

    def _labels(self) -> list[list[str]]:
        """The values of integers that have only a few, as labels have, and how often each occurs."""
        reading = self.reading()
        if isinstance(reading, Unread) or "abs" in reading or not is_integer(dtype_of(self.value)):
            return []
        lowest, highest, elements = reading["min"], reading["max"], self.elements()
        few = not isinstance(elements, Unread) and 1 < elements.numel() <= _COUNTED
        if not few or type(lowest) is not int or type(highest) is not int or highest - lowest >= _LABELS:
            return []
        if not elements.is_cpu:
            elements = device.at_hand(elements)
            if not elements.is_cpu:
                return []
        numbers = elements.reshape(-1).to(torch.int64)
        counts = torch.bincount(numbers - lowest if lowest else numbers).tolist()
        labels = sorted((-amount, lowest + at) for at, amount in enumerate(counts) if amount)
        shown = listed((f"{label} ×{-amount:,}" for amount, label in labels[:_SHOWN]), len(labels) > _SHOWN, 60)
        return [["distinct", f"{len(labels)}: {shown}".replace("-", "−")]]

    def shown_values(self) -> str | None:
        """The elements of a 0-d tensor, and a few integers, as text."""
        sizes = shape_of(self.value)
        if len(sizes) > 1 or isinstance(self.reading(), Unread):
            return None
        if not sizes:
            return value_text(listed_values(self.plain()))
        if 0 < sizes[0] <= _VALUES and is_integer(dtype_of(self.value)):
            return str(self.plain().tolist()).replace("-", "−")
        return None

    def rows(self) -> list[Child]:
        """The bytes of a dtype of which torch knows nothing else."""
        if not is_opaque(self.value):
            return []
        seen_as = torch.uint8 if Base.element_size(self.value) == 1 else torch.int16
        return [Child("bytes", TensorElements(Base.view(self.plain(), seen_as)))]


class Dense(InMemory):
    """The usual form: the elements themselves."""

    is_dense = True

    def head(self) -> Word:
        """Worked out once for all that are alike."""
        known, alike = self.budget.known.heads, (dtype_of(self.value), shape_of(self.value), device_of(self.value))
        head = known.get(alike)
        if head is None:
            head = known[alike] = super().head()
        return head


def read_alike(forms: list[Form]) -> None:
    """Read those at once that can be."""
    dense = [form for form in forms if type(form) is Dense]
    if dense:
        for at, reading in of_alike([form.plain() for form in dense], dense[0].budget).items():
            dense[at].keep(reading)


class Zero(InMemory):
    """Zeros that autograd keeps without memory."""

    def metadata(self) -> Facts:
        facts = super().metadata()
        facts["bytes"] = 0
        return facts

    def plain(self) -> Any:
        return torch.zeros((), dtype=dtype_of(self.value), device="cpu").expand(shape_of(self.value))

    def elements(self) -> Any:
        return self.plain()

    def layout_words(self) -> list[str]:
        return ["zeros without memory"]


class Named(InMemory):
    """Elements in dimensions with names, which many operations refuse."""

    def sizes(self) -> str:
        named = zip(names_of(self.value), map(size_text, shape_of(self.value)))
        return f"[{', '.join(f'{name}={size}' if name else size for name, size in named)}]"

    def plain(self) -> Any:
        return Base.rename(super().plain(), None)


class Flipped(InMemory):
    """A view whose signs are turned when it is read."""

    def layout_words(self) -> list[str]:
        words = super().layout_words()
        if Base.is_conj(self.value):
            words.append("conjugated when read")
        if Base.is_neg(self.value):
            words.append("negated when read")
        return words


class SubclassMemory(InMemory):
    """The memory of a tensor class with a ``__torch_dispatch__``, read as it is."""

    def plain(self) -> Any:
        hidden = torch._C._DisableTorchDispatch()
        if not hasattr(hidden, "__enter__"):  # before torch 2.1 it is in force as long as it lives
            return plain(self.value)
        with hidden:
            return plain(self.value)

    def notes(self) -> Iterable[str]:
        return ["read beneath the code of its class"]
