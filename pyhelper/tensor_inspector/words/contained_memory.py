"""Text for the memory and the graphs of the tensors in a container."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .line import Word
from .text import joined, plural, size

if TYPE_CHECKING:
    from ..protocol import HeldFacts

_MATTERS = 10 << 20  #: bytes from which on a line shows them
_SEVERAL = 3  #: graphs from which on a line shows them: the outputs of two models have two


def graph_word(memory: HeldFacts) -> str | None:
    """The number of autograd graphs, where there are several; else None."""
    return Word(_graphs(memory), plural(memory["graphs"], "graph")) if memory["graphs"] >= _SEVERAL else None


def size_word(memory: HeldFacts) -> str | None:
    """The memory of several tensors, where that is much; else None."""
    return _size(memory) if memory["tensors"] > 1 and memory["bytes"] >= _MATTERS else None


def contained_text(memory: HeldFacts) -> str:
    """The memory, the number of tensors, and that of the graphs.

    >>> contained_text({"tensors": 6, "bytes": 24, "complete": True, "graphs": 6, "graphs_of": None})
    '24 B in 6 tensors · holds 6 graphs'
    """
    graphs = _graphs(memory) if memory["graphs"] else None
    return joined([f"{_size(memory)} in {_least(memory)}{plural(memory['tensors'], 'tensor')}", graphs])


def _graphs(memory: HeldFacts) -> str:
    amount, first = plural(memory["graphs"], "graph"), memory["graphs_of"]
    if first is None:
        return f"holds {amount}"
    return f"holds {amount} in its first {'tensor' if first == 1 else plural(first, 'tensor')}"


def _size(memory: HeldFacts) -> str:
    return f"{_least(memory)}{size(memory['bytes'])}"


def _least(memory: HeldFacts) -> str:
    return "" if memory["complete"] else "≥"
