"""Works out which attributes the result of ``forward`` is computed from, and which get gradients."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ...step.classes import methods_of
from ...step.expressions import last_name, text_of
from ...step.grad_mode import switches_off
from ..ops import DETACHING, METADATA, SHAPE_ONLY, WITHOUT_GRAPH

_DETACHING = WITHOUT_GRAPH.union(DETACHING)
_DEEP = 60  #: of expressions and statements in one another

DetachLine = tuple[str, int, str]  #: a file, a line, and what attributes off there


class Dependence:
    """The attributes that a value is computed from, and those that its gradient reaches."""

    __slots__ = ("cut", "live", "parts")

    def __init__(self, parts: Iterable[str] = (), live: Iterable[str] = (), cut: DetachLine | None = None) -> None:
        self.parts = frozenset(parts)
        self.live = frozenset(live)
        self.cut = cut

    def __or__(self, other: Dependence) -> Dependence:
        return Dependence(self.parts | other.parts, self.live | other.live, self.cut or other.cut)

    def detached_at(self, cut: DetachLine) -> Dependence:
        return Dependence(self.parts, (), cut if self.live else self.cut or cut)


_NOTHING = Dependence()


def detached_attributes(cls: type) -> dict[str, DetachLine]:
    """The attributes that a result of ``forward`` is computed from, without a gradient."""
    return _Forward(cls).attributes()


class _Forward:
    def __init__(self, cls: type) -> None:
        self._methods = dict(methods_of(cls))
        self._results: list[Dependence] = []
        self._blocked: DetachLine | None = None

    def attributes(self) -> dict[str, DetachLine]:
        source = self._methods.get("forward")
        if source is None or not source.is_known():
            return {}
        self._file, self._own = source.file, source.self_name
        self._run(source.body, {}, 0)
        found: dict[str, DetachLine] = {}
        for flow in self._results:
            if flow.cut is not None:
                found.update({part: flow.cut for part in flow.parts - flow.live if part not in found})
        return found

    # Statements

    def _run(self, body: Iterable[ast.stmt], names: dict[str, Dependence], depth: int) -> None:
        for statement in body if depth < _DEEP else ():
            if isinstance(statement, ast.Return):
                self._results += [self._flow(value, names, depth) for value in _results(statement.value)]
            elif isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                self._assign(statement, names, depth)
            elif isinstance(statement, (ast.If, ast.For, ast.While, ast.Try)):
                self._branch(statement, names, depth)
            elif isinstance(statement, (ast.With, ast.AsyncWith)):
                before, is_off = self._blocked, switches_off(statement.items)
                if is_off is not None:
                    self._blocked = (self._file, statement.lineno, "no_grad") if is_off else None
                self._run(statement.body, names, depth + 1)
                self._blocked = before
            elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
                call = statement.value
                owner = call.func.value if isinstance(call.func, ast.Attribute) else None
                if isinstance(owner, ast.Name):  # `kept.append(h)`, `h.add_(x)`
                    names[owner.id] = names.get(owner.id, _NOTHING) | self._flow(call, names, depth)

    def _assign(
        self, statement: ast.Assign | ast.AnnAssign | ast.AugAssign, names: dict[str, Dependence], depth: int
    ) -> None:
        if statement.value is None:
            return
        value = self._flow(statement.value, names, depth)
        for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
            given = statement.value
            if isinstance(target, ast.Tuple) and isinstance(given, ast.Tuple) and len(target.elts) == len(given.elts):
                values = [self._flow(item, names, depth) for item in given.elts]
                names.update({text_of(item): one for item, one in zip(target.elts, values)})
                continue
            for item in ast.walk(target):
                if isinstance(item, (ast.Name, ast.Attribute)):
                    whole = isinstance(target, (ast.Tuple, ast.List)) or item is target
                    added = isinstance(statement, ast.AugAssign) or not whole
                    names[text_of(item)] = value | names.get(text_of(item), _NOTHING) if added else value

    def _branch(
        self, statement: ast.If | ast.For | ast.While | ast.Try, names: dict[str, Dependence], depth: int
    ) -> None:
        bodies = [statement.body, statement.orelse]
        if isinstance(statement, ast.Try):
            bodies += [statement.finalbody, *(handler.body for handler in statement.handlers)]
        if isinstance(statement, ast.For):
            given = self._flow(statement.iter, names, depth)
            names.update({item.id: given for item in ast.walk(statement.target) if isinstance(item, ast.Name)})
        before = dict(names)
        for body in bodies:
            after = dict(before)
            for _ in range(2 if isinstance(statement, (ast.For, ast.While)) else 1):
                self._run(body, after, depth + 1)
            for name, flow in after.items():
                names[name] = names.get(name, _NOTHING) | flow if body is not bodies[0] else flow
            if body is bodies[0] and not isinstance(statement, ast.If):
                names.update({name: names[name] | flow for name, flow in before.items()})

    # Expressions

    def _flow(self, node: ast.AST | None, names: dict[str, Dependence], depth: int) -> Dependence:
        found = self._flow_of(node, names, depth + 1) if node is not None and depth < _DEEP else _NOTHING
        return found if self._blocked is None else found.detached_at(self._blocked)

    def _flow_of(self, node: ast.AST, names: dict[str, Dependence], depth: int) -> Dependence:
        if isinstance(node, ast.Name):
            return names.get(node.id, _NOTHING)
        if isinstance(node, ast.Attribute):
            return self._attribute(node, names, depth)
        if isinstance(node, ast.Call) and _called(node) in SHAPE_ONLY:
            return _NOTHING
        if isinstance(node, ast.Compare):
            return self._union(ast.iter_child_nodes(node), names, depth).detached_at(
                (self._file, node.lineno, "a comparison")
            )
        if isinstance(node, ast.Call) and _called(node) in _DETACHING:
            flow = self._union(ast.iter_child_nodes(node), names, depth)
            return flow.detached_at((self._file, node.lineno, f"{_called(node)}()"))
        return self._union(ast.iter_child_nodes(node), names, depth)

    def _union(self, nodes: Iterable[ast.AST], names: dict[str, Dependence], depth: int) -> Dependence:
        found = _NOTHING
        for node in nodes:
            found = found | self._flow(node, names, depth)
        return found

    def _attribute(self, node: ast.Attribute, names: dict[str, Dependence], depth: int) -> Dependence:
        if node.attr in METADATA:
            return _NOTHING
        if text_of(node) in names:
            return names[text_of(node)]
        if isinstance(node.value, ast.Name) and node.value.id == self._own:
            parts = set(self._parts_of(node.attr, set()))
            return Dependence(parts, parts)
        flow = self._flow(node.value, names, depth)
        is_cut = node.attr in ("data", "indices")
        return flow.detached_at((self._file, node.lineno, f".{node.attr}")) if is_cut else flow

    def _parts_of(self, name: str, seen: set[str]) -> Iterator[str]:
        """An attribute, or those that a method names."""
        source = self._methods.get(name)
        if source is None:
            yield name
        elif name not in seen:
            seen.add(name)
            for node in source.nodes:
                if isinstance(node, ast.Attribute) and text_of(node.value) == source.self_name:
                    yield from self._parts_of(node.attr, seen)


def _results(value: ast.expr | None) -> list[ast.expr]:
    """The results of a ``return``, one by one."""
    if isinstance(value, (ast.Tuple, ast.List)):
        return list(value.elts)
    if isinstance(value, ast.Dict):
        return list(value.values)
    return [] if value is None else [value]


def _called(node: ast.AST) -> str:
    """The last part of what is called: ``detach``."""
    return last_name(node.func) if isinstance(node, ast.Call) else ""
