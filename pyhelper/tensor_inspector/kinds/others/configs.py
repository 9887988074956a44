"""OmegaConf: configs by their keys and values as they were written. No reference is resolved, so no resolver runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain, islice
from keyword import iskeyword
from typing import Any

from ...safe.guard import Classes, class_name, dict_get, each, instance_dict, library_of, module, owner_of
from ...words.line import class_word
from ...words.text import joined, plural, quoted, shorten
from ..families import by_home
from ..kind import Child, Kind, NotStatic
from ..python.containers import Sequence
from ..python.mappings import Mapping, key_name
from ..python.objects import brief
from ..rows import Rows
from .config_references import held, is_missing, is_reference, unboxed, why_broken

_LOOKED_AT = 1000  #: nodes looked at for missing values and broken references
_LINE = 80  #: characters of a reference
_BRIEF = 40
_CONTAINERS = Classes(dict, list)
_LEVELS = 100  #: of a config, that are followed upwards
_METADATA = "ref_type object_type element_type key_type optional flags flags_root".split()
_FLAGS = {"readonly": "read-only", "struct": "struct"}


class OmegaConfig(Kind):
    """What mappings and lists of OmegaConf have in common: nodes, which are shown by what they hold."""

    def stored(self) -> Any:
        """Its dict or list of nodes; a text or None where it is itself a reference, missing or None."""
        return dict_get(instance_dict(self.value), "_content")

    def nodes(self, start: int = 0) -> Iterator[tuple[Any, Any]]:
        """Keys or positions, each with its node."""
        content = self.stored()
        if type(content) is dict:
            return each(dict.items, content, start)
        return enumerate(each(list.__iter__, content, start), start) if type(content) is list else iter(())

    def beside(self) -> list[Child]:
        return []

    def parts(self) -> Iterable[str | None]:
        name, flags, state = class_word(self._name()), self._flags(), self._state()
        if type(self.stored()) not in _CONTAINERS:
            return [name, *flags, *_written_words(self.value)]
        before = joined([name, *self.warnings(), *state, *flags])  # type: ignore[attr-defined]
        return [name, *self.warnings(), *state, super().content(before), *flags]  # type: ignore[attr-defined,misc]

    def settings(self) -> dict[str, str]:
        content = self.stored()
        written = "" if type(content) in _CONTAINERS else repr(content)
        return {"content": written}

    def unlisted(self) -> Iterable[Child]:
        """What it may hold and what may be done with it; of the single nodes too, of which rows show the values."""
        yield from chain(_metadata(self.value), _around(self.value))
        for at, (key, node) in enumerate(self.nodes()):
            if shown(node) is not node and not _is_usual(node):
                yield _told(f"node of {key_name(key, at, self)}", node)

    def fact_rows(self) -> list[list[str]]:
        return [*super().fact_rows(), *([["flags", ", ".join(self._flags())]] if self._flags() else [])]

    def _name(self) -> str:
        """Its class; of a config made by a dataclass or an attrs class also that."""
        by = dict_get(instance_dict(dict_get(instance_dict(self.value), "_metadata")), "object_type")
        is_structured = issubclass(type(by), type) and by is not dict and by is not list
        return f"{self.type_name()} of {class_name(by)}" if is_structured else self.type_name()

    def _flags(self) -> list[str]:
        flags = dict_get(instance_dict(dict_get(instance_dict(self.value), "_metadata")), "flags")
        known = flags if type(flags) is dict else {}
        return [word for name, word in _FLAGS.items() if known.get(name) is True]

    def _state(self) -> list[str]:
        missing, broken = self._unresolvable
        return [
            *([f"{missing} missing"] if missing else []),
            *([plural(broken, "broken reference")] if broken else []),
        ]

    @cached_property
    def _unresolvable(self) -> tuple[int, int]:
        """How many values in it are missing, and how many references lead nowhere."""
        missing = broken = 0
        nodes = [node for _, node in islice(self.nodes(), _LOOKED_AT)]
        for node in nodes:  # which grows
            content = unboxed(node)
            missing += is_missing(content)
            broken += is_reference(content) and why_broken(node) is not None
            if type(content) in _CONTAINERS and len(nodes) < _LOOKED_AT:
                below = dict.values(content) if type(content) is dict else content
                nodes.extend(islice(below, _LOOKED_AT - len(nodes)))
        return missing, broken

    def _is_indexed(self) -> bool:
        """Whether a subscript is OmegaConf's own, so that it gives what is shown."""
        return library_of(owner_of(type(self.value), "__getitem__") or object) == "omegaconf"


class DictConfig(OmegaConfig, Mapping):
    def as_dict(self) -> dict[Any, Any]:
        content = self.stored()
        return content if type(content) is dict else {}

    def pairs(self, start: int = 0) -> Iterator[tuple[Any, Any]]:
        return ((key, shown(node)) for key, node in self.nodes(start))

    def ordered(self) -> bool | None:
        return False

    def item(self, key: Any) -> Any:
        return shown(super().item(key))

    def attribute(self, name: str) -> Any:
        if not self._is_attribute(name):
            raise NotStatic(f"'{name}' is no key of a config")
        return self.item(name)

    def item_rows(self, start: int, count: int) -> Iterable[Child]:
        for at, (key, item) in enumerate(islice(self.pairs(start), count), start):
            name = key_name(key, at, self)
            yield Child(name, item, self._suffix(key, name) if is_reached(item) else None, fixed=True)

    def _suffix(self, key: object, name: str) -> str | None:
        if type(key) is str and self._is_attribute(key):
            return f".{key}"
        return f"[{key!r}]" if self._is_indexed() and name == repr(key) else None

    def _is_attribute(self, name: str) -> bool:
        """Whether ``config.name`` is the key, and nothing of the class."""
        is_name = name.isidentifier() and not iskeyword(name) and not name.startswith("__")
        return is_name and self._is_indexed() and owner_of(type(self.value), name) is None


class ListConfig(OmegaConfig, Sequence):
    brackets = ("[", "]")

    def length(self) -> int:
        content = self.stored()
        return list.__len__(content) if type(content) is list else 0

    def items(self, start: int = 0) -> Iterator[Any]:
        return (shown(node) for _, node in self.nodes(start))

    def page(self, start: int, stop: int) -> Iterable[Any]:
        return islice(self.items(start), stop - start)

    def indexed(self) -> bool:
        return self._is_indexed()

    def item_rows(self, start: int, count: int) -> Iterable[Child]:
        for row in super().item_rows(start, count):
            yield Child(row.name, row.value, row.suffix if is_reached(row.value) else None, fixed=True)


class ConfigNode(Kind):
    """A single value of a config, as it was written. A comparison compares that."""

    contains = False

    def parts(self) -> Iterable[str | None]:
        is_written = _is_written(self._written())
        return [self.type_name(), *(_written_words(self.value) if is_written else [brief(self._written(), self)])]

    def brief(self) -> str:
        written = self._written()
        if is_missing(written):
            return "missing"
        return quoted(written, _BRIEF) if is_reference(written) else brief(written, self)

    def inline(self) -> str | None:
        return joined(_written_words(self.value)) if _is_written(self._written()) else self.brief()

    def identity(self) -> tuple[object, list[object]]:
        return None, [self._written()]

    def unlisted(self) -> Iterable[Child]:
        return chain(_metadata(self.value), _around(self.value))

    def _written(self) -> Any:
        return unboxed(self.value)


def _metadata(node: object) -> Iterator[Child]:
    """What a node may hold, and what may be done with it; without its key, and what resolvers gave before."""
    attrs = instance_dict(dict_get(instance_dict(node), "_metadata"))
    return (Child(name, attrs[name], f"._metadata.{name}") for name in _METADATA if name in attrs)


def _is_usual(node: object) -> bool:
    """Whether a node is one that may hold anything, as those of a config made of plain values."""
    attrs = instance_dict(dict_get(instance_dict(node), "_metadata"))
    may_be_any = class_name(type(node)) == "AnyNode" and attrs.get("ref_type") is getattr(module("typing"), "Any", None)
    return may_be_any and attrs.get("optional") is True and not (attrs.get("flags") or attrs.get("flags_root"))


def _told(name: str, node: object) -> Child:
    """A node by its class and what it may hold, without its value."""
    inner = held(node)
    below = [_told("node in it", inner)] if "_metadata" in instance_dict(inner) else []
    rows = [Child("class", type(node)), *_metadata(node), *below]
    return Child(name, Rows.of(class_name(type(node)), rows))


def _around(node: object) -> list[Child]:
    """The whole config around what is not final, where other values of it may decide what it is."""
    root = node
    for _ in range(_LEVELS):
        above = dict_get(instance_dict(root), "_parent")
        if above is None:
            break
        root = above
    return [Child("the config around it", root)] if root is not node and _is_written(held(node)) else []


def shown(node: Any) -> Any:
    """What a row shows of a node: a value that is there and final, else the node, which says what it is."""
    if "_metadata" not in instance_dict(node) or type(held(node)) in _CONTAINERS:
        return node
    value = unboxed(node)
    return node if _is_written(value) else value


def is_reached(item: Any) -> bool:
    """Whether the expression of a row gives what the row shows, and runs nothing."""
    return not (library_of(type(item)) == "omegaconf" and _is_written(unboxed(item)))


def _is_written(value: object) -> bool:
    return is_reference(value) or is_missing(value)


def _written_words(node: Any) -> list[str]:
    """A reference as it was written and where it leads nowhere, or what else stands in the place of a value."""
    written = unboxed(node)
    if is_missing(written):
        return ["??? · missing"]
    if not is_reference(written):
        return [shorten(repr(written), _LINE)]
    why = why_broken(node)
    return [quoted(written, _LINE), "reference, not resolved" if why is None else f"broken reference: {why}"]


kind_for = by_home(
    {
        DictConfig: ("DictConfig",),
        ListConfig: ("ListConfig",),
        ConfigNode: ("ValueNode", "UnionNode"),
    },
    "omegaconf",
)
