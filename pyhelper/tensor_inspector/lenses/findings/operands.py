"""What the operands of a failing line tell: which one disagrees, and what would fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...measure.torch.elements import bare, is_own, is_plain
from ...measure.torch.metadata import device_name, dtype_name, shape_of
from ...safe.guard import class_name, instance_dict, module
from ...words.text import number, plural, shorten
from .failure import Failure, told
from .finding import Found

torch: Any = module("torch")


def shape_mismatch(failure: Failure) -> Iterator[Found]:
    operands = failure.operands()
    given = failure.locals.get("input")
    wanted = _wanted(failure)
    facts = [(thing.name, told(thing.value)) for thing in operands[:4]]
    if given is not None and wanted is not None:
        name = failure.named(given, operands[0].name if len(operands) == 1 else "its input")
        what, size, at = wanted
        yield Found(
            f"{failure.layer()} got {name} of {tuple(shape_of(given))}: its {what} must be {size}",
            (name, told(given)),
            (failure.module_name(), f"{class_name(type(failure.inner))} with {at} {size}"),
            *facts,
            line=failure.lineno,
        )
        return
    shown = " and ".join(f"{thing.name} of {tuple(shape_of(thing.value))}" for thing in operands[:3]) or "the operands"
    where = f" in {failure.layer()}" if failure.inner is not None else ""
    yield Found(f"{shown} do not fit{where}: {_first_line(failure)}", *facts, line=failure.lineno)


def _wanted(failure: Failure) -> tuple[str, Any, str] | None:
    """What a layer wants of its input: of which dimension, which size, by which setting."""
    wants = (
        ("in_features", "last dimension"),
        ("in_channels", "dimension 1"),
        ("num_features", "dimension 1"),
        ("input_size", "last dimension"),
        ("normalized_shape", "last dimensions"),
        ("embed_dim", "last dimension"),
    )
    for setting, what in wants:
        size = failure.setting(setting)
        if type(size) is int or type(size) is tuple:
            return what, size, setting
    return None


def _first_line(failure: Failure) -> str:
    return shorten(failure.message.partition("\n")[0], 200)


def channels_last_input(failure: Failure) -> Iterator[Found]:
    channels, given = failure.setting("in_channels"), failure.locals.get("input")
    if type(channels) is not int or given is None:
        return
    sizes = tuple(shape_of(given))
    if len(sizes) in (4, 5) and sizes[-1] == channels and sizes[1] != channels:
        name = failure.named(given, "its input")
        order = "0, 3, 1, 2" if len(sizes) == 4 else "0, 4, 1, 2, 3"
        yield Found(
            f"{name} is {sizes}, with the {channels} channels last; {failure.layer()} wants them in dimension 1",
            (name, told(given)),
            (failure.module_name(), f"{channels} channels"),
            line=failure.lineno,
            suggestion=f"{name}.permute({order})",
        )


def dtype_mismatch(failure: Failure) -> Iterator[Found]:
    operands = failure.operands()
    if len({device_name(thing.value) for thing in operands}) > 1:
        return
    target = failure.locals.get("target")
    if (
        target is not None and ("target" in failure.message or "Long" in failure.message) and failure.inner is None
    ) or _is_loss(failure):
        if target is None:
            return
        name = failure.named(target, "target")
        stats = failure.step.stats(target)
        values = (
            f", with values {number(stats['min'])} to {number(stats['max'])}"
            if stats and stats["min"] is not None
            else ""
        )
        wants = "integer class labels" if target.dtype.is_floating_point else "a floating-point target"
        yield Found(
            f"the loss wants {wants}; {name} is {told(target)}{values}",
            (name, told(target)),
            line=failure.lineno,
            suggestion=f"{name}.long()" if target.dtype.is_floating_point else f"{name}.float()",
        )
        return
    weights = _weights(failure)
    given = failure.locals.get("input")
    subject = given if given is not None else (operands[0].value if operands else None)
    if subject is None:
        return
    name = failure.named(subject, operands[0].name if operands else "its input")
    if weights and dtype_name(weights[0]) != dtype_name(subject):
        yield Found(
            f"{name} is {dtype_name(subject)}, the weights of {failure.layer()} are {dtype_name(weights[0])}",
            (name, told(subject)),
            (failure.module_name(), f"weights of {dtype_name(weights[0])}"),
            line=failure.lineno,
            suggestion=f"{name}.to({name}.device, torch.{dtype_name(weights[0])})",
        )
        return
    kinds = " and ".join(f"{thing.name} is {dtype_name(thing.value)}" for thing in operands[:3])
    yield Found(
        f"{kinds or name}: {_first_line(failure)}",
        *((thing.name, told(thing.value)) for thing in operands[:4]),
        line=failure.lineno,
    )


def _is_loss(failure: Failure) -> bool:
    return failure.inner is not None and class_name(type(failure.inner)).endswith("Loss")


def _weights(failure: Failure) -> list[Any]:
    found = instance_dict(failure.inner).get("_parameters") if failure.inner is not None else None
    return [item for item in dict.values(found) if is_own(item)] if type(found) is dict else []


def device_mismatch(failure: Failure) -> Iterator[Found]:
    operands = failure.operands()
    weights = _weights(failure)
    devices = list(dict.fromkeys(device_name(thing.value) for thing in operands))
    if len(devices) < 2 and weights and operands and device_name(weights[0]) != devices[0]:
        yield Found(
            f"{operands[0].name} is on {devices[0]}, the weights of {failure.layer()} are on {device_name(weights[0])}",
            (operands[0].name, told(operands[0].value)),
            (failure.module_name(), f"weights on {device_name(weights[0])}"),
            line=failure.lineno,
            suggestion=f"{operands[0].name}.to({device_name(weights[0])!r})",
        )
        return
    if len(devices) < 2:
        return
    by_device = [
        f"{', '.join(thing.name for thing in operands if device_name(thing.value) == device)} on {device}"
        for device in devices
    ]
    odd = next(thing for thing in operands if device_name(thing.value) == devices[-1])
    made = failure.step.here.value_of(odd.key)
    yield Found(
        f"operands on different devices: {'; '.join(by_device)}",
        *((thing.name, told(thing.value)) for thing in operands[:4]),
        line=failure.lineno if made is None else (failure.lineno[0], made[0]),
        suggestion="move both to one device with .to(device)",
    )


def label_out_of_range(failure: Failure) -> Iterator[Found]:
    target, scores = failure.locals.get("target"), failure.locals.get("input")
    if target is None:
        return
    name, stats = failure.named(target, "target"), failure.step.stats(target)
    classes = None if scores is None or scores.dim() == 0 else int(shape_of(scores)[1 if scores.dim() > 1 else 0])
    if stats is None or classes is None or stats["min"] is None:
        yield Found(f"{name}: {_first_line(failure)}", (name, told(target)), line=failure.lineno)
        return
    values = bare(target)
    wrong = int(((values >= classes) | ((values < 0) & (values != -100))).sum()) if values is not None else 0
    made = failure.step.here.value_of(name.replace('"', "'"))
    yield Found(
        f"labels in {name} run {stats['min']}..{stats['max']} for {classes} classes (0..{classes - 1}): {wrong} of {stats['count']} are out of range",
        (name, f"{stats['min']}…{stats['max']}"),
        (failure.step.name_of(scores), f"{classes} classes"),
        line=failure.lineno if made is None else (failure.lineno[0], made[0]),
        suggestion=f"{name} - 1, if labels count from 1"
        if stats["min"] == 1
        else "check the labels, or widen the head",
    )


def index_out_of_range(failure: Failure) -> Iterator[Found]:
    table = failure.setting("num_embeddings")
    given = failure.locals.get("input")
    if type(table) is not int:
        weight = failure.locals.get("weight")
        table = None if weight is None or weight.dim() == 0 else int(shape_of(weight)[0])
    if table is not None and given is not None and is_plain(given) and not given.dtype.is_floating_point:
        name, values = failure.named(given, "its input"), bare(given)
        wrong = (values < 0) | (values >= table)
        first = wrong.nonzero()[:1].tolist()
        stats = failure.step.stats(given)
        if first and stats is not None:
            yield Found(
                f"{name} has {plural(int(wrong.sum()), 'index')} beyond the {table} rows of {failure.layer() or 'the table'}: {values[tuple(first[0])].item()} at {first[0]}".replace(
                    "indexs", "indices"
                ),
                (name, f"{stats['min']}…{stats['max']}"),
                (failure.module_name(), f"{table} rows: 0 to {table - 1}"),
                line=failure.lineno,
            )
            return
    operands = failure.operands()
    shown = ", ".join(f"{thing.name} of {tuple(shape_of(thing.value))}" for thing in operands[:3])
    if operands:
        yield Found(
            f"{shown}: {_first_line(failure)}",
            *((thing.name, told(thing.value)) for thing in operands[:4]),
            line=failure.lineno,
        )


def logits_to_prob_loss(failure: Failure) -> Iterator[Found]:
    given = failure.locals.get("input")
    if given is None:
        return
    name, stats = failure.named(given, "input"), failure.step.stats(given)
    seen = (
        f" runs from {number(stats['min'])} to {number(stats['max'])}"
        if stats and stats["min"] is not None
        else " is out of range"
    )
    node = failure.step.node_of(given)
    origin = f", and comes from {node.op}" if node is not None else ""
    made = failure.step.here.value_of(name.replace('"', "'"))
    yield Found(
        f"BCELoss wants probabilities between 0 and 1; {name}{seen}{origin}",
        (name, f"{told(given)},{seen}"),
        line=failure.lineno if made is None else (failure.lineno[0], made[0]),
    )


def batchnorm_batch_of_one(failure: Failure) -> Iterator[Found]:
    given = failure.locals.get("input")
    operands = failure.operands()
    subject = operands[0] if operands else None
    name = subject.name if subject is not None else "its input"
    sizes = (
        tuple(shape_of(subject.value)) if subject is not None else tuple(shape_of(given)) if given is not None else ()
    )
    inner = f", {tuple(shape_of(given))} there" if given is not None else ""
    made = None if subject is None else failure.step.here.value_of(subject.key)
    yield Found(
        f"{failure.layer() or 'BatchNorm'} in train mode needs more than 1 value per channel; {name} is {sizes}{inner}: a batch of one",
        (name, f"shape {sizes}"),
        (failure.module_name(), "BatchNorm, train mode"),
        line=failure.lineno if made is None else (failure.lineno[0], made[0]),
    )
