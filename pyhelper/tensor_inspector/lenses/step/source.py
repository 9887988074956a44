"""Reads a frame's source: where names are bound and called, and which statements run before and after the stop."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from types import CodeType

from .calls import Backward, Call
from .expressions import key_of, names_in, parent_of, root_of, text_of
from .parsed import tree_of
from .statements import Statements, end_of, last_line, statements_of

#: expressions that may leave out a part of them
_Optional = (ast.BoolOp, ast.IfExp, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_KEPT = 128  #: sources of functions


class Source(Statements):
    """The statements of one frame's code, and where it stands in them. Empty where there is no source.

    ``line`` is the line that runs, or is about to run; what stands in it, from ``column`` on, counts as not done yet.
    """

    def __init__(self, code: CodeType, line: int, column: int = 0, end: tuple[int, int] | None = None) -> None:
        self.code = code
        self.file = code.co_filename
        self.function = code.co_name
        self.lineno = line
        self._here = line, column
        self._end = end  #: of the instruction that runs
        vars(self).update(vars(statements_of(tree_of(code))))

    @property
    def arguments(self) -> list[str]:
        """The names of a function's positional arguments."""
        if not isinstance(self.tree, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return []
        return [argument.arg for argument in (*self.tree.args.posonlyargs, *self.tree.args.args)]

    @property
    def self_name(self) -> str:
        """What a method calls its object: ``self``."""
        return next(iter(self.arguments), "self")

    def is_known(self) -> bool:
        return self.tree is not None

    def lines_of(self, name: str) -> list[int]:
        """The lines in which a name is bound, or what it begins with: ``self`` of ``self.model``."""
        found = [line for line, _ in self.bindings.get(name, ())]
        root = root_of(name)
        return found if root == name else [*found, *self.lines_of_parents(name)]

    def lines_of_parents(self, name: str) -> list[int]:
        parent = parent_of(name)
        return [] if parent is None else self.lines_of(parent)

    def is_current(self, name: str, line: int, column: int = 0) -> bool:
        """Whether what the name means now is what it means, or meant, in that line at that column."""
        start, end = sorted((self._here, (line, column)))
        for first, last in self.loops:  # the rest of a loop that is left before the line is reached
            if line >= self.lineno and first <= self.lineno <= last < line:
                start = min(start, (first, 0))
        return not any(start <= at < end for at in self._ends_of(name))

    def will_change(self, name: str, line: int) -> bool:
        """Whether what a name holds is changed in place between here and a line further down: ``y[y < 0] = 0``."""
        changes = [changed for changed, at in self.changes_in_place if self.lineno <= at < line]
        return any(changed == name or changed.startswith((f"{name}.", f"{name}[")) for changed in changes)

    def changes(self, name: str) -> bool:
        """Whether the source binds a name, or changes in place what it holds, anywhere."""
        return name in self.bindings or any(changed == name for changed, _ in self.changes_in_place)

    def _ends_of(self, name: str) -> Iterator[tuple[float, float]]:
        """Where a name, or what it begins with, is bound: the lines and columns at which that is done."""
        found: str | None = name
        while found is not None:
            for line, node in self.bindings.get(found, ()):
                whole = isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr))
                yield end_of(node) if whole else (line, float("inf"))
            found = parent_of(found)

    def begin_through(self, helpers: Callable[[str], bool]) -> None:
        """``helper.backward(loss)`` begins a backward of its argument where the helper is an object, and no tensor."""
        self.backwards = [
            Backward(one.call, one.call.args[0], None)
            if one.has_gradient and one.call.args and helpers(text_of(one.call.receiver))
            else one
            for one in self.backwards
        ]

    def is_done(self, call: Call) -> bool:
        """Whether a call stands before what runs."""
        return end_of(call.node) <= self._here

    def surely_ran(self, node: ast.expr | ast.stmt) -> bool:
        """Whether it ran before what runs, whatever the conditions and loops around it did.

        Of a function that has ended, with line 0: whether each call of it has run that.
        """
        line = node.lineno
        return (
            (not self.lineno or end_of(node) <= self._here)
            and not self.is_conditional(line, seen_from=self.lineno)
            and all(first <= self.lineno <= last for first, last in self.loops if first <= line <= last)
            and (self.lineno > 0 or self.will_reach(line))
            and not any(
                below is node for around in self.nodes if isinstance(around, _Optional) for below in ast.walk(around)
            )
        )

    def is_running(self, call: Call) -> bool:
        """Whether it is the call that runs; where that is not known, a call without arguments alone in its line."""
        if self._end is None:
            return call.lineno == self.lineno and call.is_statement and not call.args and call.receiver is None
        return (call.node.lineno, call.node.col_offset) == self._here and end_of(call.node) == self._end

    def bindings_of(self, name: str) -> list[tuple[int, ast.AST]]:
        """The bindings of a name with their lines; it may be written with the other quotes, as names are shown."""
        return self.bindings.get(key_of(name), [])

    def line_of(self, name: str | None) -> tuple[str, int] | None:
        """The file and line in which a name got what it means now."""
        made = None if name is None else self.binding_of(name)
        return None if made is None else (self.file, made[0])

    def binding_of(self, name: str) -> tuple[int, ast.AST] | None:
        """The binding that gave a name its present value, and its line: the nearest one above, else the last one in a
        loop around."""
        lines = self.bindings_of(name)
        above = [found for found in lines if found[0] < self.lineno]
        if above:
            return max(above, key=lambda found: found[0])
        around = [(first, last) for first, last in self.loops if first <= self.lineno <= last]
        later = [found for found in lines if any(first <= found[0] <= last for first, last in around)]
        return max(later, key=lambda found: found[0]) if later else None

    def are_of_one_round(self, one: str, other: str) -> bool:
        """Whether two names got what they mean now in the same round of the loop around: no line above the stop has
        bound only one of them anew."""
        return self._is_of_last_round(one) == self._is_of_last_round(other)

    def _is_of_last_round(self, name: str) -> bool:
        """Whether a name still means what it meant in the round before: it is bound again further down."""
        loop = self.loop_of(self.lineno)
        lines = [] if loop is None else [line for line in self.lines_of(name) if loop[0] <= line <= loop[1]]
        return bool(lines) and min(lines) >= self.lineno

    def bindings_behind(self, name: str) -> dict[str, tuple[int, ast.AST]]:
        """The names that a name is made of, the nearest first and itself before all, each with its `binding_of`."""
        found: dict[str, tuple[int, ast.AST]] = {}
        waiting = [name]
        while waiting and len(found) < 100:
            name = waiting.pop(0)
            made = None if name in found else self.binding_of(name)
            if made is not None:
                found[name] = made
                value = getattr(made[1], "value", None)
                waiting.extend(root_of(inner) for inner in (names_in(value) if value is not None else ()))
        return found

    def loop_of(self, line: int) -> tuple[int, int] | None:
        """The innermost loop around a line."""
        around = [(first, last) for first, last in self.loops if first <= line <= last]
        return min(around, key=lambda loop: loop[1] - loop[0]) if around else None

    def is_conditional(self, line: int, *, seen_from: int | None = None) -> bool:
        """Whether a line stands under a condition under which the other one, or the function itself, does not stand.

        A branch in the line of its ``if`` is one that is still to be decided in that line.
        """
        around = [(first, last) for first, last in self.branches if first <= line <= last]
        return any(seen_from is None or seen_from == first or not first <= seen_from <= last for first, last in around)

    def are_alternatives(self, one: int, other: int) -> bool:
        """Whether one pass through the source runs one of two lines at most: they stand in two branches."""
        return any(
            first <= min(one, other) <= last and below <= max(one, other) <= end
            for (first, last), (below, end) in self.alternatives
        )

    def will_reach(self, line: int) -> bool:
        """Whether no condition that is still to be decided stands between here and a line further down."""
        leaves = [at for at in self.exits if self.lineno <= at < line]
        return not any(self.is_conditional(at, seen_from=self.lineno) for at in (line, *leaves))

    def runs_a_backward_each_round(self) -> bool:
        """Whether a backward has surely run since the last stop in this line."""
        loop = self.loop_of(self.lineno)
        return any(
            not self.is_conditional(backward.lineno, seen_from=self.lineno)
            and (loop is None or loop[0] <= backward.lineno <= loop[1])
            for backward in self.backwards
        )

    def called(self) -> list[str]:
        """What is called, in the order in which that comes from here on; what stands above comes last."""
        calls = sorted(self.calls, key=lambda call: (call.lineno < self.lineno, call.lineno))
        return list(dict.fromkeys(call.callee for call in calls))

    def calls_of(self, *names: str) -> list[Call]:
        return [call for call in self.calls if call.name in names]

    def with_block(self, line: int, *names: str) -> ast.With | ast.AsyncWith | None:
        """The ``with`` block around a line that is opened by one of these names."""
        for block in self.blocks:
            opened = {text_of(item.context_expr).partition("(")[0].rpartition(".")[2] for item in block.items}
            if block.lineno <= line <= last_line(block) and opened & set(names):
                return block
        return None

    def mentions(self, *names: str) -> bool:
        """Whether a name or an attribute of that name stands in the source, in nested functions too, not in classes."""
        waiting: list[ast.AST] = list(self.body)
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Name) and node.id in names:
                return True
            if isinstance(node, ast.Attribute) and node.attr in names:
                return True
            if not isinstance(node, ast.ClassDef):
                waiting.extend(ast.iter_child_nodes(node))
        return False


_whole: dict[int, Source] = {}  #: by the ids of codes


def source_of(code: CodeType) -> Source:
    """The source of a function that doesn't run now, with line 0. The same one while it is kept: nobody changes it."""
    known = _whole.get(id(code))
    if known is None or known.code is not code or known.tree is not tree_of(code):
        if len(_whole) >= _KEPT:
            _whole.clear()
        known = _whole[id(code)] = Source(code, 0)
    return known
