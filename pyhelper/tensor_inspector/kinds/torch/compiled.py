"""TorchScript modules and functions, which live in C++, and graphs of ``torch.fx``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any

from ...measure.torch.visits import in_cpp, parts_of
from ...safe.budget import Budget
from ...safe.guard import (
    c_attribute,
    class_dict,
    dict_get,
    instance_dict,
    module,
    mro,
    plain_str,
)
from ...words.text import listed, plural, shorten
from ..families import by_base, by_home, either
from ..kind import Child
from ..python.callables import name_of
from ..python.objects import CppObject, WordedObject, brief, is_listed_first
from .module import Module

torch: Any = module("torch")
_SHOWN = 12  #: nodes listed in a graph's line


class Scripted(Module):
    """A module that TorchScript has compiled or traced. What it holds is read in C++, where it is; it does not run."""

    @cached_property
    def head(self) -> str:
        compiled = in_cpp(self.value)
        return self.type_name() if compiled is None else f"{self.type_name()} of {compiled._type().name()}"

    def child_count(self) -> int | None:
        return sum(1 for _ in self._rows())

    def children(self, start: int, count: int) -> Iterable[Child]:
        return islice(self._rows(), start, start + count)

    def _rows(self) -> Iterator[Child]:
        parts, attrs = parts_of(self.value), instance_dict(self.value)
        scripted = attrs.get("_actual_script_module", self.value)  # what a traced module stands for
        wrappers = instance_dict(instance_dict(scripted).get("_modules")).get("_python_modules") or {}
        for name, item in {**parts["_parameters"], **parts["_buffers"], **wrappers}.items():
            yield Child(name, item, f".{name}" if name.isidentifier() and not self._is_taken(name) else None)

    def _is_taken(self, name: str) -> bool:
        return name in instance_dict(self.value) or any(name in class_dict(base) for base in mro(type(self.value)))


def module_words(value: Any, budget: Budget) -> str:
    """What a module is, one in C++ too: its class, with the sizes that make it."""
    return (Module if in_cpp(value) is None else Scripted)(value, budget).head


class ScriptFunction(CppObject):
    """A function that TorchScript has compiled, by its schema."""

    kind = "callable"

    def type_name(self) -> str:
        return "ScriptFunction"

    def words(self) -> Iterable[str | None]:
        return [shorten(str(_ScriptFunction.schema.__get__(self.value)), 90)]


class ScriptObject(CppObject):
    """An object of a class that TorchScript knows, such as packed weights."""

    def words(self) -> Iterable[str | None]:
        try:
            return [torch._C.ScriptObject._type(self.value).name()]
        except TypeError:  # torch 2.0 has it for modules only
            return []


class FxGraph(WordedObject):
    """A graph of ``torch.fx``, node by node."""

    kind = "graph"

    def words(self) -> Iterable[str | None]:
        names = [plain_str(_of(node, "name")) for node in islice(self._nodes(), _SHOWN)]
        total = self._total()
        return [f"{plural(total, 'node')}: {listed(names, total > len(names), 80)}" if total else "empty"]

    def child_count(self) -> int | None:
        return self._total() + (super().child_count() or 0)

    def children(self, start: int, count: int) -> Iterable[Child]:
        total = self._total()
        for index, node in islice(enumerate(self._nodes()), start, start + count):
            yield Child(f"[{index}] {plain_str(_of(node, 'name'))}", node)
        if start + count > total:
            yield from super().children(max(0, start - total), start + count - max(start, total))

    def _total(self) -> int:
        total = self.attr("_len")
        return total if type(total) is int else 0

    def _nodes(self) -> Iterator[Any]:
        root = self.attr("_root")
        node = _of(root, "_next")
        for _ in range(self._total()):
            if node is None or node is root:
                return
            yield node
            node = _of(node, "_next")


class FxNode(WordedObject):
    """A node of such a graph: what it computes, from which others."""

    kind = "graph"

    def words(self) -> Iterable[str | None]:
        target, inputs, meta = (_of(self.value, name) for name in ("target", "_input_nodes", "meta"))
        names = [plain_str(_of(node, "name")) for node in islice(inputs, _SHOWN)] if type(inputs) is dict else []
        value = dict_get(meta, "val") if type(meta) is dict else None
        return [
            plain_str(_of(self.value, "name")),
            f"{plain_str(_of(self.value, 'op'))} {target if type(target) is str else name_of(target)}".rstrip(),
            f"of {listed(names, False, 40)}" if names else None,
            brief(value, self) if is_listed_first(value) else None,
        ]

    def hidden(self) -> str | None:
        return None  # its attributes, which newer versions of torch keep in C, are rows


def _of(node: Any, name: str) -> Any:
    """An attribute of a node, which older versions of torch keep in its dict, newer ones in C."""
    attrs = instance_dict(node)
    return attrs[name] if name in attrs else c_attribute(node, name)


_ScriptFunction: Any = vars(torch._C).get("ScriptFunction")


kind_for = either(
    by_home({Scripted: ("ScriptModule",)}, "torch.jit"),
    by_base({ScriptFunction: (_ScriptFunction,), ScriptObject: (torch._C.ScriptObject,)}),
    by_home({FxGraph: ("Graph",), FxNode: ("Node",)}, "torch.fx"),
)
