"""The samples that a loader was putting together, read from its frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...safe.guard import class_name, dict_get, instance_dict
from .trace import TraceEntry
from .values import entry, items_of, keys_of


def samples(fetch: TraceEntry) -> list[tuple[str, Any]]:
    """The samples of a batch by their numbers in the dataset: ``sample 17``."""
    data, numbers = fetch.variables.get("data"), fetch.variables.get("possibly_batched_index")
    if not issubclass(type(data), list):
        return []
    known = items_of(numbers) if issubclass(type(numbers), (list, tuple)) else []
    return [(f"sample {known[at] if at < len(known) else at}", one) for at, one in enumerate(items_of(data))]


def parts_of(name: str, sample: Any) -> Iterator[tuple[str, Any]]:
    """A sample, and what stands in it, as one would write it."""
    yield name, sample
    if issubclass(type(sample), dict):
        yield from ((entry(name, key), dict_get(sample, key)) for key in keys_of(sample))
    elif issubclass(type(sample), (list, tuple)):
        yield from ((f"{name}[{at}]", item) for at, item in enumerate(items_of(sample)))


def dataset_name(fetch: TraceEntry) -> str:
    return class_name(type(instance_dict(fetch.variables.get("self")).get("dataset")))
