"""All that names reach, nearest first: variables of frames and of the program's modules, and what they hold."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ...safe.budget import Budget, Steps
from ...safe.guard import class_name, module, stored
from ..step.classes import is_library
from .inside import Held, Opened

MOST = 200_000  #: places


class Place:
    """Where a value is held: ``name`` is what people call it, ``path`` what one types in the paused frame."""

    __slots__ = ("name", "path")

    def __init__(self, name: str, path: str | None) -> None:
        self.name = name
        self.path = path


class Walk:
    """Goes through what roots hold, breadth first, each object once; each holder of memory gives it a place.

    Places are numbers, and what is known of them stands in lists: thousands of objects would have the garbage collector
    go through all that the program has. ``met`` are the places of tensors, arrays and storages, and of what is watched
    for: as many of each as there are holders of it.
    """

    def __init__(self, roots: Iterable[Held], watched: frozenset[int] = frozenset(), most: int = MOST) -> None:
        self.met: list[int] = []
        self.values: list[Any] = []
        self.roles: list[str] = []  #: what each is to a training step
        self.given: list[bool] = []  #: whether its own holder gives it that role, as a module does
        self.complete = False
        self._watched = watched
        self._most = most
        self._gradient_of = None if module("torch") is None else _gradient_of()
        self._classes: dict[int, Opened] = {}
        self._above: list[int] = []
        self._names: list[str] = []
        self._paths: list[bool] = []  #: whether its name is what one types
        self._keys: dict[int, Any] = {}  #: what some stand under
        self._places_of_keys: dict[int, int] | None = None
        self._is_registered: list[bool] = []
        self._groups: list[int] = []
        self._within: dict[int, int] = {}  #: of what was met as a group, and inside another one later: where there
        self._opened: dict[int, int] = {}  #: the first places of objects, by their ids
        self._waiting: deque[tuple[int, Iterator[Held] | None]] = deque()
        for part in roots:
            self._meet(part, -1, "variables")

    def go_on(self, budget: Budget) -> bool:
        """Walk on while there is time. Whether all is reached."""
        steps = Steps(budget)
        while self._waiting:
            place, rest = self._waiting.popleft()
            value, role = self.values[place], self.roles[place]
            parts = self._class_of(value).parts(value) if rest is None else rest
            try:
                for part in parts:
                    self._meet(part, place, role)
                    if steps.end():
                        self._waiting.appendleft((place, parts))
                        return False
            except Exception:  # it changes too fast to be gone through
                continue
            if len(self.values) >= self._most:
                self._waiting.clear()
                return True
        self.complete = len(self.values) < self._most
        return True

    def _meet(self, part: Held, above: int, role: str) -> None:
        value = part.value
        known = self._class_of(value)
        if known.how == Opened.ATOM or len(self.values) >= self._most:
            return
        place = self._enter(part, above, part.role or role)
        if known.how == Opened.MEMORY:
            self.met.append(place)
            gradient = None if self._gradient_of is None else self._gradient_of(value)
            if gradient is not None:
                self._meet(Held(".grad", gradient, True, "gradients"), place, role)
            if dict.__len__(stored(value)) and self._opened.setdefault(id(value), place) == place:
                self._waiting.append((place, None))
            return
        if id(value) in self._watched:
            self.met.append(place)
        first = self._opened.setdefault(id(value), place)
        if first == place:
            self._waiting.append((place, None))
            cls = type(value)
            if id(cls) not in self._opened and not is_library(cls):
                self._opened[id(cls)] = len(self.values)
                self._waiting.append((self._enter(Held(class_name(cls), cls, False), -1, "variables"), None))
        elif self._groups[first] == first and self._groups[place] not in (place, first):
            self._within.setdefault(first, place)

    def _enter(self, part: Held, above: int, role: str) -> int:
        place = len(self.values)
        is_own = above < 0 or (
            self._groups[above] == above
            and not part.is_registered
            and part.name[0] == "."
            and self._class_of(self.values[above]).has_own_parts
        )
        self.values.append(part.value)
        self.roles.append(role)
        self.given.append(part.role is not None)
        self._above.append(above)
        self._names.append(part.name)
        self._paths.append(part.is_path)
        self._is_registered.append(part.is_registered)
        self._groups.append(place if is_own else self._groups[above])
        if part.key is not None:
            self._keys[place] = part.key
        return place

    def _class_of(self, value: Any) -> Opened:
        cls = type(value)
        known = self._classes.get(id(cls))
        if known is None or known.cls is not cls:
            known = self._classes[id(cls)] = Opened(cls)
        return known

    # Names

    def group(self, place: int) -> int:
        """The variable that a place belongs to: that of a frame, or an attribute of an object that such a one names."""
        group = self._groups[place]
        if group not in self._within:
            return group
        seen = set[int]()
        while group in self._within and group not in seen:
            seen.add(group)
            group = self._groups[self._within[group]]
        return group

    def _place_of_key(self, key: Any) -> Place | None:
        """Where a tensor is that others stand under, as an optimizer's state does."""
        if self._places_of_keys is None:
            keys = {id(one) for one in self._keys.values()}
            self._places_of_keys = {}
            for place in self.met:
                one = id(self.values[place])
                if one in keys and (one not in self._places_of_keys or self._is_registered[place]):
                    self._places_of_keys[one] = place
        number = self._places_of_keys.get(id(key))
        return None if number is None else self.place(number)

    def name_of(self, value: Any) -> str | None:
        """The name of an object that was gone through."""
        place = self._opened.get(id(value))
        return None if place is None or self.values[place] is not value else self.place(place).name

    def holder(self, place: int) -> int | None:
        """The place of what holds it; None of a variable."""
        above = self._above[place]
        return None if above < 0 else above

    def place(self, number: int) -> Place:
        names: list[str] = []
        is_path = True
        while number >= 0:
            under = self._keys.get(number)
            key = None if under is None else self._place_of_key(under)
            names.append(self._names[number] if key is None else f"[{key.name}]")
            is_path = is_path and (self._paths[number] if key is None else key.path is not None)
            number = self._above[number]
        name = "".join(reversed(names))
        return Place(name, name if is_path else None)


def _gradient_of() -> Callable[[Any], Any]:
    """What a tensor keeps outside of Python: its gradient."""
    from ...measure.torch.metadata import EXACT_TENSORS, grad_of, is_tensor

    return lambda value: grad_of(value) if type(value) in EXACT_TENSORS or is_tensor(value) else None
