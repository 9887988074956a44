"""Finds where a module's result is detached on its way to the loss, across calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ....measure.torch.metadata import is_exact_tensor, requires_grad
from ....measure.torch.modules import is_module, parameters_of
from ....safe.record import Record
from ...step.calls import Call
from ...step.classes import is_library
from ...step.expressions import bound_in, is_name, key_of, last_name, text_of
from ...step.functions import Called, argument_given, called_at, is_same_each_round, value_in
from ...step.grad_mode import decorated_off, off_at
from ...step.sight import VisibleVariable
from ...step.source import Source
from ...step.step import Step
from ..definitions import Flow, joined_flow
from ..effects import PUTTING_INTO_LISTS
from ..lines import Line
from ..ops import DETACHING, DETACHING_FUNCTIONS, METADATA, NON_DIFFERENTIABLE, SHAPE_ONLY, WITHOUT_GRAPH
from ..reach.trained_elsewhere import UntrainedModule, may_train_elsewhere

_CUTS = frozenset((*DETACHING, "float"))
_KEEPING_METHODS = ("float", *DETACHING_FUNCTIONS)  #: `x.float()` keeps the graph, `float(x)` does not
_NO_DATA = frozenset((*METADATA, *SHAPE_ONLY, *NON_DIFFERENTIABLE))
_DEEP = 40  #: of expressions and functions in one another
_MOST = 60  #: functions that are gone through
_MOST_EXPRESSIONS = 5000


class Detached(Record):
    """Where all of a value is detached: by what, in which line and function.

    ``is_off``: gradients are off there.
    """

    how: str
    line: Line
    source: Source
    is_off: bool = False


_Flow = Flow[Detached]  #: how a value is made of what the module gives; "live" also where that is not sure


def detached_in_call(step: Step, variable: VisibleVariable) -> Detached | None:
    """Where a called function detaches a module that nothing else trains."""
    walk = _Trace(step, variable.value)
    frame = _FollowedBody(walk, step.source, None, {}, step.level)
    flows = [frame.named(key_of(loss.name), 0) for loss in step.losses]
    found = next((flow for flow in flows if type(flow) is Detached), None)
    if found is None or found.source is step.source or "live" in flows or not walk.is_surely_called:
        return None
    held = UntrainedModule(variable.key.rpartition(".")[2], variable.value, True)
    return None if may_train_elsewhere(step, held, walk.entered, walk.noted) else found


def detached_before(step: Step, name: str, level: int) -> Detached | None:
    """Where a value without a graph was detached from one that has a graph.

    ``name`` is its name in the frame at ``level``.
    """
    found = _FollowedBody(_TraceOfAll(step), step.sources[level], None, {}, level).named(key_of(name), 0)
    return found if type(found) is Detached else None


class _Trace:
    """State shared by all functions of one search: the module, its calls, the functions entered."""

    cuts = _CUTS
    puts: tuple[str, ...] = ()  #: methods that put into a list what is followed

    def __init__(self, step: Step, module: object) -> None:
        self.step = step
        self.module = module
        self.entered: list[Source] = []
        self.noted = set[int]()
        self.expressions = 0
        self.is_surely_called = True

    def is_live(self, value: Any) -> bool:
        """Whether a value has a gradient that is searched for."""
        return False

    def is_called(self, callee: Any) -> bool:
        """Whether a call of this gives a result that is searched for."""
        return callee is self.module


class _TraceOfAll(_Trace):
    """Searches from anything with a graph: tensors, and modules of libraries with parameters."""

    cuts = _CUTS | WITHOUT_GRAPH
    puts = PUTTING_INTO_LISTS

    def __init__(self, step: Step) -> None:
        super().__init__(step, None)

    def is_live(self, value: Any) -> bool:
        return is_exact_tensor(value) and bool(requires_grad(value))

    def is_called(self, callee: Any) -> bool:
        return (
            is_module(callee) and is_library(type(callee)) and any(requires_grad(one) for one in parameters_of(callee))
        )


class _FollowedBody:
    """A function, or the frame at ``level`` (without ``called``), in which values are followed."""

    def __init__(
        self, walk: _Trace, source: Source, called: Called | None, given: dict[str, _Flow], level: int, end: int = 1
    ) -> None:
        self._walk = walk
        self._source = source
        self._called = called
        self._given = given
        self._level = level
        self._end = source.lineno + end  #: of a frame: the line from which on nothing has run
        self._known: dict[str, _Flow] = {}
        off = None if called is None else decorated_off(source)
        self._off = None if off is None else Detached("no_grad", (source.file, off), source, True)

    def named(self, name: str, depth: int) -> _Flow:
        """The flow of a variable after all lines that bind it. Bindings that may not run are joined."""
        if name in self._known:
            return self._known[name]
        self._known[name] = self._given_as(name, depth)
        if self._called is None and self._walk.is_live(value_in(self._walk.step, name, self._level)):
            self._known[name] = "live"
            return "live"
        for line, node in sorted(self._source.bindings.get(name, ()), key=lambda one: one[0]):
            if self._called is None and line >= self._end:
                continue
            found = self._bound(name, node, depth)
            is_whole = isinstance(node, ast.Assign) and not self._is_conditional(line)
            self._known[name] = found if is_whole else joined_flow((self._known[name], found))
        put = [call for call in self._source.calls_of(*self._walk.puts) if text_of(call.receiver) == name]
        self._known[name] = joined_flow(
            (self._known[name], *(self.flow(call.args[-1], depth) for call in put if call.args))
        )
        return self._known[name]

    def _given_as(self, name: str, depth: int) -> _Flow:
        """The flow of an argument; for a frame, of the expression in its caller."""
        step, level = self._walk.step, self._level + 1
        if self._called is not None or name not in self._source.arguments or level >= len(step.frames):
            return self._given.get(name)
        argument = argument_given(step, self._level, name)
        outer = _FollowedBody(self._walk, step.sources[level], None, {}, level, end=0)
        return outer.flow(argument, depth + 1)

    def results(self, depth: int) -> _Flow:
        before = len(self._walk.noted)
        found = joined_flow(self.flow(one.value, depth) for one in self._source.returns)
        if self._off is None or found is None:
            return found
        return self._off if len(self._walk.noted) == before else "live"  # else the module itself runs without gradients

    def flow(self, node: ast.AST | None, depth: int) -> _Flow:
        if node is None or depth > _DEEP:
            return None
        self._walk.expressions += 1
        if self._walk.expressions > _MOST_EXPRESSIONS:
            return "live"
        found = self._flow_of(node, depth + 1)
        if type(found) is Detached and found.source is self._source and self._is_conditional(found.line[1]):
            return "live"  # it may be cut off by turns
        return found

    def _flow_of(self, node: ast.AST, depth: int) -> _Flow:
        if isinstance(node, ast.Name):
            return self.named(node.id, depth)
        if isinstance(node, ast.Attribute):
            if text_of(node) in self._source.bindings:
                return self.named(text_of(node), depth)
            if is_name(node) and self._walk.is_live(self._value(text_of(node))):
                return "live"
            return self._detached(node.attr, node, self.flow(node.value, depth)) if node.attr not in METADATA else None
        if isinstance(node, ast.Call):
            return self._of_call(node, depth)
        if isinstance(node, ast.Compare) and "eq" in self._walk.cuts:
            operands = (self.flow(one, depth) for one in (node.left, *node.comparators))
            return self._detached("eq", node, joined_flow(operands))
        if isinstance(node, (ast.Lambda, ast.Constant, ast.Compare)):
            return None
        if isinstance(node, ast.Subscript):
            return self.flow(node.value, depth)
        found = joined_flow(self.flow(below, depth) for below in self._parts(node))
        return "live" if found is not None and isinstance(node, (ast.IfExp, ast.BoolOp)) else found

    def _parts(self, node: ast.AST) -> Iterator[ast.AST]:
        """The operands of an expression. In a comprehension each variable stands for its iterable."""
        for loop in getattr(node, "generators", ()):
            for name in bound_in(loop.target):
                self._known[name] = self.flow(loop.iter, 0)
        yield from (below for below in ast.iter_child_nodes(node) if not isinstance(below, ast.comprehension))

    def _of_call(self, node: ast.Call, depth: int) -> _Flow:
        step, call, level = self._walk.step, Call(node, None, False), self._level
        callee = self._value(call.callee)
        name = "" if is_module(callee) else last_name(node.func)  # a module named `le` compares nothing
        if name in _NO_DATA - self._walk.cuts:
            return None
        if self._walk.is_called(callee):
            self._note_call(node)
            return "live"
        function = called_at(step, call, level, self._called)
        if function is not None:
            before = len(self._walk.noted)
            found = self._enter(function, depth)
            if found is not None and not is_same_each_round(step, self._source, call.callee, level, self._called):
                found = "live"
            if len(self._walk.noted) > before:
                self._note_call(node)
        else:
            owner = self.flow(node.func.value, depth) if isinstance(node.func, ast.Attribute) else None
            given = [self.flow(one, depth) for one in (*node.args, *(one.value for one in node.keywords))]
            found = joined_flow((owner, *given))
            found = found if owner is not None and name in _KEEPING_METHODS else self._detached(name, node, found)
        off = off_at(self._source, node.lineno)
        return (
            found if off is None or found is None else Detached("no_grad", (self._source.file, off), self._source, True)
        )

    def _value(self, name: str) -> Any:
        """The value of a name or attribute here, as far as it is known."""
        return value_in(self._walk.step, name, self._level) if self._called is None else self._called.value(name)

    def _note_call(self, node: ast.Call) -> None:
        self._walk.noted.add(id(node))
        self._walk.is_surely_called = self._walk.is_surely_called and not self._is_conditional(node.lineno)

    def _enter(self, function: Called, depth: int) -> _Flow:
        if len(self._walk.entered) == _MOST:
            return "live"
        self._walk.entered.append(function.source)
        given = {name: self.flow(value, depth) for name, value in function.given.items()}
        return _FollowedBody(self._walk, function.source, function, given, self._level).results(depth + 1)

    def _detached(self, name: str, node: ast.expr, found: _Flow) -> _Flow:
        is_cut = name in self._walk.cuts and found == "live"
        how = "a comparison" if isinstance(node, ast.Compare) else f".{name}" if name == "data" else f"{name}()"
        return Detached(how, (self._source.file, node.lineno), self._source) if is_cut else found

    def _bound(self, name: str, node: ast.AST, depth: int) -> _Flow:
        """What a statement binds to a name."""
        if isinstance(node, (ast.For, ast.AsyncFor)):
            return self.flow(node.iter, depth)
        value: ast.expr | None = getattr(node, "value", None) if isinstance(node, (ast.stmt, ast.NamedExpr)) else None
        target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            pairs = zip(target.elts, value.elts)
            return joined_flow(self.flow(part, depth) for one, part in pairs if name in bound_in(one))
        return self.flow(value, depth)

    def _is_conditional(self, line: int) -> bool:
        seen_from = self._source.lineno if self._called is None else None
        return self._source.is_conditional(line, seen_from=seen_from)
