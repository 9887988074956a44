"""Values out of range: indices beyond a table, labels beyond the classes, logits instead of probabilities."""

from __future__ import annotations

import ast
from math import prod
from typing import Any

from ....measure.torch.elements import bare, stats_of
from ....measure.torch.metadata import element_count
from ....measure.torch.modules import is_of
from ....safe.guard import NUMBERS, instance_dict
from ....words.text import exact_number, number, plural, shape
from ...findings.finding import Violation
from ...step.expressions import shown_text, text_of
from ..error_context import ErrorContext, first_found
from ..errors import short_message, target_in
from ..operand import UNKNOWN, Operand
from ..operation import Operation
from .forms import of_mask

_READ = 1 << 24  #: elements that are read
_MOST_OF_HALF = 65504


class Outside:
    """The elements of a tensor outside of a range: their number, the first one's index, and the tensor's extremes."""

    __slots__ = ("count", "first", "high", "low", "total", "value")

    def __init__(self, values: Any, count: int, first: tuple[int, ...], value: int) -> None:
        self.low, self.high = int(values.min()), int(values.max())
        self.total = int(values.numel())
        self.count = count
        self.first = first
        self.value = value

    def fact(self, least: int, most: int) -> str:
        where = f", the first at {shape(self.first)}" if self.first else ""
        verb = "is" if self.count == 1 else "are"
        return f"{self.count} of {self.total} {verb} outside {number(least)}…{number(most)}{where}: {exact_number(self.value)}"


def outside(one: Operand, least: int, most: int, but: int | None = None) -> Outside | None:
    """The elements outside of ``least`` … ``most``; None where there are none, or they can't be read."""
    if one.value is None or one.is_array or not one.is_integer() or not 0 < (element_count(one.value) or 0) <= _READ:
        return None
    try:
        values = bare(one.value)
        if values is None:
            return None
        wrong = (values < least) | (values > most)
        if but is not None:
            wrong &= values != but
        count = int(wrong.sum())
        if not count:
            return None
        at = int(wrong.reshape(-1).to(dtype=values.dtype).argmax())
        return Outside(values, count, _unraveled(at, one.sizes or ()), int(values.reshape(-1)[at]))
    except RuntimeError:  # a device that has failed
        return None


def _unraveled(at: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
    found = []
    for index in range(len(sizes)):
        step = prod(sizes[index + 1 :])
        found.append(at // step)
        at %= step
    return tuple(found)


def label_out_of_range(context: ErrorContext) -> Violation:
    found = first_found(context, _labels)
    if found is not None:
        return found
    value = target_in(context.message)
    known = context.operands()
    title = (
        short_message(context.message)
        if value is None
        else (f"a label is {exact_number(value)}", ", ", "which is no class")
    )
    return context.found(title, *known[:6])


def _labels(context: ErrorContext, operation: Operation) -> Violation | None:
    if operation.name not in ("cross_entropy", "nll_loss", "one_hot", "multi_margin_loss"):
        return None
    given, target = operation.tensor(0, "input"), operation.tensor(1, "target")
    classes: Any = None
    if operation.name == "one_hot":
        target, classes = given, operation.argument(1, "num_classes")
    elif given is not None and given.sizes:
        classes = given.sizes[1 if len(given.sizes) > 1 else 0]
    if target is None or type(classes) is not int:
        return None
    ignored = operation.argument(99, "ignore_index")
    found = outside(target, 0, classes - 1, ignored if type(ignored) is int else -100)
    if found is None:
        return None
    fit = f"{target.name} - 1" if (found.low, found.high) == (1, classes) else ""
    if found.low == -1 and found.high < classes:
        fit = "ignore_index=-1, if −1 marks what does not count"
    what = f"of {given.name}" if given is not None and operation.name != "one_hot" else "of one_hot"
    span = f"{target.name} runs from {exact_number(found.low)} to {exact_number(found.high)}"
    title = (
        span,
        ", ",
        f"but the {classes} classes {what} are 0…{classes - 1}: {found.count} of {found.total} out of range",
    )
    return context.found(
        title, (target.name, found.fact(0, classes - 1)), given if operation.name != "one_hot" else None, suggestion=fit
    )


def logits_to_prob_loss(context: ErrorContext) -> Violation:
    operation = next((one for one in context.operations if one.name == "binary_cross_entropy"), None)
    operation = operation or next(iter(context.operations), None)
    wants_target = "of target" in context.message
    position, name = (1, "target") if wants_target else (0, "input")
    given = None if operation is None else operation.tensor(position, name)
    stats = None if given is None or given.value is None or given.is_array else stats_of(given.value, context.budget)
    if given is None or stats is None:
        return context.quoted()
    whom = "binary_cross_entropy" if context.layer is None else context.layer.words
    if stats["nan"]:
        title = (f"{given.name} holds {stats['nan']} NaN", ", ", f"but {whom} wants 0…1")
        return context.found(title, given, suggestion="look for where the NaN began")
    span = f"from {number(float(stats['min']), 3)} to {number(float(stats['max']), 3)}"
    title = (f"{given.name} runs {span}", ", ", f"but {whom} wants 0…1")
    fit = (
        "targets of 0 and 1"
        if wants_target
        else "binary_cross_entropy_with_logits (BCEWithLogitsLoss), which takes logits, or torch.sigmoid before it"
    )
    return context.found(title, (given.name, f"{given.fact}, {span}"), suggestion=fit)


def half_overflow(context: ErrorContext) -> Violation:
    """A number that is too large for the dtype of the tensor that it is written to."""
    given = next((one for one in context.operands() if one.dtype == "float16"), None)
    numbers = [text for text, value in context.written() if type(value) in NUMBERS and abs(value) > _MOST_OF_HALF]
    if given is None or not numbers:
        return context.quoted()
    fit = f"torch.finfo({given.written}.dtype).{'min' if numbers[0].startswith('-') else 'max'}, or float32 there"
    return context.found(
        (f"{numbers[0]} does not fit into {given.name}", ": ", "float16 ends at 65504"), given, suggestion=fit
    )


def index_out_of_range(context: ErrorContext) -> Violation:
    found = first_found(context, of_mask, _embedding, _item, _index)
    if found is not None:
        return found
    if "device-side assert" in context.message:
        title = ("an index, a label or a probability is out of range", ", ", "on a device that tells late")
        fit = "run once with CUDA_LAUNCH_BLOCKING=1, or on the CPU"
        return context.found(title, *context.operands()[:6], certain=False, suggestion=fit)
    return context.quoted()


def _embedding(context: ErrorContext, operation: Operation) -> Violation | None:
    given, table = operation.tensor(0, "input"), operation.tensor(1, "weight")
    if operation.name not in ("embedding", "embedding_bag", "forward") or given is None:
        return None
    layer = context.layer
    if layer is not None and layer.inputs and operation.name != "forward" and is_of(layer.module, "EmbeddingBag"):
        given, table = layer.inputs[0], None
    rows: Any = None if layer is None else instance_dict(layer.module).get("num_embeddings")
    if table is not None and table.sizes and operation.name != "forward":
        rows = table.sizes[0]
        if table.is_integer() and given.sizes and given.is_float():  # torch.embedding takes them in the other order
            rows, given = given.sizes[0], table
    if type(rows) is not int:
        return None
    found = outside(given, 0, rows - 1)
    if found is None:
        return None
    name = layer.title if layer is not None else f"a table of {rows} rows"
    if found.low >= 0:
        reach = f"{given.name} runs up to {exact_number(found.high)}"
        fit = f"num_embeddings={found.high + 1}, or indices below {rows}"
    else:
        reach = f"{given.name} goes down to {exact_number(found.low)}"
        fit = "map −1 to a row of its own, as padding_idx"
    table_rows = f"but {name} has rows 0…{rows - 1}: {found.count} of {found.total} out of range"
    return context.found((reach, ", ", table_rows), (given.name, found.fact(0, rows - 1)), suggestion=fit)


def _item(context: ErrorContext, operation: Operation) -> Violation | None:
    """``x[i]``, of a tensor, or of a list or a tuple."""
    if operation.name not in ("getitem", "setitem"):
        return None
    whole, index = operation.argument(0), operation.argument(1)
    if type(whole) is Operand:
        return None if whole.sizes is None else _part(context, whole, index)
    cls = type(whole)
    if whole is UNKNOWN or not issubclass(cls, (list, tuple)) or type(index) is not int:
        return None
    length = (list if issubclass(cls, list) else tuple).__len__(whole)
    if -length <= index < length:
        return None
    return _beyond(context, operation, index, length)


def _beyond(context: ErrorContext, operation: Operation, index: int, length: int) -> Violation:
    node = operation.node
    written = shown_text(node.value) if isinstance(node, ast.Subscript) else "it"
    by = text_of(node.slice) if isinstance(node, ast.Subscript) else ""
    words = number(index) if by in (str(index), "") else f"{by} is {number(index)}"
    title = (
        (f"{written} has {plural(length, 'item')}, 0…{length - 1}", ", ", f"but the index {words}")
        if length
        else f"{written} is empty"
    )
    return context.found(title, (written, plural(length, "item")), (by or None, number(index)))


def _part(context: ErrorContext, whole: Operand, index: Any) -> Violation | None:
    sizes = whole.sizes or ()
    items = list(index) if type(index) is tuple else [index]
    used = [item for item in items if item is not None and item is not ...]
    if len(used) > len(sizes) and not any(type(item) is Operand for item in used):
        title = (
            f"{whole.name} is {shape(sizes)}, {plural(len(sizes), 'dimension')}",
            ", ",
            f"but {len(used)} indices are given",
        )
        return context.found(title, whole)
    dim = 0
    for at, item in enumerate(items):
        if item is None:
            continue
        if item is ...:
            dim = len(sizes) - (len(items) - at - 1)
            continue
        if dim >= len(sizes):
            return None
        size = sizes[dim]
        if type(item) is int and not -size <= item < size:
            title = (
                f"index {number(item)} is out of range",
                ": ",
                f"dimension {dim} of {whole.name} {shape(sizes)} has {size}",
            )
            return context.found(title, whole)
        if type(item) is Operand:
            found = outside(item, -size, size - 1)
            if found is not None:
                return _indexed(context, item, found, whole, dim, -size)
        dim += 1
    return None


def _index(context: ErrorContext, operation: Operation) -> Violation | None:
    """gather, scatter, index_select and similar functions."""
    names = tuple(
        "gather scatter scatter_add scatter_reduce index_select index_add index_copy index_fill"
        " take_along_dim take".split()
    )
    whole, dim, index = operation.tensor(0, "input"), operation.argument(1, "dim"), operation.tensor(2, "index")
    if operation.name not in names or whole is None or index is None or type(dim) is not int or not whole.sizes:
        return None
    size = whole.sizes[dim % len(whole.sizes)]
    found = outside(index, 0, size - 1)
    return None if found is None else _indexed(context, index, found, whole, dim, 0)


def _indexed(context: ErrorContext, index: Operand, found: Outside, whole: Operand, dim: int, least: int) -> Violation:
    size = (whole.sizes or ())[dim]
    end = f"up to {exact_number(found.high)}" if found.high >= size else f"down to {exact_number(found.low)}"
    title = (
        f"{index.name} runs {end}",
        ", ",
        f"but dimension {dim} of {whole.name} {whole.shape} has {size}, 0…{size - 1}",
    )
    return context.found(title, (index.name, found.fact(least, size - 1)), whole)


# One value


def batchnorm_batch_of_one(context: ErrorContext) -> Violation:
    layer = context.layer
    given = None if layer is None else next((one for one in layer.inputs if one.sizes is not None), None)
    if given is None:
        given = next((one for operation in context.operations for one in operation.operands()[:1]), None)
    if given is None:
        return context.quoted([])
    name = "batch norm" if layer is None else layer.title
    title = (
        f"{given.name} is {given.shape}",
        ": ",
        f"one value per channel, of which {name} in train mode can take no variance",
    )
    return context.found(title, given, suggestion="drop_last=True in the loader, or eval() for a single sample")
