"""Names the process among several: a rank of a distributed run, a worker of a DataLoader, a child."""

from __future__ import annotations

from ..safe.environ import variable
from ..safe.guard import instance_dict, module


def name() -> str | None:
    """``rank 1``, ``worker 0``, ``SpawnProcess-2``; None for a process that is alone."""
    return _worker() or _rank() or _child()


def _worker() -> str | None:
    info = instance_dict(module("torch.utils.data._utils.worker")).get("_worker_info")
    number = instance_dict(info).get("id")
    return f"worker {number}" if type(number) is int else None


def _rank() -> str | None:
    """From the process group, else from the variables that ``torchrun`` sets. Neither asks another process."""
    world = instance_dict(module("torch.distributed.distributed_c10d")).get("_world")
    group = getattr(world, "default_pg", None)
    try:
        number = str(group.rank()) if group is not None else variable("RANK")
    except Exception:  # a group that was destroyed
        return None
    alone = group is None and variable("WORLD_SIZE") in ("", "1")
    return f"rank {number}" if number.isdecimal() and not alone else None


def _child() -> str | None:
    current = instance_dict(module("multiprocessing.process")).get("_current_process")
    found = instance_dict(current).get("_name")
    return found if type(found) is str and found != "MainProcess" else None
