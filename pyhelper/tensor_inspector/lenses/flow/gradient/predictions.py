"""Finds terms of a loss without a gradient because an operation is non-differentiable: argmax, a comparison."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from ....measure.torch.metadata import is_exact_tensor, requires_grad
from ....measure.torch.node import AutogradNode
from ....safe.guard import SEQUENCES
from ...step.backpropagated import Loss
from ...step.calls import Call
from ...step.classes import function_called, methods_of
from ...step.expressions import bound_in, last_name, root_of, shown, shown_text, text_of
from ...step.grad_mode import no_grad_block
from ...step.source import Source
from ...step.step import Step
from ..definitions import joined_flow, reaching_definitions
from ..lines import Line
from ..ops import DETACHING, METADATA, NON_DIFFERENTIABLE, SHAPE_ONLY

#: what gives data, into which no gradient goes and in which none is missed
_DATA = frozenset((*DETACHING, *SHAPE_ONLY, *METADATA, "sample", "multinomial"))
_DETACHING = frozenset(DETACHING)
_TORCH = ("torch", "F", "functional")  #: names whose functions are torch's own
_END = 1 << 30  #: a line below all of a function
_ITEMS = 16  #: of a list of results
_DEEP = 30  #: of expressions and functions in one another


class DetachedTerm:
    """A term of a loss that has no gradient: the call, the name it is bound to, the line.

    ``leaf``: where a new leaf is made of it.
    """

    __slots__ = ("call", "leaf", "line", "name", "term")

    def __init__(self, call: str, name: str | None, line: Line) -> None:
        self.call = call
        self.name = name
        self.line = line
        self.leaf: Line | None = None
        self.term = ""


def detached_at(step: Step, loss: Loss) -> DetachedTerm | None:
    """Where predictions are detached on their way to a loss, inside called functions too."""
    made = next((made for made in reaching_definitions(step.source, loss.name) if shown(made.name) == loss.name), None)
    found = (
        None
        if made is None
        else _DetachedPredictions(step, step.source, step.level, {}, 0).assigned_to(made.name, made.value)
    )
    return found if type(found) is DetachedTerm else None


_LIVE: Literal["live"] = "live"  #: made of predictions, with a way for a gradient back to them
if TYPE_CHECKING:
    Flow = DetachedTerm | Literal["live"] | None  #: how a value is made of predictions; None for not at all


def terms_without_gradient(step: Step, loss: Loss) -> Iterator[DetachedTerm]:
    """The summands of a loss without a gradient, in its source and in its graph."""
    root = step.node_of(loss.tensor)
    if root is None:
        return
    bound = [made for made in reaching_definitions(step.source, loss.name) if shown(made.name) == loss.name]
    reader = _Predictions(step, step.source, step.level, {}, 0)
    for inner, term in (term for made in bound for term in reader.terms_without_gradient(made.value, root)):
        found = inner.flow(term)
        if type(found) is DetachedTerm:
            found.term = shown_text(term)
            yield found


class _Predictions:
    """Follows predictions through one function. ``given``: the flows of its arguments."""

    def __init__(self, step: Step, source: Source, level: int | None, given: dict[str, Flow], depth: int) -> None:
        self._step = step
        self._source = source
        self._level = level
        self._known = dict(given)
        self._seen: set[str] = set()
        self._bound_now: set[str] = set()  #: whose bindings are gone through: their values are of later lines
        self._depth = depth
        self._owner: Any = None if level is None else step.value(source.self_name, level)

    def terms_without_gradient(
        self, value: ast.expr, node: AutogradNode | None
    ) -> Iterator[tuple[_Predictions, ast.expr]]:
        """The summands that have no node in the graph, inside called functions too.

        ``node`` is that of the whole expression: an addition's inputs are those of its two sides.
        """
        if node is None:
            yield self, value
        elif isinstance(value, ast.BinOp) and not _detaches(value):
            sides = ((value.left, 0), (value.right, 1))
            if isinstance(value.op, (ast.Add, ast.Sub)) and node.op in ("Add", "Sub"):
                for side, at in sides:
                    yield from self.terms_without_gradient(side, self._step.graph.input(node, at))
            elif isinstance(value.op, (ast.Mult, ast.Div)) and node.op in ("Mul", "Div"):
                scaled = [
                    (side, below) for side, at in sides if (below := self._step.graph.input(node, at)) is not None
                ]
                for side, below in scaled if len(scaled) == 1 else ():
                    yield from self.terms_without_gradient(side, below)
        elif isinstance(value, ast.Call):
            inner = self._enter(value)
            for result in [] if inner is None else inner.results():
                if inner is not None and isinstance(result, ast.BinOp):
                    yield from inner.terms_without_gradient(result, node)

    def assigned_to(self, name: str, value: ast.expr) -> Flow:
        found = self.flow(value)
        if type(found) is DetachedTerm and found.name is None:
            found.name = name
        return found

    def results(self) -> list[ast.expr]:
        return [one.value for one in self._source.returns if one.value is not None]

    def flow(self, node: ast.AST | None) -> Flow:
        self._depth += 1
        try:
            return self._flow_of(node) if node is not None and self._depth < _DEEP else None
        finally:
            self._depth -= 1

    def _flow_of(self, node: ast.AST) -> Flow:
        if isinstance(node, ast.Name):
            return self._named(node.id)
        if isinstance(node, ast.Attribute):
            return None if node.attr in _DATA else self._attribute(node)
        if isinstance(node, ast.Subscript):
            return self.flow(node.value)
        if isinstance(node, ast.Compare):
            return self._detached("a comparison", node, [node.left, *node.comparators])
        if isinstance(node, ast.Call):
            return self._called(node)
        if isinstance(node, (ast.Lambda, ast.Constant)):
            return None
        return joined_flow(map(self.flow, ast.iter_child_nodes(node)))

    def _attribute(self, node: ast.Attribute) -> Flow:
        value = None if self._level is None else self._step.value(text_of(node), self._level)
        if is_exact_tensor(value):
            return _LIVE if requires_grad(value) else None
        return self.flow(node.value)

    def _named(self, name: str) -> Flow:
        """The flow of a name: by its value in a frame, else by its assignments."""
        if name in self._bound_now:
            return self._known.get(name)
        value = None if self._level is None else self._step.value(name, self._level)
        if is_exact_tensor(value) and requires_grad(value):
            return _LIVE
        if name not in self._seen:
            self._seen.add(name)
            self._bound_now.add(name)
            for line, node in sorted(self._source.bindings.get(name, ()), key=lambda one: one[0]):
                if line < self._source.lineno:
                    self._known[name] = self._assigned(name, line, node)
            self._bound_now.discard(name)
        found = self._known.get(name)
        return None if is_exact_tensor(value) and found == _LIVE else found

    def _assigned(self, name: str, line: int, node: ast.AST) -> Flow:
        is_plain = isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and node.value is not None
        if not is_plain or no_grad_block(self._source, line):
            return None
        found = self.assigned_to(name, node.value)  # type: ignore[attr-defined]
        return joined_flow([self._known.get(name), found]) if isinstance(node, ast.AugAssign) else found

    def _called(self, node: ast.Call) -> Flow:
        name = last_name(node.func)
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        given += [node.func.value] if isinstance(node.func, ast.Attribute) else []
        if name in _DATA:
            return None
        if name in NON_DIFFERENTIABLE and name != "topk" and self._is_torch(node.func):
            return self._detached(f"{name}()", node, given)
        inner = self._enter(node)
        if inner is not None:
            return joined_flow(map(inner.flow, inner.results()))
        if self._level is not None and self._is_model(node):
            return _LIVE
        return joined_flow(map(self.flow, given))

    def _is_torch(self, function: ast.expr) -> bool:
        """Whether a function is torch's own, or a method of what is computed from predictions."""
        receiver = function.value if isinstance(function, ast.Attribute) else None
        return receiver is not None and (root_of(text_of(receiver)) in _TORCH or self.flow(receiver) is not None)

    def _is_model(self, node: ast.Call) -> bool:
        """Whether a module with trainable parameters is called."""
        found = self._step.module_of(text_of(node.func), self._level or 0)
        return found is not None and any(one.member.is_in(found.value) for one in self._step.trainable())

    def _detached(self, call: str, node: Any, given: list[ast.expr]) -> Flow:
        found = joined_flow(map(self.flow, given))
        return DetachedTerm(call, None, (self._source.file, node.lineno)) if found == _LIVE else found

    def _enter(self, node: ast.Call) -> _Predictions | None:
        """The called function of the program, or the forward of a module without parameters."""
        if self._level is None or self._depth > _DEEP // 2:
            return None
        source = function_called(self._step, Call(node, None, False), self._level)
        is_method = isinstance(node.func, ast.Attribute)
        if source is None:
            found = self._step.module_of(text_of(node.func), self._level)
            source = (
                None if found is None or self._is_model(node) else dict(methods_of(type(found.value))).get("forward")
            )
            is_method = True
        if source is None or not source.is_known() or any(isinstance(one, ast.Starred) for one in node.args):
            return None
        source = Source(source.code, _END)  # all of it is done
        names = source.arguments[int(is_method) :]
        known = dict(zip(names, map(self.flow, node.args)))
        known.update({one.arg: self.flow(one.value) for one in node.keywords if one.arg})
        return type(self)(self._step, source, None, {name: known.get(name) for name in source.arguments}, self._depth)


class _DetachedPredictions(_Predictions):
    """Follows predictions also to where they leave autograd as numbers, or by ``detach``."""

    def _flow_of(self, node: ast.AST) -> Flow:
        if isinstance(node, ast.Attribute) and node.attr == "data":
            return self._detached(".data", node, [node.value])
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            for part in node.generators:
                self._known.update(self._looped(part.target, part.iter))
            return self.flow(node.value if isinstance(node, ast.DictComp) else node.elt)
        return self._call(node) if isinstance(node, ast.Call) else super()._flow_of(node)

    def _assigned(self, name: str, line: int, node: ast.AST) -> Flow:
        if isinstance(node, ast.For):
            return self._looped(node.target, node.iter).get(name)
        return super()._assigned(name, line, node)

    def _named(self, name: str) -> Flow:
        """A list of results is computed from predictions too."""
        value: Any = None if self._level is None else self._step.value(name, self._level)
        some = value[:_ITEMS] if type(value) in SEQUENCES else []
        return _LIVE if any(is_exact_tensor(one) and requires_grad(one) for one in some) else super()._named(name)

    def _looped(self, target: ast.expr, values: ast.expr) -> dict[str, Flow]:
        """What the variables of a loop are: of ``zip`` and ``enumerate`` each has its own."""
        called = text_of(values.func) if isinstance(values, ast.Call) else ""
        if isinstance(values, ast.Call) and called in ("zip", "enumerate") and isinstance(target, ast.Tuple):
            given = [*values.args] if called == "zip" else [ast.Constant(0), *values.args[:1]]
            pairs = zip(target.elts, given)
            return {name: flow for one, value in pairs for name, flow in self._looped(one, value).items()}
        return dict.fromkeys(bound_in(target), self.flow(values))

    def _call(self, node: ast.Call) -> Flow:
        name = last_name(node.func)
        owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        is_leaving = name in _DETACHING or text_of(node.func) == "float"
        found = self._detached(f"{name}()", node, [*owner, *node.args]) if is_leaving else super()._flow_of(node)
        is_leaf = name in ("requires_grad_", "Variable") or any(one.arg == "requires_grad" for one in node.keywords)
        if type(found) is DetachedTerm and is_leaf:
            found.leaf = self._source.file, node.lineno
        return found


def _detaches(value: ast.expr) -> bool:
    """Whether a sum is a straight-through estimator: the step function goes forward, something else backward."""
    return any(isinstance(node, ast.Attribute) and node.attr == "detach" for node in ast.walk(value))
