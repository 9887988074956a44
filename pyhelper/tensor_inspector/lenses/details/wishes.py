"""What is asked for of a value: the options of the lens, checked for their types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...safe.record import Record
from ..compare.atoms import amount

if TYPE_CHECKING:
    from ...protocol import DetailsPart
    from ..picture.tiles import How

OF_TWO: tuple[DetailsPart, ...] = ("comparison", "error_map")  #: about another value too
PARTS: tuple[DetailsPart, ...] = ("facts", "distribution", "picture", "values", "extremes", "table", *OF_TWO)
_USUAL = PARTS[:3]
MOST_TILES = 1024  #: along a side
_SHOWN: tuple[How, ...] = ("mean", "min", "max", "nearest")
_MOST_BINS = 256
_RTOL, _ATOL = 1e-5, 1e-8  #: of `torch.allclose`, and of numpy's


class Wishes(Record):
    """The options; None where nothing was said of one. Whether they fit the value is not known here."""

    wanted: tuple[DetailsPart, ...]
    exact: bool
    dims: Sequence[int] | None
    facets: Sequence[int]
    index: Sequence[int] | None
    window: Sequence[int] | None
    tiles: int
    shown: How
    bins: int
    robust: bool
    rtol: float
    atol: float
    equal_nan: bool


def wishes_of(options: Mapping[str, Any]) -> Wishes:
    """Raises ``TypeError`` and ``ValueError``."""
    return Wishes(
        _parts(options.get("parts")),
        _flag(options, "exact"),
        _whole(options, "dims"),
        _whole(options, "facets") or (),
        _whole(options, "index"),
        _whole(options, "window"),
        _amount(options, "tiles", 512, MOST_TILES),
        _shown(options.get("shown", "mean")),
        _amount(options, "bins", 64, _MOST_BINS),
        _flag(options, "robust"),
        amount("rtol", options.get("rtol", _RTOL)),
        amount("atol", options.get("atol", _ATOL)),
        _flag(options, "equal_nan"),
    )


def _parts(text: Any) -> tuple[DetailsPart, ...]:
    if text is None:
        return _USUAL
    if type(text) is not str or not text.split() or not set(text.split()) <= {*PARTS}:
        raise ValueError(f"parts are some of {' '.join(PARTS)}, with blanks between them")
    return tuple(part for part in PARTS if part in text.split())


def _shown(text: Any) -> How:
    found = next((how for how in _SHOWN if how == text), None)
    if found is None:
        raise ValueError(f"shown is one of {', '.join(_SHOWN)}")
    return found


def _flag(options: Mapping[str, Any], name: str) -> bool:
    found = options.get(name, False)
    if type(found) is not bool:
        raise TypeError(f"{name} is true or false")
    return found


def _amount(options: Mapping[str, Any], name: str, usual: int, most: int) -> int:
    found = options.get(name, usual)
    if type(found) is not int or not 1 <= found <= most:
        raise ValueError(f"{name} is a whole number from 1 to {most}")
    return found


def _whole(options: Mapping[str, Any], name: str) -> Sequence[int] | None:
    found = options.get(name)
    if found is not None and (type(found) is not list or not all(type(item) is int for item in found)):
        raise TypeError(f"{name} is a list of whole numbers")
    return found
