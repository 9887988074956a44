"""A graph as data of which a picture is drawn: nodes and edges, the names of leaves, and where it is broken, freed,
modified, or NaN began."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...kinds import Child
from ...measure.torch.elements import bare, elements_key
from ...measure.torch.flow import counts_of
from ...measure.torch.graph import Graph
from ...measure.torch.metadata import element_count, gradient_of, is_exact_tensor, requires_grad
from ...measure.torch.node import AutogradNode
from ...safe.budget import Budget
from ...safe.guard import class_name
from ...words.text import full_path
from ..step.expressions import key_of
from ..step.step import Step
from ..surroundings import Names
from .changed import Change, change_of
from .lines import line_of_operation
from .nan_origin import NanOriginLens
from .no_gradient import BackwardCall, NoGradientLens, target_of, told
from .reasons import Reason

if TYPE_CHECKING:
    from ...protocol import AutogradGraph, AutogradModified, NoGradientCode, SourceLine

_EXPLAINED = 20  #: modified tensors of which it is looked for what has changed them
_SEARCHED = 20  #: operations without a name whose line is looked for
_MODIFIED = 1000
_UNREACHED = 5000  #: parameters that are asked about
#: Why a parameter that requires a gradient is not reached.
_BROKEN: tuple[NoGradientCode, ...] = ("detached", "no_grad", "rebuilt", "unused", "not_reached")


class DrawnGraph:
    """Collects the data of a graph that is complete, in steps. ``found`` is what there is until now, ``share`` how much
    that is."""

    def __init__(self, asked: Child, graph: Graph, names: Names, budget: Budget) -> None:
        self._asked = asked
        self._graph = graph
        self._names = names
        self._budget = budget
        self.share = 0.0
        self.found: AutogradGraph = {
            "ops": [],
            "op": [],
            "results": [],
            "result": [],
            "made": [],
            "edges": [],
            "leaves": [],
            "values": [],
            "lines": [],
            "freed": [],
            "hooked": [],
            "modified": [],
            "nan": None,
            "broken": [],
        }

    def steps(self) -> Iterator[bool]:
        """Does the work, and yields after each step whether that may have taken long."""
        nodes = self._graph.nodes
        if not nodes:
            gradient = gradient_of(self._asked.value)
            self.found["without"] = (
                "not_required" if not gradient.required else "leaf" if gradient.is_leaf else "unread"
            )
            return
        for number, _ in enumerate(self._each_node(nodes), 1):
            self.share = 0.5 * number / len(nodes)
            yield False
        self._note_order(nodes)
        yield True
        for part, work in enumerate((self._lines(nodes), self._modified(nodes), self._nan(), self._broken(nodes))):
            self.share = 0.5 + 0.1 * part
            yield from work
        self.share = 1.0

    def _each_node(self, nodes: list[AutogradNode]) -> Iterator[None]:
        """Operations, results, edges, names and states."""
        found = self.found
        ops: dict[int, int] = {}  #: by the ids of classes
        results: dict[Any, int] = {}
        for node in nodes:
            cls = type(node.function)
            if id(cls) not in ops:
                ops[id(cls)] = len(ops)
                found["ops"].append({"name": node.op, "type": class_name(cls), "custom": node.is_custom})
            found["op"].append(ops[id(cls)])
            sizes = node.sizes()
            result = None if sizes is None else (node.dtype_name(), sizes)
            if result is not None and result not in results:
                results[result] = len(results)
                found["results"].append({"dtype": result[0], "shape": list(result[1])})
            found["result"].append(-1 if result is None else results[result])
            for below in dict.fromkeys(node.inputs):
                if below is not None:
                    found["edges"] += (node.index, below)
            if node.leaf is not None:
                self._note_leaf(node)
            else:
                self._note_value(node)
            state = node.state()
            if state == "freed":
                found["freed"].append(node.index)
            elif state == "hooked":
                found["hooked"].append(node.index)
            yield

    def _note_leaf(self, node: AutogradNode) -> None:
        leaf: Any = node.leaf
        name, known = self._names.of(leaf), self._names.parameter(leaf)
        module = [] if known is None else [known.root.name, *known.member.name.split(".")]
        self.found["leaves"].append(
            {
                "node": node.index,
                "name": name,
                "path": self._path(name, leaf),
                "module": [part for part in module if part],
                "parameter": known is not None or class_name(type(leaf)) == "Parameter",
            }
        )

    def _note_value(self, node: AutogradNode) -> None:
        variable = self._names.result_variable(self._graph, node)
        if variable is not None:
            path = variable.name if variable.level == 0 else None
            self.found["values"].append({"node": node.index, "name": variable.name, "path": path})

    def _path(self, name: str | None, leaf: Any) -> str | None:
        """A leaf's name, where the user can type it in the frame that was asked."""
        step, known = self._names.step, self._names.parameter(leaf)
        if name is None or step is None:
            return None
        if known is not None:
            return name if known.root.level == 0 else None
        return name if name == self._asked.suffix or step.value(key_of(name), 0) is not None else None

    def _note_order(self, nodes: list[AutogradNode]) -> None:
        """Nodes that were made before others give these what they compute with."""
        orders = {node.index: node.order() for node in nodes if node.leaf is None}
        places = {order: place for place, order in enumerate(sorted(set(orders.values())))}
        self.found["made"] = [places[orders[node.index]] if node.index in orders else -1 for node in nodes]

    def _lines(self, nodes: list[AutogradNode]) -> Iterator[bool]:
        """By the trace of torch's anomaly mode, where a name was bound, or the only call of what occurs once."""
        step, searched = self._names.step, 0
        named = {value["node"]: value["name"] for value in self.found["values"]}
        counts = [0] * len(self.found["ops"])
        for op in self.found["op"]:
            counts[op] += 1
        for node in nodes:
            is_alone = node.leaf is None and counts[self.found["op"][node.index]] == 1 and searched < _SEARCHED
            if node.leaf is not None or not (is_alone or node.index in named or node.trace()):
                continue
            searched += is_alone and node.index not in named
            source = _source(line_of_operation(step, node, named.get(node.index)))
            if source is not None:
                self.found["lines"].append({"node": node.index, "source": source})
            yield True

    def _modified(self, nodes: list[AutogradNode]) -> Iterator[bool]:
        found, step = self.found["modified"], self._names.step
        for node in nodes:
            saved = node.modified() if len(found) < _MODIFIED and node.leaf is None else None
            if saved is not None:
                change = None
                if step is not None and len(found) < _EXPLAINED:
                    step.budget.renew(self._budget.remaining_ms())
                    change = change_of(step, node, saved)
                found.append(_modified(node, saved, change))
            yield saved is not None

    def _nan(self) -> Iterator[bool]:
        """Where what is not finite began, if the tensor has any."""
        counts = counts_of(bare(self._asked.value))
        if counts is None or not counts.any():
            return
        lens = NanOriginLens(self._asked, self._names, self._budget)
        while not lens.go_on():
            yield True
        node, origin = self._graph.of(lens.place()), lens.found()
        if origin["lens"] == "nan_origin":
            self.found["nan"] = {"node": None if node is None else node.index, "origin": origin}
        yield True

    def _broken(self, nodes: list[AutogradNode]) -> Iterator[bool]:
        """Why the graph does not reach parameters in sight."""
        step = self._names.step
        if step is None or not self._graph.complete:
            return
        leaves = {id(node.leaf) for node in nodes if node.leaf is not None}
        parameters = list(step.parameters.values())
        reached = {id(one.root.value) for one in parameters if id(one.tensor) in leaves}
        step.budget.renew(self._budget.remaining_ms())
        while not step.graph.grow(self._budget):
            yield True
        elsewhere = self._reached_elsewhere(step)
        targets = [one for one in parameters if id(one.tensor) not in leaves and requires_grad(one.tensor)]
        is_loss = self._is_loss(step)
        loss = [BackwardCall(self._asked.name, self._asked.value, False)]
        lens = NoGradientLens(self._asked, map(target_of, targets[:_UNREACHED]), step, self._budget, loss)
        while not lens.go_on():
            yield True
        detached = list(self._detached(step, nodes)) if targets else []
        yield True
        for reason in lens.reasons():
            node = self._taking(step, reason, detached)
            if node is None:  # what is no loss may be on its way to one; a model may be no part of this graph
                known = (one for one in reason.targets if is_loss and id(one.tensor) not in elsewhere)
                reason.targets = [one for one in known if self._root_of(step, one.tensor) in reached]
            if reason.targets and reason.code in _BROKEN:
                self.found["broken"].append({"node": node, "reason": told(reason)})
            yield True

    def _is_loss(self, step: Step) -> bool:
        """Whether a backward is called on it, or, where none is in sight, it is one number."""
        if step.losses or any(source.backwards for source in step.sources):
            return any(loss.tensor is self._asked.value for loss in step.losses)
        return element_count(self._asked.value) == 1

    def _reached_elsewhere(self, step: Step) -> set[int]:
        """The ids of leaves of other tensors in sight, which may be other losses of the same step."""
        found: set[int] = set()
        for variable in step.tensors:
            node = None if variable.value is self._asked.value else step.node_of(variable.value)
            if node is not None and node.leaf is None:
                found.update(map(id, step.graph.leaves(node)))
        return found

    def _root_of(self, step: Step, tensor: Any) -> int:
        known = step.parameters.get(id(tensor))
        return 0 if known is None else id(known.root.value)

    def _detached(self, step: Step, nodes: list[AutogradNode]) -> Iterator[tuple[int, AutogradNode]]:
        """Nodes that take the elements of a variable that has a graph, without that; and the node that made it."""
        with_graph: dict[Any, AutogradNode] = {}
        for variable in step.tensors:
            made = step.node_of(variable.value)
            key = None if made is None or made.leaf is not None else elements_key(variable.value)
            if made is not None and key is not None:
                with_graph.setdefault(key, made)
        for node in nodes if with_graph else ():
            for name in node.saves() if None in node.inputs else ():
                value = node.tensor(name)
                if not is_exact_tensor(value) or requires_grad(value):
                    continue
                above = with_graph.get(elements_key(value))
                if above is not None:
                    yield node.index, above

    def _taking(self, step: Step, reason: Reason, detached: list[tuple[int, AutogradNode]]) -> int | None:
        """The node that takes what was computed with the parameters of a reason."""
        targets = {id(target.tensor) for target in reason.targets}
        return next(
            (
                number
                for number, above in detached
                if reason.code in _BROKEN and any(id(leaf) in targets for leaf in step.graph.leaves(above))
            ),
            None,
        )


def _source(location: tuple[str, int] | None) -> SourceLine | None:
    return None if location is None else {"file": full_path(location[0]), "line": location[1]}


def _modified(node: AutogradNode, saved: str, change: Change | None) -> AutogradModified:
    known = node.saved(saved)
    return {
        "node": node.index,
        "saved": saved,
        "found": known.found if known.found >= 0 else None,
        "expected": known.expected if known.expected >= 0 else None,
        "name": None if change is None else change.name,
        "source": None if change is None else _source(change.line),
    }
