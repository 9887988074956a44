"""Nodes of the autograd graph: a finite tree from ``grad_fn`` down to the leaves."""

from __future__ import annotations

from types import GetSetDescriptorType
from typing import Any

from ..guard import class_dict, class_name, mro
from ..protocol import Facts
from ..text import joined, plural
from .kind import Child, Kind, WithRows
from .objects import other_attributes
from .torch_tensor import Tensor


class GraphNode(WithRows):
    """A node with its inputs. Saved tensors are not listed: unpacking one runs the program's hooks."""

    kind = "graph"

    def line(self) -> str:
        leaf = self._leaf()
        if leaf is not None:
            return joined([self.type_name(), f"leaf {Tensor(leaf, self.budget).head()}"])
        inputs = [node for node, _ in self._next()]
        wanted = sum(node is not None for node in inputs)
        names = ", ".join(class_name(type(node)) for node in inputs[:3] if node is not None)
        return joined([self.type_name(), f"{plural(wanted, 'input')}: {names}" if wanted else "no inputs"])

    def facts(self) -> Facts:
        facts = super().facts()
        facts["rows"] = [
            [f"input {index}", "needs no gradient" if node is None else class_name(type(node))]
            for index, (node, _) in enumerate(self._next())
        ]
        return facts

    def attribute(self, name: str) -> Any:
        return self._next() if name == "next_functions" else super().attribute(name)

    def rows(self) -> list[Child]:
        rows = [
            Child(f"[{index}]", node, f".next_functions[{index}][0]")
            for index, (node, _) in enumerate(self._next())
            if node is not None
        ]
        leaf = self._leaf()
        if leaf is not None:
            rows.append(Child("variable", leaf, ".variable"))
        return rows + other_attributes(self.value)

    def _next(self) -> tuple[tuple[Any, int], ...]:
        return _descriptor(type(self.value), "next_functions").__get__(self.value)  # type: ignore[no-any-return]

    def _leaf(self) -> Any:
        """The tensor into whose ``.grad`` an AccumulateGrad node adds."""
        variable = _descriptor(type(self.value), "variable")
        return None if variable is None else variable.__get__(self.value)


def _descriptor(cls: type, name: str) -> Any:
    """The C descriptor of that name, nearest class first; None where there is none."""
    found = (class_dict(base).get(name) for base in mro(cls))
    return next((item for item in found if type(item) is GetSetDescriptorType), None)


def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    return GraphNode if _descriptor(cls, "next_functions") is not None else None
