"""Files, sockets, buffers, arrays, patterns, weak references."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from math import isfinite
from typing import Any
from weakref import CallableProxyType, ProxyType, ReferenceType

from ...safe.guard import (
    Classes,
    c_attribute,
    class_attribute,
    class_name,
    full_name,
    instance_dict,
    module,
    mro,
    plain_str,
)
from ...words.text import fingerprint, plural, quoted, quoted_bytes, shape, size
from ..families import by_base, by_home, either
from ..kind import Child, Kind
from .containers import Sequence
from .objects import WordedObject, brief
from .warned import WarnedObject

_TEXTS = Classes(str, bytes)

#: What `re.RegexFlag` has the bits stand for, but UNICODE, which all patterns of str have.
_FLAGS = (
    (2, "IGNORECASE"),
    (4, "LOCALE"),
    (8, "MULTILINE"),
    (16, "DOTALL"),
    (64, "VERBOSE"),
    (128, "DEBUG"),
    (256, "ASCII"),
)
_SUMMED = 1 << 20  #: bytes of floats up to which they are added up
_FLOATS = ("f", "d")  #: formats
_IN_MEMORY = ("bytes", "bytearray", "array.array", "numpy.ndarray")  #: what no file or device is behind
_GROUPS = 20  #: groups of a match that are listed
_io: Any = module("_io")


class File(WordedObject):
    """A file, by its name and whether it is open. It is not read, and its position is not asked."""

    def words(self) -> Iterable[str | None]:
        raw = self.value
        for inner in ("buffer", "raw"):
            found = c_attribute(raw, inner)
            raw = raw if found is None else found
        if not issubclass(type(raw), _io.FileIO):
            return [None if raw is self.value else f"over {brief(raw, self)}"]
        name, encoding = instance_dict(raw).get("name"), c_attribute(self.value, "encoding")
        shown = quoted(name) if type(name) is str else None
        if type(name) is int:
            shown = f"descriptor {name}"
        mode = plain_str(self.attr("mode")) or plain_str(c_attribute(raw, "mode"))
        return [shown, f"mode {mode}", plain_str(encoding), "closed" if c_attribute(raw, "closed") else "open"]


class MemoryFile(WordedObject):
    """`BytesIO` and `StringIO`, by their position; asking for their content could copy it."""

    def words(self) -> Iterable[str | None]:
        base = _io.BytesIO if issubclass(type(self.value), _io.BytesIO) else _io.StringIO
        try:
            return [f"at {base.tell(self.value):,}"]
        except ValueError:
            return ["closed"]


class TemporaryFile(WordedObject):
    def words(self) -> Iterable[str | None]:
        file = self.attr("file")
        return [quoted(plain_str(self.attr("name"))), *list(File(file, self.budget).words())[1:]]


class Socket(WordedObject):
    """A socket, by its family and descriptor. No address is asked for."""

    def words(self) -> Iterable[str | None]:
        number = module("_socket").socket.fileno(self.value)
        family = self._name("AF_", c_attribute(self.value, "family"))
        kind = self._name("SOCK_", c_attribute(self.value, "type"))
        return [family, kind, f"descriptor {number}" if number >= 0 else "closed"]

    def _name(self, prefix: str, number: object) -> str | None:
        known = vars(module("_socket")).items()
        return next((name for name, value in known if name.startswith(prefix) and value == number), None)


class MemoryView(WarnedObject):
    """A ``memoryview``, by its bytes and whose they are. Floats in it are searched for NaN."""

    def entries(self) -> Iterable[tuple[object, object]]:
        """Its numbers, by their indices, where some may be NaN. Reading a map of a file could wait for it."""
        format, sizes = c_attribute(self.value, "format"), c_attribute(self.value, "shape")
        is_in_memory = full_name(type(c_attribute(self.value, "obj"))) in _IN_MEMORY
        if format not in _FLOATS or not is_in_memory or c_attribute(self.value, "nbytes") > _SUMMED:
            return ()
        if not sizes or (len(sizes) > 1 and not c_attribute(self.value, "c_contiguous")):
            return ()
        flat = self.value if len(sizes) == 1 else self.value.cast("B").cast(format)
        return () if isfinite(sum(flat)) else zip(product(*map(range, sizes)), flat)

    def all_entries(self) -> Iterator[tuple[object, object]]:
        return iter(self.entries())

    def entry_name(self, under: object) -> str:
        return str(list(under)) if type(under) is tuple else super().entry_name(under)

    def words(self) -> Iterable[str | None]:
        bytes = c_attribute(self.value, "nbytes")
        if bytes is None:
            return ["released"]
        format, owner = c_attribute(self.value, "format"), c_attribute(self.value, "obj")
        return [
            size(bytes),
            f"{format!r}{shape(c_attribute(self.value, 'shape'))}",
            "read-only" if c_attribute(self.value, "readonly") else None,
            None if owner is None else f"of {class_name(type(owner))}",
        ]

    def first_rows(self) -> list[Child]:
        return self.c_rows("obj")


class TypedArray(Sequence):
    """An ``array.array``."""

    kind = "sequence"

    def type_name(self) -> str:
        return f"{super().type_name()} {c_attribute(self.value, 'typecode')!r}"

    def base(self) -> Any:
        return module("array").array


class RegexPattern(WordedObject):
    def words(self) -> Iterable[str | None]:
        pattern, groups = c_attribute(self.value, "pattern"), c_attribute(self.value, "groups")
        yield quoted(pattern) if issubclass(type(pattern), str) else quoted_bytes(pattern)
        yield plural(groups, "group") if groups else None
        flags = c_attribute(self.value, "flags")
        yield "|".join(name for bit, name in _FLAGS if flags & bit) or None

    def hidden(self) -> str | None:
        return None  # pattern and flags are rows


class RegexMatch(WordedObject):
    def words(self) -> Iterable[str | None]:
        start, stop = self.value.span()
        found = self._groups()
        return [brief(found[0], self) if found else None, f"{start}…{stop}"]

    def first_rows(self) -> list[Child]:
        return [Child(f"[{index}]", item, f"[{index}]") for index, item in enumerate(self._groups())]

    def _groups(self) -> list[Any]:
        """What each group matched; cutting it out of a string of the program's own class would run its code."""
        if type(self.value.string) not in _TEXTS:
            return []
        return [self.value[index] for index in range(min(_GROUPS, c_attribute(self.value.re, "groups") + 1))]


class Random(WordedObject):
    """A generator of ``random``, by its position; no number is drawn."""

    def words(self) -> Iterable[str | None]:
        state = self._state()
        return [f"Mersenne Twister at word {state[-1]} of 624" if state else "from the system"]

    def settings(self) -> dict[str, str]:
        return {"state": fingerprint(self._state())}

    def hidden(self) -> str | None:
        return None

    def _state(self) -> tuple[int, ...]:
        """Empty for a ``SystemRandom``, which has none."""
        if any(class_name(base) == "SystemRandom" for base in mro(type(self.value))):
            return ()
        return module("_random").Random.getstate(self.value)  # type: ignore[no-any-return]


class WeakReference(Kind):
    def parts(self) -> Iterable[str | None]:
        target = ReferenceType.__call__(self.value)
        return ["weakref · dead" if target is None else f"weakref → {brief(target, self)}"]

    def child_count(self) -> int | None:
        return 0 if ReferenceType.__call__(self.value) is None else 1

    def children(self, start: int, count: int) -> Iterable[Child]:
        target = ReferenceType.__call__(self.value)
        answers = class_attribute(type(self.value), "__call__") is ReferenceType.__dict__["__call__"]
        return [] if target is None or start else [Child("referent", target, "()" if answers else None)]


class WeakProxy(Kind):
    """A weak proxy, by the class of its object; reaching the object would run code of the program."""

    contains = False

    def parts(self) -> Iterable[str | None]:
        base: Any = ProxyType if issubclass(type(self.value), ProxyType) else CallableProxyType
        text = base.__repr__(self.value)  # `<weakproxy at 0x… to NAME at 0x…>`, the name quoted since 3.13
        target = text.partition(" to ")[2].partition(" at ")[0].strip("'")
        return ["weakref proxy · dead" if target == "NoneType" else f"weakref proxy → {target.rpartition('.')[2]}"]


kind_for = either(
    by_base(
        {
            MemoryView: (memoryview,),
            WeakReference: (ReferenceType,),
            WeakProxy: (ProxyType, CallableProxyType),
        }
    ),
    by_home(
        {
            File: ("FileIO", "TextIOWrapper", "BufferedReader", "BufferedWriter", "BufferedRandom"),
            MemoryFile: ("BytesIO", "StringIO"),
        },
        "_io",
    ),
    by_home({TemporaryFile: ("_TemporaryFileWrapper",)}, "tempfile"),
    by_home({TypedArray: ("array",)}, "array"),
    by_home({RegexPattern: ("Pattern",), RegexMatch: ("Match",)}, "re"),
    by_home({Random: ("Random",)}, "random"),
    by_home({Socket: ("socket",)}, "_socket"),
)
