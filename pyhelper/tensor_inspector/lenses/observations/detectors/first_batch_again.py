"""Order: each round of a training loop takes the first batch of its loader."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ....safe.guard import class_name, instance_dict
from ...findings.finding import Violation
from ...step.expressions import root_of, text_of
from ...step.source import Source
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading


@detector(
    100,
    because="iter() of a loader begins an epoch: who takes one batch of each epoch overfits it on purpose",
    why="Each round begins a new epoch and takes its first batch: in order, that is the same one for ever.",
    suggestion="make the iterator once, before the loop, or loop over the loader",
)
def first_batch_again(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``next(iter(loader))`` in the loop that trains."""
    loaders = {one.key for one in step.loaders if _is_in_order(one.value)}
    for source in reading.each(step.sources):
        for call in source.calls_of("next"):
            made = call.args[0] if call.args else None
            if not isinstance(made, ast.Call) or text_of(made.func) != "iter" or len(made.args) != 1:
                continue
            loader, loop = text_of(made.args[0]), source.loop_of(call.lineno)
            trains = any(source.loop_of(one.lineno) == loop for one in source.backwards)
            if loop is not None and trains and loader in loaders and not _is_bound_in(source, loader, loop):
                yield Violation(
                    (f"each round takes the first batch of {loader}", ": ", "iter() begins anew"),
                    (loader, f"next(iter({loader})) in a loop that trains"),
                    line=(source.file, call.lineno),
                )


def _is_in_order(loader: Any) -> bool:
    """Whether each epoch of a loader begins with the same samples."""
    return class_name(type(instance_dict(loader).get("sampler"))) == "SequentialSampler"


def _is_bound_in(source: Source, name: str, loop: tuple[int, int]) -> bool:
    return any(loop[0] <= line <= loop[1] for line, _ in source.bindings.get(root_of(name), ()))
