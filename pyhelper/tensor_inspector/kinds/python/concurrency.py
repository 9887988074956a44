"""Threads, locks, queues and processes: their state, read without waiting for any of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from itertools import islice
from typing import Any

from ...safe.guard import c_attribute, dict_get, instance_dict, module, plain_str
from ..families import by_base, by_home, either
from ..kind import Child, Kind
from .objects import WordedObject, brief

_RLOCK: Any = module("_thread").RLock


class Thread(WordedObject):
    def words(self) -> Iterable[str | None]:
        name, target = plain_str(self.attr("_name")), self.attr("_target")
        doing = None if target is None else f"runs {brief(target, self)}"
        return [repr(name), self._state(), "daemon" if self.attr("_daemonic") is True else None, doing]

    def _state(self) -> str:
        """What ``is_alive`` would say; that itself may take note that the thread has ended."""
        number = self.attr("_ident")
        if number is None:
            return "not started"
        active = instance_dict(module("threading")).get("_active")
        return "alive" if dict_get(active or {}, number) is self.value else "finished"


class Lock(WordedObject):
    def words(self) -> Iterable[str | None]:
        if issubclass(type(self.value), _RLOCK):  # it has no question of its own before Python 3.14
            return ["locked" if _RLOCK.__repr__(self.value).startswith("<locked") else "unlocked"]
        return ["locked" if self.value.locked() else "unlocked"]


class Event(WordedObject):
    def words(self) -> Iterable[str | None]:
        return ["set" if self.attr("_flag") is True else "not set"]


class ContextVar(WordedObject):
    """A context variable and its value in the present context."""

    def words(self) -> Iterable[str | None]:
        found = self._current_value()
        return [repr(plain_str(c_attribute(self.value, "name"))), brief(found[0], self) if found else "no value"]

    def first_rows(self) -> list[Child]:
        return [Child("value", item, ".get()") for item in self._current_value()]

    def hidden(self) -> str | None:
        return None  # name and value are rows

    def _current_value(self) -> list[Any]:
        try:
            return [self.value.get()]
        except LookupError:
            return []


class Barrier(WordedObject):
    def words(self) -> Iterable[str | None]:
        return [
            f"{self.attr('_count')} of {self.attr('_parties')} waiting",
            "broken" if self.attr("_state") == -2 else None,
        ]


class Queue(WordedObject):
    """A queue of ``queue`` and its items; none is taken out."""

    summarized = True

    def words(self) -> Iterable[str | None]:
        items, most = self._items(), self.attr("maxsize")
        shown = ", ".join(brief(item, self) for item in islice(items, 3)) + (", …" if len(items) > 3 else "")
        room = f" of at most {most:,}" if type(most) is int and most > 0 else ""
        return [f"{len(items):,}{room}: {shown}" if items else f"empty{room}"]

    def _items(self) -> Any:
        items = self.attr("queue")
        return items if type(items) is deque or type(items) is list else ()


class SimpleQueue(WordedObject):
    def words(self) -> Iterable[str | None]:
        size = module("_queue").SimpleQueue.qsize(self.value)
        return [f"{size:,} inside" if size else "empty"]


class Process(WordedObject):
    """A process started by ``multiprocessing``, from its attributes; the system is not asked."""

    def words(self) -> Iterable[str | None]:
        started, name = self.attr("_popen"), repr(plain_str(self.attr("_name")))
        if started is None:
            return [name, "not started"]
        code = dict_get(instance_dict(started), "returncode")
        number = dict_get(instance_dict(started), "pid")
        return [name, f"pid {number}", None if code is None else f"ended with {code}"]


def _context_variable(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    """Which says that it is a builtin before Python 3.10."""
    return ContextVar if cls is instance_dict(module("_contextvars")).get("ContextVar") else None


kind_for = either(
    by_base({Lock: (type(module("_thread").allocate_lock()),)}),
    by_home(
        {
            Thread: ("Thread",),
            Lock: ("RLock",),
            Event: ("Event",),
            Barrier: ("Barrier",),
            Queue: ("Queue",),
            SimpleQueue: ("SimpleQueue",),
        },
        "threading",
        "_thread",
        "queue",
        "_queue",
    ),
    by_home({Process: ("BaseProcess",)}, "multiprocessing.process"),
    _context_variable,
)
