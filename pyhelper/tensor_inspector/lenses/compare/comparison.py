"""What a comparison has found, as data and as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from ...safe.record import Record
from ...words.text import count, plural, shorten_middle
from ..answer import plain

KEPT = 10_000  #: differences that are kept; the rest are counted
_LISTED = 100  #: differences in the text
_PATH = 120  #: characters of the path of each

if TYPE_CHECKING:
    from ...measure.stats.block_difference import ValueDifference
    from ...protocol import DifferenceKind, Relation

    class _Located(TypedDict):
        path: str
        what: DifferenceKind
        text: str

    class Difference(_Located, total=False):
        """One difference, or what was not compared: where, in what, and in words.

        Where is the expression below both, empty for the two themselves; where there is none, the way there as the tree
        names it.
        """

        values: ValueDifference
        nan: bool  #: True where something is NaN on one side only
        relation: Relation  #: what makes the two one all the same, where that was found


class Note(Record):
    """One difference, without its place."""

    what: DifferenceKind
    text: str
    values: ValueDifference | None = None
    relation: Relation | None = None
    nan: bool = False  #: something is NaN on one side only


class Comparison:
    """All differences between two values, the worst first (`severity`). Printed, it is a line each.

    True where the two are the `same`, so that a test may ``assert compare(a, b)`` and shows the differences.
    """

    __slots__ = ("by_line", "cached", "compared", "complete", "differences", "more", "not_compared")

    def __init__(self) -> None:
        self.differences: list[Difference] = []
        self.not_compared: list[Difference] = []  #: what could not be compared, and why: the first 10,000
        self.cached: list[Difference] = []  #: what one alone has stored of what both can work out: no difference
        self.more = 0  #: differences beyond the first 10,000, which alone are kept
        self.compared = 0  #: values that were compared, not counting what holds them
        self.by_line = 0  #: those of which only the summary lines could be compared
        self.complete = True  #: False where the time ended it

    @property
    def same(self) -> bool:
        """Whether all was compared to the last digit and nothing differs."""
        return self.complete and not self.differences and not self.not_compared and not self.by_line

    @property
    def close(self) -> bool:
        """Whether something differs, but only floating-point elements, and no more than rounding explains."""
        return bool(self.differences) and not self.more and all(map(_is_rounding, self.differences))

    def __bool__(self) -> bool:
        return self.same

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data, for ``json.dumps``; NaN, infinities, complex numbers and long doubles are texts."""
        return {
            "same": self.same,
            "close": self.close,
            "differences": plain(self.differences),
            "not_compared": plain(self.not_compared),
            "cached": plain(self.cached),
            "more": self.more,
            "compared": self.compared,
            "by_line": self.by_line,
            "complete": self.complete,
        }

    def note(self, path: str, note: Note) -> Difference | None:
        """What is kept of it; None where there are too many."""
        apart = {"not compared": self.not_compared, "cached": self.cached}
        notes = apart.get(note.what, self.differences)
        if len(notes) >= KEPT:
            self.more += notes is self.differences
            return None
        kept: Difference = {"path": path, "what": note.what, "text": note.text}
        if note.values is not None:
            kept["values"] = note.values
        if note.nan:
            kept["nan"] = True
        if note.relation is not None:
            kept["relation"] = note.relation
        notes.append(kept)
        return kept

    def sort(self) -> None:
        """The worst first; of one place all stay together, in the order in which they were found."""
        worst: dict[str, tuple[int, float]] = {}
        for found in self.differences:
            known = worst.get(found["path"])
            own = severity(found)
            worst[found["path"]] = own if known is None else min(known, own)
        self.differences.sort(key=lambda found: worst[found["path"]])

    @property
    def total(self) -> int:
        """How many differences there are, kept or not."""
        return len(self.differences) + self.more

    def how_far(self) -> str:
        """What was compared, and what was not, in words."""
        words = f"{plural(self.compared, 'value')} compared"
        words += f", {count(self.by_line)} by their summary only" if self.by_line else ""
        words += f", {count(len(self.not_compared))} not compared" if self.not_compared else ""
        return words if self.complete else f"{words}, not all"

    def __repr__(self) -> str:
        total = self.total
        nothing = "no difference" if self.same else "no difference found"
        outcome = f"{plural(total, 'difference')}{', close' if self.close else ''}" if total else nothing
        head = f"{outcome} · {self.how_far()}"
        first = (*self.differences[:_LISTED], *self.not_compared[:_LISTED], *self.cached[:_LISTED])
        shown = [(shorten_middle(found["path"], _PATH) or "value", found["text"]) for found in first]
        width = min(40, max((len(path) for path, _ in shown), default=0))
        more = total + len(self.not_compared) + len(self.cached) - len(shown)
        return "\n".join([head, *(f"  {path:{width}}  {text}" for path, text in shown), *[f"  … {more:,} more"][:more]])


_NAN = "NaN"
#: What can't be loaded or added up comes first, then NaN, what two computers may round differently last.
_ORDER: tuple[DifferenceKind | str, ...] = (
    "type", "names", "shape", "only in a", "only in b", "layout", _NAN, "scale", "masked", "value", "values", "dtype",
    "device", "requires_grad",
)  # fmt: skip


def severity(difference: Difference) -> tuple[int, float]:
    """Which of two differences is worse: what comes first when sorted by this.

    Elements come first whose farthest are farther apart as a share of the larger of the two, then those where that is
    no more than rounding.
    """
    values = difference.get("values")
    if difference.get("nan"):
        return _ORDER.index(_NAN), 0.0
    if values is None or difference["what"] != "values":
        return _ORDER.index(difference["what"]), 0.0
    if not values["apart"]:
        return len(_ORDER), -values["relative"]
    return _ORDER.index("values"), -values["relative"]


def _is_rounding(difference: Difference) -> bool:
    return difference["what"] == "values" and "values" in difference and not difference["values"]["apart"]
