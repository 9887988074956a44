"""The part `table`: rows and columns of a table of any library, as far as they fit into an answer."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from ...kinds.tables.tables import Table
from .excerpt import window_of

if TYPE_CHECKING:
    from ...protocol import DetailsTable
    from .wishes import Wishes

_MOST = 5000  #: cells
_ROWS, _COLUMNS = 500, 50  #: where no window is asked for


def table_steps(table: Table, wishes: Wishes) -> Generator[float, None, DetailsTable]:
    """The cells of the window, column by column, in steps that say which share is done.

    Of a window with too many, its first rows. Raises ``ValueError`` where the window is nowhere in the table.
    """
    total = table.size()
    if 0 in total:
        raise ValueError(f"a table is of cells: this one has {total[0]:,} rows and {total[1]:,} columns")
    top, bottom, left, right = window_of(wishes.window, *total)
    if wishes.window is None:
        bottom, right = min(bottom, _ROWS), min(right, _COLUMNS)
    right = min(right, left + _MOST)
    bottom = min(bottom, top + max(1, _MOST // (right - left)))
    columns: list[list[tuple[str, float | None]]] = []
    heads: list[tuple[str, str]] = []
    for at in range(left, right):
        heads += table.head(at, 1)
        columns.append(table.cells(at, top, bottom - top))
        yield len(columns) / (right - left)
    return {
        "shape": list(total),
        "window": [top, bottom, left, right],
        "labels": list(table.row_labels(top, bottom - top)),
        "names": [name for name, _ in heads],
        "dtypes": [dtype for _, dtype in heads],
        "columns": [_column(cells) for cells in columns],
    }


def _column(cells: list[tuple[str, float | None]]) -> Any:
    numbers = [number for _, number in cells]
    found: dict[str, Any] = {"texts": [text for text, _ in cells]}
    if any(number is not None for number in numbers):
        found["numbers"] = numbers
    return found
