"""Text for the memory and the graphs of the tensors in a container."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .line import Word
from .text import joined, plural, size

if TYPE_CHECKING:
    from ..protocol import HeldFacts

_MATTERS = 10 << 20  #: bytes from which on a line tells them
_SEVERAL = 3  #: graphs from which on a line tells them: what two models give has two


def graph_word(held: HeldFacts) -> str | None:
    """That it holds the graphs of several steps, where it does."""
    return Word(_graphs(held), plural(held["graphs"], "graph")) if held["graphs"] >= _SEVERAL else None


def size_word(held: HeldFacts) -> str | None:
    """What several tensors take together, where that is much."""
    return _size(held) if held["tensors"] > 1 and held["bytes"] >= _MATTERS else None


def held_text(held: HeldFacts) -> str:
    """All of it.

    >>> held_text({"tensors": 6, "bytes": 24, "complete": True, "graphs": 6, "graphs_of": None})
    '24 B in 6 tensors · holds 6 graphs'
    """
    graphs = _graphs(held) if held["graphs"] else None
    return joined([f"{_size(held)} in {_least(held)}{plural(held['tensors'], 'tensor')}", graphs])


def _graphs(held: HeldFacts) -> str:
    amount, first = plural(held["graphs"], "graph"), held["graphs_of"]
    if first is None:
        return f"holds {amount}"
    return f"holds {amount} in its first {'tensor' if first == 1 else plural(first, 'tensor')}"


def _size(held: HeldFacts) -> str:
    return f"{_least(held)}{size(held['bytes'])}"


def _least(held: HeldFacts) -> str:
    return "" if held["complete"] else "≥"
