"""Walks the statements of a function on all paths that it may take: one interpreter for every question about source.

A question is a `Domain`: it says what expressions mean, and joins the values of paths that meet.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, Optional, TypeVar

_STATEMENTS = 20_000  #: of all functions that are gone through for one question
_DEPTH = 60  #: of expressions, statements and calls in one another
_TURNS = 2  #: of a loop whose iterations are not known: the second reads what the first has bound

Value = TypeVar("Value")
Result = TypeVar("Result")
Names = dict[str, Value]  #: what each name means at one point of a path
#: What has handlers, and what has cases, as far as this Python has them.
_TRIES = (ast.Try, getattr(ast, "TryStar", ast.Try))
_MATCHES: Any = getattr(ast, "Match", ())


class TooMuch(Exception):
    """Why a question has no answer: the program is longer, or more deeply nested, than is gone through."""


class Allowance:
    """What one question may take, in all functions that it enters.

    ``whole``: what this question and others may take together.
    """

    def __init__(self, statements: int = _STATEMENTS, depth: int = _DEPTH, whole: Allowance | None = None) -> None:
        self._statements = statements
        self._depth = depth
        self._whole = whole

    def count(self) -> None:
        self._statements -= 1
        if self._statements < 0:
            raise TooMuch
        if self._whole is not None:
            self._whole.count()

    def nested(self, ask: Callable[[], Result]) -> Result:
        """What ``ask`` answers one level deeper."""
        if self._depth <= 0:
            raise TooMuch
        self._depth -= 1
        try:
            return ask()
        finally:
            self._depth += 1


class Domain(Generic[Value]):
    """What the statements of one function mean to a question."""

    def assigned(self, statement: ast.Assign | ast.AnnAssign | ast.AugAssign, names: Names[Value]) -> None:
        """Binds what a statement assigns."""

    def evaluated(self, value: ast.expr, names: Names[Value]) -> None:
        """Takes note of an expression that stands alone, as a call."""

    def returned(self, value: ast.expr | None, names: Names[Value]) -> None:
        """Takes note of a result."""

    def other(self, statement: ast.stmt, names: Names[Value]) -> None:
        """Takes note of any other statement, before it is gone through: a `try`, `raise`, `import`, a definition."""

    def join(self, one: Value, other: Value) -> Value:
        raise NotImplementedError

    def condition(self, test: ast.expr, names: Names[Value]) -> bool | None:
        """Which way a condition goes; None where it may go both ways."""
        return None

    def items(self, values: ast.expr, names: Names[Value]) -> Sequence[Value] | None:
        """What a loop goes through, item by item; None where that is not known."""
        return None

    def looped(self, target: ast.expr, values: ast.expr, item: Value | None, names: Names[Value]) -> None:
        """Binds the variables of a loop: to one of its `items`, or without one to any of them."""

    def entered(self, items: list[ast.withitem], line: int) -> object:
        """Takes note of a ``with``; what this returns is given back to `left`."""
        return None

    def left(self, before: Any) -> None:
        """Takes note of the end of a ``with``."""


_Path = Optional[Names[Value]]  #: the names at the end of a path; None where none comes there


class Interpreter(Generic[Value]):
    """Walks one function for a domain."""

    def __init__(self, domain: Domain[Value], allowance: Allowance) -> None:
        self._domain = domain
        self._allowance = allowance
        self._breaks: list[list[Names[Value]]] = []
        self._continues: list[list[Names[Value]]] = []

    def run(self, body: list[ast.stmt], names: Names[Value]) -> _Path[Value]:
        """Walks some statements. The names at their end; None where each path returns, raises or leaves a loop."""
        path: _Path[Value] = names
        for statement in body:
            if path is None:
                return None
            path = self._step(statement, path)
        return path

    def _step(self, statement: ast.stmt, names: Names[Value]) -> _Path[Value]:
        self._allowance.count()
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            self._domain.assigned(statement, names)
        elif isinstance(statement, ast.Expr):
            self._domain.evaluated(statement.value, names)
        elif isinstance(statement, ast.Return):
            self._domain.returned(statement.value, names)
            return None
        elif isinstance(statement, (ast.Break, ast.Continue)):
            waiting = self._breaks if isinstance(statement, ast.Break) else self._continues
            if waiting:
                waiting[-1].append(names)
            return None
        else:
            return self._allowance.nested(lambda: self._compound(statement, names))
        return names

    def _compound(self, statement: ast.stmt, names: Names[Value]) -> _Path[Value]:
        if isinstance(statement, ast.If):
            return self._branch(statement, names)
        if isinstance(statement, (ast.For, ast.AsyncFor, ast.While)):
            return self._loop(statement, names)
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            before = self._domain.entered(statement.items, statement.lineno)
            path = self.run(statement.body, names)
            self._domain.left(before)
            return path
        self._domain.other(statement, names)
        if isinstance(statement, _TRIES):
            return self._try(statement, names)
        if isinstance(statement, _MATCHES):
            cases: list[Any] = statement.cases
            return self._joined([names, *(self.run(case.body, dict(names)) for case in cases)])
        return None if isinstance(statement, ast.Raise) else names

    def _branch(self, statement: ast.If, names: Names[Value]) -> _Path[Value]:
        """One branch, or each; those of an ``elif`` are of the same level."""
        paths: list[_Path[Value]] = []
        while True:
            way = self._domain.condition(statement.test, names)
            if way is not False:
                paths.append(self.run(statement.body, dict(names)))
            if way:
                break
            below = statement.orelse[0] if len(statement.orelse) == 1 else None
            if not isinstance(below, ast.If):
                paths.append(self.run(statement.orelse, dict(names)))
                break
            self._allowance.count()
            statement = below
        return self._joined(paths)

    def _loop(self, statement: ast.For | ast.AsyncFor | ast.While, names: Names[Value]) -> _Path[Value]:
        self._breaks.append([])
        path = self._turns(statement, names)
        broken = self._breaks.pop()
        path = None if path is None else self.run(statement.orelse, path)
        return self._joined([path, *broken])

    def _turns(self, statement: ast.For | ast.AsyncFor | ast.While, names: Names[Value]) -> _Path[Value]:
        """The names where a loop has come to its end."""
        if isinstance(statement, ast.While):
            path: _Path[Value] = names
            while path is not None and (way := self._domain.condition(statement.test, path)) is not None:
                if not way:
                    return path
                path = self._turn(statement, path)
            return None if path is None else self._some_turns(statement, path)
        items = self._domain.items(statement.iter, names)
        if items is None:
            return self._some_turns(statement, names)
        path = names
        for item in items:
            if path is None:
                return None
            self._domain.looped(statement.target, statement.iter, item, path)
            path = self._turn(statement, path)
        return path

    def _some_turns(self, statement: ast.For | ast.AsyncFor | ast.While, names: Names[Value]) -> _Path[Value]:
        """The names after any number of turns."""
        path = names
        for _ in range(_TURNS):
            turn = dict(path)
            if not isinstance(statement, ast.While):
                self._domain.looped(statement.target, statement.iter, None, turn)
            path = self._joined([path, self._turn(statement, turn)]) or path
        return path

    def _turn(self, statement: ast.For | ast.AsyncFor | ast.While, names: Names[Value]) -> _Path[Value]:
        self._allowance.count()
        self._continues.append([])
        path = self.run(statement.body, names)
        return self._joined([path, *self._continues.pop()])

    def _try(self, statement: Any, names: Names[Value]) -> _Path[Value]:
        """A handler may begin before or after all of the body."""
        tried = self.run(statement.body, dict(names))
        raised = self._joined([names, tried]) or names
        paths = [None if tried is None else self.run(statement.orelse, tried)]
        paths += [self.run(handler.body, dict(raised)) for handler in statement.handlers]
        path = self._joined(paths)
        last = self.run(statement.finalbody, dict(raised) if path is None else path)
        return None if path is None else last

    def _joined(self, paths: Iterable[_Path[Value]]) -> _Path[Value]:
        found: _Path[Value] = None
        for path in paths:
            if path is None:
                continue
            if found is None:
                found = path
                continue
            met = dict(found)
            for name, value in path.items():
                met[name] = self._domain.join(met[name], value) if name in met else value
            found = met
        return found
