"""The memory of a program as rows of a tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...kinds import Child, Rows, TextRow, as_kind
from ...measure.memory.blocks import Extent, MemoryBlocks
from ...measure.memory.extents import extents_of
from ...safe.budget import Budget
from ...safe.environ import variable
from ...safe.guard import module
from ...words.line import line_of
from ...words.text import LINE, listed, percent, plural, size
from .account import Account, Variable
from .inventory import PARTS

if TYPE_CHECKING:
    from ...protocol import MemoryDevice, MemoryFound

_WORDS = {
    "model": "model",
    "gradients": "gradients",
    "optimizer": "optimizer state",
    "variables": "other variables",
    "saved": "saved for backward",
    "unnamed": "no name in sight",
}
_WORKSPACES = "CUBLAS_WORKSPACE_CONFIG"  #: pairs of KiB and how many, as ``:4096:2:16:8``
_UNNAMED = 100  #: tensors
_PARTS = 20  #: of one value
_NAMES = 3  #: further ones in a line
_NAMED_AT_MOST = 6  #: variables and blocks that the line of their row names
_HARDLY = 0.01  #: of what is allocated
_SHARE = 0.2  #: of all, from which on a variable stands in the first line


def _rest(one: MemoryDevice) -> int | None:
    """What torch has given out, and no tensor that was found has; None where it does not count, or where some that was
    found is of another allocator.

    The workspaces of cuBLAS are torch's, of some megabytes for each stream: in a small program a part that one sees.
    """
    if one["allocated"] is None:
        return None
    rest = one["allocated"] - one["known"] - (one["rounding"] or 0)
    return rest if rest >= 0 else None


def _not_found(device: str, rest: int) -> str:
    hint = ", workspaces of libraries as cuBLAS may be among it" if device.partition(":")[0] == "cuda" else ""
    return f"not found: {size(rest)}{hint}"


def _exact(bytes: int) -> str:
    """``65.0 MiB (68,157,440 B)``: what is to add up is told to the byte."""
    return size(bytes) if bytes < 1024 else f"{size(bytes)} ({bytes:,} B)"


def _outside(one: MemoryDevice) -> str:
    """What may have been given out to no tensor in sight, and how much of it where the program has said so."""
    others = "tensors without a name" if one["rounding"] is not None else "tensors without a name, rounding up"
    if one["device"].partition(":")[0] != "cuda":
        return f"may be {others}"
    pairs = re.findall(r":(\d{1,9}):(\d{1,9})", variable(_WORKSPACES))
    each = sum(int(kib) * int(many) << 10 for kib, many in pairs)
    return f"may be workspaces of cuBLAS{f' of {size(each)} each' if each else ''}, {others}"


class MemoryRows:
    """The rows of an answer: devices, parts, variables, and the largest blocks."""

    def __init__(self, found: MemoryFound, account: Account) -> None:
        self._found = found
        self._account = account

    def top(self) -> Child:
        parts = (Child(_WORDS[part], self._part(part), "") for part in self._parts)
        return self._top([*parts, *self._unnamed()])

    def summary(self) -> Child:
        """The answer without the blocks of each part, which stand among the largest, and without a search."""
        parts = [Child(_WORDS[part], TextRow(self._part(part).line), "") for part in self._parts]
        if self._can_search:
            parts.append(Child(_WORDS["unnamed"], TextRow("not looked for: memory(thorough=True) does")))
        return self._top(parts)

    def _top(self, parts: list[Child]) -> Child:
        account = self._account
        rows = [
            *map(self._device, self._found["devices"]),
            Child("by variable", self._rows(self._by_variable(), account.variables, self._variable), ""),
            Child("largest", self._rows(self._largest(), account.largest, self._block), ""),
            *parts,
        ]
        return Child("memory", Rows.of(line_of(self._of_all()), rows), "")

    @property
    def _parts(self) -> list[str]:
        return [part for part in PARTS if self._account.bytes(part=part)]

    def _device(self, one: MemoryDevice) -> Child:
        """Where torch counts: rows that add up to what it has given out, to the byte."""
        line, rest = line_of(self._of_device(one)), _rest(one)
        if rest is None:
            return Child(one["device"], TextRow(line), "")
        rows = [Child("in tensors and arrays found", TextRow(_exact(one["known"])), "")]
        if one["rounding"] is not None:
            rows.append(Child("rounding up of blocks", TextRow(_exact(one["rounding"])), ""))
        rows.append(Child("in none of them", TextRow(line_of([_exact(rest), _outside(one)])), ""))
        return Child(one["device"], Rows.of(line, rows), "")

    def _of_all(self) -> Iterator[str | None]:
        found = self._found
        yield size(found["bytes"]) if found["complete"] else f"at least {size(found['bytes'])}"
        for one in found["groups"][:2]:
            if one["bytes"] > _SHARE * found["bytes"]:
                yield f"{one['name']} {size(one['bytes'])}"
        yield plural(found["count"], "block")
        if found["uncounted"]:
            yield f"not counted: {listed(found['uncounted'], False, LINE)}"
        if found["hooked"]:
            yield f"not counted: {plural(found['hooked'], 'saved tensor')} that hooks have packed"

    def _by_variable(self) -> str:
        variables, walk = self._account.variables, self._account.inventory.walk
        first = (f"{walk.name(one.index)} {size(one.bytes)}" for one in variables[:_NAMED_AT_MOST])
        return listed(first, len(variables) > _NAMED_AT_MOST, LINE - 2) or "none"

    def _largest(self) -> str:
        account = self._account
        first = (
            f"{size(account.blocks.bytes[number])} {self._name(number)}" for number in account.largest[:_NAMED_AT_MOST]
        )
        return listed(first, len(account.largest) > _NAMED_AT_MOST, LINE - 2) or "none"

    def _of_device(self, one: MemoryDevice) -> Iterator[str | None]:
        if one["device"] == "cpu" and self._found["resident"] is not None:
            yield f"process {size(self._found['resident'])}"
        if one["allocated"] is None:
            yield f"{size(one['known'])} in tensors and arrays"
        else:
            rest = _rest(one)
            yield f"allocated {size(one['allocated'])}"
            yield _not_found(one["device"], rest) if rest and rest > _HARDLY * one["allocated"] else None
        yield None if one["reserved"] is None else f"reserved {size(one['reserved'])}"
        yield None if one["peak"] is None else f"peak {size(one['peak'])}"
        yield None if not one["fragmented"] else f"fragmented {size(one['fragmented'])}"
        if one["free"] is not None:
            yield f"{size(one['free'])} free" + ("" if one["total"] is None else f" of {size(one['total'])}")

    def _part(self, part: str) -> Rows:
        blocks, bytes = self._account.of_part(part), self._account.bytes(part=part)
        line = line_of([size(bytes), percent(bytes, self._found["bytes"], 2), plural(len(blocks), "block")])
        return self._rows(line, blocks, self._block)

    def _unnamed(self) -> Iterator[Child]:
        """Looked for when it is opened: all objects of the process are gone through."""
        inventory = self._account.inventory
        if not self._can_search:
            return

        def ask(budget: Budget) -> Iterator[Child]:
            extents = list(inventory.extents)
            found = inventory.unnamed()
            values: list[Any] = [None] * len(extents)
            for value, its in found:
                extents += its
                values += [value] * len(its)
            blocks = MemoryBlocks(extents)
            others = [number for number in range(len(blocks)) if values[blocks.members(number)[0]] is not None]
            others = [number for number in others if all(values[one] is not None for one in blocks.members(number))]
            for number in sorted(others, key=blocks.bytes.__getitem__, reverse=True)[:_UNNAMED]:
                yield Child(size(blocks.bytes[number]), values[blocks.members(number)[0]])
            if not others:
                yield Child("none", TextRow("every tensor has a name in sight"))

        yield Child("no name in sight", Rows.later("tensors that no name in sight reaches, not counted above", ask))

    @property
    def _can_search(self) -> bool:
        return not self._account.inventory.is_thorough and module("torch") is not None

    def _rows(self, line: str, items: Sequence[Any], row: Callable[[Any], Child]) -> Rows:
        return Rows(line, len(items), lambda start, count: map(row, items[start : start + count]))

    def _variable(self, one: Variable) -> Child:
        walk = self._account.inventory.walk
        name = walk.name(one.index)
        words: list[str | None] = [size(one.bytes)]
        words.append(f"holds {plural(len(one.graphs), 'graph')}" if len(one.graphs) > 1 else None)
        words.append(f"{size(one.saved)} saved for backward" if one.saved else None)
        words.append(plural(len(one.blocks), "block"))
        itself = [Child(name, walk.values[one.index], walk.path(one.index))]

        def rows(start: int, count: int) -> Iterator[Child]:
            yield from itself[start : start + count]
            yield from map(self._block, one.blocks[max(0, start - 1) : start + count - 1])

        return Child(name, Rows(line_of(words), 1 + len(one.blocks), rows), "")

    def _block(self, number: int) -> Child:
        account = self._account
        names, device = account.names(number), account.devices_of[number]
        if not names:
            return Child(f"{size(account.blocks.bytes[number])}{self._which.get(number, '')}", account.value(number))
        words: list[str | None] = [size(account.blocks.bytes[number]), None if device == "cpu" else device]
        name = self._name(number)
        if account.op(number) is None and len(names) > 1:
            more = f", and {len(names) - 1 - _NAMES:,} more" if len(names) > 1 + _NAMES else ""
            words.append(f"also {', '.join(names[1 : 1 + _NAMES])}{more}")
        whole = names[0] if account.op(number) is None else name
        below = [Child(whole, account.value(number), account.path(number))]
        return Child(name, Rows.of(line_of(words), below, "tensor"), "")

    def _name(self, number: int) -> str:
        """What a block is called, wherever it stands: by its first name, or by the operation that keeps it."""
        return self._first_name(number) + self._which.get(number, "")

    def _first_name(self, number: int) -> str:
        name = next(iter(self._account.names(number)), "tensor")
        if self._account.op(number) is not None:
            return f"saved by {name}"
        return name + _part_of(self._account.value(number), self._account.extent(number))

    @cached_property
    def _which(self) -> dict[int, str]:
        """Numbers that tell blocks with one name apart, such as those that one operation has saved, and unnamed ones of
        one size: the largest first."""
        account, found, met = self._account, dict[int, str](), dict[Any, int]()
        for number in account.largest:
            if account.is_unique(number):
                continue
            op = account.op(number)
            unnamed = account.blocks.bytes[number] if account.is_unnamed(number) else None
            key = ("saved by", op) if op is not None else unnamed or self._first_name(number)
            met[key] = met.get(key, 0) + 1
            if met[key] > 1:
                found[number] = f" ({met[key]:,})"
        return found


def _part_of(value: Any, extent: Extent) -> str:
    """What is typed after a value for that part of it which has this memory, as the indices of a sparse tensor."""
    if len(extents_of(value)) < 2:
        return ""
    budget = Budget()
    parts = as_kind(value, budget).children(0, _PARTS)
    found = (part.suffix for part in parts if extent in extents_of(as_kind(part.value, budget).elements()))
    return next(found, None) or ""
