"""What a comparison has found, as data and as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

from ..safe.record import Record
from ..words.text import count, middle, plural

KEPT = 10_000  #: differences that are kept; the rest are counted
_LISTED = 100  #: differences in the text
_PATH = 120  #: characters of the path of each

if TYPE_CHECKING:
    from ..measure.stats.difference import ValueDifference

    What = Literal[
        "type",
        "shape",
        "dtype",
        "device",
        "layout",
        "requires_grad",
        "scale",
        "masked",
        "values",
        "value",
        "only in a",
        "only in b",
        "not compared",
    ]

    class _Located(TypedDict):
        path: str
        what: What
        text: str

    class Difference(_Located, total=False):
        """One difference, or what was not compared: where, in what, and in words.

        Where is the expression below both, empty for the two themselves; where there is none, the way there as the tree
        names it.
        """

        values: ValueDifference


class Note(Record):
    """One difference, without its place."""

    what: What
    text: str
    values: ValueDifference | None = None


class Comparison:
    """All differences between two values, in the order of their rows. Printed, it is a line each.

    True where the two are the `same`, so that a test may ``assert compare(a, b)`` and shows the differences.
    """

    __slots__ = ("by_line", "compared", "complete", "differences", "more", "not_compared")

    def __init__(self) -> None:
        self.differences: list[Difference] = []
        self.not_compared: list[Difference] = []  #: what could not be compared, and why: the first 10,000
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

    def note(self, path: str, what: What, text: str, values: ValueDifference | None = None) -> bool:
        """Whether it is kept."""
        notes = self.not_compared if what == "not compared" else self.differences
        if len(notes) >= KEPT:
            self.more += notes is self.differences
            return False
        notes.append({"path": path, "what": what, "text": text})
        if values is not None:
            notes[-1]["values"] = values
        return True

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
        outcome = f"{plural(total, 'difference')}{', close' if self.close else ''}" if total else "no difference"
        head = f"{outcome} · {self.how_far()}"
        first = (*self.differences[:_LISTED], *self.not_compared[:_LISTED])
        shown = [(middle(found["path"], _PATH) or "value", found["text"]) for found in first]
        width = min(40, max((len(path) for path, _ in shown), default=0))
        more = total + len(self.not_compared) - len(shown)
        return "\n".join([head, *(f"  {path:{width}}  {text}" for path, text in shown), *[f"  … {more:,} more"][:more]])


def _is_rounding(difference: Difference) -> bool:
    return difference["what"] == "values" and "values" in difference and not difference["values"]["apart"]
