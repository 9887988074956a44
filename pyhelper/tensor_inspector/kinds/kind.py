"""What a type of value is, said once and used by every view: the base of all kinds."""

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
    from ..measure.unread import Reading
    from ..protocol import Badge, Facts, NodeKind

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
    """One row below a value. ``suffix`` extends the parent's expression; None when no expression reaches the child.

    ``copied`` where that expression makes a copy each time: what is assigned to a part of it is lost.
    """

    __slots__ = ("copied", "name", "suffix", "value")

    def __init__(self, name: str, value: object, suffix: str | None = None, *, copied: bool = False) -> None:
        self.name = name
        self.value = value
        self.suffix = suffix
        self.copied = copied


class Kind:
    """One value, looked at under one budget. Four questions are asked of every kind: its line (`parts`), its `badges`,
    its `children` and its `facts`. The others are grouped below by who asks; what stands here holds of most values.

    A kind is chosen by class alone and never runs the value's own code. Work that several answers need (statistics)
    is done once and kept on the instance, which lives for one question only.
    """

    kind: NodeKind = "object"
    needs: ClassVar[tuple[str, ...]] = ()  #: what every instance holds whose ``__init__`` has come so far
    contains: ClassVar[bool] = True  #: can hold other values, and so itself: gets ↻ and ≡ marks
    summarized: ClassVar[bool] = False  #: a tensor, array, module or container: what hovers and menus are offered for
    #: Order among variables: 0 tensors, arrays and modules, 1 storages and what holds any of these, 2 the rest. In the
    #: debugger's own views the text of what is or holds one of the first two is ours: its own may have no end.
    rank: ClassVar[int] = 2
    search: ClassVar[FindNotFinite | None] = None  #: finds NaN and Inf in many values of the kind at once
    repeating: tuple[str, ...] = ()  #: rows that say again what others hold: no comparison needs them, nor `COMPUTED`

    def __init__(self, value: Any, budget: Budget) -> None:
        self.value = value
        self.budget = budget

    @classmethod
    def is_made(cls, value: object) -> bool:
        """Whether the value can be looked at: on the first lines of its ``__init__`` there may be nothing in it."""
        return not cls.needs or all(has(value, name) for name in cls.needs)

    # The four questions.

    def parts(self) -> Iterable[str | None]:
        """What the line says, the most telling first; a `Word` where a part is loud or has a short form."""
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
        """Read the elements that its line tells of, where it has some."""

    @classmethod
    def reads(cls) -> bool:
        """Whether there is anything to read."""
        return cls.read is not Kind.read

    @classmethod
    def read_all(cls, kinds: Sequence[Any]) -> None:
        """The same of many values of the kind, as long as there is time: what is left is read where it is shown."""
        for kind in kinds if cls.reads() else ():
            if kind.budget.spent():
                break
            kind.read()

    def type_name(self) -> str:
        return class_name(type(self.value))

    def line(self) -> str:
        return joined(self.parts())

    def brief(self) -> str:
        """A few characters that stand for the value inside another one's line; metadata only."""
        return self.type_name()

    def inline(self) -> str | None:
        """The value in a few words, for the end of a line of source; None for what is not shown there."""
        return None

    def child_count(self) -> int | None:
        """How many children; None when that is known only by asking for them."""
        return 0

    def holds_tensors(self) -> bool:
        """Whether tensors or storages are among the value or its first items: such variables are listed first."""
        return self.rank < 2

    def member_types(self) -> Iterable[str]:
        """Names of classes inside the value that can be summarized too, for the menus."""
        return ()

    def lenses(self) -> list[str]:
        """Names of the lenses that have something to say of this value, for the menu of its row."""
        return []

    # The debugger's own views and its console ask.

    def first_values(self) -> str | None:
        """The first values as text, empty where the line shows them all; None of what has other rows."""
        return None

    def printed(self, count: int) -> list[Child]:
        """The rows that the debug console prints below the line: ``count``, and one more where there are others."""
        return list(islice(self.children(0, count + 1), count + 1))

    def inside(self) -> Iterable[object]:
        """The values that its own text writes out with it."""
        return ()

    # Expressions ask.

    def attribute(self, name: str) -> Any:
        """``value.name`` where the kind itself offers it, as a tensor its ``grad``; ``NotStatic`` elsewhere."""
        for child in islice(self.children(0, _FOLLOWED), _FOLLOWED):
            if child.suffix == f".{name}":
                return child.value
        raise NotStatic(f"'{name}' is computed when it is read")

    def item(self, key: Any) -> Any:
        """``value[key]`` by the library's own code; ``NotStatic`` where that would run the program's."""
        raise NotStatic(f"{self.type_name()} computes its subscripts")

    # Statistics, percentiles and histograms ask.

    def elements(self) -> Any:
        """The plain tensor or array whose elements can be read, or why not (`Unread`); None for what has none."""
        return None

    def reading(self) -> Reading | None:
        """The statistics, or why there are none; None for what has no numbers."""
        return None

    def measured(self) -> Any:
        """The elements that the statistics are of: those that are stored, not masked, not missing."""
        return self.elements()

    def distribution_rows(self, distribution: Distribution) -> list[list[str]] | None:
        """Percentiles and bins as rows of texts, where the elements stand for something else; None for numbers."""
        return None

    # A comparison asks.

    def comparable(self) -> Comparable | None:
        """The elements as a comparison needs them; None where the rows tell all."""
        elements = self.elements()
        return None if elements is None else Comparable.of(elements)

    def rows_without(self, names: Container[str]) -> list[Child] | None:
        """The rows but for those of these names, which are told already, so that what only they need is not worked out;
        None where it is as well to ask for the children."""
        return None

    def scalar(self) -> Any:
        """A number of numpy's as an array without dimensions; None of all else."""
        return None

    def requires_grad(self) -> bool | None:
        """Whether autograd records what is done with it; None of what autograd can't know."""
        return None

    def identity(self) -> tuple[object, Sequence[object]] | None:
        """What tells it from another value of exactly its class: an object of a built-in or of the library itself, and
        parts that are told apart in turn. None where only the program's code could, or what it holds tells it.
        """
        return None

    def settings(self) -> dict[str, str]:
        """What tells it from another besides its elements and rows, by name: a deque's ``maxlen``, an index's name."""
        return {}

    def ordered(self) -> bool | None:
        """Whether the same rows in another order are another value; None where it is, but their order is not known."""
        return False

    # A search for NaN and Inf in what holds others asks.

    def entries(self) -> Iterable[tuple[object, object]] | None:
        """What it holds, and under what, where its row is loud if something of that is; None of all else."""
        return None

    def entry_name(self, under: object) -> str:
        """How a line names what it holds under that."""
        return str(under)


class WithRows(Kind):
    """A kind whose rows are few and known at once."""

    def rows(self) -> list[Child]:
        raise NotImplementedError

    def child_count(self) -> int | None:
        return len(self.rows())

    def children(self, start: int, count: int) -> Iterable[Child]:
        return self.rows()[start : start + count]


class Elements:
    """Some elements of a tensor or array, taken out to be looked at.

    Their values are the program's; what taking them out did to their gradient or layout is not.
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value
