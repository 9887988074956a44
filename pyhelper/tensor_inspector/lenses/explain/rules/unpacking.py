"""Too many or too few names for the parts of a value: ``x, y = batch``, ``for x, y in loader``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ....measure.torch.modules import is_module, is_of
from ....safe.guard import class_name, instance_dict
from ....words.text import listed, plural, shape
from ...findings.finding import Title, Violation
from ...step.expressions import text_of
from ..error_context import ErrorContext
from ..errors import numbers_to_unpack
from ..operand import UNKNOWN, Operand, in_title, operand
from ..values import count_of, items_of, key_words, keys_of, value_words

_MOST = 6  #: parts of a value that are shown


class Part:
    """The text of what is unpacked, its value as far as it is known, and the names that take its parts."""

    __slots__ = ("fit", "gives", "names", "node", "target", "text", "value")

    def __init__(self, text: str, value: Any, target: ast.Tuple | ast.List, node: ast.AST | None = None) -> None:
        self.text = text
        self.value = value
        self.target = target
        self.names = [text_of(name) or "…" for name in target.elts]
        self.node = node
        self.gives = ""  #: how many values, where only that is known
        self.fit = ""

    def end(self) -> str:
        return f"but {plural(len(self.names), 'name')} take it: {listed(self.names, False, 60)}"


def unpack_count(context: ErrorContext) -> Violation:
    expected, got = numbers_to_unpack(context.message)
    if expected is None:
        return _zero_dimensional(context)
    parts = [part for part in _parts(context) if len(part.names) == expected]
    parts = [part for part in parts if context.failing.is_at(part.target)] or parts
    for part in parts:
        found = _of_value(context, part)
        if found is not None:
            return found
    unknown = [part for part in parts if not _is_known(part.value)]
    if not unknown or len({id(part.target) for part in unknown if not part.gives}) > 1:
        return context.quoted([])
    part = next((part for part in unknown if part.gives), unknown[0])
    gives = part.gives or _of_recurrent(context, part) or ("more values" if got is None else plural(got, "value"))
    title = (f"{part.text} gives {gives}", ", ", part.end())
    return context.found(title, (part.text, f"gives {gives}"), suggestion=part.fit)


def _is_known(value: Any) -> bool:
    return value is not UNKNOWN and not (type(value) is Operand and value.sizes is None)


def _zero_dimensional(context: ErrorContext) -> Violation:
    """A tensor without dimensions that is iterated over."""
    known = next((one for one in context.operands() if one.sizes == ()), None)
    if known is None:
        return context.quoted([])
    return context.found(
        (f"{known.name} is {known.fact}", ", ", "a single number: it has no elements to go through"),
        known,
        suggestion=f"{known.written}.item(), or {known.written}.unsqueeze(0)",
    )


def _of_value(context: ErrorContext, part: Part) -> Violation | None:
    """A value whose number of parts differs from the number of names."""
    value, count = part.value, len(part.names)
    if type(value) is Operand:
        if not value.sizes or value.sizes[0] == count:
            return None
        rows = f"{value.sizes[0]} rows along its first dimension"
        title: Title = (f"{part.text} is {value.fact}", ", ", f"{rows}, {part.end()}")
        other = next((dim for dim, size in enumerate(value.sizes) if size == count), None)
        fit = f"{', '.join(part.names)} = {value.written}.unbind({other})" if other is not None else ""
        return context.found(title, value.named(part.text), suggestion=fit)
    if not issubclass(type(value), (list, tuple, dict)) or count_of(value) == count:
        return None
    if issubclass(type(value), dict):
        keys = keys_of(value)
        title = (
            f"{part.text} is a dict",
            ", ",
            f"of which the {plural(count_of(value), 'key')} {key_words(keys)} are unpacked, {part.end()}",
        )
        named = [f'{part.text}["{name}"]' for name in part.names if name in keys]
        fit = (
            f"{', '.join(part.names)} = {', '.join(named)}"
            if len(named) == count
            else f"take them by their keys: {part.text}[…]"
        )
        return context.found(title, (part.text, value_words(value)), suggestion=fit)
    return _of_items(context, part)


def _of_items(context: ErrorContext, part: Part) -> Violation:
    items = items_of(part.value)
    if items and all(type(item) is int for item in items) and _is_shape(part.node):
        title: Title = (f"{part.text} is {shape(items)}", ", ", f"{plural(len(items), 'dimension')}, {part.end()}")
        of = part.node.value if isinstance(part.node, ast.Attribute) else getattr(part.node, "func", None)
        whose = context.failing.reader.read(
            of.value if isinstance(part.node, ast.Call) and isinstance(of, ast.Attribute) else of
        )
        return context.found(title, whose if type(whose) is Operand else (part.text, shape(items)))
    parts = [value_words(item) for item in items[:_MOST]]
    title = (
        f"{part.text} has {plural(count_of(part.value), 'part')}",
        ": ",
        f"{listed(parts, len(items) > _MOST, 90)}, {part.end()}",
    )
    facts = [(f"{part.text}[{at}]", words) for at, words in enumerate(parts)] or [(part.text, "empty")]
    extra = count_of(part.value) - len(part.names)
    fit = f"{', '.join([*part.names, '_'])} = {part.text}" if extra == 1 and part.node is not None else ""
    return context.found(title, *facts, suggestion=fit)


def _is_shape(node: ast.AST | None) -> bool:
    called = node.func if isinstance(node, ast.Call) else node
    return isinstance(called, ast.Attribute) and called.attr in ("shape", "size")


def _parts(context: ErrorContext) -> Iterator[Part]:
    """What the failing statement unpacks."""
    whole = context.failing.whole
    if isinstance(whole, ast.Assign):
        for target in whole.targets:
            yield from _target_parts(context, target, whole.value)
    if isinstance(whole, (ast.For, ast.AsyncFor)):
        yield from _loop_parts(context, whole.target, whole.iter)
    for node in context.failing.below():
        if isinstance(node, ast.comprehension):
            yield from _loop_parts(context, node.target, node.iter)


def _target_parts(context: ErrorContext, target: ast.AST, node: ast.AST) -> Iterator[Part]:
    if not isinstance(target, (ast.Tuple, ast.List)) or any(isinstance(name, ast.Starred) for name in target.elts):
        return
    value = context.failing.reader.read(node)
    text = in_title(node)
    loader = _next_of(node)
    if loader is not None:
        value = _of_loader(context.failing.reader.read(loader)) or UNKNOWN
    yield Part(text, value, target, node)
    below = list(node.elts) if isinstance(node, (ast.Tuple, ast.List)) else []
    for at, name in enumerate(target.elts):
        if isinstance(name, (ast.Tuple, ast.List)):
            if at < len(below):
                yield from _target_parts(context, name, below[at])
            else:
                inside = _item(value, at)
                part = Part(inside.name if type(inside) is Operand else f"part {at} of {text}", inside, name)
                called = context.failing.reader.value(node.func) if isinstance(node, ast.Call) else None
                if called is not None and is_module(called) and is_of(called, "RNN", "GRU") and at == 1:
                    part.gives, part.fit = "one state", f"only an LSTM has two: {text_of(target.elts[0])}, h = {text}"
                yield part


def _loop_parts(context: ErrorContext, target: ast.AST, node: ast.AST) -> Iterator[Part]:
    """What a loop takes its names from, one element after the other."""
    if not isinstance(target, (ast.Tuple, ast.List)) or any(isinstance(name, ast.Starred) for name in target.elts):
        return
    text, value = in_title(node), context.failing.reader.read(node)
    if isinstance(node, ast.Call) and text_of(node.func) == "enumerate" and node.args:
        if len(target.elts) != 2:
            part = Part(f"each turn of {text}", UNKNOWN, target)
            part.gives = "2 values, its number and the element"
            part.fit = f"for {part.names[0]}, ({', '.join(part.names[1:])}) in {text}"
            yield part
        else:
            yield from _loop_parts(context, target.elts[1], node.args[0])
        return
    if type(value) is Operand:
        row = None if value.sizes is None else value.like(f"each row of {text}", value.sizes[1:])
        yield Part(f"each row of {text}", UNKNOWN if row is None else row, target)
        return
    if issubclass(type(value), (list, tuple)):
        for at, item in enumerate(items_of(value)):
            known = operand(f"{text}[{at}]", item) or item
            if (
                type(known) is not Operand
                and issubclass(type(item), (list, tuple))
                and count_of(item) == len(target.elts)
            ):
                continue
            yield Part(f"{text}[{at}]", known, target)
        return
    batches = _of_loader(value)
    yield Part(f"each batch of {text}", UNKNOWN if batches is None else batches, target)
    for at, name in enumerate(target.elts):
        if isinstance(name, (ast.Tuple, ast.List)):
            part = Part(f"part {at} of each batch of {text}", UNKNOWN, name)
            if at == 1 == len(target.elts) - 1:
                part.fit = f"enumerate({text})"
            yield part


def _of_loader(value: Any) -> Any:
    """A batch of a loader over a TensorDataset, for its number of parts."""
    dataset = instance_dict(value).get("dataset") if class_name(type(value)) == "DataLoader" else None
    if dataset is None or class_name(type(dataset)) != "TensorDataset":
        return None
    tensors = instance_dict(dataset).get("tensors")
    return tensors if type(tensors) is tuple else None


def _next_of(node: ast.AST) -> ast.AST | None:
    """The iterable in ``next(iter(loader))``."""
    for function in ("next", "iter"):
        if not isinstance(node, ast.Call) or text_of(node.func) != function or not node.args:
            return None
        node = node.args[0]
    return node


def _of_recurrent(context: ErrorContext, part: Part) -> str | None:
    """The output of a recurrent layer."""
    called = context.failing.reader.value(part.node.func) if isinstance(part.node, ast.Call) else None
    if called is None or not is_module(called) or not is_of(called, "RNNBase"):
        return None
    state = "(h, c)" if is_of(called, "LSTM") else "h"
    return f"2 values, the output and {state}"


def _item(value: Any, at: int) -> Any:
    if type(value) is Operand:
        return UNKNOWN if not value.sizes else value.like(f"{value.name}[{at}]", value.sizes[1:])
    if not issubclass(type(value), (list, tuple)) or at >= count_of(value):
        return UNKNOWN
    item = items_of(value)[at]
    return operand(f"part {at}", item) or item
