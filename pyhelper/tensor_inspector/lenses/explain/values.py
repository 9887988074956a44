"""Describes values that are no tensors in a few words; finds the most similar name."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from ...measure.torch.modules import is_module
from ...safe.guard import KEYS, class_name, each
from ...words.text import listed, plural, quoted
from .expected_input import layer_words
from .operand import Operand, operand

_KEYS = 8  #: of a dict that are named
_NAMES = 2000  #: that one is compared with
_READ = 200  #: entries of a list or a dict that are looked at


def value_words(value: Any) -> str:
    """``None``, ``a list of 2 tensors``, ``a dict of image, label``, ``a float``."""
    if value is None:
        return "None"
    if type(value) is Operand:
        return value.fact
    known = operand("", value)
    if known is not None:
        return known.fact
    if is_module(value):
        return f"a module ({layer_words(value)})"
    cls = type(value)
    if issubclass(cls, dict):
        keys = keys_of(value)
        name = "dict" if cls is dict else class_name(cls)
        return f"a {name} of {key_words(keys)}" if keys else f"an empty {name}"
    if issubclass(cls, (list, tuple)):
        items = items_of(value)
        word = "list" if issubclass(cls, list) else "tuple"
        if not items:
            return f"an empty {word}"
        what = "tensor" if all(type(item) is Operand or operand("", item) is not None for item in items) else "item"
        return f"a {word} of {plural(count_of(value), what)}"
    return with_article(class_name(cls))


def with_article(name: str) -> str:
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def key_words(keys: list[Any]) -> str:
    return listed([quoted(key) if type(key) is str else str(key) for key in keys[:_KEYS]], len(keys) > _KEYS, 90)


def entry(text: str, key: Any) -> str:
    """The expression of a dict's entry."""
    return f'{text}["{key}"]' if type(key) is str else f"{text}[{key}]"


def keys_of(value: Any) -> list[Any]:
    """The first keys of a dict that are text or integers."""
    return [key for key in islice(each(dict.keys, value), _READ) if type(key) in KEYS]


def items_of(value: Any) -> list[Any]:
    base: Any = list if issubclass(type(value), list) else tuple
    return [item for item, _ in zip(each(base.__iter__, value), range(_READ))]


def count_of(value: Any) -> int:
    base: Any = next(base for base in (list, tuple, dict) if issubclass(type(value), base))
    return base.__len__(value)  # type: ignore[no-any-return]


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The name that is most like another one: a few letters differ, or one contains the other."""
    wanted = _plain(name)
    rated = [(_distance(wanted, _plain(one)), one) for one in islice(known, _NAMES) if one != name]
    close = [(far, one) for far, one in rated if far <= max(1, min(len(wanted), len(_plain(one))) // 3)]
    if close:
        return min(close)[1]
    inside = [one for _, one in rated if len(_plain(one)) > 2 and (_plain(one) in wanted or wanted in _plain(one))]
    return inside[0] if len(inside) == 1 and len(wanted) > 2 else None


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")[:64]


def _distance(a: str, b: str) -> int:
    """How many letters are added, left out or changed between two names."""
    if abs(len(a) - len(b)) > max(len(a), len(b)) // 3 + 1:
        return max(len(a), len(b))
    while a and b and a[0] == b[0]:
        a, b = a[1:], b[1:]
    row = list(range(len(b) + 1))
    for at, letter in enumerate(a, 1):
        above, row[0] = row[0], at
        for to, other in enumerate(b, 1):
            above, row[to] = row[to], min(row[to] + 1, row[to - 1] + 1, above + (letter != other))
    return 1 if row[-1] == 2 and len(a) == len(b) and sorted(a) == sorted(b) else row[-1]  # two that changed places


def tensor_in(text: str, items: list[Any]) -> str:
    """An expression that makes a tensor of a list or tuple, or reaches the first tensor in it."""
    found = [operand("", item) for item in items]
    first = next((at for at, one in enumerate(found) if one is not None), None)
    if first is None:
        return f"torch.tensor({text})"
    is_stack = len(found) > 1 and len({None if one is None else one.sizes or () for one in found}) == 1
    return f"torch.stack({text}), or {text}[0]" if is_stack else f"{text}[{first}]"
