"""Parallel: each epoch draws the samples in one order, since the sampler is not told the epoch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....safe.guard import class_name, instance_dict, mro
from ...findings.finding import Violation
from ...step.functions import sources_in_reach
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading


@detector(
    100,
    because="set_epoch() is in every recipe of it, since the order is drawn from the seed and the epoch alone",
    why="Without set_epoch() it shuffles once: each epoch has the batches of the first.",
    suggestion="call loader.sampler.set_epoch(epoch) before each epoch",
)
def epoch_never_set(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """A ``DistributedSampler`` that shuffles, in its second epoch, with ``epoch`` 0."""
    epochs = [(name, value) for (_, name), value in step.named_values() if _is_epoch(name, value)]
    epochs += [
        (name, value) for seen in step.frames for name, value in list(seen.variables.items()) if _is_epoch(name, value)
    ]
    if not epochs or any(source.mentions("set_epoch") for source in reading.each(sources_in_reach(step))):
        return
    for variable in reading.each(step.loaders):
        kept = instance_dict(_sampler_of(variable.value))
        if kept.get("shuffle") is True and kept.get("epoch") == 0 and type(kept["epoch"]) is int:
            name, value = epochs[0]
            yield Violation(
                (f"the sampler of {variable.name} is in epoch 0", ", ", f"and {name} is {value}"),
                (f"{variable.name}.sampler.epoch", "0"),
                (name, str(value)),
                line=step.sources[variable.level].line_of(variable.key),
            )


def _is_epoch(name: str, value: Any) -> bool:
    return "epoch" in name.rpartition(".")[2].lower() and type(value) is int and value >= 1 and not name.endswith("s")


def _sampler_of(loader: Any) -> Any:
    """The DistributedSampler of a loader, alone or in its batches; None for others."""
    kept = instance_dict(loader)
    found = (kept.get("sampler"), instance_dict(kept.get("batch_sampler")).get("sampler"))
    return next((one for one in found if "DistributedSampler" in map(class_name, mro(type(one)))), None)
