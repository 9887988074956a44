"""Finds in the source where the way from a parameter to the loss is cut: in the frames in sight, and in methods of the
modules that hold the parameter."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ...measure.torch.modules import Member
from ...safe.record import Record
from ..flow.effects import MODULES, PARAMETERS
from ..flow.ops import DETACHING_FUNCTIONS, DETACHING_METHODS, NUMBERS
from ..step.calls import Call
from ..step.expressions import SCOPES, last_name, text_of
from ..step.grad_mode import no_grad_block
from ..step.source import Source
from ..step.step import Step
from .lines import methods_of_module

if TYPE_CHECKING:
    from ...protocol import NoGradientCode

_DETACHED = ("detach", "detach_")
_MAKING_NEW = (*(name for name in DETACHING_METHODS if name not in ("detach", "data")), *DETACHING_FUNCTIONS)
_LOOKING = ("no_gradient", "gradients", "findings", "autograd", "print")  #: what these are given is looked at, not used


class Cut(Record):
    """A place where the way ends: why, the expression, file and line."""

    code: NoGradientCode
    at: str
    location: tuple[str, int]
    certain: bool = True


def cut_in_modules(member: Member, suffix: str) -> Cut | None:
    """The cut in the methods of the module that has the parameter, or of one around it."""
    for part, sources in _modules_around(member, suffix):
        for source in sources:
            found = _cut_of(source, f"{source.self_name}.{part}")
            if found is not None:
                return found
    return None


def unused_in_modules(member: Member, suffix: str, step: Step) -> Cut | None:
    """The innermost module that does not mention what it has, where the frames in sight do not either."""
    for part, sources in _modules_around(member, suffix):
        used = any(source.mentions(part, *MODULES, *PARAMETERS) for source in sources)
        if sources and not used and not any(_uses(source, part) for source in step.sources):
            return Cut("unused", f"{sources[0].self_name}.{part}", (sources[0].file, sources[0].lineno))
    return None


def _uses(source: Source, part: str) -> bool:
    """Whether a frame may compute with a part of a module, or with all parts: other than to ask about it."""
    waiting: list[ast.AST] = list(source.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Attribute) and node.attr in (part, *MODULES):
            return True
        asked = isinstance(node, ast.Call) and last_name(node.func) in _LOOKING
        if not asked and not isinstance(node, ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))
    return False


def _modules_around(member: Member, suffix: str) -> Iterator[tuple[str, list[Source]]]:
    """For each module around a parameter, innermost first: its attribute on the path to it, and its methods."""
    inner: Member | None = member
    part = suffix.lstrip(".").partition("[")[0]
    while inner is not None:
        if part.isidentifier():
            methods = (
                Source(found.__code__, found.__code__.co_firstlineno) for found in methods_of_module(inner.module)
            )
            yield part, [source for source in methods if source.is_known()]
        if inner.parent is not None:
            part = inner.name[len(inner.parent.name) :].lstrip(".").partition(".")[0]
        inner = inner.parent


def cut_in_frames(step: Step, names: list[str]) -> Cut | None:
    """The cut in the frames in sight of something of one of these names."""
    for source in step.sources:
        for name in names:
            found = _cut_of(source, name, _has_run)
            if found is not None:
                return found
    return None


def _has_run(source: Source, line: int) -> bool:
    """Whether a line of a frame may have run: it stands above, or in a loop around what runs."""
    loop = source.loop_of(line)
    return line <= source.lineno or (loop is not None and loop[0] <= source.lineno <= loop[1])


def _anywhere(source: Source, line: int) -> bool:
    return True


def _cut_of(source: Source, name: str, is_included: Callable[[Source, int], bool] = _anywhere) -> Cut | None:
    """The cuts of values that are computed from a name."""
    calls = [call for call in source.calls if is_included(source, call.lineno)]
    uses = [call for call in calls if call.callee == name or call.callee.startswith((f"{name}.", f"{name}["))]
    for call in uses:
        block = no_grad_block(source, call.lineno)
        if block is not None:
            return Cut("no_grad", text_of(call.node), (source.file, block.lineno))
    for call in calls:
        if _is_reentrant(call) and call.args and _is_of(call.args[0], {name}):
            return Cut("no_grad", text_of(call.node), (source.file, call.lineno))
    made = {name, *(call.target for call in uses if call.target)}
    for call in calls:  # what is made of it by its methods, as another dtype or shape
        if call.target and call.receiver is not None and _code(call) is None and _is_of(call.receiver, made):
            made.add(call.target)
    for call in calls:
        code: NoGradientCode | None = _code(call)
        through = code == "detached"  # a number made of a function of it may be for a log
        if code is not None and any(_is_of(given, made, through) for given in _cut_expressions(call)):
            return Cut(code, text_of(call.node), (source.file, call.lineno))
    for node in _data_taken(source):
        if _is_of(node.value, made) and is_included(source, node.lineno):
            return Cut("detached", text_of(node), (source.file, node.lineno))
    for call in calls:  # of which something may be made that the loss takes from elsewhere
        block = no_grad_block(source, call.lineno) if call.target else None
        if block is not None and any(_is_of(given, made) for given in call.args):
            return Cut("no_grad", text_of(call.node), (source.file, block.lineno), certain=False)
    return None


def _is_reentrant(call: Call) -> bool:
    """Whether it is a checkpoint that runs a function without gradients: they are lost where no input needs one."""
    given = call.keywords.get("use_reentrant")
    return isinstance(given, ast.Constant) and given.value is True


def _data_taken(source: Source) -> Iterator[ast.Attribute]:
    """Where the ``.data`` of something is computed with; not where it is only written to."""
    waiting: list[ast.AST] = list(source.body)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.Attribute) and node.attr == "data" and isinstance(node.ctx, ast.Load):
            yield node
        is_statement = isinstance(node, (ast.Expr, ast.AugAssign))
        if not is_statement and not isinstance(node, SCOPES):
            waiting.extend(ast.iter_child_nodes(node))


def _code(call: Call) -> NoGradientCode | None:
    if call.name in _DETACHED:
        return "detached"
    return "rebuilt" if call.name in _MAKING_NEW or call.callee in NUMBERS else None


def _cut_expressions(call: Call) -> Iterator[ast.expr]:
    """The expression that a call cuts: its receiver, or its first argument."""
    if call.receiver is not None:
        yield call.receiver
    if call.name in (*_MAKING_NEW, *NUMBERS):
        yield from call.args[:1]


def _is_of(given: ast.expr, names: set[str], through_functions: bool = False) -> bool:
    """Whether an expression is one of these names, or made with them by calls, attributes and subscripts.

    ``through_functions``: also what functions make of it, as ``relu(x)``.
    """
    node: ast.AST = given
    while True:
        if text_of(node) in names:
            return True
        if isinstance(node, ast.Call):
            if through_functions and any(_is_of(argument, names, True) for argument in node.args):
                return True
            node = node.func
        elif isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        else:
            return False
