"""Works out which attributes the result of ``forward`` is computed from, and which get gradients."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from contextlib import suppress

from ...step.classes import methods_of
from ...step.expressions import last_name, text_of
from ...step.grad_mode import switches_off
from ...step.source import Source
from ..interpret import Allowance, Domain, Interpreter, Names, TooMuch
from ..ops import DETACHING, METADATA, SHAPE_ONLY, WITHOUT_GRAPH

_DETACHING = WITHOUT_GRAPH.union(DETACHING)

DetachLine = tuple[str, int, str]  #: a file, a line, and what detaches there


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
    methods = dict(methods_of(cls))
    source = methods.get("forward")
    if source is None or not source.is_known():
        return {}
    walk = _Forward(source, methods)
    with suppress(TooMuch):  # what was found before stays true: another result takes nothing back
        walk.run()
    return walk.detached()


class _Forward(Domain[Dependence]):
    """The attributes behind each name, on all paths through a ``forward``."""

    def __init__(self, source: Source, methods: dict[str, Source]) -> None:
        self._source = source
        self._methods = methods
        self._file, self._own = source.file, source.self_name
        self._allowance = Allowance()
        self._results: list[Dependence] = []
        self._blocked: DetachLine | None = None

    def run(self) -> None:
        Interpreter(self, self._allowance).run(self._source.body, {})

    def detached(self) -> dict[str, DetachLine]:
        found: dict[str, DetachLine] = {}
        for flow in self._results:
            if flow.cut is not None:
                found.update({part: flow.cut for part in flow.parts - flow.live if part not in found})
        return found

    # Statements

    def join(self, one: Dependence, other: Dependence) -> Dependence:
        return one | other

    def returned(self, value: ast.expr | None, names: Names[Dependence]) -> None:
        self._results += [self._flow(result, names) for result in _results(value)]

    def evaluated(self, value: ast.expr, names: Names[Dependence]) -> None:
        """A method may put what it is given into its object: ``kept.append(h)``, ``h.add_(x)``."""
        owner = value.func.value if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) else None
        if isinstance(owner, ast.Name):
            names[owner.id] = names.get(owner.id, _NOTHING) | self._flow(value, names)

    def assigned(self, statement: ast.Assign | ast.AnnAssign | ast.AugAssign, names: Names[Dependence]) -> None:
        if statement.value is None:
            return
        value, given = self._flow(statement.value, names), statement.value
        for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
            if isinstance(target, ast.Tuple) and isinstance(given, ast.Tuple) and len(target.elts) == len(given.elts):
                values = [self._flow(item, names) for item in given.elts]
                names.update({text_of(item): one for item, one in zip(target.elts, values)})
                continue
            for item in ast.walk(target):
                if isinstance(item, (ast.Name, ast.Attribute)):
                    whole = isinstance(target, (ast.Tuple, ast.List)) or item is target
                    added = isinstance(statement, ast.AugAssign) or not whole
                    names[text_of(item)] = value | names.get(text_of(item), _NOTHING) if added else value

    def looped(self, target: ast.expr, values: ast.expr, item: Dependence | None, names: Names[Dependence]) -> None:
        given = self._flow(values, names)
        names.update({node.id: given for node in ast.walk(target) if isinstance(node, ast.Name)})

    def entered(self, items: list[ast.withitem], line: int) -> DetachLine | None:
        before, is_off = self._blocked, switches_off(items)
        if is_off is not None:
            self._blocked = (self._file, line, "no_grad") if is_off else None
        return before

    def left(self, before: DetachLine | None) -> None:
        self._blocked = before

    # Expressions

    def _flow(self, node: ast.AST | None, names: Names[Dependence]) -> Dependence:
        found = _NOTHING if node is None else self._allowance.nested(lambda: self._flow_of(node, names))
        return found if self._blocked is None else found.detached_at(self._blocked)

    def _flow_of(self, node: ast.AST, names: Names[Dependence]) -> Dependence:
        if isinstance(node, ast.Name):
            return names.get(node.id, _NOTHING)
        if isinstance(node, ast.Attribute):
            return self._attribute(node, names)
        called = self._operation(node)
        if called in SHAPE_ONLY:
            return _NOTHING
        if isinstance(node, ast.Compare):
            return self._union(ast.iter_child_nodes(node), names).detached_at((self._file, node.lineno, "a comparison"))
        flow = self._union(ast.iter_child_nodes(node), names)
        if isinstance(node, ast.Call) and called in _DETACHING:
            return flow.detached_at((self._file, node.lineno, f"{called}()"))
        return flow

    def _operation(self, node: ast.AST) -> str:
        """The last part of what is called, as ``detach``; empty for a part or method of the module: ``self.le(x)``."""
        func = node.func if isinstance(node, ast.Call) else None
        is_own = isinstance(func, ast.Attribute) and text_of(func.value) == self._own
        return "" if func is None or is_own else last_name(func)

    def _union(self, nodes: Iterable[ast.AST], names: Names[Dependence]) -> Dependence:
        found = _NOTHING
        for node in nodes:
            found = found | self._flow(node, names)
        return found

    def _attribute(self, node: ast.Attribute, names: Names[Dependence]) -> Dependence:
        if node.attr in METADATA:
            return _NOTHING
        if text_of(node) in names:
            return names[text_of(node)]
        if isinstance(node.value, ast.Name) and node.value.id == self._own:
            parts = set(self._parts_of(node.attr, set()))
            return Dependence(parts, parts)
        flow = self._flow(node.value, names)
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
