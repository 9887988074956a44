"""Finds the operation that failed: in the failing line, or among the library's functions that were running."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from ...safe.guard import SEQUENCES
from ..step.expressions import last_name, shown_text
from ..step.parsed import lines_of_file, parsed
from ..step.source import Source
from .expression import Reader
from .items import named_arguments, positional
from .operand import UNKNOWN, Operand, operand
from .trace import TraceEntry

_LINES = 20_000
_ITEMS = 200  #: of one list of tensors
_OPERATIONS = (ast.BinOp, ast.AugAssign, ast.Compare, ast.Call, ast.Subscript)
_SYMBOLS: dict[type[ast.AST], str] = {
    ast.MatMult: "@",
    ast.Add: "+",
    ast.Sub: "−",
    ast.Mult: "·",
    ast.Div: "/",
    ast.Pow: "**",
}


class Operation:
    """An operation (``matmul``, ``cat``, ``getitem``, ``elementwise``) with its positional and named arguments.

    The object of a method is its first argument. ``given`` is what is assigned to a part of a tensor.
    """

    __slots__ = ("arguments", "given", "name", "named", "node", "sign")

    def __init__(
        self, name: str, arguments: list[Any], named: dict[str, Any], node: ast.AST | None = None, sign: str = ""
    ) -> None:
        self.name = name
        self.arguments = arguments
        self.named = named
        self.node = node
        self.sign = sign or name
        self.given: Any = UNKNOWN

    def argument(self, position: int, *names: str) -> Any:
        for name in names:
            if name in self.named:
                return self.named[name]
        return self.arguments[position] if position < len(self.arguments) else UNKNOWN

    def tensor(self, position: int, *names: str) -> Operand | None:
        found = self.argument(position, *names)
        return found if type(found) is Operand else None

    def operands(self) -> list[Operand]:
        """All tensors and arrays among its arguments, also those in lists."""
        found: list[Operand] = []
        for argument in (*self.arguments, *self.named.values(), self.given):
            below = argument if type(argument) in SEQUENCES else [argument]
            found.extend(item for item in list(below)[:_ITEMS] if type(item) is Operand)
        return list({id(item): item for item in found}.values())


class FailingLine:
    """The statement of a frame that failed: its operations, and all expressions in it."""

    def __init__(self, entry: TraceEntry, around: TraceEntry | None = None) -> None:
        self.reader = Reader(entry, around)
        self.whole = _statement(entry)  #: with its body, if it has one
        self.statement = _without_body(self.whole)
        self._position = _position(entry)
        nodes = [] if self.statement is None else list(_inner_first(self.statement))
        exact = _at_instruction(entry, nodes)
        self.is_exact = bool(exact)
        self.nodes = exact or [node for node in nodes if isinstance(node, _OPERATIONS)]
        named = [node for node in nodes if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))]
        self._names = [node for node in named if isinstance(node.ctx, ast.Load)]

    def operations(self) -> Iterator[Operation]:
        for node in self.nodes:
            found = self._operation(node)
            if found is not None:
                yield found

    def is_at(self, node: ast.AST) -> bool:
        """Whether it is known which node of the statement failed."""
        ends = [getattr(node, name, None) for name in ("lineno", "end_lineno", "col_offset", "end_col_offset")]
        return self._position is not None and list(self._position) == ends

    def calls(self) -> Iterator[ast.Call]:
        """The calls, the one that failed first where that is known."""
        seen = [*self.nodes, *([] if self.statement is None else _inner_first(self.statement))]
        return (node for node in dict.fromkeys(seen) if isinstance(node, ast.Call))

    def below(self) -> Iterator[ast.AST]:
        """All parts of the statement, without its body, in the order in which they are evaluated."""
        return iter(()) if self.statement is None else _inner_first(self.statement)

    def tensors(self) -> list[Operand]:
        """The tensors that the line names."""
        found: dict[int, Operand] = {}
        for node in self._names:
            known = self.reader.read(node)
            if type(known) is Operand and known.value is not None:
                found.setdefault(id(known.value), known)
        return list(found.values())

    def _operation(self, node: ast.AST) -> Operation | None:
        read = self.reader.read
        if isinstance(node, (ast.BinOp, ast.AugAssign)):
            both = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.target, node.value]
            name = "matmul" if isinstance(node.op, ast.MatMult) else "elementwise"
            return Operation(name, [read(side) for side in both], {}, node, _SYMBOLS.get(type(node.op), "with"))
        if isinstance(node, ast.Compare):
            return Operation("elementwise", [read(node.left), *map(read, node.comparators)], {}, node, "compared with")
        if isinstance(node, ast.Subscript):
            found = Operation("getitem", [read(node.value), self.reader._index(node.slice, 0)], {}, node, "[…]")
            if isinstance(node.ctx, ast.Store):
                found.name = "setitem"
                found.given = read(getattr(self.statement, "value", None))
            return found
        if isinstance(node, ast.Call):
            return self._call(node)
        return None

    def _call(self, node: ast.Call) -> Operation:
        read = self.reader.read
        name = last_name(node.func)
        given = positional(read, node)
        arguments = [read(argument) for argument in given]
        if isinstance(node.func, ast.Attribute):
            receiver = read(node.func.value)
            if type(receiver) is Operand:
                arguments.insert(0, receiver)
        named = {name: read(value) for name, value in named_arguments(read, node).items()}
        written = [None] * (len(arguments) - len(given)) + [shown_text(argument) for argument in given]
        listed = [_as_operands(value, name or "") for value, name in zip(arguments, written)]
        return Operation(name.rstrip("_") or name, listed, named, node)


def library_call(entry: TraceEntry, names: dict[int, str]) -> Operation:
    """The operation of a frame inside the library, from its parameters; ``names`` are the user's names for them."""
    named: dict[str, Any] = {}
    for parameter, value in entry.arguments().items():
        known = operand(names.get(id(value), parameter), value)
        if known is None and parameter == "self":
            continue
        if known is None:
            known = _as_operands(value, parameter, names)
        named[parameter] = known
    return Operation(entry.function, list(named.values()), named)


def _as_operands(value: Any, name: str = "", names: Mapping[int, str] = MappingProxyType({})) -> Any:
    """A list of tensors as a list of operands."""
    if type(value) not in SEQUENCES:
        return value
    items = [
        operand(names.get(id(item)) or f"{name or 'tensors'}[{index}]", item) or item
        for index, item in enumerate(value[:_ITEMS])
    ]
    return items if any(type(item) is Operand for item in items) else value


def _statement(entry: TraceEntry) -> ast.AST | None:
    tree = Source(entry.frame.f_code, entry.lineno).tree
    if tree is None:
        lines = lines_of_file(entry.file)
        if not lines or len(lines) > _LINES:
            return None
        try:
            tree = parsed("".join(lines))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    around = [
        node
        for node in ast.walk(tree)  # the innermost comes last
        if isinstance(node, ast.stmt) and node.lineno <= entry.lineno <= (node.end_lineno or node.lineno)
    ]
    if sum(_last_line_without_body(node) >= entry.lineno for node in around) < 2:
        return around[-1] if around else None
    position = _position(entry)  # several stand in the line: nothing is said of any, where it is not known which
    return None if position is None else next((node for node in reversed(around) if _contains(node, position)), None)


def _last_line_without_body(statement: Any) -> int:
    """The last line of a statement before its body; 0 where there is none."""
    head = getattr(statement, "subject", None) or _without_body(statement)
    inside = head.elts if isinstance(head, ast.Tuple) and isinstance(statement, (ast.With, ast.AsyncWith)) else [head]
    return max(getattr(part, "end_lineno", None) or 0 for part in inside)


def _contains(statement: Any, position: tuple[int, int, int, int]) -> bool:
    line, last, column, end = position
    begins = (statement.lineno, statement.col_offset) <= (line, column)
    return begins and (last, end) <= (statement.end_lineno, statement.end_col_offset)


def _without_body(statement: ast.AST | None) -> ast.AST | None:
    """The parts of a statement before its body."""
    for part in ("test", "iter"):
        inside = getattr(statement, part, None)
        if inside is not None and getattr(statement, "body", None) is not None:
            return inside  # type: ignore[no-any-return]
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        return ast.Tuple([item.context_expr for item in statement.items], ast.Load())
    return None if hasattr(statement, "body") and not isinstance(statement, ast.expr) else statement


def _inner_first(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it, in the order in which they are evaluated."""
    waiting: list[tuple[ast.AST, bool]] = [(node, False)]
    while waiting:
        current, is_done = waiting.pop()
        if is_done:
            yield current
            continue
        waiting.append((current, True))
        below = list(ast.iter_child_nodes(current))
        if isinstance(current, ast.Assign):  # the value comes before what it is assigned to
            below = [current.value, *current.targets]
        waiting.extend((child, False) for child in reversed(below))


def _at_instruction(entry: TraceEntry, nodes: list[ast.AST]) -> list[ast.AST]:
    """The operation that an instruction belongs to, where the interpreter records it (3.11 and later)."""
    found = _position(entry)
    if found is None:
        return []
    line, last, column, end = found
    ending: list[Any] = [
        node
        for node in nodes
        if isinstance(node, _OPERATIONS) and (node.end_lineno, node.end_col_offset) == (last, end)
    ]
    exact: list[ast.AST] = [node for node in ending if (node.lineno, node.col_offset) == (line, column)]
    calls: list[ast.AST] = [node for node in ending if isinstance(node, ast.Call) and node.lineno <= line]
    return exact[-1:] or calls[-1:]


def _position(entry: TraceEntry) -> tuple[int, int, int, int] | None:
    """The first and last line, the first and last column of an instruction, where the interpreter records them."""
    positions = getattr(entry.frame.f_code, "co_positions", None)
    if positions is None or entry.instruction < 0:
        return None
    found = next((position for at, position in enumerate(positions()) if at == entry.instruction // 2), None)
    return None if found is None or None in found else found
