"""After an allocation that failed: what was asked for, and what the largest tensors in sight are."""

from __future__ import annotations

import re
from math import prod
from typing import Optional

from ....measure.memory.process import process_memory
from ....safe.budget import Budget
from ....safe.guard import module
from ....words.text import size
from ...findings.finding import Found
from ...memory.account import Account
from ...memory.inventory import Inventory
from ..errors import bytes_asked
from ..operand import in_title
from ..scene import Scene
from ..sizes import broadcast, product

_SHOWN = 4  #: tensors
_PLACES = 50_000  #: gone through for them
_TIME = 300  #: milliseconds


def out_of_memory(scene: Scene) -> Found:
    asked = bytes_asked(scene.message)
    amount = asked if asked is None or not asked.endswith("bytes") else size(int(asked.split()[0]))
    what = _operation(scene)
    largest = _largest(scene)
    title = f"out of memory in {what}" if amount is None else f"out of memory: {amount} asked for in {what}"
    result = _result(scene)
    if result:
        title += f", {result}"
    left = [fact for fact in (_was_there(scene.message), _allocated()) if fact is not None]
    on_cpu = _left() if not left else None
    left += [] if on_cpu is None else [on_cpu]
    return scene.found(title, *scene.operands()[:3], *largest, *((None, fact) for fact in left))


def _operation(scene: Scene) -> str:
    if scene.layer is not None:
        return scene.layer.title
    found = next((operation for operation in scene.operations if scene.failing.is_exact or operation.operands()), None)
    return "this line" if found is None or found.node is None else in_title(found.node)


def _result(scene: Scene) -> str:
    """The shape that a broadcast or a product would have had."""
    for operation in scene.operations:
        known = [one for one in operation.operands() if one.sizes is not None]
        if len(known) == 2 and operation.name in ("matmul", "elementwise"):
            join = product if operation.name == "matmul" else broadcast
            found = join(known[0].sizes or (), known[1].sizes or ())
            if found is not None and prod(found) > 1 << 20:
                return f"for a result of {list(found)}"
    return ""


def _largest(scene: Scene) -> list[tuple[str | None, str]]:
    """The largest pieces of memory by name, each once, also gradients, optimizer state and what graphs keep."""
    inventory = Inventory(scene.step.views[0].frame, most=_PLACES)
    inventory.go_on(Budget(min(_TIME, scene.budget.remaining_ms())))
    account = Account(inventory)
    found = list[tuple[Optional[str], str]]()
    for number in account.largest[:_SHOWN]:
        op, text = account.op(number), f"{size(account.blocks.bytes[number])} on {account.device(number)}"
        found.append((account.names(number)[0], text) if op is None else (None, f"{text}, saved for backward by {op}"))
    return found


def _was_there(text: str) -> str | None:
    """What was left when it failed, as CUDA's message tells it: ``of which 12.4 MiB is free``."""
    amount = r"([\d.]+ [KMGT]?i?B)"
    total = re.search(rf"total capacity of {amount} of which {amount} is free", text)
    idle = re.search(rf"{amount} is reserved by PyTorch but unallocated", text)
    words = [f"{total[2]} of {total[1]} was free"] if total is not None else []
    words += [f"{idle[1]} was reserved but not in use"] if idle is not None else []
    return ", ".join(words) or None


def _left() -> str | None:
    """What the machine has left for a process on the CPU."""
    process = process_memory()
    if process.free is None or process.total is None:
        return None
    taken = "" if process.resident is None else f", this process takes {size(process.resident)}"
    return f"{size(process.free)} of {size(process.total)} is free{taken}"


def _allocated() -> str | None:
    """What the process holds on the current CUDA device; asking allocates nothing."""
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
