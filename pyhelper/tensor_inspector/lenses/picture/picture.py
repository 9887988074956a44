"""Two dimensions of a value as a picture: the raster, a legend, and both as data."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from math import atan2
from typing import TYPE_CHECKING, Any

from ...measure import devices
from ...measure.composed import is_composed
from ...safe.guard import class_name, module
from ...safe.one_thread import OneThread
from ...safe.record import Record
from ..answer import plain
from . import labels, listed, palettes, reduction
from .curve import curve
from .files import write_new
from .legend import Drawn, label_text, legend
from .listed import Listed
from .palettes import Palette
from .plane import plane, where_of
from .png import png
from .raster import GROWN, are_grown, raster
from .reading import TiledPlane, read
from .scale import Scale, clipped, indices, scale_of
from .source import arrays_of, dtype_of, elements_of, is_mapped, is_tensor

if TYPE_CHECKING:
    import os

    from ...safe.budget import Budget
    from .tiles import How


class Picture:
    """A raster without axes or margin, row 0 on top. Notebooks show it; printed, it is its legend."""

    __slots__ = ("_data", "_legend", "_png")

    def __init__(self, png: bytes, legend: str, data: dict[str, Any]) -> None:
        self._png = png
        self._legend = legend
        self._data = data

    @property
    def legend(self) -> str:
        """Of what it is, the scale, how often NaN, Inf and −Inf occur, and what a pixel stands for; some lines."""
        return self._legend

    def to_dict(self) -> dict[str, Any]:
        """The legend and what it is made of, for ``json.dumps``.

        ``dims`` are those of rows and columns (of a line only the latter), ``index`` the integers of the others.
        ``tile`` is (down, across) in elements, ``tiles``, ``pixels`` (of a tile) and ``mark`` (of what is not finite,
        in pixels) likewise. ``scale`` has the values of the first and the last colour; ``min`` and ``max`` are over the
        finite elements. ``read`` is the share of the elements that was read, ``complete`` tells whether that is all.
        Of complex numbers, whose magnitudes are drawn, ``phase`` has the angle of the first element of each tile, in
        radians; of others it is None. ``labels`` are None where numbers are drawn.
        """
        return plain(self._data)  # type: ignore[no-any-return]

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write it as a ``.png``, whole or not at all.

        Raises ``FileExistsError`` where there is something already, unless ``overwrite``; a link is replaced, not
        followed. ``ValueError`` for another suffix, ``TypeError`` for what is no path.
        """
        if type(overwrite) is not bool:
            raise TypeError(f"overwrite is True or False, not {class_name(type(overwrite))}")
        write_new(path, self._png, overwrite=overwrite)

    def _repr_png_(self) -> bytes:
        return self._png

    def __repr__(self) -> str:
        return self._legend


class View(Record):
    """What of a value is drawn, and how: the arguments of `api.picture`."""

    dims: Sequence[int] | None = None
    index: Sequence[int] | None = None
    clip: tuple[float, float] = (0.0, 1.0)
    size: int = 512
    how: How = "mean"


def draw(value: Any, view: View, budget: Budget) -> Picture:
    """The picture of a value. The caller holds the guard. Raises ``TypeError`` and ``ValueError`` with a sentence."""
    elements = elements_of(value, budget, composed=True)
    numpy, of_torch = module("numpy"), is_tensor(arrays_of(elements)[0])
    try:
        # Blocks are too small to be split among threads, which would wait for each other on busy cores.
        with OneThread(of_torch), nullcontext() if numpy is None else numpy.errstate(all="ignore"):
            return _drawn(elements, view, budget)
    except (RuntimeError, MemoryError) as error:
        if type(error) is MemoryError or not of_torch:
            raise
        raise ValueError(f"no picture: {devices.failed(error, arrays_of(elements)[0].device).text}") from None


def _drawn(elements: Any, view: View, budget: Budget) -> Picture:
    shape, size, clip, how = tuple(map(int, elements.shape)), view.size, view.clip, view.how
    where = where_of(shape, view.dims, view.index)
    seen = plane(elements, where)
    in_file = type(seen) is not Listed and is_mapped(elements)
    sort = _sort_of(seen)
    if where.down is None:
        found, known = read(seen, size, "range", budget, in_file), None
    else:
        known = _labels_of(seen, sort, budget, in_file)
        if known and sort == "int" and how == "mean":
            how = "nearest"  # a mean of labels is none
        found = read(seen, size, how, budget, in_file)
    is_line = where.down is None
    drawn = Drawn(
        dtype_of(elements),
        shape,
        where,
        found.layout,
        found.tiles,
        *_colours_of(found, known, sort, clip, is_line=is_line),
        "range" if is_line else how,
        clip,
        found.tiles.read / found.total,
        is_complex=sort == "complex",
        labels=known,
        is_bool=sort == "bool",
    )
    phase = None
    if drawn.is_complex:
        take: Any = listed.first_of_tiles if type(seen) is Listed else reduction.first_of_tiles
        phase = [[atan2(number.imag, number.real) for number in row] for row in take(seen, found.layout)]
    if is_line:
        rows = curve(found.tiles, found.layout, drawn.scale.low, drawn.scale.high, max(1, size // 2))
    else:
        of_tiles = _indices_of(drawn)
        drawn.is_grown = are_grown(of_tiles, found.layout)
        rows = raster(of_tiles, found.layout)
    return Picture(png(rows, drawn.palette.table()), legend(drawn), {**_data_of(drawn), "phase": phase})


def _sort_of(seen: Any) -> str:
    return listed.sort_of(seen) if type(seen) is Listed else labels.sort_of(seen)


def _labels_of(seen: Any, sort: str, budget: Budget, in_file: bool) -> dict[int, int] | None:
    """How often each category occurs, in their order; None where numbers are drawn."""
    if sort not in ("bool", "int") or in_file or is_composed(seen):
        return None
    count: Any = listed.label_counts if type(seen) is Listed else labels.label_counts
    more = () if type(seen) is Listed else (budget.share(),)
    counts = count(seen, palettes.MOST_LABELS, *more)
    if not counts or not (sort == "bool" or labels.are_categories(counts)):
        return None
    return {label: counts.get(label, 0) for label in ((0, 1) if sort == "bool" else sorted(counts))}


def _colours_of(
    found: TiledPlane, known: dict[int, int] | None, sort: str, clip: tuple[float, float], *, is_line: bool
) -> tuple[Scale, Palette]:
    values = found.tiles.finite()
    if is_line:
        low, high = clipped(values, clip) if values else (None, None)
        scale = Scale(low, high, palettes.line())
    elif known and (sort == "int" or not found.layout.is_reduced()) and found.is_exact():
        scale = Scale(float(min(known)), float(max(known)), palettes.labels(len(known)))
    elif sort == "bool":
        scale = Scale(0.0, 1.0, palettes.sequential())
    else:
        scale = scale_of(values, clip)
    return scale, scale.palette


def _indices_of(drawn: Drawn) -> bytes:
    """For each tile an index into the palette."""
    if drawn.palette.name != "labels":
        return indices(drawn.tiles, drawn.scale)
    of_label = {float(label): at for at, label in enumerate(drawn.labels or {})}
    return bytes(map(of_label.__getitem__, drawn.tiles.values))


def _data_of(drawn: Drawn) -> dict[str, Any]:
    where, layout, tiles, scale = drawn.where, drawn.layout, drawn.tiles, drawn.scale
    has_values = tiles.least <= tiles.most
    known = None
    if drawn.labels is not None:
        colours = drawn.palette.colours if drawn.palette.name == "labels" else []
        known = [
            {
                "label": label_text(label, True) if drawn.is_bool else label,
                "count": amount,
                "colour": palettes.hex_of(colours[at]) if at < len(colours) else None,
            }
            for at, (label, amount) in enumerate(drawn.labels.items())
        ]
    return {
        "legend": legend(drawn),
        "dtype": drawn.dtype,
        "shape": list(drawn.shape),
        "dims": [where.across] if where.down is None else [where.down, where.across],
        "index": list(where.index.values()),
        "palette": drawn.palette.name,
        "scale": None if scale.low is None else [scale.low, scale.high],
        "clip": list(drawn.clip),
        "tile": list(layout.tile),
        "tiles": list(layout.tiles),
        "pixels": list(layout.pixels),
        "mark": [GROWN, GROWN] if drawn.is_grown else list(layout.pixels),
        "shown": drawn.how,
        "min": tiles.least if has_values else None,
        "max": tiles.most if has_values else None,
        "nan": tiles.nan,
        "pos_inf": tiles.pos_inf,
        "neg_inf": tiles.neg_inf,
        "masked": tiles.masked,
        "labels": known,
        "read": drawn.read,
        "complete": drawn.read >= 1,
    }
