"""`Kind`, the base of all kinds: what every view can ask of a value."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from ..measure.comparable import Comparable
from ..safe.attributes import has
from ..safe.budget import Budget
from ..safe.guard import class_name, full_name
from ..words.text import joined

if TYPE_CHECKING:
    from ..measure.stats.radix_selection import Distribution
    from ..measure.torch.finite import NotFinite
    from ..measure.unread import Reading, Unread
    from ..protocol import Badge, Facts, NodeKind, WatchedAs

    class FindNotFinite(Protocol):
        """What finds NaN and Inf in many values at once, given with their names."""

        def __call__(self, tensors: list[tuple[str, Any]], budget: Budget) -> NotFinite: ...


COMPUTED = "class properties"  #: the row of what is computed when it is read
_FOLLOWED = 100  #: children among which an attribute is looked for


class NotStatic(Exception):
    """Only running the program's code could answer."""


class NotFound(Exception):
    """There is no such name, attribute or item."""


class Child:
    """One row below a value. ``suffix`` extends the parent's expression: empty for a group, None where none reaches it.

    ``copied`` is true where that expression makes a copy each time: assigning to a part of it would be lost. ``fixed``
    is true where nothing may be assigned to it from a view: that would run more than an assignment.
    """

    __slots__ = ("copied", "fixed", "name", "suffix", "value")

    def __init__(
        self, name: str, value: object, suffix: str | None = None, *, copied: bool = False, fixed: bool = False
    ) -> None:
        self.name = name
        self.value = value
        self.suffix = suffix
        self.copied = copied
        self.fixed = fixed


class Kind:
    """One value under one budget: its line (`parts`), `badges`, `children`, `facts`. The rest is grouped by who asks.

    A kind is chosen by class alone and never runs the value's own code. What several answers need, such as statistics,
    is computed once and kept on the instance, which lives for one request only.
    """

    kind: NodeKind = "object"
    needs: ClassVar[tuple[str, ...]] = ()  #: what every instance holds whose ``__init__`` has come so far
    contains: ClassVar[bool] = True  #: can hold other values, and so itself: gets ↻ and ≡ marks
    summarized: ClassVar[bool] = False  #: a tensor, array, module or container: what hovers and menus are offered for
    #: Order among variables: 0 tensors, arrays and modules, 1 storages and what holds any of these, 2 the rest. In the
    #: debugger's own views the text of what is or holds one of the first two is ours: its own may have no end.
    rank: ClassVar[int] = 2
    search: ClassVar[FindNotFinite | None] = None  #: finds NaN and Inf in many values of the kind at once
    watched_as: WatchedAs | None = None  #: as what a watchpoint can watch it
    repeating: tuple[str, ...] = ()  #: rows that say again what others hold: no comparison needs them, nor `COMPUTED`

    def __init__(self, value: Any, budget: Budget) -> None:
        self.value = value
        self.budget = budget

    @classmethod
    def is_made(cls, value: object) -> bool:
        """Whether it holds what its kind reads: on the first lines of its ``__init__`` it may not."""
        return not cls.needs or all(has(value, name) for name in cls.needs)

    # The four questions.

    def parts(self) -> Iterable[str | None]:
        """The parts of the line, the most important first. A part that is loud or has a short form is a `Word`."""
        raise NotImplementedError

    def badges(self) -> list[Badge]:
        return []

    def children(self, start: int, count: int) -> Iterable[Child]:
        return ()

    def facts(self) -> Facts:
        facts: Facts = {"type": full_name(type(self.value))}
        rows = self.fact_rows()
        if rows:
            facts["rows"] = rows
        return facts

    def fact_rows(self) -> list[list[str]]:
        """Facts that have no field of their own in `Facts`, as labels and texts."""
        return []

    # Every view asks.

    def read(self) -> None:
        """Reads the elements that the line needs, if it has any."""

    @classmethod
    def reads(cls) -> bool:
        """Whether `read` does anything."""
        return cls.read is not Kind.read

    @classmethod
    def read_all(cls, kinds: Sequence[Any]) -> None:
        """Reads the elements of many values of this kind, while there is time. The rest is read when it is shown."""
        for kind in kinds if cls.reads() else ():
            if kind.budget.spent():
                break
            kind.read()

    def type_name(self) -> str:
        return class_name(type(self.value))

    def line(self) -> str:
        return joined(self.parts())

    def brief(self) -> str:
        """A few characters for the value inside another value's line, from metadata only."""
        return self.type_name()

    def inline(self) -> str | None:
        """The value in a few words, for the end of a line of source; None where nothing is shown there."""
        return None

    def child_count(self) -> int | None:
        """The number of children; None where it is known only after listing them."""
        return 0

    def holds_tensors(self) -> bool:
        """Whether the value, or one of its first items, is a tensor or storage. Such variables are listed first."""
        return self.rank < 2

    def member_types(self) -> Iterable[str]:
        """Names of classes inside the value that can be summarized too, for the menus."""
        return ()

    def lenses(self) -> list[str]:
        """Names of the lenses that the menu of its row offers."""
        return []

    # The debugger's own views and its console ask.

    def first_values(self) -> str | None:
        """The first values as text, empty where the line shows them all; None of what has other rows."""
        return None

    def console_rows(self, count: int) -> list[Child]:
        """The rows that the debug console prints below the line: ``count``, and one more where there are others."""
        return list(islice(self.children(0, count + 1), count + 1))

    def written_out(self) -> Iterable[object]:
        """The values that its own ``repr`` includes."""
        return ()

    # Expressions ask.

    def attribute(self, name: str) -> Any:
        """``value.name`` where it is a row, such as a tensor's ``grad``; `NotStatic` is raised for any other."""
        for child in islice(self.children(0, _FOLLOWED), _FOLLOWED):
            if child.suffix == f".{name}":
                return child.value
        raise NotStatic(f"'{name}' is computed when it is read")

    def item(self, key: Any) -> Any:
        """``value[key]`` by the library's own code. Raises `NotStatic` where that would run code of the program."""
        raise NotStatic(f"{self.type_name()} computes its subscripts")

    # Statistics, percentiles and histograms ask.

    def elements(self) -> Any:
        """The plain tensor or array of its elements; `Unread` where they can't be read, None where there are none."""
        return None

    def reading(self) -> Reading | None:
        """The statistics of its elements, or why there are none; None for what has no numbers."""
        return None

    def measured(self) -> Any:
        """The elements that the statistics are of: those that are stored, not masked, not missing."""
        return self.elements()

    def distribution_rows(self, distribution: Distribution) -> list[list[str]] | None:
        """Percentiles and bins as texts, where elements stand for something else, as dates; None for plain numbers."""
        return None

    # A comparison asks.

    def comparable(self) -> Comparable | None:
        """The elements as a comparison needs them; None where its rows are compared instead."""
        elements = self.elements()
        return None if elements is None else Comparable.of(elements)

    def rows_without(self, names: Container[str]) -> list[Child] | None:
        """Its rows without those of these names, which are not computed; None where the children serve as well."""
        return None

    def scalar(self) -> Any:
        """A numpy scalar as an array without dimensions; None for everything else."""
        return None

    def requires_grad(self) -> bool | None:
        """Whether autograd records operations on it; None for what autograd does not know."""
        return None

    def identity(self) -> tuple[object, Sequence[object]] | None:
        """What tells it from others of its class: an object, and parts compared in turn; None where only code can."""
        return None

    def address(self) -> int | None:
        """The address that it holds, which is not followed; None for what holds none."""
        return None

    def unreadable(self) -> Unread | None:
        """Why nothing of it can be read; None where something can."""
        return None

    def hidden(self) -> str | None:
        """What of its state neither line, elements nor rows show, in words; None where they show all."""
        return None

    def unlisted(self) -> Iterable[Child]:
        """What it holds that its rows leave out: a comparison takes it for rows as well."""
        return ()

    def settings(self) -> dict[str, str]:
        """What else distinguishes it besides elements and rows, by name: a deque's ``maxlen``, an index's name."""
        return {}

    def ordered(self) -> bool | None:
        """Whether the order of its rows matters. None where it does, but their order is not known."""
        return False

    # The lens of memory asks.

    def stored_parts(self) -> Iterable[tuple[str | None, object]]:
        """What a table stores its columns in, each with the suffix that reaches it, without asking the table for it."""
        return ()

    @classmethod
    def stores_parts(cls) -> bool:
        return cls.stored_parts is not Kind.stored_parts

    # A search for NaN and Inf in what holds others asks.

    def entries(self) -> Iterable[tuple[object, object]] | None:
        """What it holds, as pairs of key and value, where its row warns of NaN and Inf in it; None for all else."""
        return None

    def inner_entries(self) -> Iterable[tuple[object, object]] | None:
        """What an object of a library holds, where that is searched too."""
        return None

    def entry_name(self, under: object) -> str:
        """The name of an entry in a line; empty for the value that this one stands for."""
        return str(under)

    def keeps_to_itself(self, under: object) -> bool:
        """Whether it is a library's private attribute, whose name is no part of a way that is shown."""
        return False

    def alarming(self) -> list[Badge]:
        """What the row of its holder warns of."""
        return self.badges()


class WithRows(Kind):
    """A kind whose rows are few and known at once."""

    def rows(self) -> list[Child]:
        raise NotImplementedError

    def child_count(self) -> int | None:
        return len(self.rows())

    def children(self, start: int, count: int) -> Iterable[Child]:
        return self.rows()[start : start + count]


class Elements:
    """Elements taken out of a tensor or array: their values are the program's, their gradient and layout are not."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value
