"""None, a list or a number where an operation needs a tensor."""

from __future__ import annotations

from typing import Any

from ....measure.torch.modules import is_module
from ....safe.guard import NUMBERS, class_name, dict_get, instance_dict
from ...findings.finding import Violation
from ..error_context import ErrorContext
from ..errors import WANTED, argument_in, type_not_tensor
from ..operand import UNKNOWN, Operand, in_title, operand
from ..samples import dataset_name, parts_of, samples
from ..values import entry, items_of, keys_of, tensor_in, value_words, with_article


def not_tensor(context: ErrorContext) -> Violation | None:
    collated = _collated(context)
    if collated is not None:
        return collated
    given, kind = list(context.written()), type_not_tensor(context.message)
    inside = _inside_a_layer(context, given, kind)
    if inside is not None:
        return inside
    for text, value in given:
        if value is None and "NoneType" in context.message:
            return _of_none(context, text)
    in_message = argument_in(context.message)
    if (
        in_message is not None
        and in_message[0] + 1 < len(given)
        and "not NoneType" in context.message
        and context.layer is None
    ):
        return _of_none(context, given[in_message[0] + 1][0])
    for text, value in given[1:]:
        if is_module(value) and "not iterable" in context.message and _is_named(context, value):
            title = (f"{text} is {value_words(value)}", ", ", f"but {context.called} goes through its elements")
            return context.found(title, (text, value_words(value)), suggestion=f"{text}.parameters()")
    for text, value in given:
        is_list = issubclass(type(value), (list, tuple)) and class_name(type(value)) != kind
        for at, item in enumerate(items_of(value) if is_list else []):
            if type(item) is not Operand and operand("", item) is None and _is_named(context, item):
                title = (f"{text}[{at}] is {value_words(item)}", ", ", f"but {context.called} wants tensors")
                return context.found(title, (f"{text}[{at}]", value_words(item)), (text, value_words(value)))
    for text, value in given:
        if type(value) is not Operand and value is not UNKNOWN and not is_module(value) and _is_named(context, value):
            other = None if in_message is None or in_message[1] == "Tensor" else WANTED.get(in_message[1])
            title = (f"{text} is {value_words(value)}", ", ", f"but {context.called} wants {other or 'a tensor'}")
            fit = _tensor_of(text, value) if other is None else f"give it {other}"
            return context.found(title, (text, value_words(value)), suggestion=fit)
    for text, value in context.named() if "'NoneType'" in context.message else ():
        if value is None:
            return _of_none(context, text)
    for text, value in given[1:]:
        if value is UNKNOWN and kind is not None:
            one = f"one of {text[1:]}" if text.startswith("*") else text
            title = (f"{one} is {with_article(kind)}", ", ", f"but {context.called} wants a tensor")
            fit = f"{text}[0]" if kind in ("tuple", "list") else ""
            return context.found(title, (text, with_article(kind)), suggestion=fit)
    for text, value in given:
        if type(value) is Operand and "not Tensor" in context.message:
            title = (f"{text} is a tensor, {value.fact}", ", ", f"but {context.called} wants numbers")
            return context.found(title, value, suggestion=f"{value.written}.tolist(), or *{value.written}.shape")
    return None


def _of_none(context: ErrorContext, text: str) -> Violation:
    if text == "None":
        where = in_title(context.failing.nodes[0]) if context.failing.is_exact else "this line"
        return context.found((f"None is given in {where}", ", ", f"which wants {_wanted(context)}"), (None, where))
    if "not callable" in context.message:
        fit = f"find out why {text} is None"
        return context.found(
            (f"{text} is None", ": ", "it can't be called"), (text, context.none_words(text)), suggestion=fit
        )
    return context.found(
        (f"{text} is None", ", ", f"but {context.called} wants {_wanted(context)}"),
        (text, context.none_words(text)),
        suggestion=f"find out why {text} is None",
    )


def _wanted(context: ErrorContext) -> str:
    in_message = argument_in(context.message)
    if in_message is not None and in_message[1] in WANTED:
        return WANTED[in_message[1]]
    return "a tensor" if "Tensor" in context.message else "a value"


def _inside_a_layer(context: ErrorContext, given: list[tuple[str, Any]], kind: str | None) -> Violation | None:
    """An input of an inner layer of the one that the line calls, made by the layer before it."""
    layer = context.layer
    if layer is None or kind is None or class_name(type(layer.argument)) != kind:
        return None
    called = None if context.call is None else context.failing.reader.value(context.call.func)
    if called is layer.module or any(value is layer.argument for _, value in given):
        return None
    what = f"the input of {layer.name or layer.words}"
    title = (f"{what} is {value_words(layer.argument)}", ", ", f"but {layer.title} wants a tensor")
    fit = f"take the tensor out of the {kind} that the layer before it returns"
    return context.found(title, (what, value_words(layer.argument)), suggestion=fit)


def _is_named(context: ErrorContext, value: Any) -> bool:
    """Whether the message names the type of a value."""
    return class_name(type(value)) in context.message


def _tensor_of(text: str, value: Any) -> str:
    if issubclass(type(value), dict):
        key = next((key for key in keys_of(value) if operand("", dict_get(value, key)) is not None), None)
        return "" if key is None else entry(text, key)
    if not issubclass(type(value), (list, tuple)):
        if type(value) in NUMBERS or type(value) is bool:
            return f"torch.tensor({text})"
        attributes = instance_dict(value)
        name = next(
            (name for name in attributes if type(name) is str and operand("", attributes[name]) is not None), None
        )
        return "" if name is None else f"{text}.{name}"
    return tensor_in(text, items_of(value))


# Samples that can't be made a batch


def _collated(context: ErrorContext) -> Violation | None:
    """The samples of a batch, of which one is None, or of another type than the others."""
    fetch = next((entry for entry in context.trace if entry.function == "fetch"), None)
    if fetch is None or not any(entry.function == "default_collate" for entry in context.trace):
        return None
    batch, name = samples(fetch), f"{dataset_name(fetch)}.__getitem__"
    empty = next((label for label, sample in batch if sample is None), None)
    if empty is not None:
        title = (f"{empty} is None", ": ", f"{name} returns None for it")
        return context.found(title, (empty, "None"), suggestion="return a sample, or drop it in collate_fn")
    rows = [dict(enumerate(list(parts_of(label, sample))[1:] or [(label, sample)])) for label, sample in batch]
    for part in rows[0] if rows else ():
        (first, one), others = rows[0][part], [row[part] for row in rows[1:] if part in row]
        for label, other in others:
            if type(other) is not type(one):
                title = (f"{label} is {value_words(other)}", ", ", f"but {first} is {value_words(one)}")
                facts = [(label, value_words(other)), (first, value_words(one))]
                return context.found(title, *facts, suggestion=f"return one type from {name}")
    return None
