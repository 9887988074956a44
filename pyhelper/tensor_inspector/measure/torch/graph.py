"""The live autograd graph as data: nodes, edges, what each has saved, the leaves. Walked without running any backward.

Saved tensors are read with care: unpacking one that has a hook runs the program's code, as a checkpoint's does.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from types import GetSetDescriptorType
from typing import Any

from ...safe.budget import Budget, Steps
from ...safe.guard import ByClass, c_attribute, class_dict, class_name, dict_get, instance_dict, module, mro
from .metadata import PLAIN

torch: Any = module("torch")

#: Nodes of one graph. A node that Python has seen is freed by a call inside that of the node above it: where a program
#: lets go of a chain of 45,000 such nodes, torch runs out of 8 MB of stack. A main thread on Windows has 2 MB.
_MOST = 8_000 if sys.platform == "win32" else 20_000
_Method: Any = type(str.join)


class Saved:
    """What a node has saved under a name.

    ``state``: tensor (``value`` is it), none, freed (by an earlier backward), modified (since it was saved; ``found``
    and ``expected`` are its versions where torch tells them), hooked (only the program's code could unpack it), unread.
    """

    __slots__ = ("expected", "found", "state", "value")

    def __init__(self, state: str, value: Any = None, found: int = -1, expected: int = -1) -> None:
        self.state = state
        self.value = value
        self.found = found
        self.expected = expected


_HOOKED, _FREED, _NONE, _UNREAD = Saved("hooked"), Saved("freed"), Saved("none"), Saved("unread")


class Node:
    """A node. ``op`` is its name without ``Backward0``; ``inputs`` are numbers of nodes (None: no gradient)."""

    __slots__ = ("_class", "_known", "function", "index", "inputs", "leaf", "op")

    def __init__(self, function: Any, index: int) -> None:
        found = _class_of(type(function))
        self.function = function  #: held, since its id is its identity only as long as it lives
        self.index = index
        self.op = found.op
        self.leaf = c_attribute(function, "variable") if found.op == LEAF else None
        self.inputs: list[int | None] = []
        self._class = found
        self._known: dict[str, Saved] | None = None

    @property
    def is_custom(self) -> bool:
        """Whether it is of a function that is written in Python."""
        return self._class.is_custom

    def order(self) -> int:
        """A number that is larger the later the node was made; −1 where torch does not tell."""
        number = self._class.order
        return -1 if number is None else int(number(self.function))

    def trace(self) -> list[str]:
        """Where the program made the node, as formatted lines, while torch's anomaly mode records that."""
        if not torch.is_anomaly_enabled():  # else asking would make what it is kept in
            return []
        kept = c_attribute(self.function, "metadata")
        lines = dict_get(kept, "traceback_") if type(kept) is dict else None
        return [line for line in lines if type(line) is str] if type(lines) is list else []

    def saves(self) -> list[str]:
        """Names of the tensors that it may have saved."""
        return self._class.saves

    def saved(self, name: str) -> Saved:
        if self._known is None:
            self._known = {}
        if name not in self._known:
            self._known[name] = self._read(name)
        return self._known[name]

    def tensor(self, name: str) -> Any:
        """A saved tensor; None where there is none that can be read."""
        return self.saved(name).value

    def setting(self, name: str) -> Any:
        """A saved number, flag or tuple of numbers; None where there is none."""
        getsets = self._class.getsets
        descriptor = getsets.get(f"_saved_{name}")
        if descriptor is None or f"_raw_saved_{name}" in getsets:
            return None
        try:
            return descriptor.__get__(self.function)
        except Exception:  # freed
            return None

    def dim(self) -> int | None:
        """The dimension that it works along, counted from the end where it is negative; torch keeps it unsigned."""
        dim = self.setting("dim")
        if type(dim) is not int:
            return None
        return dim - 2**64 if dim >= 2**63 else dim

    def sizes(self, output: int = 0) -> tuple[int, ...] | None:
        """The shape of an output; it is known also after the backward. None where torch does not tell."""
        found = _metadata(self.function, output)
        if found is None:
            return None
        try:
            sizes = tuple(found.shape)
        except Exception:
            return None
        return sizes if all(type(size) is int for size in sizes) else None

    def dtype(self, output: int = 0) -> Any:
        found = _metadata(self.function, output)
        return None if found is None else getattr(found, "dtype", None)

    def dtype_name(self) -> str:
        """``float32``; empty where torch does not tell."""
        dtype = self.dtype()
        return "" if dtype is None else str(dtype).replace("torch.", "")

    def state(self) -> str:
        """What has become of what it saved: freed, modified, hooked; tensor or kept: it is there; none: not known."""
        states = {self.saved(name).state for name in self.saves()}
        if self.is_custom:
            states.add(self._custom_state())
        return next((state for state in ("freed", "modified", "hooked", "tensor", "kept") if state in states), "none")

    def kept(self) -> list[Any]:
        """What a function written in Python keeps for its backward: saved tensors, and attributes of its ``ctx``.

        Saved tensors are unpacked only where none of them has a hook: a hook is code of the program.
        """
        getsets = self._class.getsets
        raw, unpacked = getsets.get("_raw_saved_tensors"), getsets.get("saved_tensors")
        found = [value for value in list(instance_dict(self.function).values()) if type(value) in PLAIN]
        if not self.is_custom or raw is None or unpacked is None:
            return found
        try:
            saved = raw.__get__(self.function) or ()
            if all(hasattr(type(one), "unpack_hook") and one.unpack_hook is None for one in saved):
                found += [value for value in unpacked.__get__(self.function) if type(value) in PLAIN]
        except RuntimeError:  # freed, or modified since
            pass
        return found

    def _custom_state(self) -> str:
        """A function written in Python tells whether its tensors are freed without unpacking them."""
        raw = self._class.getsets.get("_raw_saved_tensors")
        try:
            return "kept" if raw is not None and raw.__get__(self.function) else "none"
        except RuntimeError:
            return "freed"

    def is_freed(self) -> bool:
        """Whether an earlier backward has freed what it saved."""
        return any(self.saved(name).state == "freed" for name in self.saves())

    def keeps(self) -> bool:
        """Whether it still has a saved tensor."""
        return any(self.saved(name).state in ("tensor", "modified", "hooked") for name in self.saves())

    def _read(self, name: str) -> Saved:
        getsets = self._class.getsets
        raw, unpacked = getsets.get(f"_raw_saved_{name}"), getsets.get(f"_saved_{name}")
        if raw is None or unpacked is None or self.is_custom:
            return _UNREAD
        try:
            kept = raw.__get__(self.function)
        except RuntimeError:
            return _FREED
        if type(kept) is tuple:
            return _UNREAD
        if not hasattr(type(kept), "unpack_hook"):  # before torch tells of hooks
            return _HOOKED
        if kept.unpack_hook is not None:
            return _HOOKED
        data = kept.data
        if data is not None and type(data) not in PLAIN:
            return _UNREAD
        try:
            value = unpacked.__get__(self.function)
        except RuntimeError as error:
            return _FREED if data is None else Saved("modified", None, *_versions(error))
        return _NONE if value is None else Saved("tensor", value)

    def next_functions(self) -> Iterable[Any]:
        """The functions that it gives gradients to, each in a tuple with the number of its output; None for no one."""
        below = self._class.next_functions
        return (below.__get__(self.function) if below is not None else None) or ()


class Graph:
    """All that is reached from some nodes, each node once; an edge that is not followed any more ends in None.

    What the budget has no time for can be gone on with (`grow`); ``complete`` tells whether all was reached.
    """

    def __init__(self, roots: Iterable[Any], budget: Budget) -> None:
        self.nodes: list[Node] = []
        self._numbers: dict[int, int] = {}
        self._below: dict[int, dict[int, Node]] = {}
        self._leaves: dict[int, list[Any]] = {}
        self._users: dict[int, list[tuple[Node, int]]] | None = None
        self._full = False
        self._walked = 0  #: nodes whose inputs are known: the first ones
        for root in roots:
            if root is not None:
                self._number(root)
        self.grow(budget)

    @property
    def complete(self) -> bool:
        return self._walked == len(self.nodes) and not self._full

    def grow(self, budget: Budget) -> bool:
        """Walk on while there is time. Whether there is no more to reach."""
        steps, nodes, self._users = Steps(budget), self.nodes, None
        self._below.clear()
        self._leaves.clear()
        while self._walked < len(nodes) and not steps.end():
            node = nodes[self._walked]
            self._walked += 1
            for below, _ in node.next_functions():
                node.inputs.append(None if below is None else self._number(below))
        return self._walked == len(nodes)

    def _number(self, function: Any) -> int | None:
        """The number of a node; None where it would be one too many."""
        known = self._numbers.get(id(function))
        if known is not None:
            return known
        number = len(self.nodes)
        if number >= _MOST:
            self._full = True
            return None
        self._numbers[id(function)] = number
        self.nodes.append(Node(function, number))
        return number

    def of(self, function: Any) -> Node | None:
        """The node of a ``grad_fn``."""
        number = self._numbers.get(id(function))
        return None if function is None or number is None else self.nodes[number]

    def input(self, node: Node, position: int = 0) -> Node | None:
        if position >= len(node.inputs):
            return None
        number = node.inputs[position]
        return None if number is None else self.nodes[number]

    def inputs(self, node: Node) -> Iterator[Node]:
        return (self.nodes[number] for number in node.inputs if number is not None)

    def users(self, node: Node) -> list[tuple[Node, int]]:
        """The nodes that take its output, and as which of their inputs."""
        if self._users is None:
            self._users = {}
            for above in self.nodes:
                for position, number in enumerate(above.inputs):
                    if number is not None:
                        self._users.setdefault(number, []).append((above, position))
        return self._users.get(node.index, [])

    def below(self, node: Node) -> list[Node]:
        """The node and all that it is computed from, nearest first."""
        return list(self._all_below(node).values())

    def reaches(self, node: Node, other: Node) -> bool:
        return other.index in self._all_below(node)

    def _all_below(self, node: Node) -> dict[int, Node]:
        known = self._below.get(node.index)
        if known is None:
            found, waiting = {node.index}, [node.index]
            while waiting:
                for number in self.nodes[waiting.pop()].inputs:
                    if number is not None and number not in found:
                        found.add(number)
                        waiting.append(number)
            known = self._below[node.index] = {number: self.nodes[number] for number in sorted(found)}
        return known

    def leaves(self, node: Node) -> list[Any]:
        """The tensors whose ``.grad`` a backward from here would add to."""
        if node.index not in self._leaves:
            self._leaves[node.index] = [below.leaf for below in self.below(node) if below.leaf is not None]
        return self._leaves[node.index]

    def leaves_beside(self, node: Node, ops: tuple[str, ...]) -> list[Any]:
        """The leaves that are reached without going through operations of these names."""
        seen, waiting, found = {node.index}, [node], []
        while waiting:
            current = waiting.pop()
            if current.leaf is not None:
                found.append(current.leaf)
            for below in self.inputs(current) if current.op not in ops else ():
                if below.index not in seen:
                    seen.add(below.index)
                    waiting.append(below)
        return found

    def through_views(self, node: Node | None) -> Node | None:
        """The node itself, or what it is only another shape, order or copy of."""
        while node is not None and node.op in VIEWS:
            node = self.input(node)
        return node


LEAF = "AccumulateGrad"  #: the op of a node that adds to a leaf's ``.grad``
#: Operations that change no value.
VIEWS = frozenset((
    "Alias", "AsStrided", "Clone", "Contiguous", "Permute", "Reshape", "ReshapeAlias", "Squeeze", "T", "ToCopy",
    "Transpose", "UnsafeView", "Unsqueeze", "View",
))  # fmt: skip


class _Class:
    """What is the same of all nodes of a class: see `Node`. ``getsets`` are its attributes in C, by name."""

    __slots__ = ("getsets", "is_custom", "next_functions", "op", "order", "saves")

    def __init__(self, cls: type) -> None:
        self.op = _find_op(cls)
        self.is_custom = any(class_name(base) == "_FunctionBase" for base in mro(cls))
        self.order = _find_order(cls)
        self.getsets = _find_getsets(cls)
        self.saves = [name[len("_raw_saved_") :] for name in self.getsets if name.startswith("_raw_saved_")]
        self.next_functions = self.getsets.get("next_functions")


_class_of = ByClass(_Class)


def _find_order(cls: type) -> Any:
    found = (class_dict(base).get("_sequence_nr") for base in mro(cls))
    return next((item for item in found if type(item) is _Method), None)


def _find_op(cls: type) -> str:
    name = class_name(cls)
    return name[: name.rindex("Backward")] if "Backward" in name else name


def _find_getsets(cls: type) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for base in mro(cls):
        for name, item in list(class_dict(base).items()):
            if type(item) is GetSetDescriptorType:
                found.setdefault(name, item)
    return found


def _metadata(function: Any, output: int) -> Any:
    found = c_attribute(function, "_input_metadata")
    return found[output] if type(found) is tuple and output < len(found) else None


def _versions(error: RuntimeError) -> tuple[int, int]:
    """The versions in torch's message: ``is at version 1; expected version 0 instead``."""
    text = error.args[0] if error.args and type(error.args[0]) is str else ""
    return _number_after(text, "is at version "), _number_after(text, "expected version ")


def _number_after(text: str, words: str) -> int:
    rest = text.partition(words)[2]
    digits = rest[: next((at for at, sign in enumerate(rest) if not sign.isdigit()), len(rest))]
    return int(digits) if digits else -1
