"""Operands of different dtypes or devices."""

from __future__ import annotations

from ....measure.torch.modules import is_module, is_of
from ....safe.guard import class_name
from ....words.text import plural
from ...findings.finding import Violation
from ...step.expressions import text_of
from ..error_context import ErrorContext, first_found, unequal
from ..errors import dtypes_in, short_message
from ..layer import Layer
from ..operand import CASTS, Operand
from ..operation import Operation

_METHODS = {dtype: f"{name}()" for name, dtype in CASTS.items()}
#: Where the index stands among the arguments.
_INDICES = {
    "embedding": (0, "input"),
    "getitem": (1, "index"),
    "setitem": (1, "index"),
    "gather": (2, "index"),
    "scatter": (2, "index"),
    "scatter_add": (2, "index"),
    "index_select": (2, "index"),
    "take": (1, "index"),
}
_LABELS = ("cross_entropy", "nll_loss", "multi_margin_loss", "one_hot")


def dtype_mismatch(context: ErrorContext) -> Violation:
    return (
        first_found(context, _labels, _indices, _not_tensors)
        or (None if context.layer is None else _of_layer(context, context.layer))
        or first_found(context, lambda context, operation: _of_pair(context, operation.operands()), _unfit)
        or _of_pair(context, context.operands())
        or _by_message(context)
    )


def _cast(one: Operand, dtype: str | None) -> str:
    if not one.is_written:
        return ""
    if one.is_array:
        return f"torch.from_numpy({one.name})"
    return f"{one.written}.{_METHODS[dtype]}" if dtype in _METHODS else ""


def _labels(context: ErrorContext, operation: Operation) -> Violation | None:
    """Labels of a dtype that cross_entropy and similar losses refuse."""
    given, target = operation.tensor(0, "input"), operation.tensor(1, "target")
    if operation.name == "one_hot":
        target, given = given, None
    if operation.name not in _LABELS or target is None or target.dtype == "int64":
        of_probabilities = given is not None and target is not None and given.sizes == target.sizes
        if operation.name == "cross_entropy" and of_probabilities and given is not None and target is not None:
            title = (f"{target.name} is {target.fact}", ": ", f"probabilities of classes must be {given.dtype}")
            return context.found(
                title, target, given, suggestion=f"{_cast(target, given.dtype)}, or labels: {target.written}.argmax(1)"
            )
        return None
    if given is not None and given.dtype is not None and not given.is_float():
        if target.is_float() and given.is_integer() and _are_labels_of(given.sizes, target.sizes):
            swapped = f"{given.name} is {given.fact} and stands where the logits belong, {target.name} is {target.fact}"
            fit = "" if context.call is None else f"{text_of(context.call.func)}({target.name}, {given.name})"
            return context.found((swapped, ": ", "they are swapped"), given, target, suggestion=fit)
        title = (f"{given.name} is {given.fact}", ", ", f"but {operation.name} wants floating-point logits")
        return context.found(title, given, target, suggestion=_cast(given, "float32"))
    title = (f"{target.name} is {target.fact}", ", ", f"but {operation.name} wants integer class labels (int64)")
    return context.found(title, target, given, suggestion=_cast(target, "int64"))


def _are_labels_of(labels: tuple[int, ...] | None, logits: tuple[int, ...] | None) -> bool:
    """Whether shapes are those of labels and of logits: the logits have a dimension of classes more."""
    if not labels or not logits:
        return False
    return len(logits) == len(labels) + 1 and (logits[0], *logits[2:]) == labels


def _indices(context: ErrorContext, operation: Operation) -> Violation | None:
    """An index whose dtype is no integer."""
    if operation.name not in _INDICES:
        return None
    position, name = _INDICES[operation.name]
    found = operation.argument(position, name)
    parts = list(found) if type(found) is tuple else [found]
    for index in parts:
        if type(index) is Operand and index.dtype is not None and not index.is_integer() and index.dtype != "bool":
            what = "an embedding" if operation.name == "embedding" else operation.name.replace("getitem", "an index")
            return context.found(
                (f"{index.name} is {index.fact}", ", ", f"but {what} wants integers"),
                index,
                suggestion=_cast(index, "int64"),
            )
    return None


def _not_tensors(context: ErrorContext, operation: Operation) -> Violation | None:
    arrays = [one for one in operation.operands() if one.is_array]
    if arrays and "Tensor" in context.message:
        whom = context.layer.title if context.layer is not None else operation.name
        title = (f"{arrays[0].name} is a numpy array ({arrays[0].dtype})", ", ", f"but {whom} wants a tensor")
        return context.found(title, arrays[0], suggestion=f"torch.from_numpy({arrays[0].name})")
    return None


def _of_layer(context: ErrorContext, layer: Layer) -> Violation | None:
    """An input of another dtype than the layer's parameters."""
    tensors = [
        one for one in layer.tensors() if one.is_float() or (one.dtype is not None and one.dtype.startswith("complex"))
    ]
    if not tensors or is_of(layer.module, "Embedding", "EmbeddingBag"):
        return None
    dtypes = list(dict.fromkeys(one.dtype for one in tensors))
    for given in layer.inputs:
        if given.dtype is not None and given.dtype not in dtypes:
            title = (f"{given.name} is {given.dtype}", ", ", f"but {layer.title} has {dtypes[0]} parameters")
            differs = unequal(given.dtype, dtypes[0], layer.name or class_name(type(layer.module)))
            return context.found(title, given, tensors[0], suggestion=_to_fit(given, dtypes[0]), differs=differs)
    if len(dtypes) > 1:
        other = next(one for one in tensors if one.dtype == dtypes[1])
        return context.found(f"{layer.title} has parameters of {dtypes[0]} and of {dtypes[1]}", tensors[0], other)
    return None


def _to_fit(given: Operand, dtype: str | None) -> str:
    cast = _cast(given, dtype)
    return f"{cast}, or torch.autocast" if "float16" in (given.dtype or "", dtype or "") and cast else cast


def _of_pair(context: ErrorContext, operands: list[Operand]) -> Violation | None:
    """The first operand whose dtype is another one than most have, of those that the message names."""
    in_message = dtypes_in(context.message)
    known = [one for one in operands if one.dtype is not None and (not in_message or one.dtype in in_message)]
    dtypes = list(dict.fromkeys(one.dtype for one in known))
    if len(dtypes) < 2:
        return None
    counts = {dtype: sum(one.dtype == dtype for one in known) for dtype in dtypes}
    usual = "float32" if "float32" in dtypes else max(dtypes, key=lambda dtype: counts[dtype])
    odd = next(one for one in known if one.dtype != usual)
    other = next(one for one in known if one.dtype == usual)
    title = (f"{odd.name} is {odd.dtype}", ", ", f"but {other.name} is {usual}")
    differs = unequal(odd.dtype, usual, f"{odd.name}, {other.name}")
    return context.found(title, odd, other, suggestion=_to_fit(odd, usual), differs=differs)


def _unfit(context: ErrorContext, operation: Operation) -> Violation | None:
    """An operand of a dtype for which the operation does not exist."""
    in_message = dtypes_in(context.message)
    odd = next((one for one in operation.operands() if one.dtype in in_message), None)
    if odd is None:
        odd = next((one for one in operation.operands() if one.is_integer() or one.dtype == "bool"), None)
    if odd is None:
        return None
    what = operation.name if operation.name != "elementwise" else operation.sign
    if "can't be cast to the desired output type" in context.message:
        title = (f"{odd.name} is {odd.fact}", ", ", f"which can't hold the floating-point result of {what}")
        return context.found(title, odd, suggestion=_cast(odd, "float32"))
    wants = "float32" if odd.is_integer() or odd.dtype in ("bool", "float16") else None
    return context.found(
        (f"{odd.name} is {odd.fact}", ": ", f"{what} has no {odd.dtype}"), odd, suggestion=_cast(odd, wants)
    )


def _by_message(context: ErrorContext) -> Violation:
    """Tensors in sight with the dtypes that the message names, for where only the backward fails."""
    in_message = dtypes_in(context.message)
    seen = [one for one in context.visible_tensors() if one.dtype in in_message and one.dtype != "float32"]
    if seen:
        title = (f"{seen[0].name} is {seen[0].fact}", ": ", f"{short_message(context.message)}")
        return context.found(title, *seen[:4], certain=False, suggestion=_cast(seen[0], "float32"))
    return context.quoted()


# Devices


def device_mismatch(context: ErrorContext) -> Violation:
    if "to numpy" in context.message:
        odd = next((one for one in context.operands() if one.device not in (None, "cpu")), None)
        if odd is not None:
            fit = f"{odd.name}.cpu()" if odd.device != "meta" else "make it on a real device: to_empty(device=…)"
            return context.found(
                (f"{odd.name} is on {odd.device}", ", ", "but numpy reads memory of the CPU only"), odd, suggestion=fit
            )
    if "copy out of meta" in context.message:
        for text, value in context.written():
            if is_module(value):
                title = (f"{text} has parameters on meta", ": ", "they have shapes, but no values that could be moved")
                fact = (text, f"{class_name(type(value))} on meta")
                return context.found(title, fact, suggestion=f"{text}.to_empty(device=…), then load its state_dict")
    found = (
        (None if context.layer is None else _layer_elsewhere(context, context.layer))
        or first_found(context, lambda context, operation: _elsewhere(context, operation.operands()))
        or _elsewhere(context, context.device_tensors())
        or _elsewhere(context, context.visible_tensors(), certain=False)
    )
    if found is not None:
        return found
    on_meta = next((one for one in context.operands() if one.device == "meta"), None)
    if on_meta is not None:
        return context.found(
            (f"{on_meta.name} is on meta", ": ", "it has a shape, but no values"),
            on_meta,
            suggestion="make it on a real device: to_empty(device=…)",
        )
    return context.quoted()


def _layer_elsewhere(context: ErrorContext, layer: Layer) -> Violation | None:
    tensors = [one for one in layer.tensors() if one.sizes != ()]
    devices = list(dict.fromkeys(one.device for one in tensors))
    if len(devices) == 1:
        odd = next((one for one in layer.inputs if one.device not in (None, devices[0])), None)
        if odd is None:
            return None
        title = (f"{odd.name} is on {odd.device}", ", ", f"but {layer.title} is on {devices[0]}")
        fit = (
            f"{odd.name}.to({devices[0]!r})"
            if devices[0] != "meta"
            else f"{layer.name or 'the layer'}.to_empty(device={odd.device!r})"
        )
        return context.found(
            title,
            (odd.name, f"{odd.dtype} on {odd.device}"),
            (tensors[0].name, f"{tensors[0].dtype} on {tensors[0].device}"),
            suggestion=fit,
            differs=unequal(odd.device, devices[0], f"{odd.name}, {layer.name or class_name(type(layer.module))}"),
        )
    if len(devices) > 1:
        by_device = {device: [one for one in tensors if one.device == device] for device in devices}
        counts = " and ".join(f"{plural(len(ones), 'tensor')} on {device}" for device, ones in by_device.items())
        return context.found(
            f"{layer.title} has {counts}", *((ones[0].name, f"on {device}") for device, ones in by_device.items())
        )
    return None


def _elsewhere(context: ErrorContext, operands: list[Operand], *, certain: bool = True) -> Violation | None:
    """The first operand that is on another device than the others; a number on the CPU fits everywhere."""
    leaves = [leaf for one in operands for leaf in one.leaves()]
    known = [one for one in leaves if one.device is not None and (one.sizes != () or one.device != "cpu")]
    devices = list(dict.fromkeys(one.device for one in known))
    if len(devices) < 2:
        return None
    usual = next((one for one in known if one.device not in ("cpu", "meta")), known[0])
    odd = next(one for one in known if one.device != usual.device)
    title = (f"{odd.name} is on {odd.device}", ", ", f"but {usual.name} is on {usual.device}")
    facts = [(one.name, f"{one.dtype or ''} on {one.device}".strip()) for one in (odd, usual, *known)]
    target = usual if usual.device != "meta" else odd
    moved = odd if target is usual else usual
    empty = next((one for one in (odd, usual) if one.device == "meta"), None)
    fit = (
        f"{moved.name}.to({target.name}.device)"
        if empty is None
        else f"{empty.name} has no values on meta: make it elsewhere"
    )
    differs = unequal(odd.device, usual.device, f"{odd.name}, {usual.name}")
    return context.found(title, *facts, suggestion=fit, certain=certain, differs=differs)
