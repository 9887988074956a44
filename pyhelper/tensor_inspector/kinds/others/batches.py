"""The base of mappings from names to tensors, as transformers and tensordict have them."""

from __future__ import annotations

from ...safe.guard import library_of, owner_of
from ..kind import Child
from ..python.mappings import Mapping
from ..python.objects import attributes, other_rows


class Batch(Mapping):
    library = ""  #: whose ``__getitem__`` gives what is shown

    def indexed(self) -> bool:
        return library_of(owner_of(type(self.value), "__getitem__") or object) == self.library

    def beside(self) -> list[Child]:
        return other_rows(self.value, [child.name for child in self.others()])

    def others(self) -> list[Child]:
        """Attributes that are neither None, nor an item, nor the dict that holds the items."""
        shown = {id(None), id(self.as_dict()), *(id(item) for item in self.items())}
        return [child for child in attributes(self.value) if id(child.value) not in shown]
