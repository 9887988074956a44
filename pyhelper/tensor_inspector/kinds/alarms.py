"""Finds NaN and Inf inside a container or an object, so that its own row warns of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ..measure.intended import StandsAt, is_meant, is_placeholder, is_set
from ..safe.budget import Budget
from ..safe.guard import Classes
from ..words.line import Word, is_loud
from ..words.stats import stats_words
from .kind import Kind
from .registry import as_kind

_NAMED = 2  #: names in a line
_NUMBERS = Classes(float, complex)
_LABELS: dict[str, str] = {"nan": "NaN", "inf": "Inf"}
_SEARCHED = ("array", "module", "number")  #: kinds that are asked one by one
_PIECES = ("tensor", "array")  #: kinds that hold elements
_ATTRIBUTES = ("object", "callable")  #: kinds of what holds its values as attributes, many of them settings


if TYPE_CHECKING:
    from ..protocol import Badge
    from .contained import ContainedRun, ContainedValues, Way


class Alarms:
    """Names of values that hold NaN and of values that hold Inf, in their order. The value that the holder stands for
    has an empty name: ``own`` says what of it. ``late`` is true where not all was read."""

    __slots__ = ("inf", "late", "nan", "own")

    def __init__(
        self, nan: Iterable[str] = (), inf: Iterable[str] = (), late: bool = False, own: Iterable[str] = ()
    ) -> None:
        self.nan = tuple(nan)
        self.inf = tuple(inf)
        self.late = late
        self.own = tuple(own)

    @classmethod
    def of(cls, parts: Iterable[tuple[str, Iterable[Badge]]]) -> Alarms:
        """Of parts by their names, each with what its own row warns of."""
        found = [(name, frozenset(badges)) for name, badges in parts]
        nan, inf, late = ([name for name, badges in found if what in badges] for what in ("nan", "inf", "sampled"))
        return cls(nan, inf, bool(late))

    def words(self) -> list[str]:
        found = [(what, tuple(filter(None, names))) for what, names in (("NaN", self.nan), ("Inf", self.inf))]
        words: list[str] = [Word(f"{what} in {_few(names)}", loud=True) for what, names in found if names]
        return [*self.own, *words, *([Word("not all values read", loud=True)] if self.late else [])]

    def badges(self) -> list[Badge]:
        found: list[tuple[Badge, object]] = [("nan", self.nan), ("inf", self.inf), ("sampled", self.late)]
        return [badge for badge, is_so in found if is_so]


def alarms_in(holder: Kind, contained: ContainedValues) -> Alarms:
    """NaN and Inf among the values that ``holder`` contains, as far as a share of the time goes.

    An infinite Python number is no alarm as an attribute, nor under the name of what a search begins with, as the best
    loss so far. Neither are bounds and masks, nor missing values of tables. What can't be read adds nothing: its own
    row says why.
    """
    if not holder.budget.reads:
        return Alarms()
    search = _AlarmSearch(holder.budget.share())
    for run in contained.runs:
        search.add(run)
    search.together()
    search.leave_out_meant()
    return Alarms(search.names("nan"), search.names("inf"), search.late or contained.cut, search.own_words())


class _AlarmSearch:
    """Values by their numbers, in their order, and which of them hold NaN, and Inf."""

    def __init__(self, budget: Budget) -> None:
        self.late = False
        self._budget = budget
        self._count = 0
        self._runs: list[tuple[int, ContainedRun]] = []  #: each with the number of its first value
        self._found: dict[Badge, dict[int, str]] = {"nan": {}, "inf": {}}  #: what follows the name of each
        self._alike: dict[Any, list[tuple[str, Any]]] = {}

    def add(self, run: ContainedRun) -> None:
        first = self._count
        self._count += len(run.values)
        self._runs.append((first, run))
        if run.kind.search is not None:
            names = map(str, range(first, self._count))
            self._alike.setdefault(run.kind.search, []).extend(zip(names, run.values))
            return
        for at, (under, value) in enumerate(zip(run.under, run.values), first):
            try:
                for what in self._badges(under, value, run):
                    if what in self._found:
                        self._found[what][at] = ""
            except Exception:
                continue

    def _badges(self, under: object, value: Any, run: ContainedRun) -> Iterable[str]:
        if run.cls in _NUMBERS:
            return () if run.inside or _is_placeholder_name(under) else _of_number(value, run.holder)
        if run.kind.alarming is Kind.alarming and run.kind.kind not in _SEARCHED:
            return ()
        if self._budget.spent():
            self.late = self.late or not run.inside
            return ()
        badges = as_kind(value, self._budget).alarming()
        self.late = self.late or "sampled" in badges
        return badges

    def together(self) -> None:
        for search, alike in self._alike.items():
            try:
                found = search(alike, self._budget)
            except Exception:
                continue
            self.late = self.late or (found.late and not found.is_whole())
            named: list[tuple[Badge, list[str]]] = [("nan", found.nan), ("inf", found.inf)]
            for what, names in named:
                for at, dot, part in (name.partition(".") for name in names):
                    self._found[what].setdefault(int(at), dot + part)

    def leave_out_meant(self) -> None:
        for what, found in self._found.items():
            for at in [at for at, part in found.items() if not part and self._is_meant(what, at)]:
                del found[at]

    def _is_meant(self, what: Badge, at: int) -> bool:
        run, index = self._run(at)
        if run.cls in _NUMBERS:
            return what == "inf" and is_set(self._place(at).name)
        kind = as_kind(run.values[index], self._budget)
        if kind.kind == "module" or kind.requires_grad() or self._budget.spent():
            return False
        scalar = kind.scalar()
        return is_meant(what, kind.elements() if scalar is None else scalar, self._place(at))

    def _place(self, at: int) -> StandsAt:
        """Where a value stands. In a list it has the name of that."""
        above, holder, under = self._way(at)
        while type(under) is not str and above is not None:
            above, holder, under = above
        return StandsAt(under if type(under) is str else "", type(holder.value))

    def names(self, what: Badge) -> list[str]:
        return list(dict.fromkeys(_name(self._way(at)) + part for at, part in sorted(self._found[what].items())))

    def own_words(self) -> Iterable[str]:
        """How many NaN and Inf are in the value that the holder stands for, as the line of that value says it.

        Of one in several pieces, only that there are some.
        """
        own = {
            what: [at for at, part in found.items() if not _name(self._way(at)) + part]
            for what, found in self._found.items()
        }
        places = {at for found in own.values() for at in found}
        if places and sum(map(self._is_own_piece, range(self._count))) > 1:
            return [Word(_LABELS[what], loud=True) for what, found in own.items() if found]
        readings = [as_kind(run.values[index], self._budget).reading() for run, index in map(self._run, places)]
        return [word for one in readings if one is not None for word in stats_words(one) if is_loud(word)]

    def _is_own_piece(self, at: int) -> bool:
        """Whether it holds elements of the value that the holder stands for."""
        return self._run(at)[0].kind.kind in _PIECES and not _name(self._way(at))

    def _run(self, at: int) -> tuple[ContainedRun, int]:
        """The run of a value, and its place there."""
        first, run = next((first, run) for first, run in reversed(self._runs) if first <= at)
        return run, at - first

    def _way(self, at: int) -> Way:
        run, index = self._run(at)
        return run.above, run.holder, run.under[index]


def _name(way: Way) -> str:
    """The expression that leads to a value, without what libraries keep to themselves: ``kernel`` for
    ``kernel._raw_value``. Where nothing else is left, the first name stands all the same.

    It is empty where the value is the one that the outermost holder stands for.
    """
    name, is_hidden = "", False
    for holder, under in _steps(way):
        is_hidden = holder.keeps_to_itself(under) or (is_hidden and type(under) is int)
        last = "" if is_hidden else holder.entry_name(under)
        name += last if not (name and last) or last[:1] in ("[", "{") else f".{last}"
    first, key = next(_steps(way))
    return name or first.entry_name(key)


def _steps(way: Way) -> Iterator[tuple[Kind, object]]:
    """Each holder on the way, from the outermost one, and the key in it."""
    above, holder, under = way
    if above is not None:
        yield from _steps(above)
    yield holder, under


def _of_number(number: Any, holder: Kind) -> Iterable[str]:
    if number != number:
        return ("nan",)
    return () if holder.kind in _ATTRIBUTES else ("inf",)


def _is_placeholder_name(under: object) -> bool:
    return type(under) is str and is_placeholder(under)


def _few(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"
