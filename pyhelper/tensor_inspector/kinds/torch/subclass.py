"""Tensor classes with a ``__torch_dispatch__`` of their own, by what they wrap. None of it runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, ClassVar

from ...measure.comparable import Comparable
from ...measure.stats import Reading, Unread, of_tensor
from ...measure.stats.unread import OWN_CODE
from ...measure.torch.dispatch import metadata_of
from ...measure.torch.metadata import size_text, sizes_listed
from ...protocol import Facts
from ...safe.budget import Budget
from ...safe.guard import attribute, class_name, full_name
from ...words.line import Word, prefixed
from ...words.text import count, listed
from ..kind import Child
from ..python.objects import attributes, brief, is_tensor, other_rows, property_rows
from .forms import storage_of
from .storage import Storage

_MASKED = "_masked_data", "_masked_mask"  #: what a masked tensor is made of
_PEEKED = 1000  #: attributes looked at for tensors
_GATHERED = 1 << 20  #: elements of a masked tensor up to which those that are kept are gathered


class OfClass(Storage):
    """What a tensor class in Python keeps, by what torch and the instance's attributes tell."""

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
        return "" if self.known.layout is None else str(self.known.layout).replace("torch.", "")

    def metadata(self) -> Facts:
        known, facts = self.known, Facts(type=full_name(type(self.value)))
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
        """The tensors that the instance holds."""
        return [child for child in self.attributes() if is_tensor(child.value)]

    def attribute_rows(self) -> list[Child]:
        if self.is_closed:
            return []
        others = [child.name for child in self.attributes() if child.value is not None and not is_tensor(child.value)]
        return [*other_rows(self.value, others), *property_rows(self.value)]

    def attributes(self) -> list[Child]:
        return list(islice(attributes(self.value), _PEEKED))

    def own(self, name: str) -> Any:
        """What the instance holds under a name; None where that is nothing."""
        try:
            return attribute(self.value, name)
        except AttributeError:
            return None


class Wrapper(OfClass):
    """A tensor class that computes its values, by the tensors it is made of."""

    def words(self) -> Iterator[str]:
        parts = self.rows() or self.attributes()
        shown = listed((f"{part.name}={brief(part.value, self)}" for part in parts), False, 90)
        yield f"wraps {shown or 'nothing by name'}"

    def stats_words(self) -> list[str]:
        return []


class Fake(OfClass):
    """A tensor without values, on the device it stands for; its sizes may be symbols."""

    unread = Unread("no_values", "fake: no values")

    def device(self) -> str:
        return str(self.own("_fake_device") or self.own("fake_device") or "cpu")


class Uninitialized(Storage):
    """A parameter or buffer of a lazy module, whose sizes are not known before its first input."""

    def sizes(self) -> str:
        return ""

    def metadata(self) -> Facts:
        facts = super().metadata()
        del facts["shape"]
        return facts

    def read(self) -> Reading:
        return Unread("no_values", "uninitialized")


class Masked(OfClass):
    """A masked tensor by the elements that are kept."""

    unread = Unread("too_many", "values not read: more than are gathered")

    def words(self) -> Iterator[str]:
        kept: Any = storage_of(self.own("_masked_mask"), self.budget).reading()
        if not isinstance(kept, Unread) and kept["exact"]:
            yield f"{count(kept['count'] - kept['zeros'])} of {count(kept['count'])} kept"

    def notes(self) -> list[str]:
        return ["statistics are of what the mask keeps"]

    def comparable(self) -> Comparable:
        if not all(is_tensor(self.own(name)) for name in _MASKED):
            return Comparable.of(Unread("dtype", "its parts are no tensors"))
        data, mask = (storage_of(self.own(name), self.budget).elements() for name in _MASKED)
        for part in (data, mask):
            if isinstance(part, Unread):
                return Comparable.of(part)
        found = Comparable.of(data)
        found.mask = ~mask
        return found

    def read(self) -> Reading:
        parts = [storage_of(self.own(name), self.budget).elements() for name in _MASKED]
        for part in parts:
            if isinstance(part, Unread):
                return part
        data, mask = parts
        if data.numel() > _GATHERED:
            return self.unread
        return of_tensor(data[mask], self.budget.share())
