"""What the user prefers, as the client says it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from .protocol import Preferences

BUDGET_MS = 120.0  #: unless the user says otherwise


class Preferred(NamedTuple):
    digits: int = 4  #: significant digits of values; means and deviations have one less
    reads: bool = True  #: whether values are read for statistics, or metadata is all that is told
    budget_ms: float = BUDGET_MS  #: for a frame, or for one question of the debugger's own views
    tensors_first: bool = True  #: whether variables that are or hold tensors come before all others
    inline_values: bool = True  #: whether line ends show values
    summaries: Mapping[str, str] = MappingProxyType({})  #: what users declared, by class


def preferred(wanted: Preferences) -> Preferred:
    """What is no such preference is as if it was not said: settings are typed by hand."""
    digits, budget = wanted.get("digits"), wanted.get("budget_ms")
    summaries = wanted.get("summaries")
    return Preferred(
        digits=min(17, max(2, digits)) if type(digits) is int else 4,
        reads=wanted.get("statistics") != "off",
        budget_ms=min(1200.0, max(12.0, budget)) if type(budget) in (int, float) and budget is not None else BUDGET_MS,
        tensors_first=wanted.get("tensors_first") is not False,
        inline_values=wanted.get("inline_values") is not False,
        summaries=_texts(summaries) if type(summaries) is dict else {},
    )


def _texts(found: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in found.items() if type(text) is str}
