"""pandas frames, series and indexes, read by their block managers. No cache of theirs is filled or emptied."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from ...safe.attributes import is_pure
from ...safe.guard import Classes, class_name, dict_get, instance_dict, library_of, module, owner_of
from ...words.text import joined
from ..families import by_name
from ..kind import Child, Kind
from ..numpy.contents import Contents
from ..python.mappings import key_word
from ..python.objects import WordedObject, attributes, attributes_but, brief, other_rows
from .pandas_contents import column_contents, index_contents
from .pandas_index import MultiIndexLabels, RangeLabels
from .tables import COUNTED, Column, Table, Values
from .unknown_array import UnknownArray

if TYPE_CHECKING:
    from ...protocol import Facts

_PANDAS_ATTRIBUTES = {
    "_mgr",
    "_data",
    "_attrs",
    "_flags",
    "_item_cache",
    "_is_copy",
    "_name",
    "_names",
    "_index",
    "_cache",
}
_OF_INDEX = frozenset(
    "_data _name _names _cache _id _references _levels _codes sortorder _range _engine _no_setting_name _freq".split()
)
_EXACT = Classes(str, int)
_LABELS = 10_000  #: labels among which a repeated one is looked for


class _Managed(Kind):
    """What keeps its values in a manager."""

    needs = ("_mgr",)

    @cached_property
    def manager(self) -> Any:
        attrs = instance_dict(self.value)
        found = dict_get(attrs, "_mgr")
        return dict_get(attrs, "_data") if found is None else found


class PandasFrame(_Managed, Table):
    """A ``pandas.DataFrame``."""

    nan_is_missing = True

    @cached_property
    def names(self) -> Contents:
        return index_contents(self.manager.axes[0], self.budget)

    @cached_property
    def placements(self) -> dict[int, range | dict[int, int]]:
        """What is known of the blocks: the columns that each holds, in the order of its rows."""
        return {}

    def block_of(self, at: int) -> tuple[Any, int]:
        """The block that holds a column, and its row in that. There may be a block for every column: looked for around
        where it would then be, and from both ends, where those of many columns are."""
        blocks = self.manager.blocks
        last = len(blocks) - 1
        for far in range(len(blocks)):
            for number in (min(at, last) - far, min(at, last) + far, far, last - far):
                if not 0 <= number <= last:
                    continue
                found = self.placements.get(number)
                if found is None:
                    found = self.placements[number] = _placed(blocks[number].mgr_locs)
                if at in found:
                    return blocks[number].values, found.index(at) if type(found) is range else found[at]
        raise IndexError(at)

    def size(self) -> tuple[int, int]:
        return index_contents(self.manager.axes[1], self.budget).length(), self.names.length()

    def labels(self, start: int, count: int) -> Iterable[object]:
        return self.names.labels(start, count)

    def column(self, at: int) -> Column:
        values, row = self.block_of(at)
        flat = not _is_pandas(type(values)) or values.ndim == 1
        contents = partial(column_contents, length=self.size()[0])
        return Column(values if flat else values[row], contents, ".iloc[{}]")

    def column_suffix(self, at: int, label: object) -> str | None:
        plain = self._unique and type(label) in _EXACT and len(repr(label)) <= 200
        return (
            f"[{label!r}]"
            if plain and _is_pandas(owner_of(type(self.value), "__getitem__") or object)
            else f".iloc[:, {at}]"
        )

    def row_suffix(self) -> str | None:
        return ".iloc[{}]"

    def row_labels(self, start: int, count: int) -> Iterable[str]:
        return self.texts(index_contents(self.manager.axes[1], self.budget), start, count)

    def column_names(self, start: int, count: int) -> Iterable[str]:
        return self.texts(self.names, start, count)

    def settings(self) -> dict[str, str]:
        return {"name of the columns": _name(self.manager.axes[0], self), **_flags(self.value)}

    def bytes(self) -> int | None:
        blocks = self.manager.blocks
        if len(blocks) > COUNTED:
            return None
        return sum(int(block.values.nbytes) for block in blocks if _is_pandas(type(block.values)))

    def first_rows(self) -> list[Child]:
        columns, index = self.manager.axes
        named = [] if self._unique else [Child("columns", columns, ".columns")]
        return [Child("index", index, ".index"), *named, *_others(self.value)]

    def stored_parts(self) -> Iterable[tuple[str | None, object]]:
        columns, index = self.manager.axes
        for at, label in enumerate(self.labels(0, self.size()[1])):
            yield self.column_suffix(at, label), self.column(at).value
        yield from ((".columns", columns), (".index", index))

    @cached_property
    def _unique(self) -> bool:
        """Whether the labels of the columns are strings and numbers, each there once."""
        first = list(islice(self.labels(0, _LABELS + 1), _LABELS + 1))
        return len(first) <= _LABELS and all(type(label) in _EXACT for label in first) and len(set(first)) == len(first)


class _NamedValues(Values):
    """What has a name, which may be any object."""

    def settings(self) -> dict[str, str]:
        return {**super().settings(), "name": _name(self.value, self)}

    def title(self) -> str:
        name = dict_get(instance_dict(self.value), "_name")
        return self.type_name() if name is None else f"{self.type_name()} {key_word(name, self)}"


class PandasSeries(_Managed, _NamedValues):
    """A ``pandas.Series``."""

    suffix = ".iloc[{}]"

    def settings(self) -> dict[str, str]:
        return {**super().settings(), **_flags(self.value)}

    @cached_property
    def contents(self) -> Contents:
        return column_contents(self.manager.blocks[0].values, self.budget, self._index().length())

    def parts(self) -> Iterable[str | None]:
        index = self._index()
        labelled = None if isinstance(index, RangeLabels) else f"index {index.head()}"
        return [self.title(), *self.words(), labelled]

    def facts(self) -> Facts:
        facts, index = super().facts(), self._index()
        rows = ["index", joined([index.head(), *index.words()])]
        return {**facts, "rows": [*facts.get("rows", []), rows]}

    def rows(self) -> list[Child]:
        return [*super().rows(), Child("index", self.manager.axes[0], ".index"), *_others(self.value)]

    def stored_parts(self) -> Iterable[tuple[str | None, object]]:
        return ((".array", self.manager.blocks[0].values), (".index", self.manager.axes[0]))

    def _index(self) -> Contents:
        return index_contents(self.manager.axes[0], self.budget)


class Index(_NamedValues):
    """A ``pandas.Index`` of any kind."""

    @cached_property
    def contents(self) -> Contents:
        return index_contents(self.value, self.budget)

    def parts(self) -> Iterable[str | None]:
        return [self.title(), *self.words()]

    def unlisted(self) -> Iterable[Child]:
        return chain(_frequency(self.value), attributes_but(self.value, _OF_INDEX))

    def rows(self) -> list[Child]:
        rows = super().rows()
        if isinstance(self.contents, MultiIndexLabels):
            levels = list(dict_get(instance_dict(self.value), "_levels") or ())
            rows += [Child(f"level {number}", level, f".levels[{number}]") for number, level in enumerate(levels)]
        return rows


class PandasArray(Values):
    """One of pandas' own arrays."""

    @cached_property
    def contents(self) -> Contents:
        return column_contents(self.value, self.budget)

    def parts(self) -> Iterable[str | None]:
        return self.words() if isinstance(self.contents, UnknownArray) else [self.type_name(), *self.words()]

    def rows(self) -> list[Child]:
        """Of an array that only its own code can read, all that it holds."""
        return list(attributes(self.value)) if isinstance(self.contents, UnknownArray) else super().rows()

    def unlisted(self) -> Iterable[Child]:
        return _frequency(self.value)

    def hidden(self) -> str | None:
        is_shown = not isinstance(self.contents, UnknownArray) or is_pure(type(self.value))
        return None if is_shown else "what its class keeps in C"


class Groups(WordedObject):
    """A grouping that has not been reduced: the groups are not formed here."""

    def words(self) -> Iterable[str | None]:
        keys, of = self.attr("keys"), self.attr("obj")
        yield None if keys is None else f"by {brief(keys, self)}"
        yield None if of is None else f"of {brief(of, self)}"


def _placed(placement: Any) -> range | dict[int, int]:
    """The columns that a block holds. A placement that has an array of them would keep what it is asked for in the
    program's table; it has a slice otherwise."""
    collector = module("gc")
    for found in collector.get_referents(placement) if collector is not None else ():
        if type(found) is module("numpy").ndarray:
            return {at: row for row, at in enumerate(found.tolist())}
    found = getattr(placement, "indexer", None)
    if type(found) is slice and found.stop is not None:
        return range(found.start, found.stop, found.step or 1)
    return {int(at): row for row, at in enumerate(placement)}


def _name(labelled: Any, asked: Kind) -> str:
    """What a series or an index is called, by each level where it has several."""
    attrs = instance_dict(labelled)
    names = dict_get(attrs, "_names")
    called = [dict_get(attrs, "_name")] if names is None else names
    return ", ".join(repr(name) if type(name) is str else brief(name, asked) for name in called)


def _flags(value: Any) -> dict[str, str]:
    allowed = dict_get(instance_dict(dict_get(instance_dict(value), "_flags")), "_allows_duplicate_labels")
    return {"repeated labels": "not allowed" if allowed is False else "allowed"}


def _frequency(values: Any) -> list[Child]:
    """The step between the dates of an index, or of the array in it, where they are known to have one."""
    attrs = instance_dict(values)
    held = dict_get(attrs, "_freq", dict_get(instance_dict(dict_get(attrs, "_data")), "_freq"))  # of pandas 3, of 2
    return [] if held is None else [Child("freq", held, ".freq")]


def _others(value: Any) -> list[Child]:
    """What the program, not pandas, keeps in it."""
    notes = dict_get(instance_dict(value), "_attrs")
    rows = [Child("attrs", notes, ".attrs")] if notes else []
    return [
        *rows,
        *other_rows(value, [child.name for child in attributes(value) if child.name not in _PANDAS_ATTRIBUTES]),
    ]


def _is_pandas(cls: type) -> bool:
    return library_of(cls) in ("pandas", "numpy")


_known = by_name(
    {
        PandasFrame: ("DataFrame",),
        PandasSeries: ("Series",),
        Index: ("Index",),
        PandasArray: ("ExtensionArray",),
        Groups: ("GroupBy",),
    },
    "pandas",
)


def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    kind = _known(cls, bases)
    genuine = kind is PandasArray or any(class_name(base) == "PandasObject" for base in bases)
    return kind if genuine else None
