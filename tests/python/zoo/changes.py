"""Changes one thing of a value, alike for all of its type, or says why that can't be done."""

from __future__ import annotations

import array
import collections
import contextvars
import ctypes
import datetime
import decimal
import enum
import fractions
import functools
import io
import ipaddress
import itertools
import pathlib
import queue
import random
import re
import threading
import types
import uuid
import weakref
import xml.etree.ElementTree
from collections.abc import Callable, Iterator
from typing import Any

from tensor_inspector.safe.guard import class_attribute, class_dict, library_of, mro, raw_dict

from .changed_data import LIBRARIES
from .unchanged import why_never, why_not_this

_DEEP = 6  #: levels of a value
_MORE = "one more"
Change = Callable[[Any, int], Any]


class NoChange(Exception):
    """Nothing of a value can be changed. Its text says why; it is empty where that is not known."""


def changed(value: Any, deep: int = _DEEP) -> Any:
    """The value, or another one, with one thing changed. It is made for this: what can be is changed in place."""
    never = why_never(type(value))
    if never:
        raise NoChange(never)
    for change in _ways(type(value)) if deep else ():
        try:
            return change(value, deep - 1)
        except Exception:  # of a class that takes no such value, or is hostile
            continue
    raise NoChange(why_not_this(type(value)))


def _ways(cls: type) -> Iterator[Change]:
    """What may be tried with a value of a class, the most natural first."""
    known = next((LIBRARIES[library] for library in map(library_of, mro(cls)) if library in LIBRARIES), None)
    if known is not None:
        yield lambda value, deep: known(value, lambda part: changed(part, deep))
    yield from (change for bases, change in _PYTHON if _is_below(cls, bases))
    yield _attribute
    if class_attribute(cls, "__next__") is not None:
        yield lambda value, deep: _moved(value, class_attribute(cls, "__next__"))
    if class_attribute(cls, "send") is not None:
        yield lambda value, deep: _moved(value, lambda value: value.send(None))


def _is_below(cls: type, bases: Any) -> bool:
    """As ``issubclass`` says, which would ask a metaclass of the program."""
    asked = bases if type(bases) is tuple else (bases,)
    return any(base is one for base in mro(cls) for one in asked)


def _moved(value: Any, move: Callable[[Any], Any]) -> Any:
    move(value)
    return value


def _attribute(value: Any, deep: int) -> Any:
    """An attribute that is stored in the object, a number rather than what holds others."""
    for stored, write in sorted(_attributes(value), key=lambda found: _rank(found[0])):
        try:
            write(changed(stored, deep))
        except (NoChange, AttributeError, TypeError):  # of a slot that is read-only
            continue
        return value
    raw_dict(value)[_MORE] = 1
    if _MORE not in raw_dict(value):  # which makes a new one where there is none
        raise NoChange("it has no attributes")
    return value


def _attributes(value: Any) -> Iterator[tuple[Any, Callable[[Any], None]]]:
    """Each with what writes another one in its place, without the class's own code: it may be frozen."""
    own = raw_dict(value)
    for name, stored in list(dict.items(own)):
        if type(name) is str:
            yield stored, functools.partial(dict.__setitem__, own, name)
    for slot in itertools.chain.from_iterable(class_dict(base).values() for base in mro(type(value))):
        if type(slot) is types.MemberDescriptorType:
            try:
                yield slot.__get__(value), functools.partial(slot.__set__, value)
            except AttributeError:  # it is not set
                continue


def _rank(stored: Any) -> int:
    """Arrays and tensors before numbers and text, these before what holds others."""
    if class_attribute(type(stored), "dtype") is not None:
        return 0
    ranks = ((int, float, complex, str, bytes), (list, tuple, dict, set))
    return next((rank for rank, bases in enumerate(ranks, 1) if issubclass(type(stored), bases)), 3)


def _alike(value: Any, content: Any) -> Any:
    """One of its class with another content and the same attributes."""
    other = type(value).__new__(type(value), content)
    raw_dict(other).update(raw_dict(value))
    return other


def _number(value: Any, deep: int) -> Any:
    base = next(base for base in (int, float, complex) if issubclass(type(value), base))
    more = base.__add__(value, 1)
    return _alike(value, base(0) if more != more or more == base.__pos__(value) else more)


def _exact(value: Any, deep: int) -> Any:
    return type(value)(0) if value != value or value + 1 == value else value + 1


def _text(value: Any, deep: int) -> Any:
    return _alike(value, str.__add__(value, "x") if issubclass(type(value), str) else bytes.__add__(value, b"x"))


def _tuple(value: Any, deep: int) -> Any:
    items = tuple.__getitem__(value, slice(None))
    try:
        content = (*items[:-1], changed(items[-1], deep))
    except (NoChange, IndexError):
        content = (*items, _MORE)
    try:
        other = tuple.__new__(type(value), content)
    except TypeError:  # of a class that C makes
        return type(value)(content)
    raw_dict(other).update(raw_dict(value))
    return other


def _list(value: Any, deep: int) -> Any:
    base: Any = next(base for base in (list, collections.deque) if issubclass(type(value), base))
    try:
        base.__setitem__(value, -1, changed(base.__getitem__(value, -1), deep))
    except (NoChange, IndexError):
        base.append(value, _MORE)
    return value


def _dict(value: Any, deep: int) -> Any:
    key = next(dict.__reversed__(value), _MORE)
    try:
        dict.__setitem__(value, key, changed(dict.__getitem__(value, key), deep))
    except (NoChange, KeyError):
        dict.__setitem__(value, _MORE, 1)
    return value


def _set(value: Any, deep: int) -> Any:
    set.add(value, _MORE)
    return value


def _bytes(value: Any, deep: int) -> Any:
    value.append(1)
    return value


def _range(value: range, deep: int) -> Any:
    return range(value.start + 1, value.stop + 1, value.step) if value else range(1)


def _date(value: Any, deep: int) -> Any:
    return value + datetime.timedelta(days=1)


def _enum(value: Any, deep: int) -> Any:
    return next(member for member in type(value).__members__.values() if member is not value)


def _path(value: Any, deep: int) -> Any:
    return value / _MORE


def _view(value: Any, deep: int) -> Any:
    return memoryview(_first(bytearray(value)))


def _first(value: Any, deep: int = 0) -> Any:
    value[0] = 0 if value[0] else 1
    return value


def _pattern(value: Any, deep: int) -> Any:
    return re.compile(value.pattern, value.flags ^ re.IGNORECASE)


def _match(value: Any, deep: int) -> Any:
    return value.re.search(value.string + value.string)


def _partial(value: Any, deep: int) -> Any:
    return functools.partial(value.func, *value.args, _MORE, **value.keywords)


def _code(value: Any, deep: int) -> Any:
    return value.replace(co_consts=(*value.co_consts, _MORE))


def _function(value: Any, deep: int) -> Any:
    code = _code(value.__code__, deep)
    other = types.FunctionType(code, value.__globals__, value.__name__, value.__defaults__, value.__closure__)
    other.__dict__.update(value.__dict__)
    for name in ("__kwdefaults__", "__qualname__", "__module__", "__doc__"):
        setattr(other, name, getattr(value, name))
    return other


def _method(value: Any, deep: int) -> Any:
    return types.MethodType(changed(value.__func__, deep), value.__self__)


def _wrapper(value: Any, deep: int) -> Any:
    return type(value)(changed(value.__func__, deep))


def _property(value: Any, deep: int) -> Any:
    return property(changed(value.fget, deep), value.fset, value.fdel, value.__doc__)


def _cached(value: Any, deep: int) -> Any:
    return functools.lru_cache(**value.cache_parameters())(changed(value.__wrapped__, deep))


def _cell(value: Any, deep: int) -> Any:
    value.cell_contents = changed(value.cell_contents, deep)
    return value


def _slice(value: Any, deep: int) -> Any:
    return slice(value.start, value.stop, (value.step or 1) + 1)


def _error(value: Any, deep: int) -> Any:
    value.args = (*value.args, _MORE)
    return value


def _keys(value: Any, deep: int) -> Any:
    return {**dict.fromkeys(value), _MORE: 1}.keys()


def _items(value: Any, deep: int) -> Any:
    mapping = collections.OrderedDict if type(value) is type(collections.OrderedDict().items()) else dict
    return mapping([*value, (_MORE, 1)]).items()


def _random(value: Any, deep: int) -> Any:
    value.random()
    return value


def _put(value: Any, deep: int) -> Any:
    value.put(_MORE)
    return value


def _weak(value: Any, deep: int) -> Any:
    value.popitem()
    return value


def _element(value: Any, deep: int) -> Any:
    value.set(_MORE, "1")
    return value


def _lock(value: Any, deep: int) -> Any:
    if not value.acquire(False):
        value.release()
    return value


def _held(value: Any, deep: int) -> Any:
    value.acquire(False)
    return value


def _variable(value: Any, deep: int) -> Any:
    value.set(_MORE)
    return value


def _written(value: Any, deep: int) -> Any:
    value.write(_MORE if issubclass(type(value), io.TextIOBase) else _MORE.encode())
    return value


#: What is tried with a value of each class, or of one below it.
_PYTHON: tuple[tuple[Any, Change], ...] = (
    (enum.Flag, lambda value, deep: ~value),
    (enum.Enum, _enum),
    (bool, lambda value, deep: not value),
    ((int, float, complex), _number),
    ((decimal.Decimal, fractions.Fraction, ipaddress.IPv4Address), _exact),
    ((str, bytes), _text),
    ((bytearray, array.array, ctypes.Array), _first),
    ((bytearray, array.array), _bytes),
    (tuple, _tuple),
    ((list, collections.deque), _list),
    (dict, _dict),
    (set, _set),
    (frozenset, lambda value, deep: _alike(value, {*frozenset.__iter__(value), _MORE})),
    (types.MappingProxyType, lambda value, deep: types.MappingProxyType({**value, _MORE: 1})),
    (type({}.keys()), _keys),
    ((type({}.items()), type(collections.OrderedDict().items())), _items),
    (range, _range),
    (slice, _slice),
    ((datetime.date, datetime.timedelta), _date),
    (uuid.UUID, lambda value, deep: uuid.UUID(int=value.int ^ 1)),
    (pathlib.PurePath, _path),
    (memoryview, _view),
    (re.Pattern, _pattern),
    (re.Match, _match),
    (functools.partial, _partial),
    (types.CodeType, _code),
    (types.FunctionType, _function),
    (types.MethodType, _method),
    ((staticmethod, classmethod), _wrapper),
    (property, _property),
    (type(functools.lru_cache(changed)), _cached),
    (types.CellType, _cell),
    (BaseException, _error),
    (random.Random, _random),
    ((queue.Queue, queue.SimpleQueue), _put),
    ((io.StringIO, io.BytesIO), _written),
    ((weakref.WeakValueDictionary, weakref.WeakKeyDictionary), _weak),
    (xml.etree.ElementTree.Element, _element),
    (type(threading.Lock()), _lock),
    (type(threading.RLock()), _held),
    (contextvars.ContextVar, _variable),
)
