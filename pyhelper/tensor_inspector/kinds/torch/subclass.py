"""Tensor classes with a ``__torch_dispatch__`` of their own, by what they wrap. None of it runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from ...measure.stats import Reading, Unread, of_tensor
from ...measure.stats.unread import OWN_CODE
from ...measure.torch.dispatch import metadata_of
from ...measure.torch.metadata import plain, size_text, sizes_listed
from ...protocol import Facts
from ...safe.guard import attribute, module
from ...words.line import Word, prefixed
from ...words.text import count, listed
from ..kind import Child, Rows
from ..python.objects import attributes, brief, is_tensor, property_rows
from .layouts import Special
from .tensor import Tensor

torch: Any = module("torch")
_PEEKED = 1000  #: attributes looked at for tensors
_GATHERED = 1 << 20  #: elements of a masked tensor up to which those that are kept are gathered


class Wrapper(Special):
    """A tensor class that computes its values, by the tensors it is made of."""

    unread: Unread = OWN_CODE

    def __init__(self, value: Any, budget: Any) -> None:
        super().__init__(value, budget)
        self.metadata = metadata_of(value)

    def brief(self) -> str:
        return prefixed(f"{self.type_name()} ", self.head()) if self.head() else self.type_name()

    def head(self) -> Word:
        return Word("") if self.metadata.shape is None else super().head()

    def sizes(self) -> str:
        return "" if self.metadata.shape is None else f"[{', '.join(map(size_text, self.metadata.shape))}]"

    def listed_sizes(self) -> list[Any]:
        return sizes_listed(self.metadata.shape or ())

    def device(self) -> str:
        return "" if self.metadata.device is None else str(self.metadata.device)

    def layout(self) -> str:
        return "" if self.metadata.layout is None else str(self.metadata.layout).replace("torch.", "")

    def form_words(self) -> Iterator[str]:
        parts = self.inner() or self._attributes()
        shown = listed((f"{part.name}={brief(part.value, self)}" for part in parts), False, 90)
        yield f"wraps {shown or 'nothing by name'}"

    def stats_words(self) -> list[str]:
        return []

    def value_facts(self) -> Facts:
        facts: Any = super().value_facts()
        for name in ("shape", "device", "layout"):
            if getattr(self.metadata, name) is None:
                del facts[name]
        return facts  # type: ignore[no-any-return]

    def add_memory(self, facts: Facts) -> None:
        if self.metadata.strides is not None:
            facts["strides"] = sizes_listed(self.metadata.strides)

    def elements(self) -> Any:
        return self.unread

    def read(self) -> Reading:
        return self.unread

    def inner(self) -> list[Child]:
        """The tensors that the instance holds."""
        return [child for child in self._attributes() if is_tensor(child.value)]

    def form_rows(self) -> list[Child]:
        return self.inner()

    def attribute_rows(self) -> list[Child]:
        others = [child for child in self._attributes() if child.value is not None and not is_tensor(child.value)]
        shown = listed((child.name for child in others), False, 60)
        rows = [Child("other attributes", Rows.of(shown, others), "")] if others else []
        return [*rows, *property_rows(self.value)]

    def _attributes(self) -> list[Child]:
        return list(islice(attributes(self.value), _PEEKED))

    def own(self, name: str) -> Any:
        """What the instance holds under a name; None where that is nothing."""
        try:
            return attribute(self.value, name)
        except AttributeError:
            return None


class Fake(Wrapper):
    """A tensor without values, on the device it stands for; its sizes may be symbols."""

    unread = Unread("no_values", "fake: no values")

    def device(self) -> str:
        return str(self.own("_fake_device") or self.own("fake_device") or "cpu")

    def form_words(self) -> Iterator[str]:
        return iter(())

    def stats_words(self) -> list[str]:
        return Special.stats_words(self)

    def value_facts(self) -> Facts:
        facts = super().value_facts()
        facts["device"] = self.device()
        return facts


class Masked(Wrapper):
    """A masked tensor by the elements that are kept."""

    form = "masked"

    unread = Unread("too_many", "values not read: more than are gathered")

    def form_words(self) -> Iterator[str]:
        kept: Any = Tensor(self.own("_masked_mask"), self.budget).reading()
        if not isinstance(kept, Unread) and kept["exact"]:
            yield f"{count(kept['count'] - kept['zeros'])} of {count(kept['count'])} kept"

    def stats_words(self) -> list[str]:
        return Special.stats_words(self)

    def notes(self) -> list[str]:
        return ["statistics are of what the mask keeps"]

    def read(self) -> Reading:
        data, mask = (Tensor(self.own(name), self.budget).elements() for name in ("_masked_data", "_masked_mask"))
        for part in (data, mask):
            if isinstance(part, Unread):
                return part
        if data.numel() > _GATHERED:
            return super().read()
        return of_tensor(data[mask], self.budget.share())


class Beneath(Tensor):
    """A tensor class with memory of its own, which is read as it is."""

    def plain(self) -> Any:
        hidden = torch._C._DisableTorchDispatch()
        if not hasattr(hidden, "__enter__"):  # before torch 2.1 it is in force as long as it lives
            return plain(self.value)
        with hidden:
            return plain(self.value)

    def notes(self) -> list[str]:
        return ["read beneath the code of its class"]
