"""An input that a layer does not accept, and what would make it fit."""

from __future__ import annotations

from typing import Any

from ....measure.torch.modules import is_of
from ....safe.guard import class_name, instance_dict
from ....words.text import shape
from ...findings.finding import Title, Violation
from ..error_context import ErrorContext, unequal
from ..expected_input import ExpectedInput, expected_input, is_channels_last, kernel, suggestion_for
from ..layer import Layer
from ..operand import Operand

CHANNELS_LAST = "channels-last-input"
MISMATCH = "shape-mismatch"


def of_layer(context: ErrorContext) -> tuple[str, Violation] | None:
    layer = context.layer
    wants = None if layer is None else expected_input(layer.module)
    if layer is None or wants is None:
        return None
    given = next((one for one in layer.inputs if one.sizes is not None), None)
    if given is None or given.sizes is None:
        return None
    if wants.is_met(given.sizes):
        return _of_small_input(context, layer, wants, given) or _of_state(context, layer, given)
    fit = suggestion_for(given.sizes, wants, given.written) if given.is_written else ""
    if given.is_written and is_channels_last(given.sizes, wants):  # what a layer has made has them first
        title = (
            f"{given.name} is {shape(given.sizes)}",
            ", ",
            f"with the channels last, but {layer.title} wants {wants.layout}",
        )
        return CHANNELS_LAST, context.found(title, given, suggestion=fit, differs=_differs(given.sizes, layer, wants))
    return MISMATCH, context.found(
        _layer_title(given, layer, wants),
        given,
        suggestion=fit or _other_layer(layer, wants, given),
        differs=_differs(given.sizes, layer, wants),
    )


def _differs(sizes: tuple[int, ...], layer: Layer, wants: ExpectedInput) -> str:
    where, amount = layer.name or class_name(type(layer.module)), len(sizes)
    if _missing(sizes, wants) is not None:
        return unequal(amount, amount + 1, where, "dimensions")
    if wants.dims and amount not in wants.dims:
        return unequal(amount, " or ".join(map(str, wants.dims)), where, "dimensions")
    return unequal(wants.found(sizes), wants.size, where, "channels" if wants.what == "channels" else "")


def _layer_title(given: Operand, layer: Layer, wants: ExpectedInput) -> Title:
    sizes = given.sizes or ()
    return f"{given.name} is {shape(sizes)}", ", ", f"but {layer.title} wants {_wish(sizes, wants)}"


def _wish(sizes: tuple[int, ...], wants: ExpectedInput) -> str:
    """What a layer expects, and how these sizes differ."""
    missing = _missing(sizes, wants)
    if missing is not None:
        return f"{wants.layout}: the {missing} dimension is missing"
    if wants.dims and len(sizes) not in wants.dims:
        amount = " or ".join(map(str, wants.dims))
        return f"{wants.layout or f'{amount} dimensions'}: {amount} dimensions, not {len(sizes)}"
    if wants.what == "channels":
        return f"{wants.layout}: {wants.size} channels, not {wants.found(sizes)}"
    return f"{wants.what} {wants.size}"


def _missing(sizes: tuple[int, ...], wants: ExpectedInput) -> str | None:
    """The one dimension that an input lacks, where that is certain."""
    if not wants.channels or len(sizes) != wants.channels + 1 or wants.size is None:
        return None
    if sizes[0] == wants.size and len(sizes) not in wants.dims:
        return "batch"
    return "channel" if wants.size == 1 else None


def _other_layer(layer: Layer, wants: ExpectedInput, given: Operand) -> str:
    found = wants.found(given.sizes or ())
    what = layer.name or class_name(type(layer.module))
    return "" if found is None or wants.size is None else f"give it {wants.size} there, or make {what} for {found}"


def _of_small_input(
    context: ErrorContext, layer: Layer, wants: ExpectedInput, given: Operand
) -> tuple[str, Violation] | None:
    """An input of the right form that is smaller than the kernel."""
    window, sizes = kernel(layer.module), given.sizes or ()
    if not window or not wants.channels or all(size >= least for size, least in zip(sizes[-wants.channels :], window)):
        return None
    times = " × ".join(map(str, window))
    title = (f"{given.name} is {shape(sizes)}", ", ", f"smaller than the kernel of {layer.title}: {times}")
    return MISMATCH, context.found(title, given, suggestion="pool less before it, or pad: padding=1")


def _of_state(context: ErrorContext, layer: Layer, given: Operand) -> tuple[str, Violation] | None:
    """The state of a recurrent layer that has another shape than it must have, and the memory of a transformer."""
    if is_of(layer.module, "RNNBase"):
        return _of_recurrent(context, layer, given)
    if not is_of(layer.module, "TransformerDecoderLayer", "Transformer") or len(layer.inputs) < 2:
        return None
    other = layer.inputs[1]
    if other.sizes is None or given.sizes is None or other.sizes[-1:] == given.sizes[-1:]:
        return None
    wanted = f"{layer.title} wants the same last dimension"
    title = (f"{other.name} is {other.shape}", ", ", f"but {given.name} is {given.shape}: {wanted}")
    ends = [sizes[-1] if sizes else "none" for sizes in (other.sizes, given.sizes)]
    differs = unequal(ends[0], ends[1], f"{other.name}, {given.name}")
    return MISMATCH, context.found(title, other, given, differs=differs)


def _of_recurrent(context: ErrorContext, layer: Layer, given: Operand) -> tuple[str, Violation] | None:
    attributes, sizes = instance_dict(layer.module), given.sizes or ()
    batch = sizes[0 if attributes.get("batch_first") else 1] if len(sizes) == 3 else None
    for number, other in enumerate(layer.inputs[1:3]):
        wanted = _state(attributes, batch, is_cell=number == 1)
        if other.sizes is None or None in wanted or other.sizes == wanted:
            continue
        fit, differs = "", unequal(shape(other.sizes), shape(wanted), other.name)
        if batch is not None and len(other.sizes) == 3 and other.sizes[1] != batch:
            why = f"for a batch of {other.sizes[1]}, but {given.name} is {given.shape}, a batch of {batch}"
            fit = f"make the state anew for a batch of {batch}, or drop_last=True"
            differs = unequal(other.sizes[1], batch, f"{other.name}, {given.name}")
        else:
            why = f"but {layer.title} wants a state of {shape(wanted)}"
        title = (f"{other.name} is {other.shape}", ", ", why)
        return MISMATCH, context.found(title, other, given, suggestion=fit, differs=differs)
    return None


def _state(attributes: dict[str, Any], batch: int | None, *, is_cell: bool) -> tuple[Any, ...]:
    """The shape that a state has, of the output or of the cell; None stands for what is not known."""
    layers, hidden = attributes.get("num_layers"), attributes.get("hidden_size")
    directions = 2 if attributes.get("bidirectional") is True else 1
    last = hidden if is_cell else attributes.get("proj_size") or hidden
    first = layers * directions if type(layers) is int else None
    return (first, last) if batch is None else (first, batch, last)
