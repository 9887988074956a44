"""Follows references upward from a value to a name, by the garbage collector.

The collector sees neither what C++ holds, nor containers that hold only uncounted objects such as arrays, nor the
variables of running functions. These are found by walking down from names.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from time import perf_counter
from types import AsyncGeneratorType, CellType, CoroutineType, FrameType, FunctionType, GeneratorType, ModuleType
from typing import Any

from ...safe.budget import Budget
from ...safe.guard import c_attribute, class_dict, class_module, class_name, full_name, plain_str, raw_dict, top_package
from ...safe.record import Record
from ..step.frames import TOOLS, is_tools
from .inside import ClassLayout, registered

_LEVELS = 8  #: from a value up
_MOST = 400  #: objects that are followed
_ITEMS = 1 << 16  #: of one holder among which the value is looked for
_SCANS = 0.5  #: seconds, after which no other scan of all objects is begun
_SUSPENDED = ((GeneratorType, "generator"), (CoroutineType, "coroutine"), (AsyncGeneratorType, "async generator"))
_LIBRARIES = frozenset("asyncio concurrent contextlib functools importlib numpy threading torch".split())
_NOT_THE_PROGRAMS = frozenset((*TOOLS, top_package(__name__))) - _LIBRARIES


class Holder(Record):
    """A way from a root to the value: ``how`` the root is told (name, module, class, function, frame, generator,
    cycle), what one types or is told of the way, and the object that holds the value itself.
    """

    how: str
    name: str
    value: Any


class Upward:
    """The search. A level up is one scan of all objects, so each slice takes one at least.

    ``named`` tells the name that the program has for an object, where it has one: there a way ends. What is held by
    ``namespaces`` is known by its name.
    """

    def __init__(self, target: Any, named: Callable[[Any], str | None], namespaces: Sequence[Any] = ()) -> None:
        self.found: list[Holder] = []
        self.complete = True
        self._named = named
        self._target = target
        #: By the ids of objects what was reached through each; nothing is reached through what is known.
        self._below: dict[int, Any] = {id(one): None for one in namespaces}
        self._below[id(target)] = None
        self._reached: list[Any] = [target]  #: all of them, since an id is an identity only as long as its object lives
        self._frontier: list[Any] = [target]
        self._level = 0
        self._spent = 0.0
        self._modules = {
            id(raw_dict(module)): module for module in list(sys.modules.values()) if type(module) is ModuleType
        }

    def go_on(self, budget: Budget) -> bool:
        """Climb while there is time. Whether all ways have ended."""
        while self._frontier:
            if self._level == _LEVELS or len(self._reached) > _MOST or self._spent > _SCANS:
                self.complete = False
                return True
            if self._level and budget.spent():
                return False
            began = perf_counter()
            self._climb()
            self._spent += perf_counter() - began
            self._level += 1
        return True

    def progress(self) -> float:
        return min(1.0, self._level / _LEVELS)

    def _climb(self) -> None:
        targets, self._frontier = self._frontier, []
        held = {id(one): one for one in targets}
        ours = {id(one) for one in (targets, held, self._reached, self._below, self._frontier, self.__dict__)}
        #: Of the targets those that something new or known holds, something reached, and what is asked about.
        above, again, own = set[int](), set[int](), set[int]()
        for holder in gc.get_referrers(*targets):
            if id(holder) in ours or _is_not_the_programs(type(holder)):
                continue
            if id(holder) in self._below:
                if holder is self._target:
                    own.update(id(one) for one in gc.get_referents(holder))
                else:
                    is_reached = any(holder is one for one in self._reached)
                    (again if is_reached else above).update(id(one) for one in gc.get_referents(holder))
                continue
            below = next((held[id(one)] for one in gc.get_referents(holder) if id(one) in held), None)
            if below is None or (type(holder) is FunctionType and below is holder.__globals__):
                continue
            self._below[id(holder)] = below
            self._reached.append(holder)
            above.add(id(below))
            how, name = self._root(holder)
            if not how:
                self._frontier.append(holder)
            elif how != "tools":
                self.found.append(self._holder(how, name, holder))
        for one in targets:
            if one is not self._target and id(one) in again - above:
                self.found.append(self._holder("cycle", f"{class_name(type(one))}(…)", one))
            elif id(one) in own - above or (one is self._target and id(one) in own):
                known = self._named(self._target)
                name = known or f"{class_name(type(self._target))}(…)"
                self.found.append(self._holder("name" if known else "cycle", name, one, [self._target]))

    def _root(self, holder: Any) -> tuple[str, str]:
        """How a way ends, and the name of its end; nothing where it goes on."""
        cls = type(holder)
        module = self._modules.get(id(holder), holder if cls is ModuleType else None)
        if module is not None:
            name = plain_str(raw_dict(module).get("__name__"))
            return "tools" if top_package(name) in _NOT_THE_PROGRAMS else "module", name
        named = self._named(holder)
        if named is not None:
            return "name", named
        if cls is FrameType:
            return "tools" if is_tools(holder) else "frame", f"{holder.f_code.co_name}() in line {holder.f_lineno}"
        if cls is FunctionType:
            home = plain_str(holder.__module__)
            name = plain_str(holder.__qualname__)
            return "tools" if top_package(home) in _NOT_THE_PROGRAMS else "function", f"{home}.{name}"
        if issubclass(cls, type):
            return "tools" if top_package(class_module(holder)) in _NOT_THE_PROGRAMS else "class", full_name(holder)
        word = next((word for base, word in _SUSPENDED if cls is base), None)
        return ("", "") if word is None else ("generator", f"{word} {plain_str(c_attribute(holder, '__qualname__'))}")

    def _holder(self, how: str, name: str, root: Any, above: Sequence[Any] = ()) -> Holder:
        """The way down from a root, or from what is above it, as one would type it; where that is not known, ``…``."""
        way = [*above] or [self._modules.get(id(root), root)]
        one = root if above or way[0] is root else self._below[id(root)]
        if (root is self._target or not _is_passed(above[0], root)) if above else way[0] is not root:
            way.append(one)
        while one is not self._target:
            one = self._below[id(one)]
            if one is self._target or not _is_passed(way[-1], one):
                way.append(one)
        return Holder(how, name + "".join(map(_suffix, way, way[1:])), way[-2])


def _is_passed(holder: Any, value: Any) -> bool:
    """Whether a value is only where its holder keeps what it holds: an instance's dict, a function's closure, a
    module's parameters."""
    if type(holder) is FunctionType:
        return value is holder.__closure__ or type(value) is CellType
    if issubclass(type(holder), type):
        return type(value) is dict
    if type(value) is CellType or (type(value) is dict and value is raw_dict(holder)):
        return True
    return issubclass(type(value), dict) and any(value is one for one in registered(holder))


def _suffix(holder: Any, value: Any) -> str:
    if issubclass(type(holder), type):
        items = list(class_dict(holder).items())
        return next((f".{name}" for name, item in items if item is value and type(name) is str), "…")
    parts: Iterator[Any] = islice(ClassLayout(type(holder)).parts(holder), _ITEMS)
    return next((part.name for part in parts if part.value is value), "…")


def _is_not_the_programs(cls: type) -> bool:
    return top_package(class_module(cls)) in _NOT_THE_PROGRAMS
