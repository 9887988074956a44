"""Adds memory up: by device, by purpose, by variable."""

from __future__ import annotations

from typing import Any

from ...measure.memory.blocks import Extent, MemoryBlocks
from .inventory import PARTS, Inventory


class Variable:
    """What a variable holds; see `MemoryGroup` of the protocol."""

    __slots__ = ("blocks", "bytes", "graphs", "index", "saved")

    def __init__(self, index: int) -> None:
        self.index = index
        self.bytes = 0
        self.saved = 0
        self.graphs: set[int] = set()
        self.blocks: list[int] = []


class Account:
    """Blocks by their numbers, ``largest`` first, and what they add up to.

    ``members`` has for each block the index of the extent that stands for it, that of the best name.
    """

    def __init__(self, inventory: Inventory) -> None:
        self.inventory = inventory
        self.blocks = blocks = MemoryBlocks(inventory.extents)
        self.members = blocks.lowest(inventory.ranks)
        self.largest = sorted(range(len(blocks)), key=blocks.bytes.__getitem__, reverse=True)
        self.parts = list(map(inventory.part, self.members))
        self.devices_of = [inventory.extents[member].device for member in self.members]
        self.shares: dict[tuple[str, str], list[int]] = {}
        self._of_part: dict[str, list[int]] = {part: [] for part in PARTS}
        self._variables: dict[int, Variable] = {}
        self._add_all()
        if inventory.graphs is not None:
            for root, index in enumerate(inventory.root_indices):
                if index >= 0:
                    self._variable(inventory.walk.group(index)).graphs.add(inventory.graphs.graph(root))
        self.variables = sorted(self._variables.values(), key=lambda one: (-one.bytes, one.index))

    def _add_all(self) -> None:
        inventory = self.inventory
        group, indices, saved = inventory.walk.group, inventory.indices, inventory.ops
        for number in self.largest:
            bytes, member, part = self.blocks.bytes[number], self.members[number], self.parts[number]
            self._of_part[part].append(number)
            share = self.shares.setdefault((part, self.devices_of[number]), [0, 0])
            share[0] += bytes
            share[1] += 1
            if indices[member] < 0:
                continue
            variable = self._variable(group(indices[member]))
            variable.bytes += bytes
            if member in saved:
                variable.saved += bytes
            else:
                variable.blocks.append(number)

    def _variable(self, index: int) -> Variable:
        found = self._variables.get(index)
        if found is None:
            found = self._variables[index] = Variable(index)
        return found

    def value(self, number: int) -> Any:
        return self.inventory.values[self.members[number]]

    def extent(self, number: int) -> Extent:
        return self.inventory.extents[self.members[number]]

    def is_unnamed(self, number: int) -> bool:
        """Whether no name in sight reaches it."""
        return self.inventory.indices[self.members[number]] < 0

    def op(self, number: int) -> str | None:
        """The operation that keeps a block that nothing else has."""
        return self.inventory.ops.get(self.members[number])

    def names(self, number: int) -> list[str]:
        """Every name that reaches a block, the best first; of what only graphs keep, the operations that do."""
        inventory, ops, name = self.inventory, self.inventory.ops, self.inventory.walk.name
        members = self.blocks.members(number)
        if len(members) == 1:  # as most have
            (member,) = members
            index, op = inventory.indices[member], ops.get(member)
            if op is not None:
                return [op]
            return [name(index)] if index >= 0 else []
        members.sort(key=inventory.ranks.__getitem__)
        indices = [inventory.indices[member] for member in members if member not in ops]
        named = [name(index) for index in indices if index >= 0]
        return list(dict.fromkeys(named or [ops[member] for member in members if member in ops]))

    def path(self, number: int) -> str | None:
        """The expression that reaches what stands for a block."""
        index = self.inventory.indices[self.members[number]]
        return None if index < 0 or self.op(number) is not None else self.inventory.walk.path(index)

    def is_unique(self, number: int) -> bool:
        """Whether no other block has its name."""
        index = self.inventory.indices[self.members[number]]
        return index >= 0 and self.op(number) is None and self.inventory.walk.is_unique(index)

    def bytes(self, *, device: str | None = None, part: str | None = None) -> int:
        return sum(
            amount
            for (of_part, on_device), (amount, _) in self.shares.items()
            if device in (None, on_device) and part in (None, of_part)
        )

    def devices(self) -> list[str]:
        return sorted({device for _, device in self.shares})

    def of_part(self, part: str) -> list[int]:
        """The blocks of a part, the largest first."""
        return self._of_part[part]

    def sorted_shares(self) -> list[tuple[str, str, int, int]]:
        found = [(part, device, bytes, count) for (part, device), (bytes, count) in self.shares.items()]
        return sorted(found, key=lambda one: (one[1], PARTS.index(one[0])))
