"""Finds where what a module gives is cut off on its way to the loss, in a function or a method that the step calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .....safe.record import Record
from ....step.called import Called, called_at, functions_called, is_always, value_in
from ....step.calls import Call
from ....step.expressions import bound_in, is_name, key_of, last_name, text_of
from ....step.grad_mode import decorated_off, off_at
from ....step.sight import VisibleVariable
from ....step.source import Source
from ....step.step import Step
from ...codes import codes_that_name, is_elsewhere
from ...lines import Line
from ...made_of import ABOUT, ALIKE, CUTS, CUTTING_FUNCTIONS, STEPS, Flow, joined

_CUTS = frozenset((*CUTS, "float"))
_METHODS_THAT_KEEP = ("float", *CUTTING_FUNCTIONS)  #: `x.float()` keeps the graph, `float(x)` does not
_NO_DATA = frozenset((*ABOUT, *ALIKE, *STEPS))
_DEEP = 40  #: of expressions and functions in one another
_MOST = 60  #: functions that are gone through
_MOST_EXPRESSIONS = 5000
#: methods of a module that neither train it nor change what it holds
_HARMLESS = ("train", "eval", "zero_grad", "to", "modules", "children", "state_dict")


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
    return None if _may_learn_elsewhere(step, variable, walk.entered) else found


def _may_learn_elsewhere(step: Step, variable: VisibleVariable, entered: list[Source]) -> bool:
    """Whether another function than those that were gone through may train a module: one that names it, or is given it."""
    known = {(source.file, source.function) for source in (step.source, *entered)}
    if any(is_elsewhere(code, known) for code in codes_that_name(step, variable.key.rpartition(".")[2])):
        return True
    if any(one.source.backwards for one in functions_called(step, [step.at])):
        return True
    return any(_is_used_otherwise(step, variable.value, view, known) for view in range(len(step.sources)))


def _is_used_otherwise(step: Step, module: object, view: int, known: set[tuple[str, str]]) -> bool:
    """Whether a frame, in the round of its loop, gives a module to another function than these, or calls a method of it that
    may change it."""
    source = step.sources[view]
    clipped = {id(node) for call in source.calls for node in ast.walk(call.node) if call.name.startswith("clip_grad")}
    for call in _calls_of_round(source, is_outer=view > step.at):
        is_harmless = call.name in _HARMLESS or id(call.node) in clipped
        if not is_harmless and call.receiver is not None and value_in(step, text_of(call.receiver), view) is module:
            return True
        given = (text_of(one) for one in (*call.args, *call.keywords.values()) if is_name(one))
        if any(value_in(step, one, view) is module for one in given):
            function = called_at(step, call, view)
            if function is None or (function.source.file, function.source.function) not in known:
                return True
    return False


def _calls_of_round(source: Source, *, is_outer: bool) -> list[Call]:
    """The calls in the outermost loop around what runs; without one, those of a function that is itself a step."""
    around = [(first, last) for first, last in source.loops if first <= source.lineno <= last]
    if not around and (is_outer or source.function == "<module>"):
        return []
    first, last = min(around, default=(0, float("inf")))
    return [
        call
        for call in source.calls
        if first <= call.lineno <= last and not (is_outer and call.lineno == source.lineno)
    ]


class _Route:
    """What a way through functions has in common: the module, its calls, the functions gone through."""

    def __init__(self, step: Step, module: object) -> None:
        self.step = step
        self.module = module
        self.entered: list[Source] = []
        self.calls = 0
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
            self._known[name] = found if is_whole else joined((self._known[name], found))
        return self._known[name]

    def results(self, depth: int) -> _Flow:
        before = self._walk.calls
        found = joined(self.flow(one.value, depth) for one in self._source.returns)
        if self._off is None or found is None:
            return found
        return self._off if self._walk.calls == before else "live"  # else the module itself runs without gradients

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
        found = joined(self.flow(below, depth) for below in self._parts(node))
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
        view = step.at if self._called is None else self._called.view
        callee = value_in(step, call.callee, view) if self._called is None else self._called.value(call.callee)
        if callee is self._walk.module:
            self._note_call(node.lineno)
            return "live"
        function = called_at(step, call, view, self._called)
        if function is not None:
            before = self._walk.calls
            found = self._enter(function, depth)
            if found is not None and not is_always(step, self._source, call.callee, view, self._called):
                found = "live"
            if self._walk.calls > before:
                self._note_call(node.lineno)
        else:
            owner = self.flow(node.func.value, depth) if isinstance(node.func, ast.Attribute) else None
            given = [self.flow(one, depth) for one in (*node.args, *(one.value for one in node.keywords))]
            found = joined((owner, *given))
            found = found if owner is not None and name in _METHODS_THAT_KEEP else self._cut(name, node, found)
        off = off_at(self._source, node.lineno)
        return found if off is None or found is None else CutCall("no_grad", (self._source.file, off), self._source)

    def _note_call(self, line: int) -> None:
        self._walk.calls += 1
        self._walk.is_surely_called = self._walk.is_surely_called and not self._is_conditional(line)

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
            return joined(self.flow(part, depth) for one, part in pairs if name in bound_in(one))
        return self.flow(value, depth)

    def _is_conditional(self, line: int) -> bool:
        seen_from = self._source.lineno if self._called is None else None
        return self._source.is_conditional(line, seen_from=seen_from)
