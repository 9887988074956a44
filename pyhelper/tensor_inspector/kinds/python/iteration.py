"""Generators, coroutines, iterators, tasks and views of dicts. None is advanced."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import Any

from ...safe.guard import c_attribute, class_module, each, instance_dict, plain_str
from ..families import by_home, either
from ..kind import Child, Kind, WithRows
from .callables import source_location
from .containers import Container
from .mappings import pair_texts
from .objects import WordedObject, brief

_SHOWN = 12  #: pairs listed in a line


class Suspended(WithRows):
    """A generator or coroutine, by the line it waits at."""

    def parts(self) -> Iterable[str | None]:
        word = self.type_name().replace("_", " ")
        awaited = self._awaited()
        return [
            f"{word} {plain_str(self.value.__name__)}",
            self._state(),
            None if awaited is None else f"for {brief(awaited, self)}",
        ]

    def rows(self) -> list[Child]:
        awaited = self._awaited()
        return [] if awaited is None else [Child(self._prefix()[1], awaited, f".{self._prefix()[1]}")]

    def _state(self) -> str:
        frame = self._attr("frame")
        if frame is None:
            return "finished"
        if self._attr("running"):
            return "running"
        where, started = source_location(frame.f_code, frame.f_lineno), self._attr("suspended")
        if started is None:  # before Python 3.11 all of them; asynchronous generators of 3.11 do not tell
            if hasattr(GeneratorType, "gi_suspended"):
                return f"at {where}"
            started = frame.f_lasti >= 0
        return f"waits at {where}" if started else f"not started · {where}"

    def _awaited(self) -> Any:
        return getattr(self.value, self._prefix()[1])

    def _attr(self, name: str) -> Any:
        return getattr(self.value, f"{self._prefix()[0]}_{name}", None)

    def _prefix(self) -> tuple[str, str]:
        return _GENERATORS[id(type(self.value))]


class BuiltInIterator(Kind):
    """An iterator of Python's own, by how many items are left, where it knows that without being advanced."""

    def parts(self) -> Iterable[str | None]:
        left = _COUNTED.get(id(type(self.value)))
        return [self.type_name(), "not advanced" if left is None else f"{left(self.value):,} left"]


class DictView(Container):
    """The keys, values or items of a dict."""

    kind = "sequence"
    summarized = False

    def length(self) -> int:
        return type(self.value).__len__(self.value)  # type: ignore[no-any-return]

    def items(self, start: int = 0) -> Iterator[Any]:
        return each(type(self.value).__iter__, self.value, start)

    def item_rows(self, start: int, count: int) -> Iterable[Child]:
        return (Child(f"[{index}]", item) for index, item in islice(enumerate(self.items(start), start), count))


class ItemsView(DictView):
    def item_texts(self) -> list[tuple[str, str]]:
        return pair_texts(islice(self.items(), _SHOWN), self)


class OrderedView(Kind):
    """The keys, values or items of an OrderedDict, whose order could be found only by hashing its keys."""

    def parts(self) -> Iterable[str | None]:
        return [self.type_name(), f"{type(self.value).__len__(self.value):,}"]


class Future(WordedObject):
    """A future or task, by how far it has come."""

    def words(self) -> Iterable[str | None]:
        state = plain_str(self._attr("_state")).lower().replace("_", " ")
        failed, result = self._attr("_exception"), self._attr("_result")
        coroutine = self._attr("_coro")
        return [
            state,
            None if failed is None else f"raised {brief(failed, self)}",
            None if result is None else f"result {brief(result, self)}",
            None if type(coroutine) is not CoroutineType else Suspended(coroutine, self.budget).line(),
        ]

    def first_rows(self) -> list[Child]:
        return self.c_rows("_result", "_exception", "_coro", "_fut_waiter")

    def _attr(self, name: str) -> Any:
        return self.attr(name) if name in instance_dict(self.value) else c_attribute(self.value, name)


_GENERATORS = {
    id(GeneratorType): ("gi", "gi_yieldfrom"),
    id(CoroutineType): ("cr", "cr_await"),
    id(AsyncGeneratorType): ("ag", "ag_await"),
}
_NONE: dict[Any, Any] = {}
_COUNTERS: list[Any] = [
    iter([]),
    reversed([]),
    iter(()),
    iter(range(0)),
    iter(range(1 << 70)),
    iter(""),
    iter("é"),
    iter(b""),
    iter(bytearray()),
    iter(_NONE),
    iter(_NONE.values()),
    iter(_NONE.items()),
    reversed(_NONE),
    reversed(_NONE.values()),
    reversed(_NONE.items()),
    iter(set()),
    iter(deque()),
    reversed(deque()),
]
_COUNTED = {id(type(counter)): type(counter).__length_hint__ for counter in _COUNTERS}
_UNCOUNTED = {
    id(cls) for cls in (zip, map, filter, enumerate, reversed, type(iter(int, 0)), type(iter(memoryview(b""))))
}
_VIEWS = {id(type(view)) for view in (_NONE.keys(), _NONE.values(), _NONE.items())}


def _of_interpreter(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    if id(cls) in _GENERATORS:
        return Suspended
    if id(cls) in _COUNTED or any(id(base) in _UNCOUNTED or class_module(base) == "itertools" for base in bases):
        return BuiltInIterator
    if id(cls) in _VIEWS:
        return ItemsView if cls is type(_NONE.items()) else DictView
    if any(id(base) in _VIEWS for base in bases):
        return OrderedView
    return None


kind_for = either(_of_interpreter, by_home({Future: ("Future",)}, "asyncio", "_asyncio", "concurrent"))
