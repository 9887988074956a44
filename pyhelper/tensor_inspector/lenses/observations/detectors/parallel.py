"""Parallel: several processes train, and nothing brings their gradients together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.torch.metadata import grad_hooks_of, hooks_of, is_exact_tensor
from ....measure.torch.modules import is_of
from ....measure.torch.optimizers import has_step_hooks, inner
from ....safe.guard import class_attribute, class_module, class_name, instance_dict, module, mro
from ....words.text import plural
from ...findings.finding import Violation
from ...step.functions import sources_in_reach
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading

#: what brings gradients or weights of several processes together, wherever the program names it
_WORDS = (
    "DataParallel FSDP FullyShardedDataParallel fully_shard replicate all_reduce all_reduce_coalesced reduce_scatter"
    " reduce_scatter_tensor all_gather all_gather_into_tensor average_parameters average_gradients all_to_all send recv"
    " isend irecv reduce broadcast broadcast_object_list gather gather_object all_gather_object scatter"
    " DistributedDataParallel DDP deepspeed accelerator prepare fabric ZeroRedundancyOptimizer"
).split()

_ROUNDS = 4  #: forwards, more than a step makes before its first backward


@detector(
    1000,
    because="after some backwards a wrapper that is called has reduced its gradients, but for no_sync",
    why="Each process trains a model of its own: the parameters were moved or replaced, or the wrapper is not called.",
    suggestion="wrap the model after it was moved and changed, and call the wrapper",
)
def nothing_was_reduced(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``ddp.module.head = nn.Linear(8, 2)`` after the wrapping, or parameters that were moved."""
    for variable in reading.each(step.modules):
        kept = instance_dict(variable.value)
        if not is_of(variable.value, "DistributedDataParallel") or kept.get("require_backward_grad_sync") is not True:
            continue
        trained = [one.tensor for one in step.trained() if one.member.is_in(variable.value)]
        if not any(step.grad(tensor) is not None for tensor in trained):
            continue
        line, name = step.sources[variable.level].line_of(variable.key), variable.name
        late = _made_later(trained, kept.get("_module_parameters"))
        counts = _logged(kept.get("logger"))
        rounds, reduced = counts.get("iteration", 0), counts.get("num_buckets_reduced")
        if late:
            yield Violation(
                (
                    f"{plural(late, 'parameter')} of {name} came after the wrapping",
                    ", ",
                    "and no gradient of theirs is reduced",
                ),
                (name, f"{plural(late, 'parameter')} that it was not made with"),
                line=line,
            )
        elif rounds >= _ROUNDS and reduced == 0 and counts.get("world_size", 0) > 1:
            yield Violation(
                (f"{name} has reduced no gradients", ", ", f"after {rounds} forwards"),
                (name, f"0 buckets reduced, {counts['world_size']} processes"),
                line=line,
            )


def _made_later(trained: list[Any], known: Any) -> int:
    """How many of these parameters a wrapper was not made with; 0 where this torch does not say which they were."""
    if type(known) is not list or not known:
        return 0
    ids = set(map(id, known))
    return sum(1 for tensor in trained if id(tensor) not in ids)


def _logged(logger: Any) -> dict[str, Any]:
    """What DistributedDataParallel counts, as of its last forward; empty where this torch tells nothing of it."""
    cls = type(logger)
    if not class_module(cls).startswith("torch.") or class_attribute(cls, "_get_ddp_logging_data") is None:
        return {}
    return dict(logger._get_ddp_logging_data().ints_map)


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
