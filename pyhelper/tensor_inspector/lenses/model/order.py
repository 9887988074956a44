"""Sorts the submodules of a module, and decides which equal neighbours are shown as one row."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import groupby
from typing import Any, TypeVar

from ...safe.guard import class_name
from .submodule import Submodule

T = TypeVar("T")
_LEAST = 3  #: consecutive similar modules from which on they are one row
_KEYS: dict[str, Callable[[Submodule], Any]] = {
    "order": lambda one: 0,
    "name": lambda one: (0, int(one.key), "") if one.key.isdecimal() else (1, 0, one.key),
    "type": lambda one: class_name(type(one.module)),
    "parameters": lambda one: -one.total.parameters,
    "trainable": lambda one: -one.total.trainable,
    "buffers": lambda one: -one.total.buffers,
    "bytes": lambda one: -one.total.bytes,
    "dtype": lambda one: list(one.dtypes),
    "device": lambda one: list(one.devices),
    "mode": lambda one: one.training is not True,
    "hooks": lambda one: -len(one.hooks),
}
SORTS = tuple(_KEYS)


class ModuleOrder:
    """The key by which sibling modules are sorted: numbers descending, texts ascending."""

    def __init__(self, by: str) -> None:
        self._key = _KEYS[by]

    def of(self, modules: Sequence[Submodule]) -> list[Submodule]:
        return sorted(modules, key=self._key)

    def groups(self, modules: Sequence[Submodule]) -> list[list[Submodule]]:
        """The same, with the layers of a list that are alike and follow each other as one."""
        return folded(self.of(modules), lambda one: one.key, lambda one: one.alike)


def folded(items: Sequence[T], key: Callable[[T], str], alike: Callable[[T], Hashable]) -> list[list[T]]:
    """Neighbours that are alike, and numbered one after the other, as one."""

    def run(numbered: tuple[int, T]) -> Hashable:
        at, one = numbered
        name = key(one)
        return (int(name) - at if name.isdecimal() else name), alike(one)

    found: list[list[T]] = []
    for _, same in groupby(enumerate(items), run):
        group = [one for _, one in same]
        found.extend([group] if len(group) >= _LEAST else ([one] for one in group))
    return found
