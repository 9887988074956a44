"""The tensors that autograd graphs keep for their backward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..torch.node import NodeClass
from .graphs import Graphs


class Retained(Graphs):
    """Graphs, and what their nodes keep: ``kept`` are the tensors, ``roots`` the numbers of the roots that reached them
    and ``ops`` the operations that keep them; ``unknown`` counts those that only hooks could tell.
    """

    def __init__(self, roots: Sequence[Any]) -> None:
        super().__init__(roots)
        self.kept: list[Any] = []
        self.roots: list[int] = []
        self.ops: list[str] = []
        self.unknown = 0

    def _visit(self, function: Any, root: int, known: NodeClass) -> None:
        found, unknown = known.saved_tensors(function)
        self.kept += found
        self.roots += [root] * len(found)
        self.ops += [known.op] * len(found)
        self.unknown += unknown
