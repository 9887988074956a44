"""How two values differ: tensors and arrays by their elements, everything that holds others name by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypedDict

from ..budget import Budget
from ..guard import dict_get, instance_dict
from ..kinds import Child, Elements, Kind, Said, look
from ..kinds.plain import Printed
from ..stats import Unread
from ..stats.difference import ValueDifference, difference
from ..text import count, middle, number, plural, shape

_MOST = 100_000  #: pairs that are looked at, and rows of one value
_LISTED = 100  #: differences in the text
_PAGE = 1000
_EXACT = (int, float, complex, str, bytes, bytearray)  #: compared by these classes' own equality
_DERIVED = ("values", "stats", "base", "grad_fn", "hooks")  #: rows of a tensor that its elements tell already
_Pair = tuple[str, Any, Any]

What = Literal["type", "shape", "dtype", "device", "values", "value", "only in a", "only in b", "not compared"]


class _Difference(TypedDict):
    path: str
    what: What
    text: str


class Difference(_Difference, total=False):
    """One difference: where (the expression below both, empty for the two themselves), in what, and in words."""

    values: ValueDifference


class Comparison:
    """All differences between two values, in the order of their rows. Printed, it is a line each."""

    __slots__ = ("by_line", "compared", "complete", "differences")

    def __init__(self) -> None:
        self.differences: list[Difference] = []
        self.compared = 0  #: values that were compared, not counting what holds them
        self.by_line = 0  #: those of which only the summary lines could be compared
        self.complete = True  #: False where the time or the number of values ended it

    @property
    def same(self) -> bool:
        """Whether all was compared to the last digit and nothing differs."""
        return self.complete and not self.differences and not self.by_line

    def note(self, path: str, what: What, text: str) -> None:
        self.differences.append({"path": path, "what": what, "text": text})

    def __repr__(self) -> str:
        head = plural(len(self.differences), "difference") if self.differences else "no difference"
        head += f" · {plural(self.compared, 'value')} compared"
        head += f", {count(self.by_line)} by their summary only" if self.by_line else ""
        head += "" if self.complete else ", not all"
        shown = [(middle(found["path"], 80) or "value", found["text"]) for found in self.differences[:_LISTED]]
        width = min(40, max((len(path) for path, _ in shown), default=0))
        more = len(self.differences) - len(shown)
        return "\n".join([head, *(f"  {path:{width}}  {text}" for path, text in shown), *[f"  … {more:,} more"][:more]])


def compare(a: object, b: object, budget: Budget, *, rtol: float = 0.0, atol: float = 0.0) -> Comparison:
    """Every difference between two values; elements are equal within ``atol + rtol·|b|``, as ``torch.isclose`` says.

    The caller holds the guard.
    """
    walk = _Walk(budget, rtol, atol)
    walk.go(a, b)
    return walk.found


class _Walk:
    """Both values at once, from the top, each pair of holders once."""

    def __init__(self, budget: Budget, rtol: float, atol: float) -> None:
        self.found = Comparison()
        self._budget, self._rtol, self._atol = budget, rtol, atol

    def go(self, a: object, b: object) -> None:
        waiting: list[_Pair] = [("", a, b)]
        held: dict[tuple[int, int], tuple[object, object]] = {}
        pairs = 0
        while waiting:
            path, one, other = waiting.pop()
            pairs += 1
            if pairs > _MOST or self._budget.spent():
                self.found.complete = False
                return
            if one is other or (id(one), id(other)) in held:
                self.found.compared += one is other
                continue
            a, b = look(one, self._budget), look(other, self._budget)
            if a.contains and b.contains:  # others, as True and False, may stand in many places
                held[id(one), id(other)] = (one, other)
            waiting.extend(reversed(list(self._pair(path, a, b))))

    def _pair(self, path: str, a: Kind, b: Kind) -> Iterable[_Pair]:
        """Notes how two values differ themselves; returns the pairs below them."""
        if a.kind != b.kind and not {a.kind, b.kind} <= {"tensor", "array"}:
            self.found.note(path, "type", f"{a.line()} → {b.line()}")
            return ()
        one, other = a.elements(), b.elements()
        composed = a.composed and b.composed and a.brief() == b.brief()
        rows, others = self._rows(a), self._rows(b)
        if a.kind == b.kind and a.type_name() != b.type_name():
            lines = ("", "") if rows or others else (f" {a.line()}", f" {b.line()}")
            self.found.note(path, "type", f"{a.type_name()}{lines[0]} → {b.type_name()}{lines[1]}")
            if not (rows or others):
                return ()
        if one is not None and other is not None and not composed:
            self._elements(path, one, other)
            parts = a.kind != b.kind or isinstance(a.value, Elements) or isinstance(b.value, Elements)
            return () if parts else self._below(path, _beside(rows), _beside(others))
        if a.kind == "set" and a.child_count() != b.child_count():
            self.found.note(path, "value", f"{a.line()} → {b.line()}")
        if rows or others:
            return self._below(path, rows, others)
        self.found.compared += 1
        alike = _alike(a, b)
        if alike is None:
            self.found.by_line += 1
        if alike is False or a.line() != b.line():
            self.found.note(path, "value", f"{a.line()} → {b.line()}")
        return ()

    def _elements(self, path: str, a: Any, b: Any) -> None:
        self.found.compared += 1
        unread = next((side.reason for side in (a, b) if isinstance(side, Unread)), None)
        if unread is not None:
            self.found.note(path, "not compared", f"not compared: {unread}")
            return
        whats: tuple[What, ...] = ("dtype", "device")
        for what in whats:
            was, now = (str(getattr(side, what, "cpu")).replace("torch.", "") for side in (a, b))
            if was != now:
                self.found.note(path, what, f"{what} {was} → {now}")
        if tuple(a.shape) != tuple(b.shape):
            self.found.note(path, "shape", f"shape {shape(a.shape)} → {shape(b.shape)}")
            return
        values = difference(a, b, self._budget, rtol=self._rtol, atol=self._atol)
        if isinstance(values, Unread):
            self.found.note(path, "not compared", values.reason)
            return
        if values["different"]:
            self.found.differences.append({"path": path, "what": "values", "text": _told(values), "values": values})
        self.found.complete = self.found.complete and values["read"] == values["count"]

    def _below(self, path: str, rows: dict[str, Child], others: dict[str, Child]) -> Iterable[_Pair]:
        for name, child in {**rows, **others}.items():
            place = path + (f"‹{name}›" if child.suffix is None else child.suffix)
            if name in rows and name in others:
                yield place, rows[name].value, others[name].value
            else:
                side: What = "only in a" if name in rows else "only in b"
                self.found.note(place, side, f"{side}: {look(child.value, self._budget).line()}")

    def _rows(self, kind: Kind) -> dict[str, Child]:
        """What is below a value, by name; items of a set, which have none, by their line. Properties are not read."""
        found: dict[str, Child] = {}
        if kind.kind == "property" or kind.child_count() == 0:
            return found
        if kind.kind == "module":
            found["training"] = Child("training", dict_get(instance_dict(kind.value), "training"), ".training")
        for start in range(0, _MOST, _PAGE):
            page = list(kind.children(start, _PAGE))
            for child in page:
                if child.name in kind.repeating:
                    continue
                found[look(child.value, self._budget).line() if kind.kind == "set" else child.name] = child
            if len(page) < _PAGE:
                return found
        self.found.complete = False
        return found


def _beside(rows: dict[str, Child]) -> dict[str, Child]:
    """What a tensor or array has besides its elements: its gradient, index, mask, attributes of its own."""
    return {name: child for name, child in rows.items() if name not in _DERIVED}


def _alike(a: Kind, b: Kind) -> bool | None:
    """Whether two values with nothing below them are the same; None where only their lines can tell."""
    one, other = a.value, b.value
    if one is other:
        return True
    if type(one) is Said and type(other) is Said:
        return True if one.text == other.text and "…" not in one.text else None
    for base in _EXACT:
        if issubclass(type(one), base) and issubclass(type(other), base):
            equal: Any = base.__eq__(one, other)
            return bool(equal) or (base is float and one != one and other != other)
    return bool(one == other) if type(a) is Printed and type(one) is type(other) else None


def _told(values: ValueDifference) -> str:
    total = values["read"]
    words = [f"{count(values['different'])} of {count(total)} differ"]
    if values["nan_in_one"]:
        words.append(f"{count(values['nan_in_one'])} NaN in one only")
    if values["max_abs"]:
        relative = f", {number(100 * values['max_rel'], 3)}% relative" if values["max_rel"] else ""
        words.append(f"|Δ| up to {number(values['max_abs'])}{relative}")
    text = ", ".join(words)
    return f"{text}: {_value(values['a'])} → {_value(values['b'])} at {shape(values['at'] or [])}"


def _value(value: Any) -> str:
    return str(value) if type(value) is complex else number(value, 6) if type(value) is float else f"{value}"
