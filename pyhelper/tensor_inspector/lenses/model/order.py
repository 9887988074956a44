"""Sorts the submodules of a module, and decides which equal neighbours are shown as one row."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
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
        """The modules in that order, with the layers of a list that are alike and follow each other as one."""
        return folded(self.of(modules), lambda one: one.key, lambda one: one.alike)


def folded(items: Sequence[T], key: Callable[[T], str], alike: Callable[[T], Hashable]) -> list[list[T]]:
    """Neighbours that are alike, and numbered one after the other or of one name, as one.

    >>> folded(["0", "1", "2", "f.3", "f.4", "f.5", "g", "g", "g", "h"], str, lambda name: 0)
    [['0', '1', '2'], ['f.3', 'f.4', 'f.5'], ['g', 'g', 'g'], ['h']]
    """
    runs: list[list[T]] = []
    step: int | None = None
    for one in items:
        last = runs[-1] if runs else []
        next_step = _step(key(last[-1]), key(one)) if last and alike(last[-1]) == alike(one) else None
        if next_step is not None and (len(last) == 1 or next_step == step):
            last.append(one)
        else:
            runs.append([one])
        step = next_step
    return [group for run in runs for group in ([run] if len(run) >= _LEAST else [[one] for one in run])]


def _step(name: str, following: str) -> int | None:
    """0 from a name to itself, 1 to the next of those that are numbered; None to another."""
    if name == following:
        return 0
    (above, _, number), (beside, _, other) = name.rpartition("."), following.rpartition(".")
    is_next = above == beside and number.isdecimal() and other.isdecimal() and int(other) == int(number) + 1
    return 1 if is_next else None
