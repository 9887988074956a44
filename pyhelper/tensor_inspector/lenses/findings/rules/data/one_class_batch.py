"""All labels of a batch are one class, since sorted data is not shuffled.

Why: The model forgets the other classes.

Example:
    loader = DataLoader(sorted_by_class, batch_size=32)

Instead:
    loader = DataLoader(sorted_by_class, batch_size=32, shuffle=True)

Silent when:
    - the loss is not cross entropy (or `nll_loss`), is not backpropagated, or has a further term of other labels
    - the batch has fewer than 8 labels
    - the labels behind the batch are not in sight, not in order of their classes, or not twice as many
    - the loader shuffles or has a sampler of its own
    - the labels behind the batch are one class themselves
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import bare, is_plain, memory_of
from .....measure.torch.metadata import is_exact_tensor
from .....safe.guard import instance_dict, module
from ....flow.losses import LossCall, is_backpropagated, loss_calls, terms_beside
from ....step.expressions import shown, text_of
from ....step.sight import VisibleVariable
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.loaders import batch_size_in_order, kept_by_index, loader_of

numpy: Any = module("numpy")
torch: Any = module("torch")
_MOST = 1 << 16  #: labels of a dataset that are read
_CLASSES = 1 << 15  #: a larger number is none of a class


@rule(
    "warning",
    why="The model forgets the other classes.",
    suggestion="shuffle=True",
    needs="source thorough",
)
def one_class_batch(step: Step) -> Iterator[Violation]:
    for one in loss_calls(step):
        if one.function not in ("cross_entropy", "nll_loss") or one.target is None:
            continue
        target = one.target.value
        stats = step.stats(target) if target.dim() == 1 and target.shape[0] >= 8 and is_plain(target) else None
        if stats is None or stats["min"] is None or stats["min"] != stats["max"] or stats["min"] < 0:
            continue
        is_alone = is_backpropagated(step, one) and not _has_other_labels_beside(step, one)
        whole = _labels_behind(step, target) if is_alone else None
        if whole is not None:
            classes, total = int(whole.value[-1]) + 1, int(whole.value.shape[0])
            yield Violation(
                (
                    f"all {target.shape[0]} labels in {one.target.name} are {stats['min']}",
                    ", ",
                    f"though {whole.name} has {classes} classes: the data is sorted and not shuffled",
                ),
                (one.target.name, f"{target.shape[0]} times {stats['min']}"),
                (whole.name, f"{classes} classes in {total}"),
                line=(step.sources[one.level].file, one.call.lineno),
                suggestion="shuffle=True",
            )
            return


def _has_other_labels_beside(step: Step, one: LossCall) -> bool:
    """Whether the loss has a term of other labels, as who learns one class after another replays the earlier ones."""
    key, value = text_of(one.call.argument(1, "target")), None if one.target is None else one.target.value
    for other in terms_beside(step, one):
        labels = None if other.target is None else other.target.value
        is_alike = labels is not None and is_plain(labels) and bool((bare(labels) == bare(value)[0]).all())
        if text_of(other.call.argument(1, "target")) != key and not is_alike:
            return True
    return False


def _labels_behind(step: Step, target: Any) -> VisibleVariable | None:
    """The labels that these are a part of, in order of their classes: in the same memory, or in their loader's dataset."""
    memory = memory_of(target)
    if any(_is_one_class_around(variable.value, target) for variable in step.tensors):
        return None
    for variable in step.tensors:
        labels = _as_labels(variable.value) if memory is not None and memory == memory_of(variable.value) else None
        if labels is not None and len(labels) >= 2 * len(target) and _are_in_order(labels):
            return VisibleVariable(variable.key, labels, variable.level, 0)
    loader = loader_of(step, target)
    size = None if loader is None else batch_size_in_order(loader.value)
    if loader is None or size is None:
        return None
    found = [
        VisibleVariable(_name_of(step, kept, f"{loader.key}.dataset{suffix}"), labels, 0, 0)
        for suffix, kept in kept_by_index(instance_dict(loader.value).get("dataset"))
        for labels in (_as_labels(kept),)
        if labels is not None and len(labels) >= 2 * len(target) and _has_batch(labels, bare(target), size)
    ]
    return found[0] if found and all(_are_in_order(one.value) for one in found) else None


def _is_one_class_around(kept: Any, target: Any) -> bool:
    """Whether the batch was taken from a part of the labels that is one class itself, as one of many learners may have."""
    memory = memory_of(target)
    labels = _as_labels(kept) if memory is not None and memory == memory_of(kept) else None
    return labels is not None and len(labels) > len(target) and bool((labels == bare(target)[0]).all())


def _name_of(step: Step, kept: Any, key: str) -> str:
    return next(iter(step.names.get(id(kept), ())), shown(key))


def _as_labels(kept: Any) -> Any:
    """The labels in a tensor, an array or a list, or the last of each sample in a list; None where it has none."""
    if is_exact_tensor(kept):
        is_read = kept.dim() == 1 and not kept.dtype.is_floating_point and not kept.dtype.is_complex
        return bare(kept) if is_read and is_plain(kept) and kept.numel() <= _MOST else None
    if numpy is not None and type(kept) is numpy.ndarray and kept.ndim == 1 and kept.dtype.kind in "iu":
        kept = kept.tolist() if kept.size <= _MOST else None
    if type(kept) is not list or not 0 < len(kept) <= _MOST:
        return None
    labels = [one[-1] if type(one) is tuple and one else one for one in kept]
    return torch.tensor(labels) if all(type(label) is int and 0 <= label < _CLASSES for label in labels) else None


def _has_batch(labels: Any, target: Any, size: int) -> bool:
    """Whether the labels of a batch are one of the parts that a loader takes in order."""
    count = len(target)
    if not 0 < count <= size:
        return False
    parts = labels.unfold(0, count, size) if count == size else labels[-count:][None]
    return bool((parts == target[0].item()).all(1).any())


def _are_in_order(labels: Any) -> bool:
    """Whether they are classes from 0 on, one after another."""
    steps = labels[1:].long() - labels[:-1].long()
    is_sorted = bool((steps >= 0).all()) and bool((steps <= 1).all())
    return is_sorted and int(labels[0]) == 0 and int(labels[-1]) > 0
