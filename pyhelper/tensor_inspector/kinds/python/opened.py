"""What a program has opened: databases, maps of files, shared memory, configurations, libraries in C and their values.

No statement is run, no memory is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from ...safe.guard import c_attribute, dict_get, instance_dict, module, plain_str
from ...words.text import listed, plural, quoted, size
from ..families import by_home, either
from .objects import WordedObject

_SHOWN = 12  #: names of columns in a line
_LISTED = 60  #: characters of them
_FLOATS = ("float", "double", "long double")
_COMPLEX = ("float _Complex", "double _Complex", "_cffi_float_complex_t", "_cffi_double_complex_t")
#: What makes a number of a value of C by its type; an integer of all others.
_READ_BY = {**dict.fromkeys(_FLOATS, "__float__"), **dict.fromkeys(_COMPLEX, "__complex__")}


class Connection(WordedObject):
    """A connection of sqlite3. Its file is not said: only a statement, which may run code of the program, tells it."""

    def words(self) -> Iterable[str | None]:
        in_transaction, changes = (c_attribute(self.value, name) for name in ("in_transaction", "total_changes"))
        if in_transaction is None:
            return ["closed"]
        return ["open", "in transaction" if in_transaction else None, plural(changes, "change") if changes else None]

    def settings(self) -> dict[str, str]:
        return {name: str(c_attribute(self.value, name)) for name in ("in_transaction", "total_changes")}


class Cursor(WordedObject):
    """A cursor of sqlite3: the columns of its last statement, or how many rows that changed."""

    def words(self) -> Iterable[str | None]:
        description, changed = c_attribute(self.value, "description"), c_attribute(self.value, "rowcount")
        rows = f"{plural(changed, 'row')} changed" if type(changed) is int and changed >= 0 else None
        if type(description) is not tuple:
            return [rows or "no columns"]
        names = listed((plain_str(column[0]) for column in description[:_SHOWN]), len(description) > _SHOWN, _LISTED)
        return [f"{plural(len(description), 'column')}: {names}", rows]


class MemoryMap(WordedObject):
    """A map of a file into memory, by its length. Reading it could wait for the file."""

    def words(self) -> Iterable[str | None]:
        length = self._length()
        return ["closed" if length is None else size(length)]

    def settings(self) -> dict[str, str]:
        return {"bytes": str(self._length())}

    def hidden(self) -> str | None:
        return "the bytes of its file"

    def _length(self) -> int | None:
        if c_attribute(self.value, "closed"):
            return None
        return int(module("mmap").mmap.__len__(self.value))


class SharedBlock(WordedObject):
    """Memory that processes share, by its name and size."""

    needs = ("_size",)

    def words(self) -> Iterable[str | None]:
        length = self.attr("_size")
        is_open = self.attr("_buf") is not None
        return [
            plain_str(self.attr("_name")).lstrip("/") or None,
            size(length) if type(length) is int else None,
            None if is_open else "closed",
        ]


class LoadedLibrary(WordedObject):
    """A library that ctypes has loaded, by its file."""

    needs = ("_name",)
    repeating = ("_FuncPtr",)  #: a class that each makes for itself

    def words(self) -> Iterable[str | None]:
        name = self.attr("_name")
        return ["the program itself" if name is None else quoted(plain_str(name))]


class ConfigurationFile(WordedObject):
    """A `ConfigParser`: its sections and how many options each has. No option is interpolated."""

    needs = ("_sections",)

    def words(self) -> Iterable[str | None]:
        sections, defaults = self._entries("_sections"), self._entries("_defaults")
        first = islice(dict.items(sections), _SHOWN)
        named = [f"{plain_str(name)} {dict.__len__(options)}" for name, options in first if type(options) is dict]
        return [
            f"{plural(len(sections), 'section')}: {listed(named, len(sections) > _SHOWN, _LISTED)}"
            if sections
            else "no sections",
            plural(len(defaults), "default") if defaults else None,
        ]

    def _entries(self, name: str) -> dict[Any, Any]:
        found = self.attr(name)
        return found if type(found) is dict else {}


class ConfigurationSection(WordedObject):
    """A section of a `ConfigParser`, by its name and its own options."""

    needs = ("_name",)

    def words(self) -> Iterable[str | None]:
        name, parser = plain_str(self.attr("_name")), instance_dict(self.attr("_parser"))
        sections, defaults = dict_get(parser, "_sections"), dict_get(parser, "_defaults")
        is_default = name == dict_get(parser, "default_section")
        options = defaults if is_default else dict_get(sections, name) if type(sections) is dict else None
        names = list(dict.keys(options)) if type(options) is dict else []
        shown = listed(map(plain_str, names[:_SHOWN]), len(names) > _SHOWN, _LISTED)
        return [quoted(name), f"{plural(len(names), 'option')}: {shown}" if names else "no options"]


class CffiValue(WordedObject):
    """A value of cffi by its type in C. What it points to is not read: its memory may be gone."""

    def type_name(self) -> str:
        return "cdata"

    def words(self) -> Iterable[str | None]:
        length = self._length()
        shown = "NULL" if self._address() == 0 else self._number()
        return [self._type("cname"), None if length is None else plural(length, "item"), shown]

    def fact_rows(self) -> list[list[str]]:
        address = self._address()
        return [] if address is None else [["address", f"{address:#x}"]]

    def hidden(self) -> str | None:
        return None if self._number() is not None or self._address() == 0 else "what it points to"

    def _type(self, name: str) -> str:
        return plain_str(c_attribute(module("_cffi_backend").typeof(self.value), name))

    def _ask(self, name: str) -> Any:
        """What the code in C of that special method gives."""
        return getattr(module("_cffi_backend")._CDataBase, name)(self.value)

    def _length(self) -> int | None:
        return int(self._ask("__len__")) if self._type("kind") == "array" else None

    def _number(self) -> str | None:
        if self._type("kind") not in ("primitive", "enum"):
            return None
        return repr(self._ask(_READ_BY.get(self._type("cname"), "__int__")))

    def _address(self) -> int | None:
        if self._type("kind") not in ("pointer", "array", "function"):
            return None
        backend = module("_cffi_backend")
        return int(backend.cast(backend.new_primitive_type("intptr_t"), self.value))


class CffiType(WordedObject):
    """A type of C that cffi knows."""

    def words(self) -> Iterable[str | None]:
        return [quoted(plain_str(c_attribute(self.value, "cname")))]


kind_for = either(
    by_home({Connection: ("Connection",), Cursor: ("Cursor",)}, "sqlite3"),
    by_home({MemoryMap: ("mmap",)}, "mmap"),
    by_home({SharedBlock: ("SharedMemory",)}, "multiprocessing.shared_memory"),
    by_home({LoadedLibrary: ("CDLL",)}, "ctypes"),
    by_home({ConfigurationFile: ("RawConfigParser",), ConfigurationSection: ("SectionProxy",)}, "configparser"),
    by_home({CffiValue: ("_CDataBase",), CffiType: ("CType",)}, "_cffi_backend"),
)
