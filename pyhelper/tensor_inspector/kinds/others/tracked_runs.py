"""wandb: the configuration of a run, without what wandb itself keeps in it. Nothing is sent or asked for."""

from __future__ import annotations

from typing import Any

from ...safe.guard import dict_attribute, each
from ..families import by_home
from ..kind import Child
from ..python.mappings import Mapping

_OWN = "_wandb"  #: the key under which wandb keeps notes of its own


class RunConfig(Mapping):
    """What was set for a run, by name."""

    needs = ("_items",)

    def as_dict(self) -> dict[Any, Any]:
        items = dict_attribute(self.value, "_items")
        return {name: item for name, item in each(dict.items, items) if not (type(name) is str and name == _OWN)}

    def beside(self) -> list[Child]:
        return []


kind_for = by_home({RunConfig: ("Config",)}, "wandb")
