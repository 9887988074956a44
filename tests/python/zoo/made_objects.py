"""Classes and makers of the plain Python values in `objects`: code of a program, none of which may run when they are looked at."""

from __future__ import annotations

import asyncio
import collections
import concurrent.futures
import dataclasses
import datetime
import enum
import functools
import itertools
import os
import tempfile
import threading
import weakref
from collections.abc import Callable
from typing import Any

import torch
from hostile import objects as hostile_objects

from .specimen import Specimen


def said(make: Callable[[], Any], line: str, *rows: str, **more: Any) -> Specimen:
    """A value whose whole line is known."""
    return Specimen(make, says=(line,), rows=rows, silent=(line + " ",), **more)


class Colour(enum.Enum):
    RED = 1
    WARM = "warm"


class Perm(enum.Flag):
    R = 1
    W = 2


class Level(enum.IntEnum):
    HIGH = 3


class Text(str, enum.Enum):
    A = "a"


@dataclasses.dataclass
class Config:
    lr: float = 0.1
    betas: tuple[float, float] = (0.9, 0.99)
    hidden: Any = dataclasses.field(default=None, repr=False)


@dataclasses.dataclass(frozen=True)
class Frozen:
    lr: float = 0.1


class Slots:
    __slots__ = ("a", "b", "unset")

    def __init__(self) -> None:
        self.a, self.b = 1, [2]


class SlotsAndDict(Slots):
    def __init__(self) -> None:
        super().__init__()
        self.c = 3


class Plain:
    def __init__(self, **items: Any) -> None:
        self.__dict__.update(items)

    def method(self, x: int) -> int:
        return x

    @property
    def computed(self) -> int:
        raise RuntimeError("a property ran")

    @classmethod
    def made(cls, x: int) -> Plain:
        return cls(x=x)

    @staticmethod
    def helper(x: int) -> int:
        return x


class OwnError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("__str__ ran")


class OwnDict(dict):  # type: ignore[type-arg]
    def __getitem__(self, key: Any) -> Any:
        raise RuntimeError("__getitem__ ran")


class Endless(list):  # type: ignore[type-arg]
    def __iter__(self) -> Any:
        return itertools.count()

    def __len__(self) -> int:
        return -1


class Clashing:
    """Its class keeps something else under the name of what its instance holds."""

    __slots__ = ("__dict__", "kept")
    shadowed = "of the class"

    def __init__(self) -> None:
        self.kept = 1
        self.__dict__["kept"] = 2
        self.__dict__["shadowed"] = 3


class Zone(datetime.tzinfo):
    def utcoffset(self, moment: Any) -> Any:
        raise RuntimeError("utcoffset ran")


Point = collections.namedtuple("Point", "x y")


def function(a: int, b: int = 1, *rest: int, c: int = 2, **more: int) -> int:
    return a


@functools.wraps(function)
def wrapper(*args: Any, **kwargs: Any) -> int:
    return function(*args, **kwargs)


@functools.lru_cache(maxsize=4)
def cached(x: int) -> int:
    return x


def counting() -> Any:
    yield 1
    yield 2


def delegating() -> Any:
    yield from counting()


async def fetch() -> None:
    await asyncio.sleep(0)


async def streaming() -> Any:
    yield 1


def started(generator: Any) -> Any:
    next(generator)
    return generator


def finished(generator: Any) -> Any:
    list(generator)
    return generator


def never_awaited(coroutine: Any) -> Any:
    """Kept apart, so that it is not warned about when the process ends."""
    KEPT.append(coroutine)
    return coroutine


KEPT: list[Any] = []


def raised(make: Callable[[], BaseException] = lambda: ValueError("bad thing")) -> BaseException:
    try:
        raise make()
    except BaseException as error:
        return error


def chained() -> BaseException:
    try:
        try:
            raise KeyError("k")
        except KeyError as error:
            raise ValueError("bad thing") from error
    except ValueError as error:
        return error


def while_handling() -> BaseException:
    try:
        try:
            raise KeyError("k")
        except KeyError:
            raise ValueError("bad thing")  # noqa: B904
    except ValueError as error:
        return error


def deep_error() -> BaseException:
    def fall(levels: int) -> None:
        if levels == 0:
            raise RecursionError("deep")
        fall(levels - 1)

    try:
        fall(300)
    except RecursionError as error:
        return error
    raise AssertionError


def of_torch() -> BaseException:
    try:
        torch.ones(2, 3) @ torch.ones(2, 3)
    except RuntimeError as error:
        return error
    raise AssertionError


def with_notes() -> BaseException:
    error = ValueError("bad")
    error.add_note("while loading")  # type: ignore[attr-defined]
    return error


def group() -> BaseException:
    return ExceptionGroup("many", [ValueError(1), KeyError(2)])  # type: ignore[name-defined]  # noqa: F821


def closed_over() -> Any:
    kept = [1]
    return lambda: kept


def dead_reference() -> Any:
    return weakref.ref(Plain())


def ring() -> list[Any]:
    found: list[Any] = [1]
    found.append(found)
    return found


def linked() -> Plain:
    one, other = Plain(name="one"), Plain(name="other")
    one.link, other.link = other, one
    return one


def dict_of_itself() -> dict[str, Any]:
    found: dict[str, Any] = {}
    found["self"] = found
    return found


def deep_list() -> list[Any]:
    found: list[Any] = []
    for _ in range(100_000):
        found = [found]
    KEPT.append(found)
    return found


def moved() -> Any:
    ordered = collections.OrderedDict(a=1, b=2)
    ordered.move_to_end("a")
    return ordered


def tagged_list() -> Any:
    found = type("Tagged", (list,), {})([1, 2])
    found.tag = "mine"
    return found


def temporary() -> Any:
    handle, name = tempfile.mkstemp(suffix=".txt")
    os.close(handle)
    return open(name)


def opened(name: str) -> Any:
    return open(name, "rb")


def shut(file: Any) -> Any:
    file.close()
    return file


def held(lock: Any) -> Any:
    lock.acquire()
    return lock


def filled(found: Any, *items: Any) -> Any:
    for item in items:
        found.put(item)
    return found


def resolved() -> Any:
    future: Any = concurrent.futures.Future()
    future.set_result([1, 2])
    return future


def failed() -> Any:
    loop = asyncio.new_event_loop()
    future = loop.create_future()
    future.set_exception(ValueError("no"))
    future.exception()
    KEPT.append(loop)
    return future


def running_thread() -> Any:
    thread = threading.Thread(target=threading.Event().wait, args=(0.01,), name="worker", daemon=True)
    thread.start()
    thread.join()
    return thread


def released() -> Any:
    view = memoryview(b"abc")
    view.release()
    return view


def weak_values() -> Any:
    KEPT.append(Plain(a=1))
    return weakref.WeakValueDictionary(a=KEPT[-1])


def weak_keys() -> Any:
    KEPT.append(Plain(a=1))
    return weakref.WeakKeyDictionary({KEPT[-1]: 5})


def hostile(name: str) -> Callable[[], Any]:
    return lambda: hostile_objects()[name]


def alive(make: Callable[[Any], Any], value: Any = None) -> Callable[[], Any]:
    """What ``make`` makes of a value that stays alive."""

    def made() -> Any:
        KEPT.append(Plain(a=1) if value is None else value)
        return make(KEPT[-1])

    return made
