"""Sizes that don't belong together: the classes of the data, and those of the model's head."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.torch.metadata import is_exact_tensor, is_integer, shape_of
from ....measure.torch.modules import is_of
from ....safe.guard import SEQUENCES, instance_dict
from ...findings.finding import Violation
from ...step.calls import Call
from ...step.expressions import names_in, root_of
from ...step.source import Source
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading, length_of

_DEEP = 5  #: datasets inside datasets: Subset, ConcatDataset


@detector(
    100,
    because="a head has an output for each class of the data; the 1,000 of a pretrained model are left by an oversight",
    why="Outputs of no class are trained to be unlikely, and take part in softmax and in argmax.",
    suggestion="replace the head by one with as many outputs as the data has classes",
)
def classes_and_head(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """Ten classes in ``loader.dataset.classes``, and logits of a thousand."""
    counted = [(one, count) for one in step.loaders if (count := _classes_of(one.value)) is not None]
    if not counted:
        return
    for call, level in reading.each(list(_losses(step))):
        logits = step.operand(call.argument(0, "input"), level, call.lineno)
        labels = step.operand(call.argument(1, "target"), level, call.lineno)
        if logits is None or labels is None or not is_exact_tensor(logits.value) or not is_exact_tensor(labels.value):
            continue
        sizes = shape_of(logits.value)
        if len(sizes) != 2 or sizes[0] == sizes[1] or not is_integer(labels.value.dtype):
            continue
        source = step.sources[level]
        of_labels = [(one, count) for one, count in counted if _is_from(source, labels.key, one.key)]
        if not of_labels or of_labels[0][1] == sizes[1]:
            continue
        loader, count = of_labels[0]
        yield Violation(
            (f"{logits.name} has {int(sizes[1]):,} outputs", ", ", f"{loader.name}.dataset {count:,} classes"),
            (logits.name, f"{int(sizes[1]):,} outputs for each sample"),
            (f"{loader.name}.dataset", f"{count:,} classes"),
            line=(source.file, call.lineno),
        )


def _is_from(source: Source, labels: str, loader: str) -> bool:
    """Whether the labels are what a loop over the loader gives, or what is taken from it."""
    made = source.binding_of(labels)
    node = None if made is None else getattr(made[1], "iter", getattr(made[1], "value", None))
    return node is not None and root_of(loader) in {root_of(name) for name in names_in(node)}


def _losses(step: Step) -> Iterator[tuple[Call, int]]:
    for call, variable, level in step.calls_of_modules():
        if is_of(variable.value, "CrossEntropyLoss"):
            yield call, level
    for level in step.levels:
        for call in step.sources[level].calls_of("cross_entropy"):
            yield call, level


def _classes_of(loader: Any) -> int | None:
    """How many classes a loader's data names."""
    data = instance_dict(loader).get("dataset")
    for _ in range(_DEEP):
        kept = instance_dict(data)
        count = length_of(kept["classes"]) if type(kept.get("classes")) in SEQUENCES else None
        if count:
            return count
        data = kept.get("dataset")
    return None
