"""The format ``.csv``: numbers as Python writes them, in the fewest digits that give them back."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from ..details.texts import texts_of
from .plan import Plan, notes_with

if TYPE_CHECKING:
    from typing import Any

    from ...safe.untouched import Untouched
    from .exported import Exported
    from .plan import Steps

_AT_ONCE = 2048  #: elements
_MOST_COLUMNS = 1 << 20


def plan(elements: Exported) -> Plan:
    """A row for each of the first dimension; of more than two dimensions a row for each of the last but one, led by its
    indices, below a header. Raises ``ValueError`` for rows that no program reads."""
    shape = elements.shape
    columns = shape[-1] if len(shape) > 1 else 1
    if columns > _MOST_COLUMNS:
        raise ValueError(f"a .csv is of rows of up to {_MOST_COLUMNS:,} numbers, not of {columns:,}")
    notes = ["text: the dtype is not in it, nor the bits of a NaN"]
    if len(shape) > 2:
        notes.append("each row is led by its indices, below a header")

    def steps(guard: Untouched | None) -> Steps:
        elements.check()
        for step in _steps(elements.values, shape):
            yield step
            elements.check()  # a slice may have ended there

    return Plan(steps, elements.count(), None, notes_with(notes, [elements]))


def _steps(values: Any, shape: tuple[int, ...]) -> Steps:
    if len(shape) < 2:
        flat = values.reshape(-1)
        yield from _plane(flat[:, None], flat.shape[0], 1, "")
        return
    outer = shape[:-2]
    if outer:
        yield _line([*(f"dim {at}" for at in range(len(shape) - 1)), *map(str, range(shape[-1]))]), 0
    for number in range(prod(outer) if shape[-2] else 0):
        index = _unraveled(number, outer)
        led = "".join(f"{at}," for at in index)
        yield from _plane(values[tuple(index)], shape[-2], shape[-1], led, numbered=bool(outer))


def _plane(plane: Any, rows: int, columns: int, led: str, *, numbered: bool = False) -> Steps:
    """Rows of a plane, some at once; of a long row, some columns at once."""
    if columns > _AT_ONCE:
        for row in range(rows):
            yield f"{led}{row},".encode() if numbered else b"", 0
            for start in range(0, columns, _AT_ONCE):
                texts = list(texts_of(plane[row : row + 1, start : start + _AT_ONCE]))
                end = "\n" if start + len(texts) == columns else ","
                yield f"{','.join(texts)}{end}".encode(), len(texts)
        return
    most = max(1, _AT_ONCE // max(1, columns))
    for top in range(0, rows, most):
        amount = min(most, rows - top)
        texts = list(texts_of(plane[top : top + amount])) if columns else []
        lines = (texts[row * columns : (row + 1) * columns] for row in range(amount))
        yield (
            b"".join(_line([*([f"{led}{top + at}"] if numbered else []), *line]) for at, line in enumerate(lines)),
            len(texts),
        )


def _unraveled(number: int, shape: tuple[int, ...]) -> list[int]:
    places: list[int] = []
    for size in reversed(shape):
        number, place = divmod(number, size)
        places.insert(0, place)
    return places


def _line(cells: list[str]) -> bytes:
    return f"{','.join(cells)}\n".encode()
