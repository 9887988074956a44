"""AnnData: observations × variables; files, trees and branches of uproot by what was read of them already."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from ...safe.guard import dict_get, instance_dict, plain_str
from ...words.line import class_word, prefixed
from ...words.text import listed, plural, shorten_middle
from ..families import by_home, either
from ..kind import Kind
from ..python.objects import PlainObject, WordedObject, brief
from ..registry import as_kind
from ..tables.tables import Table

_SHOWN = 12  #: names listed
_NAME = 40  #: characters of a file's name


class AnnotatedData(PlainObject):
    """Values of observations × variables, with tables about both and further layers."""

    def parts(self) -> Iterable[str | None]:
        attrs = instance_dict(self.value)
        values, layers = dict_get(attrs, "_X"), dict_get(attrs, "_layers")
        backed = plain_str(str(dict_get(instance_dict(dict_get(attrs, "file")), "_filename") or ""))
        names = list(dict.keys(layers)) if type(layers) is dict else []
        return [
            class_word(self.type_name()),
            *self.warnings(),
            f"{self._length('_obs')} obs × {self._length('_var')} vars",
            None if values is None else prefixed("X ", brief(values, self)),
            f"layers {listed(map(plain_str, names[:_SHOWN]), len(names) > _SHOWN, 40)}" if names else None,
            "view" if dict_get(attrs, "_is_view") is True else None,
            f"in {shorten_middle(backed, _NAME)}" if backed else None,
        ]

    def all_entries(self) -> Iterator[tuple[object, object]]:
        names = ("_X", "_layers", "_obs", "_var", "_obsm", "_varm")
        attrs = instance_dict(self.value)
        return ((name, attrs[name]) for name in names if name in attrs)

    def hidden(self) -> str | None:
        return None

    def _length(self, name: str) -> str:
        table = as_kind(dict_get(instance_dict(self.value), name), self.budget)
        return f"{table.size()[0]:,}" if isinstance(table, Table) else "?"


class RootDirectory(WordedObject):
    """A file of uproot, or a directory in one: what is in it."""

    def words(self) -> Iterable[str | None]:
        file = instance_dict(self.attr("_file"))
        source, path = instance_dict(dict_get(file, "_source")), plain_str(dict_get(file, "_file_path"))
        keys = self.attr("_keys")
        found = keys if type(keys) is list else []
        names = (plain_str(dict_get(instance_dict(key), "_fName")) for key in found[:_SHOWN])
        return [
            "closed" if dict_get(source, "_closed") is True else None,
            shorten_middle(path, _NAME) or None,
            f"{plural(len(found), 'key')}: {listed(names, len(found) > _SHOWN, 60)}" if found else "empty",
        ]


class RootFile(WordedObject):
    """A file that uproot has opened."""

    def words(self) -> Iterable[str | None]:
        is_closed = dict_get(instance_dict(self.attr("_source")), "_closed") is True
        return ["closed" if is_closed else None, shorten_middle(plain_str(self.attr("_file_path")), _NAME)]


class RootField(WordedObject):
    """A field of a tuple of ROOT."""

    def words(self) -> Iterable[str | None]:
        return [plain_str(self.attr("_path")) or None, "not read from its file"]


class RootTuple(WordedObject):
    """A tuple of ROOT, whose fields are read when they are asked for."""

    def words(self) -> Iterable[str | None]:
        return [plain_str(dict_get(instance_dict(self.attr("_parent")), "_fName")) or None, "not read from its file"]


class RootTree(WordedObject):
    """A tree of uproot: its entries and branches."""

    def words(self) -> Iterable[str | None]:
        return [_root_name(self.value) or None, _entries(self.value), self._branch_words()]

    def _branch_words(self) -> str | None:
        branches = _branches(self.value)
        names = listed((_root_name(branch) for branch in branches[:_SHOWN]), len(branches) > _SHOWN, 60)
        return f"{len(branches):,} {'branch' if len(branches) == 1 else 'branches'}: {names}" if branches else None


class RootBranch(WordedObject):
    """A branch of uproot: its entries and type."""

    def words(self) -> Iterable[str | None]:
        return [
            _root_name(self.value) or None,
            _entries(self.value),
            plain_str(self.attr("_typename")) or None,
            "not read from its file",
        ]


def _member(value: object, name: str) -> Any:
    """A member of an object of ROOT, its own or of the nearest base that has it."""
    waiting = [value]
    for one in islice(waiting, 100):  # which grows
        attrs = instance_dict(one)
        members, bases = dict_get(attrs, "_members"), dict_get(attrs, "_bases")
        if type(members) is dict and name in members:
            return members[name]
        waiting.extend(bases if type(bases) is list else ())
    return None


def _entries(value: object) -> str | None:
    found = _member(value, "fEntries")
    return f"{found:,} {'entry' if found == 1 else 'entries'}" if type(found) is int else None


def _root_name(value: object) -> str:
    return plain_str(_member(value, "fName"))


def _branches(value: object) -> list[Any]:
    found = dict_get(instance_dict(_member(value, "fBranches")), "_data")
    return found if type(found) is list else []


_OF_UPROOT: dict[type[Kind], tuple[str, ...]] = {
    RootDirectory: ("ReadOnlyDirectory",),
    RootFile: ("ReadOnlyFile",),
    RootTree: ("TTree",),
    RootBranch: ("TBranch",),
    RootTuple: ("RNTuple",),
    RootField: ("RField",),
}
kind_for = either(by_home({AnnotatedData: ("AnnData",)}, "anndata"), by_home(_OF_UPROOT, "uproot"))
