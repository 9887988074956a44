"""Datasets, samplers and loaders: their settings. Nothing is iterated, and no ``__len__`` of the program runs.

The number of samples is told only where a class of torch's own keeps it.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from ...measure.torch.metadata import dtype_name, is_tensor, shape_of
from ...safe.attributes import is_bare
from ...safe.guard import Classes, class_name, instance_dict, is_found_in, mro, owner_of
from ...words.line import Word, head, short
from ...words.text import listed, plural, shape
from ..families import by_home
from ..python.objects import WordedObject, brief
from ..python.warned import WarnedObject

_NESTED = 20  #: datasets inside datasets that are followed
_COUNTED = Classes(list, tuple, dict, range)  #: whose length runs no code of the program
_SEQUENCES = Classes(list, tuple)
_ROOM = 28  #: characters of the tensors in short, beside the class's name and the samples
_SHOWN = 12  #: tensors or datasets listed in a line


class _DataSource(WarnedObject):
    """A source of samples, shown by its settings. It warns of NaN in tensors that it holds."""

    def lenses(self) -> list[str]:
        return ["batch"]


class _ItemSource(_DataSource):
    """A source of samples from which single items can be taken."""

    def lenses(self) -> list[str]:
        return ["batch", "item"]


class Dataset(_ItemSource):
    """A dataset of the program's own: its attributes."""

    @classmethod
    def is_made(cls, value: object) -> bool:
        return not is_bare(value)

    def words(self) -> Iterable[str | None]:
        stream = any(
            class_name(base) == "IterableDataset" and is_found_in(base, "torch") for base in mro(type(self.value))
        )
        return ["iterable" if stream else "length not asked", *self.attribute_words()]


class TensorDataset(_ItemSource):
    needs = ("tensors",)

    def words(self) -> Iterable[str | None]:
        tensors = self.attr("tensors")
        each = [_sample(tensor) for tensor in tensors[:_SHOWN]] if type(tensors) is tuple else []
        return [samples(self.value), Word(listed(each, False, 80), listed(map(short, each), False, _ROOM))]


class Subset(_ItemSource):
    needs = ("dataset", "indices")

    def words(self) -> Iterable[str | None]:
        whole = self.attr("dataset")
        total = length(whole)
        of = f" of {total:,}" if total is not None else ""
        return [f"{samples(self.value)}{of}", f"in {brief(whole, self)}"]


class CombinedDataset(_ItemSource):
    """Datasets one after the other, or side by side."""

    needs = ("datasets",)

    def words(self) -> Iterable[str | None]:
        parts = self.attr("datasets")
        items = list(dict.values(parts)) if type(parts) is dict else parts
        items = items if type(items) in _SEQUENCES else ()
        names = [brief(item, self) for item in islice(items, _SHOWN)]
        return [samples(self.value), f"{plural(len(items), 'dataset')}: {listed(names, len(items) > _SHOWN, 60)}"]


class Sampler(_DataSource):
    """A sampler, by how many it draws, how, and out of what."""

    @classmethod
    def is_made(cls, value: object) -> bool:
        return not is_bare(value)

    def words(self) -> Iterable[str | None]:
        attrs = instance_dict(self.value)
        known, size = length(self.value), attrs.get("batch_size")
        source = attrs.get("data_source", attrs.get("dataset"))
        if known is not None:
            yield plural(known, "sample") if size is None else _batches_text(known)
        yield f"of {size}" if type(size) is int else None
        if type(attrs.get("rank")) is int:
            yield f"rank {attrs['rank']} of {attrs.get('num_replicas')}, epoch {attrs.get('epoch')}"
        yield ", ".join(name for name in ("shuffle", "replacement", "drop_last") if attrs.get(name) is True)
        yield None if source is None else f"of {brief(source, self)}"
        yield f"by {brief(attrs['sampler'], self)}" if "sampler" in attrs else None
        if not _is_of_torch(type(self.value)):
            yield from self.attribute_words()


class Loader(_ItemSource):
    """A ``DataLoader``: of what, in which batches, in which order, by how many workers."""

    needs = ("dataset",)

    def words(self) -> Iterable[str | None]:
        attrs = instance_dict(self.value)
        size, batched, workers = attrs.get("batch_size"), attrs.get("batch_sampler"), attrs.get("num_workers")
        yield f"{brief(attrs.get('dataset'), self)}: {samples(attrs.get('dataset'))}"
        if type(size) is int:
            yield f"batches of {size}"
        else:
            yield "one by one" if batched is None else "in batches"
        batches = None if batched is None else length(batched)
        yield None if batches is None else _batches_text(batches)
        yield "drops the last" if attrs.get("drop_last") is True else None
        yield _order(attrs.get("sampler")) if type(size) is int else _order(batched)
        yield plural(workers, "worker") if type(workers) is int and workers else None
        yield "pinned" if attrs.get("pin_memory") is True else None


class LoaderIterator(WordedObject):
    """An iterator of a loader, by the number of batches it has returned."""

    needs = ("_dataset",)

    def words(self) -> Iterable[str | None]:
        attrs = instance_dict(self.value)
        given, batches = attrs.get("_num_yielded"), length(attrs.get("_index_sampler"))
        workers, waiting = attrs.get("_num_workers"), attrs.get("_tasks_outstanding")
        if type(given) is int:
            yield f"{_batches_text(given)} given" + (f" of {batches:,}" if batches is not None else "")
        yield plural(workers, "worker") if type(workers) is int and workers else None
        yield f"{waiting} under way" if type(waiting) is int else None
        yield f"of {brief(attrs.get('_dataset'), self)}"


def samples(dataset: Any) -> str:
    known = length(dataset)
    return "length not asked" if known is None else plural(known, "sample")


def length(value: Any, depth: int = 0) -> int | None:
    """``len(value)`` where a class of torch's own or a built-in one keeps it; None where the program would say."""
    cls = type(value)
    if cls in _COUNTED:
        return len(value)
    if is_tensor(value):
        sizes = shape_of(value)
        return sizes[0] if sizes and type(sizes[0]) is int else None
    owner = owner_of(cls, "__len__")
    if owner is None or depth > _NESTED or not _is_of_torch(owner):
        return None
    ask = _LENGTHS.get(class_name(owner))
    known = None if ask is None else ask(instance_dict(value), depth + 1)
    return known if type(known) is int else None


def _batches_text(count: int) -> str:
    return f"{count:,} {'batch' if count == 1 else 'batches'}"


def _first(items: Any) -> Any:
    return items[0] if type(items) is tuple and items else None


def _ended(attrs: dict[str, Any], depth: int) -> Any:
    sizes = attrs.get("cumulative_sizes")
    return sizes[-1] if type(sizes) is list and sizes else None


def _batches(attrs: dict[str, Any], depth: int) -> int | None:
    drawn, size = length(attrs.get("sampler"), depth), attrs.get("batch_size")
    if drawn is None or type(size) is not int or size < 1:
        return None
    return drawn // size if attrs.get("drop_last") is True else -(-drawn // size)


def _drawn(attrs: dict[str, Any], depth: int) -> Any:
    given = attrs.get("_num_samples")
    return length(attrs.get("data_source"), depth) if given is None else given


#: How torch's own ``__len__`` finds it, by the class that has it.
_LENGTHS: dict[str, Any] = {
    "TensorDataset": lambda attrs, depth: length(_first(attrs.get("tensors")), depth),
    "Subset": lambda attrs, depth: length(attrs.get("indices"), depth),
    "ConcatDataset": _ended,
    "StackDataset": lambda attrs, depth: attrs.get("_length"),
    "SequentialSampler": lambda attrs, depth: length(attrs.get("data_source"), depth),
    "RandomSampler": _drawn,
    "SubsetRandomSampler": lambda attrs, depth: length(attrs.get("indices"), depth),
    "WeightedRandomSampler": lambda attrs, depth: attrs.get("num_samples"),
    "DistributedSampler": lambda attrs, depth: attrs.get("num_samples"),
    "BatchSampler": _batches,
}


def _order(sampler: Any) -> str | None:
    """How the samples are drawn, by the sampler's class."""
    name = class_name(type(sampler))
    if sampler is None or name in ("SequentialSampler", "_InfiniteConstantSampler"):
        return None
    return "shuffled" if name == "RandomSampler" else f"by {name}"


def _sample(tensor: Any) -> str:
    """What one sample of a tensor is: ``float32[3, 224, 224]``."""
    return head(dtype_name(tensor), shape(shape_of(tensor)[1:])) if is_tensor(tensor) else class_name(type(tensor))


def _is_of_torch(cls: type) -> bool:
    return is_found_in(cls, "torch.utils.data")


kind_for = by_home(
    {
        Loader: ("DataLoader",),
        LoaderIterator: ("_BaseDataLoaderIter",),
        TensorDataset: ("TensorDataset",),
        Subset: ("Subset",),
        CombinedDataset: ("ConcatDataset", "ChainDataset", "StackDataset"),
        Sampler: ("Sampler",),
        Dataset: ("Dataset",),
    },
    "torch.utils.data",
)
