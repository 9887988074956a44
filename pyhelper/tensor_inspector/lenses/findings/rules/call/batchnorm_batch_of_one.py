"""A batch norm in train mode is about to get a single row.

Why: A single value has no variance to normalise by.

Example:
    model.train()
    for x, y in DataLoader(data, batch_size=16):  # 33 samples: the last batch has one
        out = model(x)

Instead:
    for x, y in DataLoader(data, batch_size=16, drop_last=True):
        out = model(x)

Silent when:
    - the call may not be the next thing to run, or its failure is handled
    - the batch norm is in eval mode
    - the input has not two dimensions, or more than one row
    - a layer before it is not torch's own, has hooks, or may change the number of rows
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....measure.torch.metadata import dtype_and_shape, shape_of
from .....words.text import shape
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.planned_calls import PASSING, line_here, planned_layers


@rule(
    "error",
    why="A single value has no variance to normalise by.",
    suggestion="drop_last=True in the loader, or eval() for a single sample",
    needs="module source",
)
def batchnorm_batch_of_one(step: Step) -> Iterator[Violation]:
    for layers in planned_layers(step):
        sizes: Any = tuple(shape_of(layers[0].given.value)) if layers else ()
        for layer in layers:
            if len(sizes) != 2 or sizes[0] != 1:
                break
            if layer.kind == "BatchNorm1d" and layer.attributes.get("training") is True:
                yield Violation(
                    (
                        f"{layer.subject} is {shape(sizes)}",
                        ": ",
                        f"one value per channel, of which {layer.title} in train mode can take no variance; this call will fail",
                    ),
                    (layer.given.name, f"{dtype_and_shape(layer.given.value)}, one row"),
                    (layer.name, "in train mode"),
                    line=line_here(step),
                )
                return
            if layer.kind == "Linear":
                sizes = (1, layer.attributes.get("out_features"))
            elif layer.kind not in PASSING:
                break
