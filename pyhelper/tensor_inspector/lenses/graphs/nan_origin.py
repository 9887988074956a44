"""The lens `nan_origin`: the operation at which NaN or an infinity in a tensor began."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...kinds import Child, Rows, TextRow
from ...measure.torch.causes import cause_of
from ...measure.torch.elements import bare, same_elements
from ...measure.torch.flow import Counts, Flow, counts_of
from ...measure.torch.graph import Graph
from ...measure.torch.metadata import gradient_of, is_tensor
from ...measure.torch.node import AutogradNode
from ...measure.torch.origin import Origin, OriginSearch
from ...measure.torch.steep import may_be_steep, steep
from ...safe.budget import Budget
from ...words.text import full_path, joined
from ..lens import Lens, Paused, wrong_type
from ..step.expressions import key_of
from ..surroundings import Names, step_around
from .lines import line_of_operation
from .masked import find_mask
from .origin_words import WHY, parts

if TYPE_CHECKING:
    from typing import Literal

    from ...protocol import Found, NanCause, NanOriginFound, NanUnknown

    Where = Literal["operation", "input", "parameter", "backward", "unknown", "finite"]

_SHOWN = 8  #: tensors that a Function keeps, and operations that may be the origin


def lens(values: Mapping[str, Child], options: Mapping[str, Any], budget: Budget, paused: Paused | None) -> Lens:
    """About ``values["tensor"]``, of any shape; it takes no options. Raises ``TypeError`` for what is no tensor."""
    asked = values["tensor"]
    if not is_tensor(asked.value):
        raise wrong_type(asked, "a tensor")
    return NanOriginLens(asked, Names(step_around(paused, budget), asked.suffix, asked.value), budget)


class NanOriginLens(Lens):
    def __init__(self, asked: Child, names: Names, budget: Budget) -> None:
        super().__init__(budget)
        self._asked = asked
        self._names = names
        self._counts = counts_of(bare(asked.value)) or Counts()
        function = gradient_of(asked.value).function or self._before_detach(asked.value)
        self._is_gradient = function is None and self._is_a_gradient()
        self._graph = Graph([function] if function is not None else self._losses(), budget)
        self._search: OriginSearch | None = None
        self._steep: AutogradNode | None = None
        self._stopped = False

    def go_on(self) -> bool:
        if not self._counts.any():
            return True
        if not self._graph.grow(self.budget):
            return False
        if self._search is None:
            self._search = OriginSearch(self._graph, self._flow(), self._graph.nodes)
        if not self._search.go_on(self.budget):
            return False
        if self._search.found is not None and self._names.step is not None:
            find_mask(self._names.step, self._search.found)
        if self._is_gradient and self._search.found is None:
            self._steep = next(steep(self._search.flow, self._graph.nodes), None)
        return True

    def stop(self) -> None:
        self._stopped = True
        if self._search is None:
            self._search = OriginSearch(self._graph, self._flow(), [])

    def progress(self) -> float:
        return 0.1 if self._search is None else 0.1 + 0.9 * self._search.progress()

    def found(self) -> Found:
        origin, node = self._origin(), self._operation()
        name, where = self._name(origin, node), self._where(origin)
        counts = self._counts if origin is None else origin.counts
        answer: NanOriginFound = {
            "lens": "nan_origin",
            "where": where,
            "operation": None if node is None else node.op,
            "others": [] if origin is None or where != "operation" else origin.others_named(),
            "name": name,
            "cause": self._cause(origin),
            "certain": origin is not None and origin.certain and where == "operation",
            "nan": counts.nan,
            "inf": counts.inf,
            "first": None if origin is None else origin.first(self.budget),
            "inputs": [] if node is None else list(dict.fromkeys(self._inputs(node))),
            "file": None,
            "line": None,
            "unknown": self._unknown(),
        }
        location = self._location()
        if location is not None:
            answer["file"], answer["line"] = full_path(location[0]), location[1]
        return answer

    def row(self) -> Child:
        found: Any = self.found()
        node = self._operation()
        below = list(self._evidence_rows()) if found["where"] != "finite" else []
        below += [
            Child(f"saved {at} by {node.op}", value, None)
            for at, value in enumerate(self._ctx_tensors())
            if node is not None
        ]
        unknown = [] if found["certain"] else [WHY[why] for why in found["unknown"]]
        suspects = self._suspects() if found["where"] == "unknown" else ()
        below += [Child("may be", TextRow(text), "") for text in suspects]
        below += [Child("not known", TextRow("; ".join(unknown)), "")] if unknown else []
        name = f"where the {'NaN' if self._counts.nan else 'Inf'} in {self._asked.name} began"
        return Child(
            name,
            Rows.of(joined(parts(found, self._location())), [row for row in below if row.value is not None], "group"),
            "",
        )

    def operation(self) -> tuple[Graph, AutogradNode] | None:
        """The graph, and the operation in it at which it began; None where that is not certain."""
        origin = self._origin()
        is_sure = origin is not None and origin.certain and not origin.others and self._where(origin) == "operation"
        return (self._graph, origin.node) if origin is not None and is_sure else None

    def place(self) -> Any:
        """The ``grad_fn`` of where it began, or of the leaf that had it already; None where that can't be told."""
        origin = self._origin()
        if self._where(origin) in ("finite", "unknown"):
            return None
        given = None if origin is None or origin.given is None else origin.given.node
        node = self._operation() if given is None else given
        return None if node is None else node.function

    def _suspects(self) -> Iterator[str]:
        """For a gradient: the operations on its way whose slope may be infinite, each with its line."""
        nodes = [node for node in self._graph.nodes if may_be_steep(node)] if self._is_gradient else []
        for node in nodes[:_SHOWN]:
            line = line_of_operation(self._names.step, node, self._names.result_name(self._graph, node))
            yield f"{node.op}{f', line {line[1]}' if line is not None else ''}: its slope may be infinite"

    def _location(self) -> tuple[str, int] | None:
        """The user's line that the operation stands in."""
        origin, node = self._origin(), self._operation()
        if node is None or self._where(origin) in ("input", "parameter"):
            return None
        return line_of_operation(self._names.step, node, self._names.result_name(self._graph, node))

    def _flow(self) -> Flow:
        step = self._names.step
        visible = (variable.value for variable in (step.tensors if step is not None else ()))
        return Flow(self._graph, (self._asked.value, *visible))

    def _before_detach(self, value: Any) -> Any:
        """What made a tensor in sight over the same memory, of which this one was detached."""
        step = self._names.step
        if step is None or self._is_a_gradient():
            return None
        for variable in step.tensors:
            function = gradient_of(variable.value).function
            if function is not None and same_elements(variable.value, value):
                return function
        return None

    def _losses(self) -> list[Any]:
        """Where a backward began, or may have begun, that made this gradient."""
        step = self._names.step
        if step is None or not self._is_gradient:
            return []
        some = [loss.tensor for loss in step.losses] or [variable.value for variable in step.tensors]
        return [gradient_of(value).function for value in some]

    def _is_a_gradient(self) -> bool:
        """Whether it is the ``.grad`` of a tensor in sight."""
        step = self._names.step
        if step is None:
            return False
        owners = [*(one.tensor for one in step.parameters.values()), *(variable.value for variable in step.tensors)]
        return any(step.grad(owner) is self._asked.value for owner in owners)

    def _where(self, origin: Origin | None) -> Where:
        if not self._counts.any():
            return "finite"
        if origin is None or origin.is_hidden:
            return "backward" if self._steep is not None else "unknown"
        if origin.given is None:
            return "backward" if self._is_gradient else "operation"
        return "input" if origin.given.node is None else "parameter"

    def _cause(self, origin: Origin | None) -> NanCause:
        if origin is None or origin.is_hidden:
            return "unknown" if self._steep is None else "infinite_slope"
        return "unknown" if origin.given is not None else cause_of(origin)

    def _name(self, origin: Origin | None, node: AutogradNode | None) -> str | None:
        """The name of the first value that is not finite."""
        if origin is not None and origin.given is not None:
            leaf = origin.given.node.leaf if origin.given.node is not None else origin.given.value
            return None if leaf is None else self._names.of(leaf)
        seen = node if origin is None else origin.seen
        return None if seen is None else self._names.result_name(self._graph, seen)

    def _inputs(self, node: AutogradNode) -> Iterator[str]:
        names = (self._name_and_value(below)[0] for below in self._inputs_of(node))
        return (name for name in (*names, *(name for name, _ in self._saved_inputs())) if name)

    def _saved_inputs(self) -> Iterator[tuple[str | None, Any]]:
        """The input that no operation made, such as the batch, as the operation has saved it."""
        origin = self._origin()
        for one in origin.operands if origin is not None and not origin.node.is_custom else ():
            if one.node is None and one.value is not None:
                yield self._names.of(one.value), one.value

    def _inputs_of(self, node: AutogradNode) -> Iterator[AutogradNode]:
        """The inputs of the operation; for an unnamed view its base, such as the weight for its transpose."""
        for below in self._graph.inputs(node):
            origin = self._graph.through_views(below)
            yield below if origin is None or self._name_and_value(below)[0] is not None else origin

    def _mask(self, origin: Origin | None) -> Iterator[tuple[str | None, Any]]:
        """The mask that covers a whole row."""
        if origin is not None and origin.mask is not None and self._names.step is not None:
            name = self._names.step.owner_of(origin.mask)
            yield name, None if name is None else self._names.step.value(key_of(name), 0)

    def _name_and_value(self, node: AutogradNode) -> tuple[str | None, Any]:
        """The name of a leaf, or of what a node has made, and its value."""
        if node.leaf is not None:
            return self._names.of(node.leaf), node.leaf
        variable = self._names.result_variable(self._graph, node)
        return (None, None) if variable is None else (variable.name, variable.value)

    def _evidence_rows(self) -> Iterator[Child]:
        """The first value that is not finite and the inputs of its operation as rows, each name once."""
        origin, node = self._origin(), self._operation()
        pairs: list[tuple[str | None, Any]] = []
        if origin is not None and origin.given is not None and origin.given.node is None:
            pairs.append((self._name(origin, node), origin.given.value))
        if node is not None:
            pairs += [
                self._name_and_value(node),
                *map(self._name_and_value, self._inputs_of(node)),
                *self._saved_inputs(),
            ]
            pairs += self._mask(origin)
        for name, value in _first_of_each(pairs):
            yield Child(name, value, self._path(name, value))

    def _path(self, name: str, value: Any) -> str | None:
        """The name, if it means that value in the frame that is asked, where the user can type it; else None."""
        step = self._names.step
        found = None if step is None else step.value(key_of(name), 0)
        known = self._names.parameter(value)
        is_it = found is value or same_elements(found, value)
        return name if is_it or (found is None and known is not None and known.root.level == 0) else None

    def _origin(self) -> Origin | None:
        return None if self._search is None else self._search.found

    def _operation(self) -> AutogradNode | None:
        """The operation where NaN or Inf began."""
        origin = self._origin()
        if origin is not None and origin.is_hidden and "too_many" in self._unknown():
            return None
        return self._steep if origin is None else origin.node

    def _ctx_tensors(self) -> list[Any]:
        """What a Function of the program, that it may have begun in, keeps for its backward."""
        node = self._operation()
        return [] if node is None or not node.is_custom else node.ctx_tensors()[:_SHOWN]

    def _unknown(self) -> list[NanUnknown]:
        if self._search is None or (self._search.found is not None and self._search.found.certain):
            return []
        if not self._graph.nodes:
            return ["no_loss" if self._is_gradient else "no_graph"]
        if self._search.found is not None and self._search.found.is_hidden:
            return ["too_many" if "too_many" in self._search.unknown else "freed"]
        found: list[Any] = ["no_time"] * self._stopped + sorted(self._search.unknown - {"too_many"})
        return found + ["too_many"] * self._graph.full


def _first_of_each(pairs: Iterable[tuple[str | None, Any]]) -> list[tuple[str, Any]]:
    """The named ones, each name once."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name:
            found.setdefault(name, value)
    return list(found.items())
