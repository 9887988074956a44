"""Tensor classes with a ``__torch_dispatch__``, described by the tensors that they wrap. None of their code runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

from ...measure.comparable import Comparable
from ...measure.composed import ComposedElements, KeptElements
from ...measure.stats import Reading, Unread, of_tensor
from ...measure.torch.dispatch import known_bytes, metadata_of
from ...measure.torch.metadata import is_any_tensor, size_text, sizes_listed
from ...measure.unread import MISSING, OWN_CODE
from ...safe.attributes import attribute
from ...safe.budget import Budget
from ...safe.guard import class_name, full_name
from ...safe.torch_name import torch_name
from ...words.line import Word, prefixed
from ...words.text import count, listed
from ..kind import Child
from ..python.objects import attributes, brief, is_listed_first, other_rows, property_rows
from .form import Form
from .forms import form_of

if TYPE_CHECKING:
    from ...protocol import Facts

_MASKED = "_masked_data", "_masked_mask"  #: what a masked tensor is made of
_PEEKED = 1000  #: attributes looked at for tensors
_GATHERED = 1 << 20  #: elements of a masked tensor up to which those that are kept are gathered


class PythonSubclass(Form):
    """A tensor class written in Python, by what torch's C++ and the instance's attributes know."""

    unread: ClassVar[Unread] = OWN_CODE  #: why its values are not read, where they are not

    def __init__(self, value: Any, budget: Budget) -> None:
        super().__init__(value, budget)
        self.known = metadata_of(value)

    def brief(self) -> Word:
        name = class_name(type(self.value))
        return prefixed(f"{name} ", self.head()) if self.head() else Word(name)

    def head(self) -> Word:
        return Word("") if self.known.shape is None else super().head()

    def sizes(self) -> str:
        return "" if self.known.shape is None else f"[{', '.join(map(size_text, self.known.shape))}]"

    def listed_sizes(self) -> list[Any]:
        return sizes_listed(self.known.shape or ())

    def device(self) -> str:
        return "" if self.known.device is None else str(self.known.device)

    def layout(self) -> str:
        return "" if self.known.layout is None else torch_name(self.known.layout)

    def metadata(self) -> Facts:
        known = self.known
        facts: Facts = {"type": full_name(type(self.value))}
        if known.shape is not None:
            facts["shape"] = self.listed_sizes()
        facts["dtype"] = self.dtype()
        if self.device():
            facts["device"] = self.device()
        if known.layout is not None:
            facts["layout"] = self.layout()
        if known.strides is not None:
            facts["strides"] = sizes_listed(known.strides)
        return facts

    def read(self) -> Reading:
        return self.unread

    def elements(self) -> Any:
        return self.unread

    def rows(self) -> list[Child]:
        """The tensors, arrays and modules that the instance holds."""
        return [child for child in self.attributes() if is_listed_first(child.value)]

    def attribute_rows(self) -> list[Child]:
        if self.is_closed:
            return []
        others = [
            child.name for child in self.attributes() if child.value is not None and not is_listed_first(child.value)
        ]
        return [*other_rows(self.value, others), *property_rows(self.value)]

    def attributes(self) -> list[Child]:
        return list(islice(attributes(self.value), _PEEKED))

    def attr(self, name: str) -> Any:
        """What the instance holds under a name; None where that is nothing."""
        try:
            return attribute(self.value, name)
        except AttributeError:
            return None

    def part(self, name: str) -> Form | None:
        """The form of a tensor that the instance holds under a name; None where that is none."""
        found = self.attr(name)
        return form_of(found, self.budget) if is_any_tensor(found) else None


class Wrapper(PythonSubclass):
    """A tensor class that computes its values, by the tensors it is made of."""

    def words(self) -> Iterator[str]:
        parts = self.rows() or self.attributes()
        shown = listed((f"{part.name}={brief(part.value, self)}" for part in parts), False, 90)
        yield f"wraps {shown or 'nothing by name'}"

    def stats_words(self) -> list[str]:
        return []

    def metadata(self) -> Facts:
        facts, taken = super().metadata(), known_bytes(self.value)
        if taken is not None:
            facts["bytes"] = taken
        return facts


class Fake(PythonSubclass):
    """A tensor without values, on the device it stands for; its sizes may be symbols."""

    unread = Unread("no_values", "fake: no values")

    def device(self) -> str:
        return str(self.attr("_fake_device") or self.attr("fake_device") or "cpu")


class Uninitialized(Form):
    """A parameter or buffer of a lazy module, whose sizes are not known before its first input."""

    def sizes(self) -> str:
        return ""

    def metadata(self) -> Facts:
        facts = super().metadata()
        del facts["shape"]
        return facts

    def read(self) -> Reading:
        return Unread("no_values", "uninitialized")

    def elements(self) -> Any:
        return Unread("no_values", "not initialized")


class Masked(PythonSubclass):
    """A masked tensor by the elements that are kept."""

    unread = Unread("too_many", f"values not read: a mask is applied to {count(_GATHERED)} elements at most")

    def words(self) -> Iterator[str]:
        mask = self.part("_masked_mask")
        unmasked: Any = MISSING if mask is None else mask.reading()
        if not isinstance(unmasked, Unread) and unmasked["exact"]:
            yield f"{count(unmasked['count'] - unmasked['zeros'])} of {count(unmasked['count'])} kept"

    def notes(self) -> list[str]:
        data, _ = self._parts()
        return [] if isinstance(data, Unread) or data.numel() > _GATHERED else ["statistics are of what the mask keeps"]

    def comparable(self) -> Comparable:
        data, mask = self._parts()
        for part in (data, mask):
            if isinstance(part, Unread):
                return Comparable.of(part)
        found = Comparable.of(data)
        found.mask = ~mask
        return found

    def composition(self) -> ComposedElements | None:
        data, mask = self._parts()
        return None if isinstance(data, Unread) or isinstance(mask, Unread) else KeptElements(data, mask)

    def read(self) -> Reading:
        data, mask = self._parts()
        for part in (data, mask):
            if isinstance(part, Unread):
                return part
        if data.numel() > _GATHERED:
            return self.unread
        return of_tensor(data[mask], self.budget.share())

    def _parts(self) -> list[Any]:
        """Elements and mask, or why there are none."""
        parts = map(self.part, _MASKED)
        return [MISSING if part is None else part.elements() for part in parts]
