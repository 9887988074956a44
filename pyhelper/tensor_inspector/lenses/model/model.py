"""The lens `model`: the modules of a model as a tree, with what each holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...kinds import Child
from ...measure.torch.modules import is_module
from ...safe.budget import Budget
from ..lens import Lens, Paused, row_limit, wrong_type
from .order import SORTS, ModuleOrder
from .rows import row_of
from .submodule import Submodule
from .table import table
from .tree import ModuleTree

if TYPE_CHECKING:
    from ...protocol import Found, ModelFound


def lens(values: Mapping[str, Child], options: Mapping[str, Any], budget: Budget, paused: Paused | None) -> Lens:
    """About ``values["model"]``, a module, else it raises ``TypeError``. The option ``sort`` is one of `SORTS`,
    ``rows`` bounds the rows of the data."""
    asked, sort, rows = values["model"], options.get("sort", "order"), row_limit(options)
    if type(sort) is not str or sort not in SORTS:
        raise ValueError(f"sort is one of {', '.join(SORTS)}")
    if not is_module(asked.value):
        raise wrong_type(asked, "a torch.nn.Module")
    return ModelLens(asked, ModuleOrder(sort), budget, rows)


class ModelLens(Lens):
    """Walks the modules of a model, and gives them as data, as rows and as a table."""

    def __init__(self, asked: Child, order: ModuleOrder, budget: Budget, rows: int) -> None:
        super().__init__(budget)
        self._asked = asked
        self._order = order
        self._shown = rows
        self._tree = ModuleTree(asked.value, asked.suffix)

    def go_on(self) -> bool:
        return self._tree.go_on(self.budget)

    def stop(self) -> None:
        self._tree.stop()

    def progress(self) -> float:
        return self._tree.progress()

    def found(self) -> Found:
        tree, root = self._tree, self._tree.root
        answer: ModelFound = {
            "lens": "model",
            "modules": len(tree.modules),
            "tensors": root.total.tensors,
            "parameters": root.total.parameters,
            "trainable": root.total.trainable,
            "buffers": root.total.buffers,
            "bytes": root.total.bytes,
            "uninitialized": root.total.lazy,
            "unknown": root.total.unknown,
            "dtypes": list(root.dtypes),
            "devices": list(root.devices),
            "tied": tree.tied,
            "rows": [one.data() for _, one in zip(range(self._shown), self._sorted())],
        }
        return answer

    def row(self) -> Child:
        return row_of(f"layers of {self._asked.name}", self._tree, self._order)

    def text(self) -> str:
        return table(self._tree, self._order)

    def _sorted(self) -> Iterator[Submodule]:
        """The modules, parents first."""
        waiting = [self._tree.root]
        while waiting:
            one = waiting.pop()
            yield one
            waiting.extend(reversed(self._order.of(one.below)))
