"""The lens `memory`: what takes memory, on which device, for what, and by which names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...kinds import Child
from ...measure.memory.process import ProcessMemory, process_memory
from ...safe.budget import Budget
from ...safe.guard import module
from ..lens import Lens, Paused, row_limit
from .account import Account
from .inventory import Inventory
from .words import MemoryRows

if TYPE_CHECKING:
    from ...protocol import Found, MemoryDevice, MemoryFound

_WALK = 0.3  #: share of a limited time in which values are searched for
_NAMES = 20  #: of one block


def lens(values: Mapping[str, Child], options: Mapping[str, Any], budget: Budget, paused: Paused | None) -> Lens:
    """About the process. The option ``rows`` bounds the variables and blocks in the data; with ``thorough`` it also
    looks for tensors that no name reaches."""
    rows = row_limit(options)
    thorough = options.get("thorough", False)
    if type(thorough) is not bool:
        raise ValueError("thorough is true or false")
    return MemoryLens(Inventory(None if paused is None else paused.frame, thorough=thorough), budget, rows)


class MemoryLens(Lens):
    """Takes an inventory of the program's memory."""

    def __init__(self, inventory: Inventory, budget: Budget, shown: int) -> None:
        super().__init__(budget)
        self._inventory = inventory
        self._shown = shown

    def go_on(self) -> bool:
        if self.limit is None:
            return self._inventory.go_on(self.budget)
        if self._inventory.go_on(self.limit.share(_WALK)):
            return True
        is_walked = self._inventory.is_walked
        self._inventory.end_walk()  # so that what was met is measured
        return self._inventory.go_on(self.limit) and is_walked

    def progress(self) -> float:
        return self._inventory.progress()

    def found(self) -> Found:
        return self._found

    def row(self) -> Child:
        return MemoryRows(self._found, self._account).top()

    def summary(self) -> Child:
        return MemoryRows(self._found, self._account).summary()

    @cached_property
    def _account(self) -> Account:
        return Account(self._inventory)

    @cached_property
    def _found(self) -> MemoryFound:
        inventory, account, process = self._inventory, self._account, process_memory()
        graphs = inventory.graphs
        return {
            "lens": "memory",
            "bytes": account.bytes(),
            "count": len(account.blocks),
            "variables": len(account.variables),
            "resident": process.resident,
            "devices": list(_devices(account, process)),
            "shares": [
                {"part": part, "device": device, "bytes": bytes, "count": count}  # type: ignore[typeddict-item]
                for part, device, bytes, count in account.sorted_shares()
            ],
            "groups": [
                {
                    "name": inventory.walk.name(one.index),
                    "bytes": one.bytes,
                    "count": len(one.blocks),
                    "graphs": len(one.graphs),
                    "saved": one.saved,
                }
                for one in account.variables[: self._shown]
            ],
            "blocks": [
                {
                    "part": account.parts[number],  # type: ignore[typeddict-item]
                    "device": account.devices_of[number],
                    "bytes": account.blocks.bytes[number],
                    "names": (names := account.names(number))[:_NAMES],
                    "holders": len(names),
                }
                for number in account.largest[: self._shown]
            ],
            "uncounted": list(inventory.walk.uncounted),
            "hooked": 0 if graphs is None else graphs.unknown,
            "complete": inventory.complete,
        }


def _devices(account: Account, process: ProcessMemory) -> Iterator[MemoryDevice]:
    yield {
        "device": "cpu",
        "known": account.bytes(device="cpu"),
        "allocated": None,
        "rounding": None,
        "reserved": None,
        "peak": process.peak,
        "fragmented": None,
        "free": process.free,
        "total": process.total,
    }
    seen = [device for device in account.devices() if device != "cpu"]
    counted = {}
    if module("torch") is not None:
        from ...measure.memory.counters import device_memory

        counted = {one.device: one for one in device_memory(seen)}
    for device in sorted({*seen, *counted}):
        one = counted.get(device)
        yield {
            "device": device,
            "known": account.bytes(device=device),
            "allocated": None if one is None else one.allocated,
            "rounding": None if one is None else one.rounding,
            "reserved": None if one is None else one.reserved,
            "peak": None if one is None else one.peak,
            "fragmented": None if one is None else one.fragmented,
            "free": None if one is None else one.free,
            "total": None if one is None else one.total,
        }
