"""Rules about labels and splits: one class alone, the same rows twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.torch.elements import bare, is_plain
from ....safe.guard import class_name, instance_dict, module, mro
from ....words.text import plural
from ...step.sight import Thing
from ...step.step import Step
from ..finding import Found
from ..losses import loss_calls
from ..rule import Rule

torch: Any = module("torch")


def one_class_batch(step: Step) -> Iterator[Found]:
    """All labels of a batch are one class, though the labels that it was taken from have several."""
    for one in loss_calls(step):
        if one.kind not in ("cross_entropy", "nll_loss") or one.target is None:
            continue
        target = one.target.value
        stats = step.stats(target)
        if (
            target.dim() != 1
            or target.shape[0] < 8
            or stats is None
            or stats["min"] != stats["max"]
            or stats["min"] is None
            or stats["min"] < 0
        ):
            continue
        whole = _labels_behind(step, target)
        if whole is not None:
            name, classes, total = whole
            yield Found(
                f"all {target.shape[0]} labels in {one.target.name} are {stats['min']}, though {name} has {classes} classes: the data is sorted and not shuffled",
                (one.target.name, f"{target.shape[0]} times {stats['min']}"),
                (name, f"{classes} classes in {total}"),
                line=(step.sources[one.view].file, one.call.lineno),
                suggestion="shuffle=True",
            )
            return


def _labels_behind(step: Step, target: Any) -> tuple[str, int, int] | None:
    """Labels that these are a part of, in order of their classes: in the same memory, or in a loader's dataset."""
    found = [thing for thing in step.tensors if thing.value is not target]
    for loader in step.loaders:
        dataset = instance_dict(loader.value).get("dataset")
        tensors = instance_dict(dataset).get("tensors")
        for at, tensor in enumerate(tensors if type(tensors) is tuple else ()):
            found.append(Thing(f"{loader.key}.dataset.tensors[{at}]", tensor, 0, 0))
    for thing in found:
        value = thing.value
        if (
            type(value) is not torch.Tensor
            or value.dim() != 1
            or value.dtype != target.dtype
            or value.shape[0] < 2 * target.shape[0]
            or not is_plain(value)
        ):
            continue
        values = bare(value)
        if (
            values.numel() > 1 << 22
            or not bool((values[1:] >= values[:-1]).all())
            or not bool((values == bare(target)[0]).any())
        ):
            continue
        classes = int(torch.unique(values).numel())
        if classes > 1:
            return thing.name, classes, int(values.shape[0])
    return None


_TRAIN = ("train", "training", "tr")
_OTHER = ("val", "valid", "validation", "test", "eval", "holdout", "dev")


def split_overlap(step: Step) -> Iterator[Found]:
    yield from _overlap_of_subsets(step)
    named = [
        (set(thing.name.replace(".", "_").lower().split("_")), thing)
        for thing in step.tensors
        if thing.value.dim() >= 2
    ]
    for words, thing in named:
        for others, other in named:
            if not words & set(_TRAIN) or not others & set(_OTHER) or thing.value is other.value:
                continue
            shared = _shared_rows(thing.value, other.value)
            if shared:
                rows = int(other.value.shape[0])
                yield Found(
                    f"{plural(shared, 'row')} of the {rows} in {other.name} {'is' if shared == 1 else 'are'} in {thing.name} too",
                    (other.name, f"{shared} of {plural(rows, 'row')}"),
                    (thing.name, "has the same rows"),
                )
                return


def _shared_rows(a: Any, b: Any) -> int:
    """How many rows of ``b`` are in ``a``: of continuous values, since categories repeat."""
    if (
        a.shape[1:] != b.shape[1:]
        or a.dtype != b.dtype
        or not a.dtype.is_floating_point
        or not is_plain(a)
        or not is_plain(b)
    ):
        return 0
    if a.numel() > 1 << 22 or b.numel() > 1 << 22 or a.numel() < 3 * a.shape[0] or not b.shape[0]:
        return 0
    ours, theirs = (bare(tensor).reshape(tensor.shape[0], -1).cpu() for tensor in (a, b))
    if not bool((theirs != theirs.round()).any(1).all()):
        return 0
    known = {bytes(row.contiguous().view(torch.uint8).tolist()) for row in ours[:20_000]}
    return sum(bytes(row.contiguous().view(torch.uint8).tolist()) in known for row in theirs[:5_000])


def _overlap_of_subsets(step: Step) -> Iterator[Found]:
    found: list[tuple[str, Any, set[int]]] = []
    for (_, key), value in list(step._values.items()):
        inside = instance_dict(value).get("dataset") if is_a_loader(value) else value
        if not any(class_name(base) == "Subset" for base in mro(type(inside))):
            continue
        indices = instance_dict(inside).get("indices")
        if type(indices) in (list, range) and len(indices) < 1_000_000:  # type: ignore[arg-type]
            numbers = {index for index in indices if type(index) is int}  # type: ignore[union-attr]
            found.append((key, instance_dict(inside).get("dataset"), numbers))
    for at, (name, data, indices) in enumerate(found):
        for other, same, theirs in found[at + 1 :]:
            words = {*name.lower().split("_"), *other.lower().split("_")}
            if data is same and indices != theirs and indices & theirs and words & set(_OTHER):
                yield Found(
                    f"{name} and {other} share {plural(len(indices & theirs), 'sample')}",
                    (name, f"{len(indices)} indices"),
                    (other, f"{len(theirs)} indices"),
                )
                return


def is_a_loader(value: Any) -> bool:
    return any(class_name(base) == "DataLoader" for base in mro(type(value)))


RULES = [
    Rule(
        "one-class-batch",
        one_class_batch,
        "source thorough",
        "warning",
        "The model forgets the other classes.",
        "shuffle=True",
    ),
    Rule(
        "split-overlap",
        split_overlap,
        "thorough",
        "error",
        "The score on data that was trained on says nothing.",
        "split before anything is copied or sampled",
    ),
]
