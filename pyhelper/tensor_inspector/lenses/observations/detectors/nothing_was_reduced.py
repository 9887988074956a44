"""Parallel: a wrapper for several processes reduces no gradients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.torch.modules import is_of
from ....safe.guard import class_attribute, class_module, instance_dict
from ....words.text import plural
from ...findings.finding import Violation
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading

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
