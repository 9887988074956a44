"""Rules about a model's parameters and buffers that are not finite."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....measure.stats.finite import can_be_summed, not_finite
from .....measure.torch.elements import bare
from .....measure.torch.metadata import element_count
from .....safe.guard import module
from .....words.text import listed, plural
from ....step.step import Step
from ...finding import Found
from ...finite import bad_in
from ...rule import Rule
from .begin import bad_roots

torch: Any = module("torch")


def nan_in_params(step: Step) -> Iterator[Found]:
    held = list(step.parameters.values()) if step.thorough or bad_roots(step) else []
    bad = names_not_finite(step, [(one.name, one.tensor) for one in held])
    if bad:
        yield Found(
            f"{plural(len(bad), 'parameter')} {'has' if len(bad) == 1 else 'have'} NaN or Inf: {listed(bad, False, 60)}",
            *((name, "NaN or Inf") for name in bad[:4]),
        )


def nan_in_buffers(step: Step) -> Iterator[Found]:
    small = [
        (name, tensor)
        for name, tensor, member in step.buffers
        if "running_" in name and (element_count(tensor) or 0) < 1 << 16
    ]
    bad = names_not_finite(step, small)
    if bad:
        finite = next((loss.name for loss in step.losses if bad_in(step, loss.tensor) == 0), None)
        then = f"; {finite} is finite in train mode, in eval mode it will not be" if finite else ""
        yield Found(
            f"{listed(bad, False, 60)} {'is' if len(bad) == 1 else 'are'} not finite: a batch before this one had NaN or Inf{then}",
            *((name, "NaN or Inf") for name in bad[:4]),
            suggestion="reset_running_stats(), and keep such batches out",
        )


def names_not_finite(step: Step, named: list[tuple[str, Any]]) -> list[str]:
    readable = ((at, bare(tensor)) for at, (_, tensor) in enumerate(named))
    tensors = [(at, values) for at, values in readable if values is not None and can_be_summed(torch, values.dtype)]
    found = not_finite(torch, iter(tensors), step.budget.share())
    return [named[at][0] for at in sorted(found.nan | found.inf)]


RULES = [
    Rule(
        "nan-in-params",
        nan_in_params,
        "module",
        "error",
        "Nothing that this model computes is a number any more.",
        "load the last good checkpoint",
    ),
    Rule(
        "nan-in-buffers",
        nan_in_buffers,
        "module",
        "error",
        "In eval mode these statistics are used, and make every output NaN.",
        "reset_running_stats()",
    ),
]
