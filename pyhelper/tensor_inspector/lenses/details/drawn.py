"""The part `picture`: planes of tiles, with what a page needs to draw them and to say what they are."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from ...measure.composed import is_composed, read_part
from ...safe.record import Record
from ..picture.labels import LabelCounts, are_categories, sort_of
from ..picture.palettes import MOST_LABELS
from ..picture.reduction import Library, TileGrids
from ..picture.source import arrays_of, is_mapped, is_tensor
from .excerpt import Excerpt
from .floats import Units, floats_in_base64, marks_in_base64, units_of
from .planes import PlanesReading, Tiled

if TYPE_CHECKING:
    from ...protocol import DetailsPicture, DetailsPlane
    from ...safe.budget import Budget
    from ..picture.tiles import How
    from .wishes import Wishes

_LOOKED_AT = 64  #: rows, and columns
_EXACT = 1 << 53  #: below which float64 has all whole numbers


class Drawing(Record):
    """What is known of a picture before its tiles are: how it is drawn, and what is subtracted from its numbers."""

    excerpt: Excerpt
    sort: str
    how: How
    base: int
    names: list[str | None] | None


def picture_steps(
    elements: Any, names: list[str | None] | None, excerpt: Excerpt, wishes: Wishes, budget: Budget
) -> Generator[float, None, DetailsPicture]:
    """The picture, in steps that say which share is done: many where it is to be exact, else one, within the budget."""
    planes = [excerpt.plane(elements, at) for at in excerpt.at()]
    is_line, sort = len(excerpt.dims) == 1, sort_of(planes[0])
    counts = None
    in_file = is_mapped(elements)
    if not is_line and sort in ("bool", "int") and (wishes.exact or not in_file) and not is_composed(elements):
        counts = yield from _counts(planes, sort, None if wishes.exact else budget.share())
    how: How = (
        "range" if is_line else "nearest" if counts and sort == "int" and wishes.shown == "mean" else wishes.shown
    )
    base = _base_of(arrays_of(planes[0])[0]) if sort == "int" else 0
    reading, done = PlanesReading(planes, wishes.tiles, how, base), 0
    if wishes.exact:
        for amount in reading.steps():
            done += amount
            yield done / reading.total
    else:
        reading.at_once(budget, in_file)
    assert reading.tiled is not None
    drawing = Drawing(excerpt, sort, how, base, names)
    return drawn(drawing, planes, reading.tiled, counts)


def _counts(planes: list[Any], sort: str, budget: Budget | None) -> Generator[float, None, dict[int, int] | None]:
    """How often each category occurs, in their order; None where numbers are shown, or there was no time."""
    labels = LabelCounts(MOST_LABELS)
    for plane in planes:
        for _ in labels.steps(plane):
            if budget is None:
                yield 0.0
            elif budget.spent():
                return None
        if labels.counts is None:
            return None
    counts = labels.counts
    if not counts or not (sort == "bool" or are_categories(counts)):
        return None
    return {label: counts.get(label, 0) for label in ((0, 1) if sort == "bool" else sorted(counts))}


def _base_of(plane: Any) -> int:
    """What is subtracted from whole numbers that are all beyond 2 to the 53rd, as far as some of them tell, so that
    they keep their last digits. Where others are among them, those would lose theirs."""
    size = plane.element_size() if is_tensor(plane) else plane.dtype.itemsize
    if size < 8:
        return 0
    down, across = (-(-int(length) // _LOOKED_AT) for length in plane.shape)
    some = [number for row in plane[::down, ::across].tolist() for number in row]
    low, high = min(some), max(some)
    return low if low >= _EXACT or high <= -_EXACT else 0


def drawn(drawing: Drawing, planes: list[Any], tiled: Tiled, counts: dict[int, int] | None) -> DetailsPicture:
    """The picture of planes whose tiles are read."""
    excerpt, grids, read = drawing.excerpt, tiled.grids, tiled.read()
    units = units_of(grids, drawing.base, drawing.sort == "int")
    shown = zip(excerpt.at(), planes, grids)
    found: DetailsPicture = {
        "shape": list(excerpt.shape),
        "dims": excerpt.dims,
        "facets": excerpt.facets,
        "index": excerpt.index,
        "window": excerpt.window,
        "tile": list(tiled.layout.tile),
        "tiles": list(tiled.layout.tiles),
        "shown": drawing.how,
        "sort": drawing.sort,  # type: ignore[typeddict-item]
        "offset": units.offset,
        "factor": units.factor,
        "planes": [_plane(drawing, at, plane, grid, tiled, units) for at, plane, grid in shown],
        "left_out": excerpt.amount() - len(planes),
        "read": read,
        "complete": read >= 1,
    }
    if units.wide:
        found["wide"] = True
    if drawing.names is not None:
        found["names"] = drawing.names
    if counts is not None:
        found["labels"] = [[label, amount] for label, amount in counts.items()]
    return found


def _plane(drawing: Drawing, at: list[int], plane: Any, grid: TileGrids, tiled: Tiled, units: Units) -> DetailsPlane:
    shape, has_values = tiled.layout.tiles, grid.least <= grid.most
    found: DetailsPlane = {
        "index": at,
        "values": floats_in_base64(grid.shown, shape, units),
        "marks": marks_in_base64(grid.marks, shape),
        "nan": grid.nan * tiled.times,
        "pos_inf": grid.pos_inf * tiled.times,
        "neg_inf": grid.neg_inf * tiled.times,
        "min": _number(grid.least, drawing) if has_values else None,
        "max": _number(grid.most, drawing) if has_values else None,
    }
    if is_composed(plane) and plane.can_be_masked:
        found["masked"] = grid.masked * tiled.times
    if grid.highs is not None:
        found["highs"] = floats_in_base64(grid.highs, shape, units)
    if drawing.sort == "complex":
        found["phase"] = floats_in_base64(_phase(plane, tiled.layout.tile), shape)
    grid.shown = grid.highs = grid.marks = None
    return found


def _number(found: float, drawing: Drawing) -> int | float:
    if drawing.sort in ("int", "bool") and abs(found) < _EXACT:
        return drawing.base + int(found)
    return found + drawing.base


def _phase(plane: Any, tile: tuple[int, int]) -> Any:
    """The angles of the first element of each tile."""
    library = Library(plane)
    first = library.complexes(read_part(plane[:: tile[0], :: tile[1]])[0])
    return library.names.arctan2(first.imag, first.real)
