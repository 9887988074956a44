"""The user's settings, as the client sends them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .protocol import Preferences

BUDGET_MS = 120.0  #: unless the user says otherwise
_EXACT_MS = 960.0  #: at least, where statistics are to be exact
_LEAST_MS, _MOST_MS = 12.0, 1200.0  #: the client gives up a reply that takes 2 s


class Preferred(NamedTuple):
    digits: int = 4  #: significant digits of values; means and deviations have one less
    reads: bool = True  #: whether values are read for statistics, or only metadata is shown
    budget_ms: float = BUDGET_MS  #: for a frame, or for one question of the debugger's own views
    tensors_first: bool = True  #: whether variables that are or hold tensors come before all others
    inline_values: bool = True  #: whether line ends show values
    summaries: Mapping[str, str] = MappingProxyType({})  #: what users declared, by class


def preferred(wanted: Preferences) -> Preferred:
    """The preferences with defaults for what is missing or invalid: settings are typed by hand."""
    summaries, statistics = wanted.get("summaries"), wanted.get("statistics")
    least = _EXACT_MS if statistics == "exact" else _LEAST_MS
    return Preferred(
        digits=round(_between(2, 17, wanted.get("digits"), 4)),
        reads=statistics != "off",
        budget_ms=_between(least, _MOST_MS, wanted.get("budget_ms"), BUDGET_MS),
        tensors_first=wanted.get("tensors_first") is not False,
        inline_values=wanted.get("inline_values") is not False,
        summaries=_texts(summaries) if type(summaries) is dict else {},
    )


def _between(least: float, most: float, wanted: object, usual: float) -> float:
    number = wanted if type(wanted) is int or type(wanted) is float else usual
    return min(most, max(least, number))


def _texts(found: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in found.items() if type(text) is str}
