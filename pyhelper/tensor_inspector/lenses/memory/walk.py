"""Walks through everything that names reach, nearest first: variables of frames and modules, and what they hold."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from functools import cached_property
from types import FrameType
from typing import Any

from ...safe.budget import Budget, Steps
from ...safe.guard import class_module, class_name, top_package
from .inside import ClassLayout
from .parts import HeldPart

MAX_INDICES = 200_000  #: indices at most
_CLIMBED = 100  #: groups, each inside the next one
_LONGEST = 400  #: characters of a holder's name; what a longer list of nodes holds has no more
#: What a name tells: some value, one value only, or what one types.
_ANY, _UNIQUE, _TYPED = range(3)


class Walk:
    """Goes through what roots hold, breadth first, each object once; it gets an index for each object that holds it.

    Values, names and holders are in parallel lists by that index: thousands of objects of ours would make the garbage
    collector go through all objects of the program. ``met`` are the indices of tensors, arrays, storages and watched
    values, one for each holder. ``frames`` are those whose variables are among the roots.
    """

    def __init__(
        self,
        roots: Iterable[HeldPart],
        watched: frozenset[int] = frozenset(),
        most: int = MAX_INDICES,
        frames: Iterable[FrameType] = (),
    ) -> None:
        self.met: list[int] = []
        self.values: list[Any] = []
        self.roles: list[str] = []  #: what each is to a training step
        self.given: list[bool] = []  #: whether its own holder gives it that role, as a module does
        self.complete = False
        self.uncounted: dict[str, None] = {}  #: names of classes whose memory nobody tells of
        self._watched = watched
        self._most = most
        self._frames = frozenset(map(id, frames))
        self._classes: dict[int, ClassLayout] = {}  #: by the ids of classes, which these keep
        self._above: list[int] = []
        self._names: list[str] = []
        self._paths: list[bool] = []  #: whether its name is what one types
        self._keys: dict[int, Any] = {}  #: what some stand under
        self._is_registered: list[bool] = []
        self._groups: list[int] = []
        self._within: dict[int, int] = {}  #: of what was met as a group, and inside another one later: where there
        self._spelled: dict[int, tuple[str, int]] = {}  #: whole names, once they were asked for
        self._opened: dict[int, int] = {}  #: the first index of each object, by its id
        self._waiting: deque[tuple[int, Iterator[HeldPart] | None]] = deque()
        for part in roots:
            self._meet(part, -1, "variables")

    def go_on(self, budget: Budget) -> bool:
        """Walk on while there is time. Whether all is reached."""
        steps = Steps(budget)
        while self._waiting:
            index, rest = self._waiting.popleft()
            value, role = self.values[index], self.roles[index]
            parts = self._class_of(value).parts(value) if rest is None else rest
            try:
                for part in parts:
                    self._meet(part, index, role)
                    if steps.end():
                        self._waiting.appendleft((index, parts))
                        return False
            except Exception:  # it changes too fast to be gone through
                continue
            if len(self.values) >= self._most:
                self._waiting.clear()
                return True
        self.complete = len(self.values) < self._most
        return True

    def _meet(self, part: HeldPart, above: int, role: str) -> None:
        value = part.value
        known = self._classes.get(id(type(value))) or self._class_of(value)
        how = known.how
        if how == ClassLayout.ATOM or len(self.values) >= self._most:
            return
        if how == ClassLayout.FRAME and id(value) in self._frames:
            return
        index = self._enter(part, above, part.role or role)
        if how == ClassLayout.UNCOUNTED:
            self.uncounted[f"{top_package(class_module(type(value)))}.{class_name(type(value))}"] = None
            if id(value) in self._watched:
                self.met.append(index)
            return
        if how == ClassLayout.MEMORY:
            self.met.append(index)
            gradient = None if known.gradient_of is None else known.gradient_of(value)
            if gradient is not None:
                self._meet(HeldPart(".grad", gradient, True, "gradients"), index, role)
            if known.holds_more(value) and self._opened.setdefault(id(value), index) == index:
                self._waiting.append((index, None))
            return
        if id(value) in self._watched:
            self.met.append(index)
        first = self._opened.setdefault(id(value), index)
        if first == index:
            self._waiting.append((index, None))
            cls = known.cls
            if not known.is_library and id(cls) not in self._opened:
                self._opened[id(cls)] = len(self.values)
                self._waiting.append((self._enter(HeldPart(class_name(cls), cls, False), -1, "variables"), None))
        elif self._groups[first] == first and self._groups[index] != index and not self._is_inside(index, first):
            self._within.setdefault(first, index)

    def _enter(self, part: HeldPart, above: int, role: str) -> int:
        index = len(self.values)
        name, value, is_path, role_given, key, is_registered, is_attribute = part
        is_own = above < 0 or (
            is_attribute and self._groups[above] == above and self._class_of(self.values[above]).has_own_parts
        )
        self.values.append(value)
        self.roles.append(role)
        self.given.append(role_given is not None and (role_given != "gradients" or self.given[above]))
        self._above.append(above)
        self._names.append(name)
        self._paths.append(is_path)
        self._is_registered.append(is_registered)
        self._groups.append(index if is_own else self._groups[above])
        if key is not None:
            self._keys[index] = key
        return index

    def _class_of(self, value: Any) -> ClassLayout:
        cls = type(value)
        return self._classes.get(id(cls)) or self._classes.setdefault(id(cls), ClassLayout(cls))

    def _is_inside(self, index: int, other: int) -> bool:
        """Whether a value is inside a group, or in one that is, as far as one climbs."""
        group = self._groups[index]
        for _ in range(_CLIMBED):
            if group in (-1, other):
                break
            above = self._above[group]
            group = self._groups[above] if above >= 0 else -1
        return group == other

    # Names

    def group(self, index: int) -> int:
        """The index of the variable that holds a value: of a frame, or an attribute of an object that it names."""
        group = self._groups[index]
        if group not in self._within:
            return group
        seen = set[int]()
        while group in self._within and group not in seen:
            seen.add(group)
            group = self._groups[self._within[group]]
        return group

    def _index_of_key(self, index: int) -> int | None:
        """Where the tensor is that a value stands under, as an optimizer's state does."""
        return self._indices_of_keys.get(id(self._keys[index]))

    @cached_property
    def _indices_of_keys(self) -> dict[int, int]:
        """By the ids of keys; asked once all is gone through. None is under a key itself: two could name each other."""
        keys = {id(one) for one in self._keys.values()}
        found: dict[int, int] = {}
        for index in self.met:
            one = id(self.values[index])
            if one in keys and (one not in found or self._is_registered[index]) and not self._is_under_key(index):
                found[one] = index
        return found

    def _is_under_key(self, index: int) -> bool:
        while index >= 0 and index not in self._keys:
            index = self._above[index]
        return index >= 0

    def name_of(self, value: Any) -> str | None:
        """The name of an object that was gone through."""
        index = self._opened.get(id(value), self._first_met.get(id(value)))
        return None if index is None or self.values[index] is not value else self.name(index)

    @cached_property
    def _first_met(self) -> dict[int, int]:
        """The first index of each value that was met, by its id; asked once all is gone through."""
        return {id(self.values[index]): index for index in reversed(self.met)}

    def holder(self, index: int) -> int | None:
        """The index of its holder; None for a variable."""
        above = self._above[index]
        return None if above < 0 else above

    def is_unique(self, number: int) -> bool:
        """Whether no other value has its name: each step from the variable on is typed as it stands."""
        return self._spell(number)[1] >= _UNIQUE

    def name(self, number: int) -> str:
        """What people call a value."""
        return self._spell(number)[0]

    def path(self, number: int) -> str | None:
        """What one types for it in the paused frame."""
        name, sort = self._spell(number)
        return name if sort == _TYPED else None

    def _spell(self, number: int) -> tuple[str, int]:
        """The name of a value, and of which sort it is. All on the way to it are spelled once: many have one holder."""
        spelled, above = self._spelled, self._above
        found = spelled.get(number)
        if found is not None:
            return found
        way = []
        while number >= 0 and number not in spelled:
            way.append(number)
            number = above[number]
        name, sort = spelled.get(number, ("", _TYPED))
        for number in reversed(way):
            key = self._index_of_key(number) if number in self._keys else None
            if key is None:
                last, sort_of_last = self._names[number], self._sort_of_name(number)
            else:
                last, sort_of_last = self._spell(key)
                last = f"[{last}]"
            if len(name) > _LONGEST:
                name, sort = f"{name[:_LONGEST]}…", _ANY
            name, sort = spelled[number] = name + last, min(sort, sort_of_last)
        return name, sort

    def _sort_of_name(self, number: int) -> int:
        """What the last part of a value's name is good for."""
        if self._paths[number]:
            return _TYPED
        return _UNIQUE if self._above[number] < 0 else _ANY
