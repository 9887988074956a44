"""Mappings of tensors under names, which libraries have in many forms: told with what they hold, not by names alone."""

from __future__ import annotations

from ...safe.guard import class_dict, class_module, class_name, mro
from ...words.text import listed
from ..kind import Child, Rows
from ..python.mappings import Mapping
from ..python.objects import attributes


class Batch(Mapping):
    library = ""  #: whose ``__getitem__`` gives what is shown

    def indexed(self) -> bool:
        owner = next((base for base in mro(type(self.value)) if "__getitem__" in class_dict(base)), object)
        return class_module(owner).partition(".")[0] == self.library

    def beside(self) -> list[Child]:
        others = self.others()
        shown = listed((child.name for child in others[:8]), len(others) > 8, 60)
        return [Child("other attributes", Rows.of(shown, others), "")] if others else []

    def others(self) -> list[Child]:
        """Attributes that are neither None, nor an item, nor the dict that holds the items."""
        told = {id(None), id(self.held()), *(id(item) for item in self.items())}
        return [child for child in attributes(self.value) if id(child.value) not in told]


def is_of(bases: tuple[type, ...], name: str, library: str) -> bool:
    """Whether a class of that name, of that library, is among the bases."""
    return any(class_name(base) == name and class_module(base).partition(".")[0] == library for base in bases)
