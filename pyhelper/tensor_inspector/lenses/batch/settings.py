"""Settings of datasets, loaders and samplers. Nothing is iterated, and none of their code runs."""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType, MethodType
from typing import Any

from ...kinds import as_kind
from ...safe.budget import Budget
from ...safe.guard import class_name, full_name, instance_dict, is_found_in, mro, plain_str
from ...words.text import one_line

_LOADER = tuple(
    """
    batch_size num_workers drop_last pin_memory collate_fn sampler batch_sampler prefetch_factor persistent_workers
    timeout worker_init_fn multiprocessing_context generator in_order
    """.split()
)
_ROLES = {"DataLoader": "loader", "Sampler": "sampler", "Dataset": "dataset"}
_SHOWN = 50  #: attributes


def data_role_of(value: Any) -> str | None:
    """loader, sampler or dataset, where its class says so; None of all else."""
    for base in mro(type(value)):
        role = _ROLES.get(class_name(base))
        if role is not None and is_found_in(base, "torch.utils.data"):
            return role
    return None


def settings(value: Any, role: str) -> Iterator[tuple[str, Any]]:
    """Names and values of the settings, the most important first. `length` only where torch's own classes store it."""
    from ...kinds.torch.data import length  # only where torch is loaded

    attributes = instance_dict(value)
    known = length(attributes.get("batch_sampler") if role == "loader" and "batch_sampler" in attributes else value)
    yield "batches" if role == "loader" else "length", known
    if role != "loader":
        for name, item in list(attributes.items())[:_SHOWN]:
            yield name, item
        return
    for name in ("dataset", *_LOADER):
        if name in attributes:
            yield name, attributes[name]
    shuffled = class_name(type(attributes.get("sampler")))
    yield "shuffle", {"RandomSampler": True, "SequentialSampler": False}.get(shuffled)


def text_of(name: str, value: Any, budget: Budget) -> str:
    """The text of a setting."""
    if value is None:
        return "not asked: only the program's code could tell" if name in ("length", "batches", "shuffle") else "None"
    if type(value) is FunctionType:
        return plain_str(value.__qualname__)
    if type(value) is MethodType:
        return plain_str(value.__func__.__qualname__)
    if type(value) is int:
        return f"{value:,}"
    try:
        return one_line(as_kind(value, budget).line())
    except Exception:
        return full_name(type(value))
