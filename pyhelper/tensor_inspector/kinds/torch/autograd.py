"""Nodes of the autograd graph: a tree from ``grad_fn`` down to the leaves."""

from __future__ import annotations

from collections.abc import Iterable
from types import GetSetDescriptorType
from typing import Any

from ...safe.guard import c_attribute, class_dict, class_name, mro
from ...words.text import plural
from ..kind import Child, Kind, WithRows
from ..python.objects import other_attributes
from .forms import form_of


class GraphNode(WithRows):
    """A node with its inputs. Saved tensors are not listed: unpacking one runs the program's hooks."""

    kind = "graph"

    def parts(self) -> Iterable[str | None]:
        leaf = c_attribute(self.value, "variable")
        if leaf is not None:
            return [self.type_name(), f"leaf {form_of(leaf, self.budget).head()}"]
        inputs = [node for node, _ in self._next()]
        wanted = sum(node is not None for node in inputs)
        names = ", ".join(class_name(type(node)) for node in inputs[:3] if node is not None)
        return [self.type_name(), f"{plural(wanted, 'input')}: {names}" if wanted else "no inputs", self._saved_words()]

    def fact_rows(self) -> list[list[str]]:
        return [
            [f"input {index}", "needs no gradient" if node is None else class_name(type(node))]
            for index, (node, _) in enumerate(self._next())
        ]

    def attribute(self, name: str) -> Any:
        return self._next() if name == "next_functions" else super().attribute(name)

    def rows(self) -> list[Child]:
        rows = [
            Child(f"[{index}]", node, f".next_functions[{index}][0]")
            for index, (node, _) in enumerate(self._next())
            if node is not None
        ]
        leaf = c_attribute(self.value, "variable")  # the tensor into whose ``.grad`` an AccumulateGrad node adds
        if leaf is not None:
            rows.append(Child("variable", leaf, ".variable"))
        return rows + other_attributes(self.value)

    def _next(self) -> tuple[tuple[Any, int], ...]:
        return c_attribute(self.value, "next_functions") or ()

    def _saved_words(self) -> str | None:
        """The tensors that a custom `autograd.Function` has saved, in words; None for built-in nodes."""
        saved = _descriptor(type(self.value), "_raw_saved_tensors")
        if saved is None:
            return None
        try:
            tensors = saved.__get__(self.value)
        except RuntimeError:
            return "saved tensors freed"
        return f"saves {plural(len(tensors), 'tensor')}" if tensors else None


def _descriptor(cls: type, name: str) -> Any:
    """The C descriptor of that name, nearest class first; None where there is none."""
    found = (class_dict(base).get(name) for base in mro(cls))
    return next((item for item in found if type(item) is GetSetDescriptorType), None)


def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    return GraphNode if _descriptor(cls, "next_functions") is not None else None
