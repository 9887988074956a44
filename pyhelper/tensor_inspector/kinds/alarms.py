"""NaN and Inf in what a container or an object holds: its row is loud as theirs are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from ..protocol import Badge
from ..safe.budget import Budget
from ..safe.guard import ByClass, full_name, mro
from ..words.line import Word
from .kind import Kind
from .registry import kind_of, look

_ITEMS = 100  #: looked at of one holder
_MOST = 400  #: in all
_DEPTH = 3  #: of holders in holders
_NAMED = 2  #: names in a line
#: Classes for which an infinite value is a usual one: a bound that nothing is beyond.
_BOUNDS = ("torch.distributions.constraints.Constraint",)

Entry = tuple[str, object]


class Alarms:
    """Names of what holds NaN and of what holds Inf, in their order."""

    __slots__ = ("inf", "nan")

    def __init__(self, nan: Iterable[str] = (), inf: Iterable[str] = ()) -> None:
        self.nan = tuple(nan)
        self.inf = tuple(inf)

    def words(self) -> list[str]:
        found = (("NaN", self.nan), ("Inf", self.inf))
        return [Word(f"{what} in {_few(names)}", loud=True) for what, names in found if names]

    def badges(self) -> list[Badge]:
        found: list[tuple[Badge, object]] = [("nan", self.nan), ("inf", self.inf)]
        return [badge for badge, names in found if names]


def alarms_in(holder: Kind, entries: Iterable[Entry]) -> Alarms:
    """What is among the ``entries`` of ``holder``, and in those, of NaN and Inf, as far as the time goes.

    An infinite number is none: programs begin a search with one, as the best loss so far.
    """
    budget = holder.budget
    if not budget.reads or _is_bound(type(holder.value)):
        return Alarms()
    names: list[str] = []
    together: dict[Any, list[Entry]] = {}
    found: dict[Badge, set[str]] = {"nan": set(), "inf": set()}
    for name, value in _values(holder, entries):
        names.append(name)
        kind: type[Kind] = kind_of(type(value))
        if kind.search is not None:
            together.setdefault(kind.search, []).append((name, value))
        elif type(value) is float and value != value:
            found["nan"].add(name)
        elif kind.rank == 0 and not budget.spent():
            for badge in look(value, budget.share()).badges():
                found.get(badge, set()).add(name)
    for search, alike in together.items():
        searched = search(alike, budget.share())
        found["nan"].update(searched.nan)
        found["inf"].update(searched.inf)
    return Alarms([name for name in names if name in found["nan"]], [name for name in names if name in found["inf"]])


def _values(holder: Kind, entries: Iterable[Entry]) -> Iterator[Entry]:
    """What is held, and what holders among it hold in turn: each by the way to it."""
    waiting = [(0, "", entries)]
    opened = {id(holder.value)}
    left = _MOST
    for depth, above, held in waiting:  # which grows
        for name, value in islice(held, min(_ITEMS, left)):
            left -= 1
            way = f"{above}{name}" if name.startswith("[") or not above else f"{above}.{name}"
            inner = _entries(value, holder.budget) if depth < _DEPTH and id(value) not in opened else None
            if inner is None:
                yield way, value
            else:
                opened.add(id(value))
                waiting.append((depth + 1, way, inner))


def _entries(value: object, budget: Budget) -> Iterable[Entry] | None:
    kind: type[Kind] = kind_of(type(value))
    try:
        return look(value, budget).entries() if kind.contains and kind.rank == 2 else None
    except Exception:  # its own row says what is wrong with it
        return None


def _few(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"


_is_bound = ByClass(lambda cls: any(full_name(base) in _BOUNDS for base in mro(cls)))
