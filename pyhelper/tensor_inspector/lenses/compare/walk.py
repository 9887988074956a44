"""Walks through two values at once and finds their differences, in slices of time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from ...kinds import Kind, as_kind
from ...kinds.python.objects import PlainObject
from ...measure.stats.difference import PartialDifference
from ...safe.budget import Budget
from ...safe.guard import class_name, full_name, module
from ...words.text import led_by, one_line
from .atoms import Tolerance, alike, differing, nan_in_one, read_alike
from .comparison import Comparison, Note
from .elements import compare_elements, device
from .identity import is_one_class
from .kept import of_stand_ins, with_moves
from .pair import DifferenceRecorder, Location, Pair, PairDifference, Whole, sizes_of
from .row_pairs import QUICK_IDS, RowPairs
from .rows import holds, unlisted

if TYPE_CHECKING:
    from .names import ParameterNames

_REMEMBERED = 1 << 14  #: pairs of holders that are known to have been compared

_BEHIND = "what its handle leads to"

#: What of two wrappers of one class is not compared: what they wrap is.
_LEFT_OUT = {
    "FullyShardedDataParallel": "modes, hooks and what FSDP keeps beside the parameters",
    "OptimizedModule": "what torch.compile keeps beside the model",
}


class _NoTime(Exception):
    """No time was left to read all of what a slice of the work came to last: the next one begins with it."""


class _Open:
    """Two holders whose rows are being compared."""

    __slots__ = ("below", "holder", "key", "met", "pair")

    def __init__(
        self, pair: Pair, below: Iterator[Pair], key: tuple[int, int] | None = None, holder: Kind | None = None
    ) -> None:
        self.pair = pair
        self.below = below
        self.key = key
        self.met = 0  #: how many rows were compared, or are
        self.holder = holder

    def total(self) -> int | None:
        """How many rows there are, where that is known; of the top there is one."""
        return 1 if self.holder is None else self.holder.child_count()


class PairWalk:
    """Both values at once, from the top, each pair of holders once. Of long ones only the rows at hand are kept.

    What it finds goes into ``found``. When the time of the budget is over it stops. With ``in_slices`` it goes on when
    that is renewed; without, what it stopped at is compared as far as it was read. ``noted`` is given the values too.
    """

    def __init__(
        self,
        a: object,
        b: object,
        found: Comparison,
        budget: Budget,
        tolerance: Tolerance,
        *,
        in_slices: bool = False,
        noted: list[PairDifference] | None = None,
        known: ParameterNames | None = None,
        moved: Mapping[int, str] | None = None,
    ) -> None:
        self._found = found
        self._moved = moved or {}  #: the devices of tensors of which there are copies on the CPU, by the copies' ids
        self._budget = budget
        self._above: set[tuple[int, int]] = set()  #: holders that are being compared
        self._before: dict[tuple[int, int], Pair] = {}  #: and the last that were: what is here lives, so its id is its
        top = Pair(Location(), a, b, tolerance)
        self._waiting = [_Open(top, iter([top]))]
        self._in_slices = in_slices
        self._notes = DifferenceRecorder(found, noted)
        self._rows = RowPairs(self._notes, budget, known)  # which does not hold this walk: that would be a cycle
        self._partial = PartialDifference()  #: of the pair that the next slice begins with
        self._first = True  #: of this slice: there will not be more time for it

    def go_on(self) -> bool:
        """Compare until all is, or the time is over. Whether all is."""
        self._first = True
        while self._waiting:
            opened = self._waiting[-1]
            pair = self._tried(opened.pair, lambda below: next(below, None), opened.below)
            if pair is None:
                self._close(self._waiting.pop())
                continue
            opened.met += 1
            if self._budget.spent() and not self._first:
                self._again(pair)
                return False
            try:
                self._take(pair)
            except _NoTime:
                self._again(pair)
                return False
            self._first = False
        return True

    def progress(self) -> float:
        """How much is compared, as far as rows are counted; each row as much as its neighbours."""
        found, share = 0.0, 1.0
        for opened in self._waiting:
            total = opened.total()
            if total:
                done = min(opened.met, total) - 1
                found, share = found + share * max(0, done) / total, share / total
        return found + share * self._partial.share()

    def _take(self, pair: Pair) -> None:
        if self._is_known(pair):
            return
        opened = self._tried(pair, self._opened, pair)
        if opened is not None:
            self._waiting.append(opened)

    def _again(self, pair: Pair) -> None:
        """The next go begins with this pair."""
        opened = self._waiting[-1]
        opened.met -= 1
        opened.below = chain([pair], opened.below)

    def _tried(self, pair: Pair, ask: Any, asked: Any) -> Any:
        """An error of one value becomes its entry; its neighbours are still compared."""
        try:
            return ask(asked)
        except _NoTime:
            raise
        except Exception as error:
            self._partial = PartialDifference()
            text = error.args[0] if error.args and type(error.args[0]) is str else ""
            failure = one_line(f"not read: {class_name(type(error))}: {text}")
            self._notes.add(pair, "not compared", failure)
            return None

    def _is_known(self, pair: Pair) -> bool:
        """Whether two values are one, are quickly seen to be equal, or were compared before."""
        a, b = pair.a, pair.b
        if a is b or (type(a) is type(b) and id(type(a)) in QUICK_IDS and a == b):
            self._found.compared += 1
            return True
        key = (id(a), id(b))
        if key in self._above:
            return True
        known = self._before.pop(key, None)
        if known is not None:
            self._before[key] = known  # now the last
        return known is not None

    def _unwrapped(self, pair: Pair) -> Pair:
        """The part of a value that corresponds to the other one, as the state in a checkpoint to a model."""
        is_one_class = type(pair.a) is type(pair.b) and not issubclass(type(pair.a), dict)
        if module("torch") is None or (is_one_class and class_name(type(pair.a)) not in _LEFT_OUT):
            return pair
        from .inner import inside

        sides, steps, is_cut = inside(pair.a, pair.b)
        if not any(steps):
            return pair
        if is_one_class:
            self._notes.add(pair, "not compared", f"not compared: {_LEFT_OUT[class_name(type(pair.a))]}")
        names = [class_name(type(side)) for side in (pair.a, pair.b)]
        unwrapped = [f"{step} of {'ab'[at]}" for at, step in enumerate(steps) if step]
        text = f"{' and '.join(unwrapped)} {'is' if len(unwrapped) == 1 else 'are'} compared"
        text += ", of each parameter the part that this rank has" if is_cut else ""
        if not is_one_class:
            self._notes.add(pair, "type", f"{' → '.join(names)}: {text}")
        location = pair.location
        for at, step in enumerate(steps):
            location = location.inside(at, step)
        return Pair(location, sides[0], sides[1], pair.tolerance)

    def _opened(self, pair: Pair) -> _Open | None:
        pair = self._unwrapped(pair)
        a, b = as_kind(pair.a, self._budget), as_kind(pair.b, self._budget)
        below = self._compared(pair, a, b)
        if below is None:
            return None
        holds_others = (a.contains and b.contains) or a.kind == "callable"  # the rest may stand in many places
        key = (id(pair.a), id(pair.b)) if holds_others else None
        if key is not None:
            self._above.add(key)
        return _Open(pair, below, key, a)

    def _close(self, opened: _Open) -> None:
        if opened.key is None:
            return
        self._above.discard(opened.key)
        self._before[opened.key] = opened.pair
        if len(self._before) > _REMEMBERED:
            del self._before[next(iter(self._before))]

    def _compared(self, pair: Pair, a: Kind, b: Kind) -> Iterator[Pair] | None:
        """Notes how two values differ themselves; returns the pairs below them."""
        notes = of_stand_ins(a, b)
        if notes is not None:
            for note in notes:
                self._notes.take(pair, note)
            self._found.compared += all(note.what != "not compared" for note in notes)
            return None
        if type(pair.a) is Whole or type(pair.b) is Whole:
            self._notes.add(pair, "shape", f"shape {' → '.join(map(sizes_of, (a, b)))}")
            self._found.compared += 1
            return None
        if a.kind != b.kind and not {a.kind, b.kind} <= {"tensor", "array"}:
            self._notes.add(pair, "type", f"{a.line()} → {b.line()}")
            return None
        if a.kind == b.kind and a.type_name() != b.type_name() and not (holds(a) or holds(b)):
            names = [led_by(kind.type_name(), kind.line()) for kind in (a, b)]
            self._notes.add(pair, "type", " → ".join(names))
            return None
        if self._are_handles(a, b):
            self._notes.add(pair, "not compared", f"not compared: {_BEHIND}")
            return None
        unread = a.unreadable() or b.unreadable()
        if unread is not None:
            self._notes.add(pair, "not compared", f"not compared: {unread.text}")
            return None
        read = self._partial.read()
        elements = compare_elements(a, b, self._budget, pair.tolerance, self._partial)
        if self._in_slices and not elements.complete and (self._partial.read() > read or not self._first):
            raise _NoTime
        self._partial = PartialDifference()
        self._classes(pair, a, b)
        required = [kind.requires_grad() for kind in (a, b)]
        if None not in required and required[0] is not required[1]:
            self._notes.add(pair, "requires_grad", f"requires_grad {required[0]} → {required[1]}")
        self._compare_settings(pair, a, b)
        for note in with_moves(elements.notes, self._moved.get(id(pair.a)), device(b)):
            self._notes.take(pair, note)
        self._found.compared += elements.counted
        self._found.complete = self._found.complete and elements.complete
        if elements.covered is None:
            return None
        before = self._found.compared
        unseen = a.hidden() or b.hidden()
        rows = self._rows.side_by_side(a, b, elements.covered, by_order=pair.location.is_of_hooks())
        first = next(rows, None)
        if first is not None and unseen is not None:
            self._notes.add(pair, "not compared", f"not compared: {unseen}")
        if first is None and not elements.counted and self._found.compared == before:
            self._atoms(pair, a, b, unseen)
        rest = chain(rows, unlisted(a, b))
        first = next(rest, None) if first is None else first
        return None if first is None else self._rows.pairs(pair, a, b, chain([first], rest), elements)

    def _are_handles(self, a: Kind, b: Kind) -> bool:
        """Whether two objects hold addresses of their own, behind which may be the same."""
        above = self._waiting[-1].holder
        if not isinstance(above, PlainObject):
            return False
        addresses = a.address(), b.address()
        return bool(addresses[0] and addresses[1]) and addresses[0] != addresses[1]

    def _classes(self, pair: Pair, a: Kind, b: Kind) -> None:
        """Notes where two values of one kind are of different classes."""
        if a.kind == b.kind and a.type_name() != b.type_name():
            self._notes.add(pair, "type", f"{a.type_name()} → {b.type_name()}")
        elif a.kind == b.kind and not is_one_class(a.value, b.value):
            names = [full_name(type(kind.value)) for kind in (a, b)]
            same = "" if names[0] != names[1] else ", another class of this name"
            self._notes.add(pair, "type", f"{names[0]} → {names[1]}{same}")

    def _compare_settings(self, pair: Pair, a: Kind, b: Kind) -> None:
        was, now = a.settings(), b.settings()
        for name in was:
            if name in now and was[name] != now[name]:
                self._notes.add(pair, "value", f"{name} {was[name]} → {now[name]}")

    def _atoms(self, pair: Pair, a: Kind, b: Kind, unseen: str | None) -> None:
        same = alike(a, b, pair.tolerance)
        if same is None and unseen is not None and read_alike(a, b):
            self._notes.add(pair, "not compared", f"not compared: {unseen}")
            return
        self._found.compared += 1
        if same is None and a.kind == b.kind and a.type_name() != b.type_name():  # which is noted
            return
        if same is None:
            self._found.by_line += 1
        if same is False or (same is None and not read_alike(a, b)):
            self._notes.take(pair, Note("value", differing(a, b), nan=nan_in_one(a, b)))
