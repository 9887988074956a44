"""torch_geometric: graphs by their nodes and edges. Neither ``num_nodes`` nor other code of it runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from ...measure.torch.metadata import is_any_tensor, shape_of
from ...measure.unread import Unread
from ...safe.attributes import attribute
from ...safe.budget import Budget
from ...safe.guard import c_attribute, dict_attribute, each, instance_dict
from ...words.line import class_word
from ...words.text import joined, listed, plural
from ..families import by_home
from ..kind import Child
from ..python.objects import PlainObject, attributes_part
from ..registry import as_kind

#: What has an item for each node, and for each edge, where no number of them is given.
_OF_NODES = frozenset({"x", "feat", "pos", "batch", "node_type", "n_id"})
_OF_EDGES = frozenset({"edge_weight", "edge_attr", "edge_type", "e_id"})
_TYPES = 60  #: characters of the types of nodes, and of edges


class GraphData(PlainObject):
    """A ``Data`` or a batch of such: how large it is, and the tensors in it."""

    needs = ("_store",)
    repeating = ("_store",)

    def items(self) -> dict[Any, Any]:
        return dict_attribute(attribute(self.value, "_store"), "_mapping")

    def stored(self) -> Iterator[Child]:
        items = (Child(str(name), item, f".{name}") for name, item in each(dict.items, self.items()))
        return chain(items, super().stored())

    def child_count(self) -> int | None:
        return dict.__len__(self.items()) + (super().child_count() or 0)

    def entries(self) -> Iterable[tuple[object, object]]:
        return each(dict.items, self.items())

    def parts(self) -> Iterable[str | None]:
        before = [class_word(self.type_name()), *self.warnings(), *self.size_words()]
        found = [Child(str(name), item) for name, item in each(dict.items, self.items()) if name != "num_nodes"]
        return [*before, attributes_part(joined(before), found, self) if found else None, self.memory_word()]

    def size_words(self) -> Iterator[str]:
        graphs = instance_dict(attribute(self.value, "_store")).get("_num_graphs")
        if type(graphs) is int:
            yield plural(graphs, "graph")
        nodes, edges = node_count(self.items(), self.budget), edge_count(self.items())
        if nodes is not None or edges is not None:
            yield ", ".join(
                plural(amount, noun) for amount, noun in ((nodes, "node"), (edges, "edge")) if amount is not None
            )
        elif not self.items():
            yield "empty"

    def holds_tensors(self) -> bool:
        return any(is_any_tensor(item) for item in dict.values(self.items()))


class TypedGraph(PlainObject):
    """A ``HeteroData``: its types of nodes and of edges, with how many there are of each."""

    needs = ("_node_store_dict", "_edge_store_dict")
    repeating = needs

    def parts(self) -> Iterable[str | None]:
        nodes = [
            f"{name} {_amount(node_count(items, self.budget))}" for name, items in self._stores("_node_store_dict")
        ]
        edges = [f"{_edge_name(key)} {_amount(edge_count(items))}" for key, items in self._stores("_edge_store_dict")]
        return [
            class_word(self.type_name()),
            *self.warnings(),
            f"nodes: {listed(nodes, False, _TYPES)}" if nodes else "no nodes",
            f"edges: {listed(edges, False, _TYPES)}" if edges else "no edges",
            self.memory_word(),
        ]

    def entries(self) -> Iterable[tuple[object, object]]:
        return ((_edge_name(key), items) for name in self.needs for key, items in self._stores(name))

    def holds_tensors(self) -> bool:
        return any(is_any_tensor(item) for _, items in self.entries() for item in each(dict.values, items))

    def stored(self) -> Iterator[Child]:
        stores = chain.from_iterable(each(dict.items, dict_attribute(self.value, name)) for name in self.needs)
        return chain((Child(repr(key), store, f"[{key!r}]") for key, store in stores), super().stored())

    def child_count(self) -> int | None:
        return sum(dict.__len__(dict_attribute(self.value, name)) for name in self.needs) + (super().child_count() or 0)

    def _stores(self, name: str) -> Iterator[tuple[Any, dict[Any, Any]]]:
        for key, store in each(dict.items, dict_attribute(self.value, name)):
            yield key, dict_attribute(store, "_mapping")


def node_count(items: dict[Any, Any], budget: Budget) -> int | None:
    """How many nodes a graph has, as torch_geometric finds it; None where nothing tells."""
    given = items.get("num_nodes")
    if type(given) is int:
        return given
    per_node = chain(
        (item for name, item in each(dict.items, items) if name in _OF_NODES),
        (item for name, item in each(dict.items, items) if "node" in str(name)),
    )
    lengths = (int(sizes[0]) for sizes in map(_sizes, per_node) if sizes)
    return next(chain(lengths, _nodes_of_edges(items.get("edge_index"), budget)), None)


def _nodes_of_edges(edges: Any, budget: Budget) -> Iterator[int]:
    """The number that its edges know, or the highest node that they name."""
    if not is_any_tensor(edges):
        return
    held = instance_dict(edges)
    sizes = held.get("_sparse_size")
    yield from (size for size in (sizes if type(sizes) is tuple else ()) if type(size) is int)
    reading: Any = as_kind(held.get("_data", edges), budget).reading()
    if not isinstance(reading, Unread) and reading["exact"] and reading["count"]:
        yield int(reading["max"]) + 1


def edge_count(items: dict[Any, Any]) -> int | None:
    """How many edges a graph has; None where nothing tells."""
    sizes = _sizes(items.get("edge_index"))
    if sizes:
        return int(sizes[-1])
    per_edge = (_sizes(item) for name, item in each(dict.items, items) if name in _OF_EDGES)
    return next((int(sizes[0]) for sizes in per_edge if sizes), None)


def _sizes(value: Any) -> tuple[Any, ...]:
    found = shape_of(value) if is_any_tensor(value) else c_attribute(value, "shape")
    return tuple(found) if issubclass(type(found), tuple) else ()


def _amount(known: int | None) -> str:
    return "of unknown number" if known is None else f"{known:,}"


def _edge_name(key: Any) -> str:
    return " ".join(map(str, key)) if type(key) is tuple else str(key)


kind_for = by_home({TypedGraph: ("HeteroData",), GraphData: ("Data",)}, "torch_geometric")
