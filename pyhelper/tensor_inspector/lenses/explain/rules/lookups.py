"""A missing key of a dict; a missing attribute where a tensor or module was expected."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ....measure.torch.metadata import gradient_of
from ....measure.torch.modules import PARTS, is_module, is_of
from ....safe.guard import (
    KEYS,
    NUMBERS,
    class_dict,
    class_name,
    dict_attribute,
    dict_get,
    each,
    instance_dict,
    library_of,
    module,
    mro,
)
from ....words.text import quoted
from ...findings.finding import Title, Violation
from ..error_context import ErrorContext
from ..errors import attribute_in
from ..operand import UNKNOWN, Operand, in_title, needs_grad, operand
from ..operation import FailingLine
from ..values import entry, items_of, key_words, keys_of, nearest, tensor_in, value_words
from .objects.labels import missing_label
from .objects.properties import hidden_property

_MISSING = object()
_SHOWN = 4  #: entries of a dict, or of a list, that are shown


def missing_key(context: ErrorContext) -> Violation | None:
    for line in _lines(context):
        for node in _inner(line, ast.Subscript):
            found = _of_subscript(context, line, node)
            if found is not None:
                return found
    return None


def _lines(context: ErrorContext) -> Iterator[FailingLine]:
    """The user's line first: what a library looks up in its own dicts says less."""
    if context.user is not context.here:
        yield FailingLine(context.user)
    yield context.failing


def _inner(line: FailingLine, *kinds: type[Any]) -> Iterator[Any]:
    """The parts of a line of these kinds, that which failed first where it is known."""
    seen = [*(line.nodes if line.is_exact else ()), *line.below()]
    return (node for node in dict.fromkeys(seen) if isinstance(node, kinds))


def _of_subscript(context: ErrorContext, line: FailingLine, node: ast.Subscript) -> Violation | None:
    value, key = line.reader.read(node.value), line.reader.read(node.slice)
    entries = _entries(value)
    if entries is None or key is UNKNOWN:
        return missing_label(context, line, node)
    text, keys = in_title(node.value), keys_of(entries)
    if type(key) is Operand:
        if not keys or key.sizes:
            return None
        title = (
            f"{key.name} is a tensor, {key.fact}",
            ", ",
            f"which is never a key of {text}: its keys are {key_words(keys)}",
        )
        return context.found(title, key, (text, value_words(value)), suggestion=f"{text}[{key.written}.item()]")
    if type(key) not in KEYS or dict_get(entries, key, _MISSING) is not _MISSING:
        return None
    shown = quoted(key) if type(key) is str else str(key)
    title = (
        (f"{text} has no key {shown}", ", ", f"only {key_words(keys)}")
        if keys
        else (f"{text} has no key {shown}", ": ", "it is empty")
    )
    near = nearest(str(key), map(str, keys))
    like = next((one for one in keys if str(one) == str(key)), None)
    near = near if like is None else like
    named = [*([near] if near is not None else []), *keys]
    facts = [(entry(text, one), value_words(dict_get(entries, one))) for one in dict.fromkeys(named)][:_SHOWN]
    return context.found(title, *(facts or [(text, "empty")]), suggestion="" if near is None else entry(text, near))


def _entries(value: Any) -> dict[Any, Any] | None:
    """The dict that a value is, or that has its entries."""
    if issubclass(type(value), dict):
        return value  # type: ignore[no-any-return]
    if is_module(value):
        parts = (("ModuleDict", "_modules"), ("ParameterDict", "_parameters"))
        return next((dict_attribute(value, part) for cls, part in parts if is_of(value, cls)), None)
    if any(class_name(base) == "UserDict" for base in mro(type(value))):
        found = instance_dict(value).get("data")
        return found if type(found) is dict else None
    return None


def missing_attribute(context: ErrorContext) -> Violation | None:
    wanted = attribute_in(context.message) or ""
    for line in _lines(context):
        for node in line.below():
            if isinstance(node, ast.Attribute) and node.attr == wanted:
                found = _of_attribute(context, line, node, wanted)
                if found is not None:
                    return found
    for text, value in context.written() if "NoneType" in context.message else ():
        if value is None:
            return context.found(
                (f"{text} is None", ", ", f"but {context.called} wants a value"), (text, context.none_words(text))
            )
    return None


def _of_attribute(context: ErrorContext, line: FailingLine, node: ast.Attribute, wanted: str) -> Violation | None:
    value, text = line.reader.read(node.value), in_title(node.value)
    if value is UNKNOWN:
        return None
    if value is None:
        return _of_none(context, line, node, text)
    if is_module(value) and type(value) is not Operand:
        return _of_module(context, value, text, wanted)
    if type(value) is Operand and not value.is_array:
        near = nearest(wanted, _tensor_attributes())
        title = (f"{text} is {value.fact}", ": ", f"a tensor has no {wanted}")
        return None if near is None else context.found(title, value, suggestion=f"{text}.{near}")
    if library_of(type(value)) == "torch":
        near = nearest(wanted, (name for base in mro(type(value)) for name in _public_names(base)))
        title = (f"{text} is {value_words(value)}", ", ", f"which has no {wanted}")
        return None if near is None else context.found(title, (text, value_words(value)), suggestion=f"{text}.{near}")
    if wanted not in _tensor_attributes():
        return None
    title = (f"{text} is {value_words(value)}", ", ", f"not a tensor: it has no {wanted}")
    facts = [(text, value_words(value)), *_parts(text, value)]
    return context.found(title, *facts, suggestion=_tensor_from(text, value, wanted))


def _of_none(context: ErrorContext, line: FailingLine, node: ast.Attribute, text: str) -> Violation:
    owner = line.reader.read(node.value.value) if isinstance(node.value, ast.Attribute) else None
    what = "a tensor is meant" if node.attr in _tensor_attributes() else "an object is meant"
    title = (f"{text} is None", ", ", f"where {what}: .{node.attr} can't be read")
    if type(owner) is Operand and isinstance(node.value, ast.Attribute) and node.value.attr == "grad":
        if not needs_grad(owner):
            fit = f"{owner.written}.requires_grad_() before it is used, then backward()"
            return context.found(
                (f"{text} is None", ": ", f"{owner.name} does not require a gradient"), owner, suggestion=fit
            )
        if not gradient_of(owner.value).is_leaf:
            fit = f"{owner.written}.retain_grad() before backward"
            return context.found(
                (f"{text} is None", ": ", f"{owner.name} is no leaf, and only leaves keep it"), owner, suggestion=fit
            )
        fit = "call backward() first and zero_grad() later, and check that it takes part in the loss"
        why = f"no backward has reached {owner.name}, or its gradient was cleared"
        return context.found((f"{text} is None", ": ", why), owner, suggestion=fit)
    return context.found(title, (text, context.none_words(text)), suggestion=f"find out why {text} is None")


def _of_module(context: ErrorContext, value: Any, text: str, wanted: str) -> Violation | None:
    hidden = hidden_property(context, value, text, wanted)
    if hidden is not None:
        return hidden
    inside = dict_get(dict_attribute(value, "_modules"), "module") if _is_wrapper(value) else None
    if inside is not None and wanted in _names(inside):
        title = (f"{text} is a {class_name(type(value))}", ": ", f"{wanted} is an attribute of the module inside it")
        return context.found(title, (f"{text}.module", value_words(inside)), suggestion=f"{text}.module.{wanted}")
    near = nearest(wanted, _names(value))
    children = [name for part in reversed(PARTS) for name in each(dict.keys, dict_attribute(value, part))][:_SHOWN]
    if near is None and wanted in _tensor_attributes() and wanted not in ("to", "train"):
        title = (f"{text} is {value_words(value)}", ", ", f"not a tensor: it has no {wanted}")
        return context.found(
            title, (text, value_words(value)), suggestion=f"call it, or name one of its parameters: {text}.weight"
        )
    if near is None and not children:
        return None
    fact = f"{text} ({class_name(type(value))}) has no {wanted}"
    whole: Title = (fact, ": ", f"its parts are {', '.join(children)}") if children else fact
    return context.found(whole, (text, value_words(value)), suggestion="" if near is None else f"{text}.{near}")


def _is_wrapper(value: Any) -> bool:
    return is_of(value, "DataParallel", "DistributedDataParallel", "FullyShardedDataParallel", "OptimizedModule")


def _names(value: Any) -> Iterator[str]:
    for part in PARTS:
        yield from (name for name in each(dict.keys, dict_attribute(value, part)) if type(name) is str)
    for name in each(dict.keys, instance_dict(value)):
        if type(name) is str and name[:1] != "_" and name not in ("training", "call_super_init", "dump_patches"):
            yield name
    yield from (name for base in mro(type(value)) if class_name(base) != "Module" for name in _public_names(base))


def _tensor_attributes() -> frozenset[str]:
    """The public attributes of a tensor."""
    torch: Any = module("torch")
    return frozenset(name for base in mro(torch.Tensor) for name in _public_names(base))


def _public_names(cls: type) -> Iterator[str]:
    return (name for name in list(class_dict(cls)) if type(name) is str and name[:1] != "_")


def _parts(text: str, value: Any) -> list[tuple[str | None, str]]:
    """The tensors in a list, a tuple or a dict."""
    if issubclass(type(value), dict):
        named = [(entry(text, key), dict_get(value, key)) for key in keys_of(value)]
    elif issubclass(type(value), (list, tuple)):
        named = [(f"{text}[{at}]", item) for at, item in enumerate(items_of(value))]
    else:
        return []
    found: list[tuple[str | None, str]] = []
    for name, item in named:
        known = operand(name, item)
        if known is not None:
            found.append((name, known.fact))
    return found[:_SHOWN]


def _tensor_from(text: str, value: Any, wanted: str) -> str:
    """An expression that makes a tensor of it, or reaches the tensor in it."""
    if type(value) is Operand:
        return f"torch.from_numpy({text}).{wanted}"
    if issubclass(type(value), dict):
        moved = f"{{key: one.{wanted}(…) for key, one in {text}.items()}}" if wanted in ("to", "cuda", "cpu") else ""
        return moved or "take a tensor by its key"
    if issubclass(type(value), (list, tuple)):
        items = items_of(value)
        if wanted in ("to", "cuda", "cpu") and any(operand("", item) is not None for item in items):
            return f"[one.{wanted}(…) for one in {text}]"
        return tensor_in(text, items)
    if type(value) in NUMBERS and wanted in ("item", "tolist", "detach", "cpu"):
        return f"{text} is a number already"
    if type(value) in NUMBERS:
        return "keep the tensor: item() makes a number, which has no graph"
    return ""
