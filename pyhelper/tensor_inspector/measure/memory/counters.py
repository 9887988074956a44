"""The memory counters of torch's devices. Only devices that the program already uses are asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...safe.guard import instance_dict, module
from ...safe.record import Record

torch: Any = module("torch")
_COUNTING = ("cuda", "xpu")  #: torch's modules of devices that count in the same way


class DeviceMemory(Record):
    """How many bytes of a device are used for what; None where that is not known."""

    device: str
    allocated: int | None = None  #: what tensors take
    rounding: int | None = None  #: of that, what only rounds their sizes up
    reserved: int | None = None  #: what torch has reserved for tensors
    peak: int | None = None  #: the most that tensors took
    fragmented: int | None = None  #: of the reserved, what lies between tensors and can't be given back
    free: int | None = None  #: what the device has left
    total: int | None = None  #: what the device has


def device_memory(seen: Iterable[str]) -> Iterator[DeviceMemory]:
    """The counters of each device in use; ``seen`` are the devices that tensors are on."""
    for kind in _COUNTING:
        of_kind = instance_dict(torch).get(kind)
        try:
            if of_kind is not None and of_kind.is_initialized():
                yield from _counted(kind, of_kind)
        except Exception:  # a driver that fails
            continue
    if any(device.partition(":")[0] == "mps" for device in seen):
        mps: Any = instance_dict(torch).get("mps")
        try:
            yield DeviceMemory(
                "mps:0",
                mps.current_allocated_memory(),
                reserved=mps.driver_allocated_memory(),
                total=getattr(mps, "recommended_max_memory", lambda: None)(),
            )
        except Exception:  # of a version that does not count
            return


def _counted(kind: str, of_kind: Any) -> Iterator[DeviceMemory]:
    for number in range(of_kind.device_count()):
        stats = of_kind.memory_stats(number)
        if not stats.get("reserved_bytes.all.peak") and not _is_in_use(kind, number):
            continue
        free, total = _left(kind, of_kind, number)
        yield DeviceMemory(
            f"{kind}:{number}",
            stats.get("allocated_bytes.all.current"),
            _rounding(stats),
            stats.get("reserved_bytes.all.current"),
            stats.get("allocated_bytes.all.peak"),
            stats.get("inactive_split_bytes.all.current"),
            free,
            total,
        )


def _rounding(stats: dict[str, int]) -> int | None:
    """The allocated bytes that nobody has asked for. Not every allocator counts what was asked for."""
    allocated, requested = (stats.get(f"{counted}_bytes.all.current") for counted in ("allocated", "requested"))
    return allocated - requested if allocated and requested else None


def _is_in_use(kind: str, number: int) -> bool:
    """Whether the program has begun something on a device: to ask the driver of another one would begin it."""
    ask = getattr(torch._C, f"_{kind}_hasPrimaryContext", None)
    return bool(ask(number)) if ask is not None else False


def _left(kind: str, of_kind: Any, number: int) -> tuple[int | None, int | None]:
    capturing = getattr(of_kind, "is_current_stream_capturing", bool)
    if not hasattr(of_kind, "mem_get_info") or capturing():
        return None, None
    if hasattr(torch._C, f"_{kind}_hasPrimaryContext") and not _is_in_use(kind, number):
        return None, None
    try:
        free, total = of_kind.mem_get_info(number)
    except Exception:  # of a version or a device that does not tell
        return None, None
    return int(free), int(total)
