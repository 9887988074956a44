"""Parallel: several processes train, and nothing brings their gradients together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.torch.metadata import grad_hooks_of, hooks_of, is_exact_tensor
from ....measure.torch.optimizers import has_step_hooks, inner
from ....safe.guard import class_name, module, mro
from ...findings.finding import Violation
from ...flow.effects import COLLECTIVES
from ...step.functions import sources_in_reach
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading

#: what brings gradients or weights of several processes together, wherever the program names it
_WORDS = (
    *COLLECTIVES,
    *"all_to_all send recv isend irecv reduce broadcast broadcast_object_list gather gather_object scatter".split(),
    *"all_gather_object DataParallel DistributedDataParallel DDP FSDP FullyShardedDataParallel fully_shard".split(),
    *"replicate deepspeed accelerator prepare fabric ZeroRedundancyOptimizer".split(),
)


@detector(
    100,
    because="who starts several processes most often wants one model; federated learning and searches do not",
    why="Each process trains a model of its own, and the weights drift apart.",
    suggestion="wrap the model in DistributedDataParallel, or all_reduce the gradients",
)
def each_process_for_itself(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """Two processes, a backward and a step of plain parameters, and no collective in the source in reach."""
    processes = _processes()
    trained = step.trained()
    if processes < 2 or not step.source.backwards or not trained:
        return
    if _is_shared(step):
        return
    if any(has_step_hooks(one.value) or _is_wrapped(one.value) for one in step.optimizers):
        return
    if not all(is_exact_tensor(one.tensor) and not _is_hooked(one.tensor) for one in reading.each(trained)):
        return
    if any(source.mentions(*_WORDS) for source in reading.each(sources_in_reach(step))):
        return
    for root in reading.each([trained[0].root]):
        yield Violation(
            (f"{processes} processes train {root.name}", ", ", "and nothing brings their gradients together"),
            (root.name, f"no hook on its parameters, no wrapper around it, 1 of {processes} processes"),
            line=(step.source.file, step.source.backwards[0].lineno),
        )


def _processes() -> int:
    """How many processes the default group has; 1 where there is none."""
    distributed: Any = module("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return 1
    return int(distributed.get_world_size())


def _is_shared(step: Step) -> bool:
    """Whether a wrapper of torch or another library stands around a module in sight, or around a part of it."""
    names = {class_name(base) for _, member in step.members.values() for base in mro(type(member.module))}
    return any(name.endswith(("DataParallel", "FSDPModule", "Engine", "Fabric")) for name in names)


def _is_wrapped(optimizer: Any) -> bool:
    """Whether a library's optimizer stands around torch's, which may bring gradients together as it steps."""
    return inner(optimizer) is not optimizer


def _is_hooked(parameter: Any) -> bool:
    return bool(hooks_of(parameter) or grad_hooks_of(parameter))
