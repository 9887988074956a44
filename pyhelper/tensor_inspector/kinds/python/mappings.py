"""Dicts, read by the built-in type's own methods, and the names of their keys."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from ...safe.budget import Budget, Steps
from ...safe.guard import Classes, c_attribute, each, mro
from ...words.line import Word, short
from ...words.text import integer, quoted_bytes, shorten_middle
from ..families import by_base
from ..kind import Child, Kind, NotFound, NotStatic
from ..registry import kind_of
from .containers import Container
from .objects import brief, brief_inline
from .plain import Atom

_MISSING = object()
_SHOWN = 12  #: items looked at for a line
_WORD = 24  #: characters of a key in a line
_LONG_WORD = 40  #: and of one of several dotted names
_LONG = 1000  #: characters of such a name that are looked at
_NAME = 100  #: characters of a key as the name of its row
_PARTS = 8  #: of a tuple as a key
_MOST_PARTS = 10_000  #: of tuples in tuples, one in many places counted as often
_NUMBERS = Classes(int, float, bool, type(None))
_STRINGS = Classes(str, bytes)
_ATOMS = Classes(int, float, bool, type(None), str, bytes)
_PIECE = 4096  #: keys between two looks at the clock
_NO_TIME = "there was no time to look at all its keys"
_ORDERED = 20_000  #: items of an OrderedDict up to which its own order is found, by reading all keys


class Mapping(Container):
    kind = "mapping"
    brackets = ("{", "}")

    def as_dict(self) -> dict[Any, Any]:
        """The dict that is read: the value itself, or the dict that it wraps."""
        return self.value  # type: ignore[no-any-return]

    def length(self) -> int:
        return dict.__len__(self.as_dict())

    def entries(self) -> Iterable[tuple[object, object]]:
        return self.pairs()

    def entry_name(self, under: object) -> str:
        return short(next(iter(key_words((under,), self)))) if type(under) is str else f"[{key_word(under, self)}]"

    def items(self, start: int = 0) -> Iterator[Any]:
        return (item for _, item in self.pairs(start))

    def fact_rows(self) -> list[list[str]]:
        rows, factory = super().fact_rows(), c_attribute(self.value, "default_factory")
        return rows if factory is None else [*rows, ["missing keys become", brief(factory, self)]]

    def pairs(self, start: int = 0) -> Iterator[tuple[Any, Any]]:
        """Keys and values in the order that iterating shows, without hashing a key of the program's."""
        items = self.as_dict()
        return each(OrderedDict.items if self.ordered() else dict.items, items, start)

    def ordered(self) -> bool | None:
        """True for an ``OrderedDict``, which keeps its order apart from its items."""
        items = self.as_dict()
        if not any(base is OrderedDict for base in mro(type(items))):
            return False
        return True if dict.__len__(items) <= _ORDERED and _are_plain(each(dict.__iter__, items), Budget()) else None

    def item_rows(self, start: int, count: int) -> Iterable[Child]:
        indexed = self.indexed()
        for index, (key, item) in enumerate(islice(self.pairs(start), count), start):
            yield Child(key_name(key, index, self), item, f"[{key!r}]" if indexed and _is_literal(key) else None)

    def written(self) -> Iterable[str]:
        first = enumerate(islice(self.pairs(), _SHOWN))
        return (f"{key_name(key, at, self)}: {brief_inline(item, self)}" for at, (key, item) in first)

    def item(self, key: Any) -> Any:
        if not _is_plain(key):
            raise NotStatic(f"a key like {key!r}")
        if not _are_plain(each(dict.__iter__, self.as_dict()), self.budget):
            return self._same(key)
        found = dict.get(self.as_dict(), key, _MISSING)
        if found is _MISSING:
            raise NotFound(f"there is no key {key!r}")
        return found

    def _same(self, key: Any) -> Any:
        """The item whose key is of the same type and equal, found without hashing or comparing the program's keys."""
        steps = Steps(self.budget)
        for known, item in each(dict.items, self.as_dict()):
            if steps.end():
                break
            if type(known) is type(key) and _is_plain(known) and known == key:
                return item
        raise NotStatic(_NO_TIME if steps.over else "comparing its keys runs the program's code")

    def item_texts(self) -> list[tuple[str, str]]:
        return pair_texts(islice(self.pairs(), _SHOWN), self)


class Counted(Mapping):
    """A ``Counter``: what was counted, and how often."""

    def item_texts(self) -> list[tuple[str, str]]:
        return pair_texts(islice(self.pairs(), _SHOWN), self, between=" ×")


def pair_texts(pairs: Iterable[tuple[Any, Any]], asked: Kind, between: str = "") -> list[tuple[str, str]]:
    """Keys and values as they stand in the line of their dict: ``x f32[3]``, ``1: 'cat'``."""
    found = list(pairs)
    words = key_words((key for key, _ in found), asked)
    labels = (f"{short(word)}{between or (' ' if type(key) is str else ': ')}" for word, (key, _) in zip(words, found))
    return [(label, brief_inline(item, asked)) for label, (_, item) in zip(labels, found)]


def key_words(keys: Iterable[object], asked: Kind) -> Iterator[str]:
    """Keys as the line of their dict shows them; a long dotted name without what it shares with the one before it."""
    before = ""
    for key in keys:
        if type(key) is not str or len(key) <= _WORD:
            yield key_word(key, asked)
            continue
        shared = _shared(before, key)
        yield shorten_middle(f"…{key[len(shared) + 1 :]}" if shared else key, _LONG_WORD)
        before = key


def _shared(one: str, other: str) -> str:
    """What two names begin with, up to a dot."""
    same = next((at for at, (a, b) in enumerate(zip(one[:_LONG], other[:_LONG])) if a != b), min(len(one), len(other)))
    return one[:same].rpartition(".")[0]


def key_word(key: object, asked: Kind) -> str:
    """A key in a few characters: a string bare, a number or a tuple of such as a literal, all else by its kind."""
    cls = type(key)
    if cls is str:
        return shorten_middle(key, _WORD)  # type: ignore[arg-type]
    if cls is tuple and len(key) <= _PARTS:  # type: ignore[arg-type]
        parts = ["(…)" if type(part) is tuple else _literal_word(part, asked) for part in key]  # type: ignore[attr-defined]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    return _literal_word(key, asked)


def _literal_word(key: object, asked: Kind) -> str:
    cls = type(key)
    if cls in _NUMBERS:
        return integer(key) if cls is int else repr(key)  # type: ignore[arg-type]
    shown = brief(key, asked)
    return shown if issubclass(kind_of(cls), Atom) else Word(f"‹{shown}›", f"‹{short(shown)}›")


def key_name(key: object, index: int, asked: Kind) -> str:
    """A key as the name of a row, unique in its dict: what is shortened or only described carries its position."""
    cls = type(key)
    if cls is str:
        return repr(key) if len(key) <= _NAME else f"{shorten_middle(key, _NAME)!r} #{index}"  # type: ignore[arg-type]
    if cls is bytes:
        shown = quoted_bytes(key, _NAME)  # type: ignore[arg-type]
        return shown if len(key) <= _NAME else f"{shown} #{index}"  # type: ignore[arg-type]
    if (cls in _NUMBERS and cls is not int) or _is_literal(key):
        text = repr(key)
        return text if len(text) <= _NAME else f"{text[:_NAME]}… #{index}"
    word = key_word(key, asked)
    return word if issubclass(kind_of(cls), Atom) else f"{word} #{index}"


def _is_plain(key: object) -> bool:
    """Whether comparing or hashing the key runs no code of the program's."""
    parts = [key]
    for part in islice(parts, _MOST_PARTS):  # which grows as it is gone through
        if type(part) is tuple:
            parts.extend(part)
        elif type(part) not in _ATOMS:
            return False
    return len(parts) <= _MOST_PARTS


def _are_plain(keys: Iterator[object], budget: Budget) -> bool:
    """Whether all keys are plain, as `_is_plain` says; raises `NotStatic` where there is no time to look at them."""
    while True:
        some = list(islice(keys, _PIECE))
        if not (_ATOMS.include(map(type, some)) or all(map(_is_plain, some))):
            return False
        if len(some) < _PIECE:
            return True
        if budget.spent():
            raise NotStatic(_NO_TIME)


def _is_literal(key: object) -> bool:
    """Whether ``repr(key)`` is an expression for it that runs no code: an atom, or a short tuple of atoms."""
    if type(key) is tuple:
        return len(key) <= _PARTS and all(type(item) is not tuple and _is_literal(item) for item in key)
    if type(key) is int:
        return key.bit_length() <= 133
    if type(key) is float:
        return key - key == 0  # neither Inf nor NaN, which are no literals
    return type(key) in _NUMBERS or (type(key) in _STRINGS and len(key) <= 200)  # type: ignore[arg-type]


kind_for = by_base({Counted: (Counter,), Mapping: (dict,)})
