"""The lens `referrers`: who keeps a value alive, by name where there is one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...kinds import Child, Rows, as_kind
from ...measure.memory.blocks import MemoryBlocks
from ...measure.memory.extents import is_array
from ...safe.budget import Budget
from ...safe.guard import class_name, module
from ...words.line import line_of
from ...words.text import plural
from ..lens import Lens, Paused, row_limit
from .inside import ClassLayout
from .inventory import Inventory
from .roots import namespaces_of
from .upward import Holder, Upward

if TYPE_CHECKING:
    from ...protocol import Found, Referrer

_MOST_NAMED = 50_000  #: gone through by name: what is deeper is found upward
_IN_LINE = 3  #: names
_ITSELF = "it holds itself: a reference cycle"
_WORDS = {
    "name": "",
    "memory": "shares its memory",
    "graph": "saved for backward",
    "module": "in a module",
    "class": "in a class",
    "function": "in a function's closure or defaults",
    "frame": "variable of a function",
    "generator": "variable of one that waits",
    "cycle": "part of a reference cycle that no name in sight reaches: the garbage collector frees it some time",
}


def lens(values: Mapping[str, Child], options: Mapping[str, Any], budget: Budget, paused: Paused | None) -> Lens:
    """About ``values["value"]``: no number, text or the like, else it raises ``TypeError``. The option ``rows`` bounds
    the holders in the data."""
    asked, rows = values["value"], row_limit(options)
    if ClassLayout(type(asked.value)).how == ClassLayout.ATOM:
        what = f"{asked.name} is of type {class_name(type(asked.value))}"
        raise TypeError(f"{what}: holders are looked for of tensors, arrays, containers and objects")
    return ReferrersLens(asked, paused, budget, rows)


class ReferrersLens(Lens):
    """By names first: what these reach. Then upward, to those that have none in sight."""

    def __init__(self, asked: Child, paused: Paused | None, budget: Budget, shown: int) -> None:
        super().__init__(budget)
        self._asked = asked
        self._shown = shown
        frame = None if paused is None else paused.frame
        self._namespaces = namespaces_of(frame)
        watched = frozenset((id(asked.value),))
        self._inventory = Inventory(frame, watched=watched, most=_MOST_NAMED, shares=_has_memory(asked.value))
        self._upward: Upward | None = None
        self._holders: list[Holder] = []

    def go_on(self) -> bool:
        if self._upward is None:
            if not self._inventory.go_on(self.budget):
                return False
            self._holders = [*self._by_name(), *self._by_memory()]
            self._upward = Upward(self._asked.value, self._inventory.walk.name_of, self._namespaces)
            if self.budget.spent():
                return False
        return self._upward.go_on(self.budget)

    def stop(self) -> None:
        if self._upward is None:
            self._holders = self._by_name()

    def progress(self) -> float:
        if self._upward is None:
            return 0.5 * self._inventory.progress()
        return 0.5 + 0.5 * self._upward.progress()

    def found(self) -> Found:
        holders = self._all()
        referrers: list[Referrer] = [
            {"how": one.how, "name": one.name}  # type: ignore[typeddict-item]
            for one in holders[: self._shown]
        ]
        return {"lens": "referrers", "count": len(holders), "referrers": referrers, "complete": self._is_complete()}

    def row(self) -> Child:
        holders = self._all()
        words: list[str | None] = [plural(len(holders), "holder") if holders else "no holder is seen"]
        words += [one.name for one in holders[:_IN_LINE]]
        words.append(None if self._is_complete() else "not all was looked at")
        rows = [self._row(one) for one in holders]
        return Child(f"who keeps {self._asked.name} alive", Rows.of(line_of(words), rows), "")

    def _row(self, one: Holder) -> Child:
        below = [] if one.value is None else [Child("holder", one.value)]
        if one.value is self._asked.value and one.value is not None:
            return Child(one.name, Rows.of(_ITSELF, below), "")
        brief = as_kind(one.value, Budget(reads=False)).brief() if one.value is not None else ""
        line = line_of([_WORDS[one.how] or None, f"in {brief}" if brief else None])
        return Child(one.name, Rows.of(line, below), "")

    def _is_complete(self) -> bool:
        return self._upward is not None and self._upward.complete

    def _all(self) -> list[Holder]:
        known = {one.name for one in self._holders}
        upward = self._upward.found if self._upward is not None else []
        return [*self._holders, *(one for one in upward if one.name not in known)]

    def _by_name(self) -> list[Holder]:
        walk = self._inventory.walk
        found = [index for index in walk.met if walk.values[index] is self._asked.value]
        return [Holder("name", walk.name(index), self._value_at(walk.holder(index))) for index in found]

    def _by_memory(self) -> list[Holder]:
        """Others that keep the same memory: views, arrays over it, and what graphs have saved of it."""
        inventory, found = self._inventory, list[Holder]()
        blocks = MemoryBlocks(inventory.extents)
        for number in range(len(blocks)):
            members = blocks.members(number)
            if not any(inventory.values[member] is self._asked.value for member in members):
                continue
            for member in sorted(members, key=inventory.ranks.__getitem__):
                index, op = inventory.indices[member], inventory.ops.get(member)
                name = inventory.walk.name(index) if index >= 0 else "a tensor without a name in sight"
                if op is not None:
                    found.append(Holder("graph", f"{name}.grad_fn: {op}", None))
                elif inventory.values[member] is not self._asked.value:
                    found.append(Holder("memory", name, inventory.values[member]))
        return list({one.name: one for one in found}.values())

    def _value_at(self, index: int | None) -> Any:
        return None if index is None else self._inventory.walk.values[index]


def _has_memory(value: Any) -> bool:
    return is_array(value) or (module("torch") is not None and ClassLayout(type(value)).how == ClassLayout.MEMORY)
