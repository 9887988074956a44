"""What a comparison has found, as data and as text."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypedDict

from ..stats.difference import ValueDifference
from ..text import count, middle, plural

KEPT = 10_000  #: differences that are kept; the rest are counted
_LISTED = 100  #: differences in the text

What = Literal[
    "type", "shape", "dtype", "device", "layout", "requires_grad", "scale", "masked", "values", "value",
    "only in a", "only in b", "not compared",
]  # fmt: skip


class Note(NamedTuple):
    """One difference, without its place."""

    what: What
    text: str
    values: ValueDifference | None = None


class _Difference(TypedDict):
    path: str
    what: What
    text: str


class Difference(_Difference, total=False):
    """One difference: where, in what, and in words.

    Where is the expression below both, empty for the two themselves; where there is none, the way there as the tree
    names it.
    """

    values: ValueDifference


class Comparison:
    """All differences between two values, in the order of their rows. Printed, it is a line each."""

    __slots__ = ("by_line", "compared", "complete", "differences", "more")

    def __init__(self) -> None:
        self.differences: list[Difference] = []
        self.more = 0  #: differences beyond the first 10,000, which alone are kept
        self.compared = 0  #: values that were compared, not counting what holds them
        self.by_line = 0  #: those of which only the summary lines could be compared
        self.complete = True  #: False where the time ended it

    @property
    def same(self) -> bool:
        """Whether all was compared to the last digit and nothing differs."""
        return self.complete and not self.differences and not self.by_line

    def note(self, path: str, what: What, text: str, values: ValueDifference | None = None) -> None:
        if len(self.differences) >= KEPT:
            self.more += 1
            return
        self.differences.append({"path": path, "what": what, "text": text})
        if values is not None:
            self.differences[-1]["values"] = values

    def __repr__(self) -> str:
        total = len(self.differences) + self.more
        head = plural(total, "difference") if total else "no difference"
        head += f" · {plural(self.compared, 'value')} compared"
        head += f", {count(self.by_line)} by their summary only" if self.by_line else ""
        head += "" if self.complete else ", not all"
        shown = [(middle(found["path"], 80) or "value", found["text"]) for found in self.differences[:_LISTED]]
        width = min(40, max((len(path) for path, _ in shown), default=0))
        more = total - len(shown)
        return "\n".join([head, *(f"  {path:{width}}  {text}" for path, text in shown), *[f"  … {more:,} more"][:more]])
