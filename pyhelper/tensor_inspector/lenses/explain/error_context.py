"""`ErrorContext`: what is known of an exception: the user's line, the operations that may have failed, the layer."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from ...measure.torch.modules import is_module
from ...safe.budget import Budget
from ...safe.guard import class_name
from ..findings.finding import Title, Violation
from ..step.classes import methods_of
from ..step.expressions import is_name, key_of, last_name, shown_text
from ..step.source import source_of
from ..step.step import Step
from .errors import fault_of, short_message
from .layer import running_layer
from .library_frames import LibraryFrames
from .names import OperandNames
from .operand import Operand, in_title, operand
from .operation import FailingLine, Operation, library_call
from .trace import TraceEntry, message, visible_frames

_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<lambda>")
_TIME = 400  #: milliseconds for all that is in sight


class ErrorContext:
    """What is known of an exception.

    ``kind`` is the kind of fault that its ``message`` tells (`fault_of`), ``trace`` the frames that it came through.
    Of these ``here`` is the innermost one outside of torch and numpy, number ``at``, and ``user`` the innermost one in
    the user's own files, whose ``line`` the findings point to. ``failing`` is the line of ``here`` that failed; the
    ``call`` in it led into the ``library``; ``layer`` is the module whose forward was running.
    """

    def __init__(self, error: BaseException, trace: list[TraceEntry], budget: Budget) -> None:
        self.error = error
        self.kind = fault_of(error)
        self.message = message(error)
        self.trace = trace
        self.budget = budget
        self.at = _last(trace, lambda entry: not entry.is_of_library(), len(trace) - 1)
        self.here = trace[self.at]
        self.user = trace[_last(trace[: self.at + 1], lambda entry: not entry.is_installed(), self.at)]
        has_file = not self.user.file.startswith("<") or self.user.file.startswith("<ipython")
        self.line = (self.user.file, self.user.lineno) if has_file else None
        is_inside = self.here.function in _COMPREHENSIONS and self.at > 0
        self.failing = FailingLine(self.here, trace[self.at - 1] if is_inside else None)
        self.step = Step(
            visible_frames(trace, self.at), Budget(min(_TIME, budget.remaining_ms())), thorough=False, grad_mode=True
        )
        self.library = LibraryFrames(trace[self.at + 1 :], self.failing)
        self.call = self.library.call
        self.names = OperandNames(self.failing, self.library, self.step)
        self.layer = running_layer(self.library, trace, self.failing, self.names, self.step, budget)
        self.operations = list(self._operations())

    def is_raised_by_user(self) -> bool:
        """Whether a ``raise`` or ``assert`` of the program raised it, with a message that only resembles torch's."""
        return (
            not self.library.frames
            and not self.here.is_installed()
            and isinstance(self.failing.statement, (ast.Raise, ast.Assert))
            and (isinstance(self.failing.statement, ast.Raise) or issubclass(type(self.error), AssertionError))
        )

    def _operations(self) -> Iterator[Operation]:
        """The operations that may have failed: the library's nearest function, then those in the failing line."""
        names = self.names.all()
        for entry in self.library.public():
            found = library_call(entry, names)
            if found.operands():
                yield found
        yield from self.failing.operations()

    def operands(self) -> list[Operand]:
        """The operands that are known, each tensor once: of the layer, the operations, and named in the line."""
        found = [*(self.layer.inputs if self.layer is not None else ())]
        for operation in self.operations:
            found += operation.operands()
        found += self.failing.tensors()
        distinct: dict[Any, Operand] = {}
        for one in found:
            distinct.setdefault(id(one.value) if one.value is not None else one.name, one)
        return [one for one in distinct.values() if one.sizes is not None or one.dtype is not None]

    def named(self) -> Iterator[tuple[str, Any]]:
        """The names, attributes and items in the failing line, as pairs of source text and value."""
        for node in self.failing.below():
            if is_name(node):
                yield shown_text(node), self.failing.reader.read(node)

    @property
    def called(self) -> str:
        """What the failing line calls: a layer by its title, a function by its name."""
        if self.layer is not None:
            return self.layer.title
        if self.call is not None:
            return last_name(self.call.func)
        return in_title(self.failing.nodes[0]) if self.failing.is_exact else "this line"

    def written(self) -> Iterator[tuple[str, Any]]:
        """The arguments of the failing operation or of the call into the library, as pairs of source text and value."""
        exact = self.failing.nodes if self.failing.is_exact else []
        for node in dict.fromkeys([*exact, *([] if self.call is None else [self.call]), *self.failing.nodes]):
            for given in _argument_nodes(node):
                yield in_title(given), self.failing.reader.read(given)

    def none_words(self, text: str) -> str:
        """``None``, and which function returned nothing, where a name was surely given its result."""
        source = self.step.sources[0]
        known = source.binding_of(key_of(text))
        is_sure = known is not None and not source.is_conditional(known[0], seen_from=source.lineno)
        node = getattr(known[1], "value", None) if known is not None and is_sure else None
        called = node.func if isinstance(node, ast.Call) else None
        made = called.func if isinstance(called, ast.Call) else None  # a module that is made and called at once
        reader = self.failing.reader
        function = _returns_nothing(reader.value(called)) or _returns_nothing(reader.value(made))
        return "None" if function is None else f"None: {function} returns nothing"

    def named_in_line(self) -> list[tuple[str, str]]:
        return [(one.name, one.fact) for one in self.failing.tensors()]

    def found(
        self,
        title: Title,
        *operands: Operand | tuple[str | None, str] | None,
        suggestion: str = "",
        certain: bool = True,
        differs: str = "",
    ) -> Violation:
        """A finding with its evidence: what the title is about, the layer, then what else the failing line names."""
        facts = [_evidence(one) for one in operands if one is not None]
        if facts:
            facts[0] = (facts[0][0], facts[0][1] + self._line_made(facts[0][0]))
        if self.layer is not None and self.layer.name is not None:
            facts.append((self.layer.name, self.layer.fact()))
        facts += self.named_in_line()
        distinct: dict[str, tuple[str | None, str]] = {}
        for fact in facts:
            distinct.setdefault(fact[0] or fact[1], fact)
        shown = list(distinct.values())[:8]
        return Violation(title, *shown, line=self.line, suggestion=suggestion, certain=certain, differs=differs)

    def quoted(self, operands: list[Operand] | None = None, suggestion: str = "") -> Violation:
        """A finding with torch's own sentence after the operands (by default all), for where no rule knows more."""
        operands = self.operands() if operands is None else operands
        known = ", ".join(f"{one.name} is {one.fact}" for one in operands[:3] if one.fact != "not known")
        sentence = short_message(self.message)
        title = (known, ": ", sentence) if known else sentence
        return self.found(title, *operands[:6], suggestion=suggestion)

    def pair(
        self, a: Operand, b: Operand, why: str, suggestion: str = "", differ: tuple[object, object] | None = None
    ) -> Violation:
        """Two operands that do not fit together; ``differ`` are their sizes, or whatever of them does not agree."""
        title = (f"{a.name} is {a.shape} and {b.name} is {b.shape}", ": ", why)
        first, second = (a.shape, b.shape) if differ is None else differ
        return self.found(title, a, b, suggestion=suggestion, differs=unequal(first, second, f"{a.name}, {b.name}"))

    def _line_made(self, name: str | None) -> str:
        """``, from line N``: the line above the failing one that assigned a name; empty where it is not known."""
        source = self.step.sources[0]
        known = source.line_of(name)
        line = 0 if known is None or name is None else known[1]
        failing = getattr(self.failing.statement, "lineno", self.here.lineno)
        if source.is_conditional(line, seen_from=failing):
            return ""
        later = [at for at, _ in source.bindings_of(name or "") if at >= failing]  # it may be of the turn before
        for first, last in source.loops:
            if first <= failing <= last and not first <= line < failing and any(at <= last for at in later):
                return ""
        return f", from line {line}" if line > 0 and not failing <= line <= self.here.lineno else ""

    def visible_tensors(self) -> list[Operand]:
        """The tensors in sight, those of the failing frame first."""
        return [
            found for variable in self.step.tensors if (found := operand(variable.name, variable.value)) is not None
        ]

    def device_tensors(self) -> list[Operand]:
        """All tensors that took part, the layer's own among them."""
        return [*self.operands(), *(self.layer.tensors() if self.layer is not None else ())]


def unequal(one: object, other: object, where: str, of: str = "") -> str:
    """The two that do not agree, of what kind they are, and where.

    >>> unequal(96, 48, "self.fc"), unequal(3, 4, "self.conv", "dimensions")
    ('96 ≠ 48 · self.fc', '3 ≠ 4 dimensions · self.conv')
    """
    return f"{one} ≠ {other}{of and ' '}{of} · {where}"


def first_found(
    context: ErrorContext, *checks: Callable[[ErrorContext, Operation], Violation | None]
) -> Violation | None:
    """The first result of these checks, asked of each operation in turn, the likeliest first."""
    found = (check(context, operation) for operation in context.operations for check in checks)
    return next((one for one in found if one is not None), None)


def _argument_nodes(node: ast.AST) -> list[ast.AST]:
    """The operands or arguments of an operation, the object of a method first."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.AugAssign):
        return [node.target, node.value]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.Subscript):
        return [node.value]
    if isinstance(node, ast.Call):
        receiver = [node.func.value] if isinstance(node.func, ast.Attribute) else [node.func]
        return [*receiver, *node.args, *(keyword.value for keyword in node.keywords)]
    return []


def _returns_nothing(called: Any) -> str | None:
    """A function of the user's, or a module's forward, that returns nothing, by its name."""
    if type(called) is FunctionType:
        sources = [(called.__name__, source_of(called.__code__))]
    elif is_module(called) or issubclass(type(called), type):
        cls = called if issubclass(type(called), type) else type(called)
        sources = [(f"{class_name(cls)}.forward", one) for name, one in methods_of(cls) if name == "forward"][:1]
    else:
        return None
    return next((name for name, one in sources if one.body and not any(each.value for each in one.returns)), None)


def _evidence(one: Operand | tuple[str | None, str]) -> tuple[str | None, str]:
    return (one.name, one.fact) if type(one) is Operand else one


def _last(trace: list[TraceEntry], holds: Any, otherwise: int) -> int:
    return next((at for at in range(len(trace) - 1, -1, -1) if holds(trace[at])), otherwise)
