"""Finds where what a module gives is cut off on its way to the loss, in a function or a method that the step calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .....safe.record import Record
from ....step.calls import Call
from ....step.expressions import bound_in, key_of, last_name, text_of
from ....step.functions import Called, called_at, is_same_each_round, value_in
from ....step.grad_mode import decorated_off, off_at
from ....step.sight import VisibleVariable
from ....step.source import Source
from ....step.step import Step
from ...lines import Line
from ...made_of import ABOUT, ALIKE, CUTS, CUTTING_FUNCTIONS, STEP_FUNCTIONS, Flow, joined_flow
from .learns_elsewhere import Held, may_learn_elsewhere

_CUTS = frozenset((*CUTS, "float"))
_METHODS_THAT_KEEP = ("float", *CUTTING_FUNCTIONS)  #: `x.float()` keeps the graph, `float(x)` does not
_NO_DATA = frozenset((*ABOUT, *ALIKE, *STEP_FUNCTIONS))
_DEEP = 40  #: of expressions and functions in one another
_MOST = 60  #: functions that are gone through
_MOST_EXPRESSIONS = 5000


class CutCall(Record):
    """Where all of a value leaves autograd: by what, in which line, in which function."""

    how: str
    line: Line
    source: Source


_Flow = Flow[CutCall]  #: how a value is made of what the module gives; "live" also where that is not sure


def cut_in_call(step: Step, variable: VisibleVariable) -> CutCall | None:
    """The place in a function that cuts off a module, which the step surely calls for its losses and nothing else trains."""
    walk = _Route(step, variable.value)
    frame = _FollowedBody(walk, step.source, None, {})
    flows = [frame.named(key_of(loss.name), 0) for loss in step.losses]
    found = next((flow for flow in flows if type(flow) is CutCall), None)
    if found is None or found.source is step.source or "live" in flows or not walk.is_surely_called:
        return None
    held = Held(variable.key.rpartition(".")[2], variable.value, True)
    return None if may_learn_elsewhere(step, held, walk.entered, walk.noted) else found


class _Route:
    """What a way through functions has in common: the module, its calls, the functions gone through."""

    def __init__(self, step: Step, module: object) -> None:
        self.step = step
        self.module = module
        self.entered: list[Source] = []
        self.noted = set[int]()
        self.expressions = 0
        self.is_surely_called = True


class _FollowedBody:
    """A function, or the frame itself (without ``called``), in which values are followed."""

    def __init__(self, walk: _Route, source: Source, called: Called | None, given: dict[str, _Flow]) -> None:
        self._walk = walk
        self._source = source
        self._called = called
        self._given = given
        self._known: dict[str, _Flow] = {}
        off = None if called is None else decorated_off(source)
        self._off = None if off is None else CutCall("no_grad", (source.file, off), source)

    def named(self, name: str, depth: int) -> _Flow:
        """What a variable is, after all lines that bind it: where one may not have run, what was before it counts too."""
        if name in self._known:
            return self._known[name]
        self._known[name] = self._given.get(name)
        for line, node in sorted(self._source.bindings.get(name, ()), key=lambda one: one[0]):
            if self._called is None and line > self._source.lineno:
                continue
            found = self._bound(name, node, depth)
            is_whole = isinstance(node, ast.Assign) and not self._is_conditional(line)
            self._known[name] = found if is_whole else joined_flow((self._known[name], found))
        return self._known[name]

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
        if type(found) is CutCall and found.source is self._source and self._is_conditional(found.line[1]):
            return "live"  # it may be cut off by turns
        return found

    def _flow_of(self, node: ast.AST, depth: int) -> _Flow:
        if isinstance(node, ast.Name):
            return self.named(node.id, depth)
        if isinstance(node, ast.Attribute):
            if text_of(node) in self._source.bindings:
                return self.named(text_of(node), depth)
            return self._cut(node.attr, node, self.flow(node.value, depth)) if node.attr not in ABOUT else None
        if isinstance(node, ast.Call):
            return self._of_call(node, depth)
        if isinstance(node, (ast.Lambda, ast.Constant, ast.Compare)):
            return None
        if isinstance(node, ast.Subscript):
            return self.flow(node.value, depth)
        found = joined_flow(self.flow(below, depth) for below in self._parts(node))
        return "live" if found is not None and isinstance(node, (ast.IfExp, ast.BoolOp)) else found

    def _parts(self, node: ast.AST) -> Iterator[ast.AST]:
        """What an expression is made of; of a comprehension its variables stand for what it goes through."""
        for loop in getattr(node, "generators", ()):
            for name in bound_in(loop.target):
                self._known[name] = self.flow(loop.iter, 0)
        yield from (below for below in ast.iter_child_nodes(node) if not isinstance(below, ast.comprehension))

    def _of_call(self, node: ast.Call, depth: int) -> _Flow:
        name, step = last_name(node.func), self._walk.step
        if name in _NO_DATA:
            return None
        call = Call(node, None, False)
        level = step.level if self._called is None else self._called.level
        callee = value_in(step, call.callee, level) if self._called is None else self._called.value(call.callee)
        if callee is self._walk.module:
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
            found = found if owner is not None and name in _METHODS_THAT_KEEP else self._cut(name, node, found)
        off = off_at(self._source, node.lineno)
        return found if off is None or found is None else CutCall("no_grad", (self._source.file, off), self._source)

    def _note_call(self, node: ast.Call) -> None:
        self._walk.noted.add(id(node))
        self._walk.is_surely_called = self._walk.is_surely_called and not self._is_conditional(node.lineno)

    def _enter(self, function: Called, depth: int) -> _Flow:
        if len(self._walk.entered) == _MOST:
            return "live"
        self._walk.entered.append(function.source)
        given = {name: self.flow(value, depth) for name, value in function.given.items()}
        return _FollowedBody(self._walk, function.source, function, given).results(depth + 1)

    def _cut(self, name: str, node: ast.expr, found: _Flow) -> _Flow:
        is_cut = name in _CUTS and found == "live"
        how = f".{name}" if name == "data" else f"{name}()"
        return CutCall(how, (self._source.file, node.lineno), self._source) if is_cut else found

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
