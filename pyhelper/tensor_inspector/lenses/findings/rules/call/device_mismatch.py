"""A layer's parameters are on another device than the tensor that it will be given.

Why: An operation takes its tensors from one device.

Example:
    model = nn.Linear(8, 2).to("cuda")
    for x, y in loader:
        out = model(x)  # x is on the CPU

Instead:
    for x, y in loader:
        out = model(x.to("cuda"))

Silent when:
    - the call may not be the next thing to run: an argument is computed by another call, or a condition stands before
      it
    - the failure is handled: the call stands in `try … except`, `pytest.raises` or `suppress`
    - a layer before it is not torch's own, or has hooks, so that nobody knows what it makes of the tensor
    - the tensor is a single number (0 dimensions), which goes to any device
    - a mode of the program sees each operation (`TorchFunctionMode`, `TorchDispatchMode`)
"""

from __future__ import annotations

from collections.abc import Iterator

from .....measure.torch.metadata import device_name, dtype_and_shape, shape_of
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.planned_calls import line_here, planned_layers


@rule(
    "error",
    why="An operation takes its tensors from one device.",
    suggestion="move the model and the batch to one device",
    needs="module source",
)
def device_mismatch(step: Step) -> Iterator[Violation]:
    for layers in planned_layers(step):
        device = device_name(layers[0].given.value) if layers and shape_of(layers[0].given.value) else None
        for layer in layers:
            weight = layer.weight()
            if device is None or (weight is None and any(map(layer.attributes.get, ("_parameters", "_buffers")))):
                break  # it is not known what it makes of it
            if weight is None or device_name(weight) == device:
                continue
            yield Violation(
                (
                    f"{layer.subject} is on {device}",
                    ", ",
                    f"but {layer.title} is on {device_name(weight)}: this call will fail",
                ),
                (layer.given.name, f"{dtype_and_shape(layer.given.value)} on {device_name(layer.given.value)}"),
                (layer.name, f"its weight is on {device_name(weight)}"),
                line=line_here(step),
                suggestion=f"{layer.given.name} = {layer.given.name}.to({str(device_name(weight))!r})"
                if layer.is_first
                else "",
            )
            return
