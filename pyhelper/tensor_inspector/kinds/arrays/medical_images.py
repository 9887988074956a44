"""MONAI: tensors with metadata, and the transforms that wait to be applied to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from ...safe.guard import dict_attribute, each, instance_dict, plain_str
from ...words.line import Word
from ...words.text import listed
from ..families import by_home
from ..python.objects import brief_inline
from ..torch.tensor import Tensor

if TYPE_CHECKING:
    from ...protocol import Facts

_SHOWN = 8  #: transforms and entries in a line
_WIDTH = 44  #: characters of each of these lists
_CLASS = "class"  #: the key under which a transform's record has its name


class MetaTensor(Tensor):
    """A tensor with its metadata: until they are applied, pending transforms make it another image than it will be."""

    def parts(self) -> Iterable[str | None]:
        name, *rest = super().parts()
        pending = self._transforms("_pending_operations")
        waiting = Word(f"pending: {pending}", loud=True) if pending else None
        return [name, waiting, *rest, self._meta_word()]

    def view_words(self) -> str | None:
        return None  # all are: MONAI makes them of other tensors' memory

    def facts(self) -> Facts:
        facts = super().facts()
        known = (
            ("pending", self._transforms("_pending_operations")),
            ("applied", self._transforms("_applied_operations")),
        )
        rows = [[label, text] for label, text in known if text]
        rows += ([name, brief_inline(item, self)] for name, item in islice(self._meta(), _SHOWN))
        return {**facts, "rows": [*facts.get("rows", []), *rows]}

    def _meta(self) -> Iterator[tuple[str, Any]]:
        return ((_text(key), item) for key, item in each(dict.items, dict_attribute(self.value, "_meta")))

    def _meta_word(self) -> str | None:
        shown = [f"{name} {brief_inline(item, self)}" for name, item in islice(self._meta(), _SHOWN)]
        return listed(shown, len(dict_attribute(self.value, "_meta")) > _SHOWN, _WIDTH) if shown else None

    def _transforms(self, name: str) -> str:
        """The names of the transforms in a list of records, in their order."""
        records = instance_dict(self.value).get(name)
        records = records if type(records) is list else []
        names = [_name_of(record) for record in records[:_SHOWN]]
        return listed(names, len(records) > _SHOWN, _WIDTH)


def _name_of(record: Any) -> str:
    found = each(dict.items, record) if issubclass(type(record), dict) else ()
    return next((plain_str(item) for key, item in found if _text(key) == _CLASS), "?")


def _text(key: object) -> str:
    """A key as text: MONAI's are members of enumerations, which are strings too."""
    return plain_str(key) or "?"


kind_for = by_home({MetaTensor: ("MetaTensor",)}, "monai")
