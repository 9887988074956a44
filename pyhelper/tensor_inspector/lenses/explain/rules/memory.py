"""Out of memory: how much was asked for, and the largest tensors in sight."""

from __future__ import annotations

import re
from math import inf, prod
from typing import Optional

from ....measure.memory.process import process_memory
from ....safe.budget import Budget
from ....safe.guard import module
from ....words.text import size
from ...findings.finding import Title, Violation
from ...memory.account import Account
from ...memory.inventory import Inventory
from ..error_context import ErrorContext
from ..errors import bytes_asked
from ..operand import in_title
from ..sizes import broadcast, product

_SHOWN = 4  #: tensors
_MOST_VALUES = 50_000  #: gone through for them
_TIME = 300  #: milliseconds, where time is limited


def out_of_memory(context: ErrorContext) -> Violation:
    asked = bytes_asked(context.message)
    amount = asked if asked is None or not asked.endswith("bytes") else size(int(asked.split()[0]))
    what = _operation(context)
    largest = _largest(context)
    result = _result(context)
    where = f"{what}, {result}" if result else what
    title: Title = f"out of memory in {where}"
    if amount is not None:
        title = ("out of memory", ": ", f"{amount} asked for in {where}")
    free = [fact for fact in (_free_by_message(context.message), _allocated()) if fact is not None]
    on_cpu = _free_on_cpu() if not free else None
    free += [] if on_cpu is None else [on_cpu]
    taken = {name: text for name, text in largest if name is not None}
    operands = [
        (one.name, f"{taken[one.name]}: {one.fact}") if one.name in taken else one for one in context.operands()[:3]
    ]
    return context.found(title, *operands, *largest, *((None, fact) for fact in free))


def _operation(context: ErrorContext) -> str:
    if context.layer is not None:
        return context.layer.title
    found = next(
        (operation for operation in context.operations if context.failing.is_exact or operation.operands()), None
    )
    return "this line" if found is None or found.node is None else in_title(found.node)


def _result(context: ErrorContext) -> str:
    """The shape that the result of a broadcast or product would have had."""
    for operation in context.operations:
        known = [one for one in operation.operands() if one.sizes is not None]
        if len(known) == 2 and operation.name in ("matmul", "elementwise"):
            join = product if operation.name == "matmul" else broadcast
            found = join(known[0].sizes or (), known[1].sizes or ())
            if found is not None and prod(found) > 1 << 20:
                return f"for a result of {list(found)}"
    return ""


def _largest(context: ErrorContext) -> list[tuple[str | None, str]]:
    """The largest pieces of memory by name, each once, also gradients, optimizer state and what graphs keep."""
    inventory = Inventory(context.step.frames[0].frame, most=_MOST_VALUES)
    if not inventory.go_on(_part_of(context.budget)) and not inventory.is_walked:
        inventory.end_walk()  # the nearest are met first: they are better than none
        inventory.go_on(_part_of(context.budget))
    account = Account(inventory)
    found = list[tuple[Optional[str], str]]()
    for number in account.largest[:_SHOWN]:
        op, text = account.op(number), f"{size(account.blocks.bytes[number])} on {account.devices_of[number]}"
        found.append((account.names(number)[0], text) if op is None else (None, f"{text}, saved for backward by {op}"))
    return found


def _part_of(budget: Budget) -> Budget:
    left = budget.remaining_ms()
    return Budget(left if left == inf else min(_TIME, left / 2))


def _free_by_message(text: str) -> str | None:
    """The free memory when the allocation failed, from CUDA's message: ``of which 12.4 MiB is free``."""
    amount = r"([\d.]+ [KMGT]?i?B)"
    total = re.search(rf"total capacity of {amount} of which {amount} is free", text)
    idle = re.search(rf"{amount} is reserved by PyTorch but unallocated", text)
    words = [f"{total[2]} of {total[1]} was free"] if total is not None else []
    words += [f"{idle[1]} was reserved but not in use"] if idle is not None else []
    return ", ".join(words) or None


def _free_on_cpu() -> str | None:
    """The free memory of the machine, in words."""
    process = process_memory()
    if process.free is None or process.total is None:
        return None
    taken = "" if process.resident is None else f", this process takes {size(process.resident)}"
    return f"{size(process.free)} of {size(process.total)} is free{taken}"


def _allocated() -> str | None:
    """The memory that the process holds on the current CUDA device; asking allocates nothing."""
    torch = module("torch")
    cuda = getattr(torch, "cuda", None)
    if cuda is None or not cuda.is_initialized():
        return None
    try:
        stats = cuda.memory_stats()
    except Exception:
        return None
    allocated, reserved = (stats.get(f"{name}_bytes.all.current", 0) for name in ("allocated", "reserved"))
    return f"allocated {size(allocated)}, reserved {size(reserved)}"
