"""How two values differ: tensors and arrays by their elements, everything that holds others name by name."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain, zip_longest
from typing import Any, NamedTuple, Optional

from ..kinds import Child, Elements, Kind, look
from ..safe.budget import Budget
from ..safe.guard import Classes, class_name, full_name
from ..words.text import led_by, one_line, plural
from .compare_atoms import Tolerance, alike, differing, read_alike
from .compare_elements import ELEMENTS, Compared, compare_elements
from .compare_rows import PAGE, Row, alone, holds, matched, rows_of
from .comparison import KEPT, Comparison, Difference, What

__all__ = ["Comparison", "Difference", "amount", "compare"]

_REMEMBERED = 1 << 14  #: pairs of holders that are known to have been compared
_PATH = 1000  #: characters of a path
_QUICK_IDS = frozenset(
    map(id, (int, float, bool, str, bytes, type(None)))
)  #: classes of which equal values are passed over at once
_LISTS = Classes(list, tuple)
_SIDES: tuple[What, What] = ("only in a", "only in b")
_Two = tuple[Optional[Row], Optional[Row]]  #: what stands at one place of both


def compare(a: object, b: object, budget: Budget, *, rtol: float = 0.0, atol: float = 0.0) -> Comparison:
    """Every difference between two values; elements are equal within ``atol + rtol·|b|``, as ``torch.isclose`` says.

    Values are compared, not who shares them: tied parameters are the same as equal copies. The caller holds the guard.
    """
    walk = _Walk(budget, Tolerance(rtol, atol))
    walk.go(a, b)
    return walk.found


def amount(name: str, value: Any, *, endless: bool = False) -> float:
    """An option that is a number from 0 up, or an error that says what it is instead."""
    if type(value) is bool or not (hasattr(type(value), "__float__") or hasattr(type(value), "__index__")):
        raise TypeError(f"{name} must be a number, not {class_name(type(value))}")
    try:
        found = float(value)
    except OverflowError:  # of an int beyond the floats
        found = math.inf if value > 0 else -math.inf
    if not found >= 0:
        raise ValueError(f"{name} must be at least 0, not {value}")
    if found == math.inf and not endless:
        raise ValueError(f"{name} must be finite, not {value}")
    return found


class _Place(NamedTuple):
    """Where a pair stands: by the expression that reaches it, and as the tree names it where there is none."""

    path: str | None = ""
    words: str = ""

    def shown(self) -> str:
        return self.words if self.path is None else self.path

    def below(self, name: str, suffix: str | None) -> _Place:
        path = None if suffix is None or self.path is None else self.path + suffix
        if path is not None and len(path) <= _PATH:
            return _Place(path)
        return _Place(None, one_line(f"{self.shown()} › {name}".lstrip(" ›"), _PATH))


class _Pair(NamedTuple):
    place: _Place
    a: Any
    b: Any
    tolerance: Tolerance


class _Open(NamedTuple):
    """Two holders whose rows are being compared."""

    pair: _Pair
    below: Iterator[_Pair]
    key: tuple[int, int] | None


class _Walk:
    """Both values at once, from the top, each pair of holders once. Of long ones only the rows at hand are kept."""

    def __init__(self, budget: Budget, tolerance: Tolerance) -> None:
        self.found = Comparison()
        self._budget, self._tolerance = budget, tolerance
        self._above: set[tuple[int, int]] = set()  #: holders that are being compared
        self._before: dict[tuple[int, int], _Pair] = {}  #: and the last that were: what is here lives, so its id is its

    def go(self, a: object, b: object) -> None:
        top = _Pair(_Place(), a, b, self._tolerance)
        waiting = [_Open(top, iter([top]), None)]
        while waiting:
            pair = self._tried(waiting[-1].pair.place, lambda below: next(below, None), waiting[-1].below)
            if pair is None:
                self._close(waiting.pop())
            elif self._budget.spent():
                self.found.complete = False
                return
            elif not self._is_known(pair):
                opened = self._tried(pair.place, self._opened, pair)
                if opened is not None:
                    waiting.append(opened)

    def _tried(self, place: _Place, ask: Any, asked: Any) -> Any:
        """What a value refuses is said in its place; its neighbours are compared all the same."""
        try:
            return ask(asked)
        except Exception as error:
            text = error.args[0] if error.args and type(error.args[0]) is str else ""
            said = one_line(f"not read: {class_name(type(error))}: {text}")
            self.found.note(place.shown(), "not compared", said)
            return None

    def _is_known(self, pair: _Pair) -> bool:
        """Whether two values are one, are quickly seen to be equal, or were compared before."""
        a, b = pair.a, pair.b
        if a is b or (type(a) is type(b) and id(type(a)) in _QUICK_IDS and a == b):
            self.found.compared += 1
            return True
        key = (id(a), id(b))
        if key in self._above:
            return True
        known = self._before.pop(key, None)
        if known is not None:
            self._before[key] = known  # now the last
        return known is not None

    def _opened(self, pair: _Pair) -> _Open | None:
        a, b = look(pair.a, self._budget), look(pair.b, self._budget)
        below = self._compared(pair, a, b)
        if below is None:
            return None
        key = (id(pair.a), id(pair.b)) if a.contains and b.contains else None  # others may stand in many places
        if key is not None:
            self._above.add(key)
        return _Open(pair, below, key)

    def _close(self, opened: _Open) -> None:
        if opened.key is None:
            return
        self._above.discard(opened.key)
        self._before[opened.key] = opened.pair
        if len(self._before) > _REMEMBERED:
            del self._before[next(iter(self._before))]

    def _compared(self, pair: _Pair, a: Kind, b: Kind) -> Iterator[_Pair] | None:
        """Notes how two values differ themselves; returns the pairs below them."""
        place, tolerance = pair.place.shown(), pair.tolerance
        if a.kind != b.kind and not {a.kind, b.kind} <= {"tensor", "array"}:
            self.found.note(place, "type", f"{a.line()} → {b.line()}")
            return None
        if a.kind == b.kind and a.type_name() != b.type_name():
            bare = not (holds(a) or holds(b))
            words = [led_by(kind.type_name(), kind.line()) if bare else kind.type_name() for kind in (a, b)]
            self.found.note(place, "type", " → ".join(words))
            if bare:
                return None
        elif a.kind == b.kind and not _is_one_class(a.value, b.value):
            names = [full_name(type(kind.value)) for kind in (a, b)]
            same = "" if names[0] != names[1] else ", another class of this name"
            self.found.note(place, "type", f"{names[0]} → {names[1]}{same}")
        required = [_requires_grad(kind) for kind in (a, b)]
        if None not in required and required[0] is not required[1]:
            self.found.note(place, "requires_grad", f"requires_grad {required[0]} → {required[1]}")
        self._marks(place, a, b)
        elements = compare_elements(a, b, self._budget, tolerance)
        for note in elements.notes:
            self.found.note(place, *note)
        self.found.compared += elements.counted
        self.found.complete = self.found.complete and elements.complete
        if elements.told is None:
            return None
        before = self.found.compared
        rows = self._side_by_side(a, b, elements.told)
        first = next(rows, None)
        if first is not None:
            return self._below(pair, a, b, chain([first], rows), elements)
        if not elements.counted and self.found.compared == before:
            self._atoms(place, a, b, tolerance)
        return None

    def _marks(self, place: str, a: Kind, b: Kind) -> None:
        was, now = a.marks(), b.marks()
        for name in was:
            if name in now and was[name] != now[name]:
                self.found.note(place, "value", f"{name} {was[name]} → {now[name]}")

    def _atoms(self, place: str, a: Kind, b: Kind, tolerance: Tolerance) -> None:
        self.found.compared += 1
        same = alike(a, b, tolerance)
        if same is None:
            self.found.by_line += 1
        if same is False or (same is None and not read_alike(a, b)):
            self.found.note(place, "value", differing(a, b))

    def _side_by_side(self, a: Kind, b: Kind, told: tuple[str, ...]) -> Iterator[_Two]:
        """The rows of both as they stand, without the pages of two lists that are quickly seen to be equal."""
        if not (type(a.value) is type(b.value) and type(a.value) in _LISTS):
            yield from zip_longest(*(rows_of(side, told, self._budget) for side in (a, b)))
            return
        for start in range(0, max(len(a.value), len(b.value)), PAGE):
            pages = [side.value[start : start + PAGE] for side in (a, b)]
            if not self._budget.spent() and _is_quickly_equal(*pages):
                self.found.compared += len(pages[0])
            else:
                yield from zip_longest(*(map(Row.named, side.children(start, PAGE)) for side in (a, b)))

    def _below(self, pair: _Pair, a: Kind, b: Kind, rows: Iterator[_Two], elements: Compared) -> Iterator[_Pair]:
        """Rows of one key, wherever they stand: of what is in one order, as lists are, none has to wait for its like.

        What only one has is noted at the end, and where the order is another although all have their like.
        """
        ordered = a.ordered() and b.ordered()
        moved: tuple[str, str] | None = None
        waiting: tuple[dict[Any, Row], dict[Any, Row]] = ({}, {})
        unsure: tuple[list[Row], list[Row]] = ([], [])
        for two in rows:
            one, other = two
            if one is not None and other is not None:
                if one.is_like(other):
                    yield self._beneath(pair, one, other, elements.exact)
                    continue
                moved = moved or (one.child.name, other.child.name)
            for at, row in enumerate(two):
                if row is None:
                    continue
                if row.key is None:
                    unsure[at].append(row)
                elif row.key in waiting[1 - at]:
                    like = waiting[1 - at].pop(row.key)
                    yield self._beneath(pair, *((like, row) if at else (row, like)), elements.exact)
                elif two[1 - at] is None and not waiting[1 - at]:
                    self._alone(pair.place, _SIDES[at], row.child)
                else:
                    waiting[at][row.key] = row
        if ordered is None:
            self.found.note(pair.place.shown(), "not compared", "not compared: the order")
        elif ordered and moved and not any(waiting):
            self.found.note(pair.place.shown(), "value", f"in another order, from {moved[0]} / {moved[1]} on")
        for one, other in matched(*unsure):
            yield self._beneath(pair, one, other, elements.exact)
        only = alone(*unsure), alone(*unsure[::-1])
        for at, side in enumerate(_SIDES):
            for row in (*waiting[at].values(), *only[at]):
                self._alone(pair.place, side, row.child)
        unknown = max(len(unsure[at]) - len(only[at]) for at in (0, 1))
        if unknown:
            words = plural(unknown, "item" if a.kind == "set" else "key")
            said = f"not compared: {words} that only the program's own code could tell apart"
            self.found.note(pair.place.shown(), "not compared", said)

    def _beneath(self, pair: _Pair, row: Row, like: Row, exact: bool) -> _Pair:
        one, other = row.child, like.child
        tolerance = Tolerance() if exact and one.name not in ELEMENTS else pair.tolerance
        return _Pair(pair.place.below(one.name, one.suffix), one.value, other.value, tolerance)

    def _alone(self, place: _Place, side: What, child: Child) -> None:
        if len(self.found.differences) >= KEPT:
            self.found.more += 1
            return
        line = look(child.value, self._budget).line()
        self.found.note(place.below(child.name, child.suffix).shown(), side, f"{side}: {line}")


def _is_one_class(a: object, b: object) -> bool:
    """Of parts that were taken out of tensors and arrays it does not matter."""
    return type(a) is type(b) or issubclass(type(a), Elements) or issubclass(type(b), Elements)


def _is_quickly_equal(one: Any, other: Any) -> bool:
    """Whether two pages hold equal numbers and strings of exactly the built-in types."""
    types = [list(map(id, map(type, page))) for page in (one, other)]
    return types[0] == types[1] and _QUICK_IDS.issuperset(types[0]) and bool(one == other)


def _requires_grad(kind: Any) -> bool | None:
    return kind.gradient().required if kind.kind == "tensor" and hasattr(kind, "gradient") else None
