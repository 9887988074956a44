"""What input torch's layers expect: how many dimensions, and which sizes."""

from __future__ import annotations

from math import prod
from typing import Any

from ...measure.torch.metadata import is_tensor, shape_of
from ...measure.torch.modules import is_of
from ...safe.guard import class_name, dict_attribute, dict_get, instance_dict, mro
from ...safe.record import Record
from ...words.text import shape

_RECURRENT = ("RNN", "LSTM", "GRU")
_CELLS = ("RNNCell", "LSTMCell", "GRUCell")
_BATCH_NORMS = {
    "BatchNorm1d": (2, 3),
    "BatchNorm2d": (4,),
    "BatchNorm3d": (5,),
    "SyncBatchNorm": (2, 3, 4, 5),
    "InstanceNorm1d": (2, 3),
    "InstanceNorm2d": (3, 4),
    "InstanceNorm3d": (4, 5),
}
_LETTERS = {1: "L", 2: "H, W", 3: "D, H, W"}


class ExpectedInput(Record):
    """``axis`` is the dimension that must be ``size``, counted from the end where it is negative.

    ``dims`` are the numbers of dimensions that are taken (empty: any). ``channels`` is how many spatial ones follow the
    channels; None of what has no channels.
    """

    what: str
    size: int | None
    axis: int
    dims: tuple[int, ...] = ()
    channels: int | None = None
    layout: str = ""

    def found(self, sizes: tuple[int, ...]) -> int | None:
        """The size of an input at ``axis``."""
        return sizes[self.axis] if -len(sizes) <= self.axis < len(sizes) else None

    def is_met(self, sizes: tuple[int, ...]) -> bool:
        return (not self.dims or len(sizes) in self.dims) and (self.size is None or self.found(sizes) == self.size)


def expected_input(module: Any) -> ExpectedInput | None:
    """What a layer expects of its first input; None where that is not known."""
    if is_of(module, "Linear"):
        weight = _weight(module)
        size = weight[-1] if weight else _size(module, "in_features")
        return ExpectedInput("a last dimension of", size, -1)
    spatial = _spatial(module)
    if is_of(module, "_ConvNd") and spatial:
        size = _size(module, "in_channels")
        layout = f"[N, {_channels(size)}, {_LETTERS[spatial]}]"
        return ExpectedInput("channels", size, -spatial - 1, (spatial + 1, spatial + 2), spatial, layout)
    if is_of(module, *_BATCH_NORMS):
        dims = next(_BATCH_NORMS[class_name(base)] for base in mro(type(module)) if class_name(base) in _BATCH_NORMS)
        size, spatial = _size(module, "num_features"), _spatial(module) or 0
        channels = _channels(size)
        front = -spatial - 1 if is_of(module, "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d") and spatial else 1
        letters = f"[N, {channels}, {_LETTERS[spatial]}]" if spatial > 1 else f"[N, {channels}]"
        if spatial == 1:
            letters += f" or [N, {channels}, L]"
        return ExpectedInput("channels", size, front, dims, spatial, letters)
    if is_of(module, "GroupNorm"):
        size = _setting(module, "num_channels")
        return ExpectedInput("channels", size, 1, layout=f"[N, {size}, …]")
    if is_of(module, "LayerNorm", "RMSNorm"):
        ends = instance_dict(module).get("normalized_shape")
        if type(ends) is tuple and len(ends) == 1 and type(ends[0]) is int:
            return ExpectedInput("a last dimension of", ends[0], -1)
        return None
    if is_of(module, *_RECURRENT):
        return ExpectedInput("a last dimension of", _setting(module, "input_size"), -1, (2, 3))
    if is_of(module, *_CELLS):
        return ExpectedInput("a last dimension of", _setting(module, "input_size"), -1, (1, 2))
    if is_of(module, "MultiheadAttention"):
        return ExpectedInput("a last dimension of", _setting(module, "embed_dim"), -1, (2, 3))
    if is_of(module, "_MaxPoolNd", "_AvgPoolNd", "_AdaptiveAvgPoolNd", "_AdaptiveMaxPoolNd") and spatial:
        return ExpectedInput(
            "dimensions", None, -1, (spatial + 1, spatial + 2), spatial, f"[N, C, {_LETTERS[spatial]}]"
        )
    return None


def layer_words(module: Any) -> str:
    """A layer by its class and sizes: ``Linear 10 → 5``."""
    name = class_name(type(module))
    ends: Any = instance_dict(module).get("normalized_shape")
    pairs = [("in_features", "out_features"), ("in_channels", "out_channels"), ("input_size", "hidden_size")]
    for first, second in pairs:
        sizes = _setting(module, first), _setting(module, second)
        if None not in sizes:
            size = _size(module, first)
            return f"{name} {'?' if size is None else size} → {sizes[1]}"
    if type(ends) is tuple:
        return f"{name} {shape(ends)}"
    for setting in ("num_features", "num_channels", "embed_dim"):
        if _setting(module, setting) is not None:
            size = _size(module, setting)
            return f"{name} {'?' if size is None else size}"
    rows, columns = _setting(module, "num_embeddings"), _setting(module, "embedding_dim")
    return name if rows is None else f"{name} {rows} × {columns}"


def kernel(module: Any) -> tuple[int, ...] | None:
    found: Any = instance_dict(module).get("kernel_size")
    return found if type(found) is tuple and all(type(size) is int for size in found) else None


def convolved(module: Any, sizes: tuple[int, ...]) -> tuple[int, ...] | None:
    """The output shape of a convolution; None where that is not known."""
    spatial, attributes = _spatial(module), instance_dict(module)
    parts = [attributes.get(name) for name in ("kernel_size", "stride", "padding", "dilation")]
    channels = _setting(module, "out_channels")
    if not spatial or channels is None or len(sizes) <= spatial or not is_of(module, "Conv1d", "Conv2d", "Conv3d"):
        return None
    if any(type(part) is not tuple or any(type(number) is not int for number in part) for part in parts):
        return None
    rows: Any = zip(sizes[-spatial:], *parts)
    made = [
        (size + 2 * pad - dilation * (window - 1) - 1) // stride + 1 for size, window, stride, pad, dilation in rows
    ]
    return (*sizes[: -spatial - 1], channels, *made)


def suggestion_for(sizes: tuple[int, ...], wants: ExpectedInput, name: str) -> str:
    """A change that makes an input of these sizes fit; empty where no simple one does."""
    size = wants.size
    if size is None or not sizes:
        return ""
    if wants.what == "channels":
        return _fitting_channels(sizes, wants, name)
    if len(sizes) > 2 and prod(sizes[1:]) == size:
        return f"{name}.flatten(1), which is {shape((sizes[0], size))}"
    if len(sizes) == 2 and sizes[0] == size:
        return f"{name}.T, if its dimensions are in the wrong order"
    if size in sizes:
        return f"{name}.transpose({sizes.index(size)}, -1), if dimension {sizes.index(size)} holds the features"
    if size == 1:
        return f"{name}.unsqueeze(-1)"
    return ""


def is_channels_last(sizes: tuple[int, ...], wants: ExpectedInput) -> bool:
    """Whether the channels come last in an input that needs them before the spatial dimensions."""
    if not wants.channels or wants.size is None or len(sizes) not in (wants.channels + 1, wants.channels + 2):
        return False
    return sizes[-1] == wants.size and wants.found(sizes) != wants.size


def _fitting_channels(sizes: tuple[int, ...], wants: ExpectedInput, name: str) -> str:
    spatial = wants.channels or 0
    count = len(sizes)
    if is_channels_last(sizes, wants):
        order = [*range(count - spatial - 1), count - 1, *range(count - spatial - 1, count - 1)]
        return f"{name}.permute({', '.join(map(str, order))})"
    if spatial and count == spatial + 1 and wants.size == 1:
        return f"{name}.unsqueeze(1), which is {shape((sizes[0], 1, *sizes[1:]))}"
    if spatial and count == spatial + 1 and sizes[0] == wants.size and count not in wants.dims:
        return f"{name}.unsqueeze(0), which is {shape((1, *sizes))}"
    if spatial and count == spatial and wants.size == 1:
        return f"{name}[None, None], which is {shape((1, 1, *sizes))}"
    if count == 3 and spatial == 1 and sizes[2] == wants.size:
        return f"{name}.transpose(1, 2)"
    return ""


def _spatial(module: Any) -> int | None:
    """The number of spatial dimensions of a layer, from the name of torch's class."""
    for base in mro(type(module)):
        name = class_name(base)
        if is_of(module, name) and name[-2:] in ("1d", "2d", "3d"):
            return int(name[-2])
    return None


def _weight(module: Any) -> tuple[int, ...] | None:
    found = dict_get(dict_attribute(module, "_parameters"), "weight")
    return tuple(shape_of(found)) if is_tensor(found) else None


def _size(module: Any, name: str) -> int | None:
    """A size of its input; None also of a lazy module that has had none yet."""
    size = _setting(module, name)
    return size if size or not is_of(module, "LazyModuleMixin") else None


def _channels(size: int | None) -> str:
    return "C" if size is None else str(size)


def _setting(module: Any, name: str) -> int | None:
    found = instance_dict(module).get(name)
    return found if type(found) is int else None
