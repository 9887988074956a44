"""Puts the summary that was declared for a class into the lines of its objects: ours (`SUMMARIES`) and users' own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from types import MethodDescriptorType
from typing import TYPE_CHECKING, Any, Callable

from ..safe.attributes import slots
from ..safe.budget import Budget
from ..safe.guard import (
    NUMBERS,
    Classes,
    c_attribute,
    class_attribute,
    instance_dict,
    library_of,
    mro,
    plain_str,
    top_package,
)
from ..session import session
from ..words.line import Word, class_word, short
from ..words.text import listed, one_line
from .kind import Kind
from .python.containers import Container
from .python.mappings import Mapping, pair_texts
from .python.objects import PlainObject, attributes
from .registry import as_kind
from .summaries import SUMMARIES, declared_name, packages
from .templates import POSITIVE, TEXT_METHODS, Field, Phrase, Template, Way, parse

_SHOWN = 12  #: items looked at for a line
_ITEMS = 80  #: characters of what is in a value
_ATTRIBUTES = 60  #: characters of attributes
_TEXT = 60  #: characters of a text
_BRIEF = 24  #: characters of a summary's first part that stand for the object in another's line
_OWN = packages(SUMMARIES)
_ENDINGS = ("(s)", "(es)", "(ren)")  #: of what is several
_ATOMS = Classes(int, float, str)
_SIZED = Classes(str, bytes, bytearray, range)

if TYPE_CHECKING:
    AsKind = Callable[[object, Budget], Kind]


class Unavailable(Exception):
    """A value that a summary names does not exist."""


class Declared(Kind):
    """The base of kinds with a declared summary, which stands after the first part of their line."""

    _declared_name: str
    _only_summary: bool  #: whether nothing but its attributes would be said without it
    _template: Template | ValueError  #: or what is wrong with it
    _is_inner = False  #: whether it stands in the summary of another, in the line of a third

    def parts(self) -> Iterable[str | None]:
        first, *rest = super().parts()
        summary = list(self._summary(as_kind))
        if isinstance(self, PlainObject) and self._only_summary and summary:
            return [class_word(self.type_name()), *self.warnings(), *summary]
        return [first, *summary, *rest]

    def brief(self) -> str:
        """Adds the first part of the summary, if it is short. Of values in it only those summaries stand that do so
        for the type, and none in these: they could nest without end."""
        before = super().brief()
        summary = next(self._summary(_as_known if self._is_inner else _inner), "") if self._only_summary else ""
        if not 0 < len(summary) <= _BRIEF:
            return before
        return summary if self._stands_alone() else f"{before} {short(summary)}"

    def entry_name(self, under: object) -> str:
        """Empty for the value that the summary begins with, where that stands for the object or is private."""
        begins = isinstance(self._template, Template) and self._template.begins_with(under)
        is_the_object = begins and (self._stands_alone() or self.keeps_to_itself(under))
        return "" if is_the_object else super().entry_name(under)

    def _stands_alone(self) -> bool:
        return isinstance(self._template, Template) and self._template.alone

    def _summary(self, as_kind: AsKind) -> Iterator[str]:
        """The parts of the summary whose values exist."""
        if isinstance(self._template, ValueError):
            yield Word(f"summary in the settings: {self._template}", loud=True)
            return
        for part in self._template.parts:
            for phrase in part:
                try:
                    yield self._text(phrase, as_kind)
                    break
                except Exception:  # not there, or not to be had without running code
                    continue

    def _text(self, phrase: Phrase, as_kind: AsKind) -> str:
        text = value = ""
        for one in phrase:
            if isinstance(one, Field):
                value = self._value(one, as_kind)
                text += value
                continue
            words = str(one)
            for ending in _ENDINGS:
                words = words.replace(ending, "" if value == "1" else ending[1:-1])
            text += words
        return text

    def _value(self, field: Field, as_kind: AsKind) -> str:
        how, ending = field.ways[0][0] if field.ways[0] else ("", "")
        if how == "all":
            return self._attributes(ending, as_kind)
        values = [_follow(self.value, way, self.budget) for way in field.ways]
        text = _formatted(values, field.spec, top_package(self._declared_name), self.budget, as_kind)
        if not text:
            raise Unavailable
        return text

    def _attributes(self, ending: str, as_kind: AsKind) -> str:
        """The public attributes whose names have this ending. A module's line says its mode in any case."""
        said = ("training",) if self.kind == "module" else ()
        public = (
            child for child in attributes(self.value) if not child.name.startswith("_") and child.name not in said
        )
        first = islice((child for child in public if child.name.endswith(ending)), _SHOWN + 1)
        found = [f"{child.name} {_brief(child.value, self.budget, as_kind)}" for child in first]
        if not found:
            raise Unavailable
        return listed(found[:_SHOWN], len(found) > _SHOWN, _ATTRIBUTES)


def _as_known(value: object, budget: Budget) -> Kind:
    """The kind of ``value`` without a declared summary."""
    kind: Kind = as_kind(value, budget)
    return type(kind).__bases__[1](value, budget) if isinstance(kind, Declared) else kind


def _inner(value: object, budget: Budget) -> Kind:
    """The kind of ``value``, with a declared summary only where that stands for its type."""
    kind: Kind = as_kind(value, budget)
    if isinstance(kind, Declared) and kind._stands_alone():
        kind._is_inner = True
        return kind
    return _as_known(value, budget)


def _follow(value: Any, way: Way, budget: Budget) -> Any:
    for how, what in way:
        value = _next(value, how, what, budget)
    if value is None:
        raise Unavailable
    return value


def _next(value: Any, how: str, what: Any, budget: Budget) -> Any:
    if how == "item":
        return as_kind(value, budget).item(what)
    if how == "call":
        method: Any = class_attribute(type(value), what)
        if type(method) is not MethodDescriptorType:  # in C, and the package's: only our own table names one
            raise Unavailable
        return method(value)
    for found in (instance_dict(value).get(what), next((item for slot, item in slots(value) if slot == what), None)):
        if found is not None:
            return found
    found = c_attribute(value, what)
    if found is None and type(class_attribute(type(value), what)) in _ATOMS:
        found = class_attribute(type(value), what)
    return as_kind(value, budget).attribute(what) if found is None else found


def _formatted(values: list[Any], spec: str, package: str, budget: Budget, as_kind: AsKind) -> str:
    value = values[0]
    if spec == "len":
        return f"{_length(value, package, budget):,}"
    if spec in TEXT_METHODS:
        name = TEXT_METHODS[spec]
        if not _is_of(type(value), package):  # a class of the program may have changed what its text is made of
            raise Unavailable
        return _text(class_attribute(type(value), name)(value))
    if spec == POSITIVE:
        if type(value) not in NUMBERS or value <= 0:
            raise Unavailable
        return _brief(value, budget, as_kind)
    if spec:
        for kind_of_item in (as_kind, _inner):
            texts = list(islice(_items(values, spec, package, budget, kind_of_item), _SHOWN + 1))
            if sum(map(len, texts)) + 2 * len(texts) <= _ITEMS:
                break
        return listed(texts[:_SHOWN], len(texts) > _SHOWN, _ITEMS)
    return _brief(value, budget, as_kind)


def _items(values: list[Any], spec: str, package: str, budget: Budget, as_kind: AsKind) -> Iterator[str]:
    kind = as_kind(values[0], budget)
    if isinstance(kind, Mapping) and len(values) == 1:
        for label, text in pair_texts(islice(kind.pairs(), _SHOWN + 1), kind):
            yield label.rstrip(": ") if spec == "keys" else f"{label}{text}"
        return
    for found in zip(*(_each(value, package, budget) for value in values)):
        pair = found[0] if len(found) == 1 and type(found[0]) is tuple and len(found[0]) == 2 else found
        first, *rest = pair
        yield " ".join([_brief(first, budget, as_kind), *(short(as_kind(item, budget).brief()) for item in rest)])


def _each(value: Any, package: str, budget: Budget) -> Iterator[Any]:
    kind = as_kind(value, budget)
    if isinstance(kind, Mapping):
        return (key for key, _ in kind.pairs())
    if isinstance(kind, Container):
        return kind.items()
    if not _is_of(type(value), package):
        raise Unavailable
    return iter(class_attribute(type(value), "__iter__")(value))


def _brief(value: Any, budget: Budget, as_kind: AsKind) -> str:
    return _text(value) if issubclass(type(value), str) else short(as_kind(value, budget).brief())


def _text(value: str) -> str:
    return one_line(plain_str(value)[: 2 * _TEXT], _TEXT)


def _length(value: Any, package: str, budget: Budget) -> int:
    if type(value) in _SIZED or _is_of(type(value), package) or _is_of(type(value), "numpy"):
        return int(class_attribute(type(value), "__len__")(value))
    return int(as_kind(value, budget).length())  # type: ignore[attr-defined]


def _is_of(cls: type, package: str) -> bool:
    """Whether all methods of the class come from the package itself, not from the program."""
    return (package in _OWN or package == "numpy") and all(
        base is object or library_of(base) in (package, "abc", "typing") for base in mro(cls)
    )


def declared(cls: type, bases: tuple[type, ...], kind: type[Kind]) -> type[Kind]:
    """``kind``, with a summary where one is declared for the class or the nearest of its bases."""
    users = packages(session.preferred.summaries)
    for base in bases:
        for names in (users.get(library_of(base), []), _OWN.get(library_of(base), [])):
            name = declared_name(base, names)
            if name is not None:
                says_attributes = class_attribute(kind, "parts") is class_attribute(PlainObject, "parts")
                namespace = {"_declared_name": name, "_only_summary": says_attributes, "_template": _template(name)}
                return type(f"Declared{kind.__name__}", (Declared, kind), namespace)
    return kind


def _template(name: str) -> Template | ValueError:
    users = session.preferred.summaries.get(name)
    try:
        return parse(SUMMARIES[name], True) if users is None else parse(users)
    except ValueError as error:
        return error
