"""One item of a dataset as a row of a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...kinds import Child, Rows, TextRow, as_kind
from ...safe.budget import Budget
from ...words.line import Word, line_of
from ...words.text import duration
from .part import DataPart
from .words import part_row

if TYPE_CHECKING:
    from ...protocol import Badge, ItemFailure

_LEFT = 10  #: of what was not copied


def row_of(
    name: str,
    item: Any,
    ms: float,
    failure: ItemFailure | None,
    parts: list[DataPart],
    not_copied: list[str],
    budget: Budget,
) -> Child:
    """What came, or why nothing came, with the time that it took; below it its parts, itself, and what of the dataset
    was no copy."""
    left = [Child("not copied", TextRow(one), "") for one in not_copied[:_LEFT]]
    if failure is not None:
        text = f"{failure['type']}: {failure['message']}" if failure["message"] else failure["type"]
        source = failure["source"]
        where = [] if source is None else [Child("raised in", TextRow(f"{source['file']}:{source['line']}"), "")]
        where += left
        badges: list[Badge] = ["error"]
        line = line_of([Word(f"raised {text}", loud=True), f"after {duration(ms)}"])
        return Child(name, Rows.of(line, where, "group", badges), "")
    rows = [part_row(part) for part in parts if part.path]
    loud = sorted({badge for row in rows for badge in row.value.badges})  # type: ignore[attr-defined]
    rows += [Child("item", item, None), *left]
    line = line_of([duration(ms), as_kind(item, budget).line()])
    return Child(name, Rows.of(line, rows, "group", loud), "")
