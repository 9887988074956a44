"""How two values differ: tensors and arrays by their elements, everything that holds others name by name."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain, zip_longest
from typing import Any, NamedTuple

from ..budget import Budget
from ..guard import Classes, class_name, dict_get, instance_dict
from ..kinds import Child, Kind, look
from ..text import one_line
from .compare_atoms import Tolerance, alike, differing
from .compare_elements import ELEMENTS, Compared, compare_elements
from .comparison import KEPT, Comparison, Difference, What

__all__ = ["Comparison", "Difference", "amount", "compare"]

_PAGE = 1000  #: rows of one value that are asked for at once
_REMEMBERED = 1 << 14  #: pairs of holders that are known to have been compared
_PATH = 1000  #: characters of a path
_QUICK = Classes(int, float, bool, str)  #: equal ones are passed over at once


def compare(a: object, b: object, budget: Budget, *, rtol: float = 0.0, atol: float = 0.0) -> Comparison:
    """Every difference between two values; elements are equal within ``atol + rtol·|b|``, as ``torch.isclose`` says.

    The caller holds the guard.
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
        if a is b or (type(a) is type(b) and type(a) in _QUICK and a == b):
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
            bare = not (_holds(a) or _holds(b))
            lines = (f" {a.line()}", f" {b.line()}") if bare else ("", "")
            self.found.note(place, "type", f"{a.type_name()}{lines[0]} → {b.type_name()}{lines[1]}")
            if bare:
                return None
        required = [_requires_grad(kind) for kind in (a, b)]
        if None not in required and required[0] is not required[1]:
            self.found.note(place, "requires_grad", f"requires_grad {required[0]} → {required[1]}")
        elements = compare_elements(a, b, self._budget, tolerance)
        for note in elements.notes:
            self.found.note(place, *note)
        self.found.compared += elements.counted
        self.found.complete = self.found.complete and elements.complete
        if elements.told is None:
            return None
        if a.kind == "set" and a.child_count() != b.child_count():
            self.found.note(place, "value", f"{a.line()} → {b.line()}")
        rows, others = (_rows(kind, self._budget) for kind in (a, b))
        first = next(rows, None), next(others, None)
        if first != (None, None):
            rows, others = (chain([one] if one else [], more) for one, more in zip(first, (rows, others)))
            return self._below(pair, rows, others, elements)
        if not elements.counted:
            self._atoms(place, a, b, tolerance)
        return None

    def _atoms(self, place: str, a: Kind, b: Kind, tolerance: Tolerance) -> None:
        self.found.compared += 1
        same = alike(a, b, tolerance)
        if same is None:
            self.found.by_line += 1
        if same is False or (same is None and a.line() != b.line()):
            self.found.note(place, "value", differing(a, b))

    def _below(
        self, pair: _Pair, rows: Iterator[Child], others: Iterator[Child], elements: Compared
    ) -> Iterator[_Pair]:
        """Rows of one name, wherever they stand: of what is in one order, as lists are, none has to wait for its like.

        What only one has is noted at the end.
        """
        left: dict[str, Child] = {}
        right: dict[str, Child] = {}
        news = ((child for child in side if child.name not in (elements.told or ())) for side in (rows, others))
        for one, other in zip_longest(*news):
            if one is not None and other is not None and one.name == other.name:
                yield self._beneath(pair, one, other, elements.exact)
                continue
            if one is not None:
                if one.name in right:
                    yield self._beneath(pair, one, right.pop(one.name), elements.exact)
                elif other is None and not right:
                    self._alone(pair.place, "only in a", one)
                else:
                    left[one.name] = one
            if other is not None:
                if other.name in left:
                    yield self._beneath(pair, left.pop(other.name), other, elements.exact)
                elif one is None and not left:
                    self._alone(pair.place, "only in b", other)
                else:
                    right[other.name] = other
        for child in left.values():
            self._alone(pair.place, "only in a", child)
        for child in right.values():
            self._alone(pair.place, "only in b", child)

    def _beneath(self, pair: _Pair, one: Child, other: Child, exact: bool) -> _Pair:
        exact = exact and one.name not in ELEMENTS
        tolerance = Tolerance() if exact else pair.tolerance
        return _Pair(pair.place.below(one.name, one.suffix), one.value, other.value, tolerance)

    def _alone(self, place: _Place, side: What, child: Child) -> None:
        if len(self.found.differences) >= KEPT:
            self.found.more += 1
            return
        line = look(child.value, self._budget).line()
        self.found.note(place.below(child.name, child.suffix).shown(), side, f"{side}: {line}")


def _holds(kind: Kind) -> bool:
    """Whether there is something below a value."""
    return kind.kind == "module" or (kind.kind != "property" and kind.child_count() != 0)


def _rows(kind: Kind, budget: Budget) -> Iterator[Child]:
    """What is below a value, each under a name of its own; of a set by lines. Properties are not read."""
    if not _holds(kind):
        return
    if kind.kind == "module":
        yield Child("training", dict_get(instance_dict(kind.value), "training"), ".training")
    total = kind.child_count()
    page = total if total and kind.kind in ("mapping", "set") else _PAGE  # these start each page from their beginning
    known: dict[str, int] = {}
    start = met = 0
    while start == met and (total is None or met < total):
        for child in kind.children(start, page):
            met += 1
            if child.name in kind.repeating:
                continue
            name = f"‹{look(child.value, budget).line()}›" if kind.kind == "set" else child.name
            if child.suffix is None and kind.kind in ("mapping", "set"):
                again = known[name] = known.get(name, -1) + 1
                name = name if not again else f"{name} #{again if kind.kind == 'set' else met - 1}"
            yield child if name is child.name else Child(name, child.value, child.suffix)
        start += page


def _requires_grad(kind: Any) -> bool | None:
    return kind.gradient().required if kind.kind == "tensor" and hasattr(kind, "gradient") else None
