"""Reads objects without running their code.

Every function here goes through the slots and descriptors of the built-in types, so no ``__getattr__``, property,
metaclass or ``__torch_function__`` of the program runs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from types import GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any, Generic, TypeVar
from weakref import ref

T = TypeVar("T")
_TRIES = 10  #: to read what changes meanwhile
_FIRST = 64  #: items taken at once
_PIECE = 4096  #: the most, of what does not change


class Classes:
    """A set of classes by identity: comparing classes by ``==`` would run their metaclass's ``__eq__``.

    Loops over many values look into ``ids`` themselves.
    """

    __slots__ = ("ids",)

    def __init__(self, *classes: type) -> None:
        self.ids = frozenset(map(id, classes))

    def __contains__(self, cls: object) -> bool:
        return id(cls) in self.ids

    def include(self, classes: Iterable[type]) -> bool:
        """Whether all of ``classes`` are in it."""
        return self.ids.issuperset(map(id, classes))


KEYS = Classes(str, int)  #: of most dicts
NUMBERS = Classes(int, float)
SEQUENCES = Classes(list, tuple)


_class_name = type.__dict__["__name__"].__get__
_class_qualname = type.__dict__["__qualname__"].__get__
_class_mro = type.__dict__["__mro__"].__get__
_class_module = type.__dict__["__module__"].__get__
_class_dict = type.__dict__["__dict__"].__get__
_DESCRIPTORS = Classes(GetSetDescriptorType, MemberDescriptorType)


class ByClass(Generic[T]):
    """Caches the result of ``make`` for a class, as long as the class lives.

    The key is the id of the class; a weak reference proves that the id still belongs to that class. A dict keyed by the
    class itself would run its metaclass's ``__hash__`` and ``__eq__``.
    """

    __slots__ = ("_known", "_make")

    def __init__(self, make: Callable[[type], T]) -> None:
        self._make = make
        self._known: dict[int, tuple[ref[type], T]] = {}

    def __call__(self, cls: type) -> T:
        key = id(cls)
        known = self._known.get(key)
        if known is not None and known[0]() is cls:
            return known[1]
        made = self._make(cls)
        forget = self._known.pop
        self._known[key] = (ref(cls, lambda _: forget(key, None)), made)
        return made

    def forget(self, cls: type) -> None:
        self._known.pop(id(cls), None)

    def forget_all(self) -> None:
        self._known.clear()


def plain_str(text: object) -> str:
    """A string as an exact ``str``, without running a subclass's methods; empty for what is no string."""
    if type(text) is str:
        return text
    return str.__str__(text) if issubclass(type(text), str) else ""


def plain_message(error: BaseException) -> str:
    """The text of an exception, by its built-in arguments only: its ``__str__`` may be the program's."""
    arguments = error.args
    return arguments[0] if arguments and type(arguments[0]) is str else ""


def class_name(cls: type) -> str:
    return plain_str(_class_name(cls))[:100]


def mro(cls: type) -> tuple[type, ...]:
    return _class_mro(cls)  # type: ignore[no-any-return]


def class_dict(cls: type) -> Mapping[str, Any]:
    """The class's own namespace, as the read-only proxy that ``type`` itself would return."""
    return _class_dict(cls)  # type: ignore[no-any-return]


def class_attribute(cls: type, name: str) -> Any:
    """The entry ``name`` of the nearest class in the MRO that has one, as ``cls.name`` would find it; None where none
    has."""
    return next((class_dict(base)[name] for base in mro(cls) if name in class_dict(base)), None)


def owner_of(cls: type, name: str) -> type | None:
    """The nearest class that has an entry of this name; None where none has."""
    return next((base for base in mro(cls) if name in class_dict(base)), None)


def is_filled_dict(value: object) -> bool:
    """Whether it is a dict that is not empty, by the built-in type: a subclass may define its own truth value."""
    return issubclass(type(value), dict) and dict.__len__(value) > 0  # type: ignore[arg-type]


def class_module(cls: type) -> str:
    try:
        return plain_str(_class_module(cls))
    except AttributeError:  # it was deleted
        return ""


def top_package(module_name: str) -> str:
    """The package at the top of a module's full name: ``torch`` of ``torch.nn.functional``."""
    return module_name.partition(".")[0]


def library_of(cls: type) -> str:
    """The package at the top of a class's module: ``torch``."""
    return top_package(class_module(cls))


def full_name(cls: type) -> str:
    """``torch.nn.Linear``; without the module for builtins."""
    module = class_module(cls)
    qualname = plain_str(_class_qualname(cls))
    return (qualname if module in ("", "builtins") else f"{module}.{qualname}")[:200]


def each(iterate: Any, container: object, start: int = 0) -> Iterator[Any]:
    """Iterates over ``container`` by ``iterate``, a built-in type's own method such as ``dict.items``, also while
    another thread changes it.

    Items are taken in pieces, each in one call of the interpreter's C code, so that no other thread runs in between.
    After a change the iteration starts again with larger pieces, and skips what it gave before. An item that moves may
    come twice or not at all; no more items are given than there are now. The first ``start`` are skipped.
    """
    if not start and iterate.__objclass__.__len__(container) <= _FIRST:
        try:
            return iter(list(iterate(container)))
        except RuntimeError:  # the collector ran code that changed it
            pass
    return _in_pieces(iterate, container, start)


def _in_pieces(iterate: Any, container: object, start: int) -> Iterator[Any]:
    total, amount, most, tries = iterate.__objclass__.__len__(container), _FIRST, _PIECE, 0
    rest: Iterator[Any] | None = None
    while start < total:
        try:
            piece = list(islice(rest := rest or islice(iterate(container), start, None), min(amount, total - start)))
        except RuntimeError:  # it was changed: the collector may run code, and some interpreters run threads at once
            rest, most, tries = None, 2 * most, tries + 1
            if tries == _TRIES:
                raise
            continue
        if not piece:
            return
        yield from piece
        start, amount, tries = start + len(piece), min(2 * amount, most), 0


def raw_dict(value: object) -> dict[Any, Any]:
    """The instance's ``__dict__`` by the interpreter's own descriptor; empty where there is none.

    ``value.__dict__`` would run a property of that name, ``vars()`` a ``__getattribute__``. It may be a dict subclass
    with any keys, so nothing may be looked up in it.
    """
    descriptor = _dict_descriptor(type(value))
    try:
        found: Any = None if descriptor is None else descriptor.__get__(value)
    except BaseException:
        return {}
    return found if type(found) is dict or issubclass(type(found), dict) else {}


def _find_dict_descriptor(cls: type) -> Any:
    found = (_class_dict(base).get("__dict__") for base in _class_mro(cls))
    return next((descriptor for descriptor in found if type(descriptor) in _DESCRIPTORS), None)


_dict_descriptor = ByClass(_find_dict_descriptor)  #: the interpreter's own, by which the classes' instances are asked


def instance_dict(value: object) -> dict[str, Any]:
    """The instance's ``__dict__`` with string keys only: an exact dict, a copy where it holds other keys or is changed.

    Only the namespace of a module is returned as it is: those of libraries are large and often asked for.
    """
    found = raw_dict(value)
    try:
        if type(found) is dict and (type(value) is ModuleType or not [key for key in found if type(key) is not str]):
            return found
    except RuntimeError:  # another thread changes it
        pass
    return _with_plain_names(found)


def _with_plain_names(found: dict[Any, Any]) -> dict[str, Any]:
    """The entries under strings, which are made exact ones: a subclass may have methods of its own."""
    return {plain_str(name): item for name, item in each(dict.items, found) if issubclass(type(name), str)}


def copied_locals(local: object) -> dict[str, Any]:
    """A copy of a frame's ``f_locals``; empty where a class body keeps them in a mapping of the program's own."""
    if issubclass(type(local), dict):
        return _with_plain_names(local)  # type: ignore[arg-type]
    return dict(local) if class_name(type(local)) == "FrameLocalsProxy" else {}  # type: ignore[call-overload]


def dict_attribute(value: object, name: str) -> dict[Any, Any]:
    """A dict that is an attribute of the instance, such as a module's ``_parameters``; empty if there is none."""
    found: Any = instance_dict(value).get(name)
    return found if issubclass(type(found), dict) else {}


def c_attribute(value: object, name: str) -> Any:
    """An attribute by the C descriptor of that name, whatever a subclass puts before it; None where there is none."""
    for base in mro(type(value)):
        descriptor: Any = class_dict(base).get(name)
        if type(descriptor) in _DESCRIPTORS:
            try:
                return descriptor.__get__(value)
            except Exception:  # unset, released, closed
                return None
    return None


def dict_get(mapping: dict[Any, Any], key: object, default: Any = None) -> Any:
    """``mapping[key]`` for a string or number, without running the hash or equality of the keys that are there."""
    for known, item in each(dict.items, mapping):
        if type(known) is type(key) and known == key:
            return item
    return default


def module(name: str) -> Any:
    """A library that the program has imported, or None: nothing is ever imported to describe a value."""
    found = sys.modules.get(name)
    return found if type(found) is ModuleType else None


def is_found_in(cls: type, package: str) -> bool:
    """Whether a module of that package really holds the class under its name; a class may only claim so by
    ``__module__``."""
    home = class_module(cls)
    return f"{home}.".startswith(f"{package}.") and instance_dict(module(home)).get(class_name(cls)) is cls
