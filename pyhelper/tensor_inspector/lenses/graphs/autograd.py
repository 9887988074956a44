"""The lens `autograd`: the graph behind a tensor as a tree of operations, with the names of parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...kinds import Child, Rows
from ...measure.torch.graph import Graph
from ...measure.torch.metadata import Gradient, gradient_of, is_tensor
from ...safe.budget import Budget, Steps
from ...safe.guard import class_name
from ...words.line import Word, line_of
from ...words.text import listed, plural
from ..lens import Lens, Paused, wrong_type
from ..surroundings import Names, step_around
from .chains import Chains
from .drawn import DrawnGraph
from .rows import GraphRows

if TYPE_CHECKING:
    from ...protocol import AutogradFound, Found

_CUSTOM = 20  #: classes of the program's own functions that are named


def lens(values: Mapping[str, Child], options: Mapping[str, Any], budget: Budget, paused: Paused | None) -> Lens:
    """About ``values["tensor"]``, of any shape; with the option ``drawn`` the answer has the graph itself. Raises
    ``TypeError`` for what is no tensor."""
    asked, drawn = values["tensor"], options.get("drawn", False)
    if not is_tensor(asked.value):
        raise wrong_type(asked, "a tensor")
    if type(drawn) is not bool:
        raise ValueError("drawn is True or False")
    return AutogradLens(asked, Names(step_around(paused, budget), asked.suffix, asked.value), budget, drawn)


class AutogradLens(Lens):
    def __init__(self, asked: Child, names: Names, budget: Budget, drawn: bool) -> None:
        super().__init__(budget)
        self._asked = asked
        self._names = names
        self._gradient = gradient_of(asked.value)
        self._graph = Graph([self._gradient.function], budget)
        self._states: dict[str, int] = {}
        self._read = 0
        self._chains = Chains(self._graph)
        self._layout: Iterator[None] | None = None
        self._drawn = DrawnGraph(asked, self._graph, names, budget) if drawn else None
        self._drawing = None if self._drawn is None else self._drawn.steps()

    def go_on(self) -> bool:
        if not self._graph.grow(self.budget):
            return False
        steps = Steps(self.budget)
        for node in self._graph.nodes[self._read :]:
            if steps.end():
                return False
            state = node.state()
            self._states[state] = self._states.get(state, 0) + 1
            self._read += 1
        if self._layout is None and self._graph.nodes:
            self._layout = self._chains.lay_out(self._graph.nodes[0])
        if not all(not steps.end() for _ in self._layout or ()):
            return False
        # Some steps take long: after these the clock is looked at.
        return all(not (self.budget.spent() if is_long else steps.end()) for is_long in self._drawing or ())

    def stop(self) -> None:
        """Lays out the part of the graph that was met."""
        if self._layout is None and self._graph.nodes:
            self._layout = self._chains.lay_out(self._graph.nodes[0])
        for _ in self._layout or ():
            pass

    def progress(self) -> float:
        known = len(self._graph.nodes)
        read = max(0.1, 0.5 * self._read / known) if self._graph.complete and known else 0.1
        done = read if self._layout is None else 0.9
        return done if self._drawn is None else 0.3 * done + 0.7 * self._drawn.share

    def found(self) -> Found:
        operations = [node for node in self._graph.nodes if node.leaf is None]
        leaves = [node.leaf for node in self._graph.nodes if node.leaf is not None]
        parameters = sum(self._is_parameter(leaf) for leaf in leaves)
        custom = dict.fromkeys(node.op for node in operations if node.is_custom)
        answer: AutogradFound = {
            "lens": "autograd",
            "operations": len(operations),
            "leaves": len(leaves),
            "parameters": parameters,
            "freed": self._states.get("freed", 0),
            "modified": self._states.get("modified", 0),
            "hooked": self._states.get("hooked", 0),
            "custom": list(custom)[:_CUSTOM],
            "complete": self._graph.complete,
        }
        if self._drawn is not None:
            answer["graph"] = self._drawn.found
        return answer

    def row(self) -> Child:
        name = f"autograd of {self._asked.name}"
        if not self._graph.nodes:
            return Child(name, Rows.of(_without_graph(self._gradient), [], "graph"), "")
        rows = GraphRows(self._chains, self._names, self._graph)
        return Child(name, rows.chain(line_of(self._parts()), self._chains.chain(self._graph.nodes[0])), "")

    def _parts(self) -> Iterator[str | None]:
        found: Any = self.found()
        more = "" if found["complete"] else " and more"
        yield Word(f"{plural(found['operations'], 'operation')}{more}", f"{found['operations']:,} ops{more}")
        others = found["leaves"] - found["parameters"]
        kinds = [plural(found["parameters"], "parameter")] * bool(found["parameters"])
        kinds += [plural(others, "input")] * bool(others)
        leaves = plural(found["leaves"], "leaf").replace("leafs", "leaves")
        yield Word(f"{leaves}: {', '.join(kinds)}", ", ".join(kinds)) if kinds else leaves
        if found["freed"]:
            yield "freed by a backward"
        if found["modified"]:
            yield f"{plural(found['modified'], 'operation')} with a saved tensor that was modified in place"
        if found["hooked"]:
            yield f"saved tensors of {plural(found['hooked'], 'operation')} have hooks"
        if found["custom"]:
            yield f"custom {listed(found['custom'], False, 40)}"

    def _is_parameter(self, leaf: Any) -> bool:
        return self._names.parameter(leaf) is not None or class_name(type(leaf)) == "Parameter"


def _without_graph(gradient: Gradient) -> str:
    if not gradient.required:
        return "no graph: it requires no gradient"
    if gradient.is_leaf:
        return "no graph: it is a leaf itself, gradients end here"
    return f"graph not read: {gradient.origin}"
