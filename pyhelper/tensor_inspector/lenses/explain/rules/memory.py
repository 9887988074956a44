"""After an allocation that failed: what was asked for, and what the largest tensors in sight are."""

from __future__ import annotations

from math import prod
from typing import Any

from ....measure.torch.elements import memory_of
from ....measure.torch.metadata import device_name, is_tensor, stored_bytes
from ....safe.guard import module
from ....words.text import size
from ...findings.finding import Found
from ..errors import bytes_asked
from ..operand import in_title
from ..scene import Scene
from ..sizes import broadcast, product

_SHOWN = 4  #: tensors


def out_of_memory(scene: Scene) -> Found:
    asked = bytes_asked(scene.message)
    amount = asked if asked is None or not asked.endswith("bytes") else size(int(asked.split()[0]))
    what = _operation(scene)
    largest = _largest(scene)
    title = f"out of memory in {what}" + (f": {amount} asked for" if amount is not None else "")
    result = _result(scene)
    if result:
        title += f", {result}"
    allocated = _allocated()
    facts = [(name, f"{size(count)} on {device}") for name, count, device in largest]
    return scene.found(title, *scene.operands()[:3], *facts, *([(None, allocated)] if allocated else []))


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


def _largest(scene: Scene) -> list[tuple[str, int, str]]:
    """The largest tensors in sight, each memory once: name, bytes, device."""
    seen: dict[Any, tuple[str, int, str]] = {}
    named = [(thing.name, thing.value) for thing in scene.step.tensors]
    named += [(one.name, one.tensor) for one in scene.step.parameters.values()]
    for name, tensor in named:
        count = stored_bytes(tensor) if is_tensor(tensor) else None
        if count:
            seen.setdefault(memory_of(tensor) or id(tensor), (name, count, device_name(tensor)))
    return sorted(seen.values(), key=lambda found: -found[1])[:_SHOWN]


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
