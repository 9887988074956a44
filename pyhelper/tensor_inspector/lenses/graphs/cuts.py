"""Where the way from a parameter to the loss is cut, by what the source says: that of the frames in sight, and of the
methods of the modules that hold it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...measure.torch.modules import Member
from ..step.expressions import text_of
from ..step.source import Call, Source
from ..step.step import Step
from .place import methods_of

if TYPE_CHECKING:
    from ...protocol import NoGradientCode

_DETACHED = ("detach", "detach_")
_REBUILT = ("item", "numpy", "tolist", "tensor", "as_tensor", "from_numpy", "array", "asarray", "float", "int")
_NO_GRAD = ("no_grad", "inference_mode")
_ALL = ("children", "modules", "parameters", "named_children")  #: by which all parts are reached at once


class Cut:
    """A place where the way ends: why, the expression, file and line."""

    __slots__ = ("at", "certain", "code", "location")

    def __init__(self, code: NoGradientCode, at: str, location: tuple[str, int], *, certain: bool = True) -> None:
        self.code = code
        self.at = at
        self.location = location
        self.certain = certain


def in_modules(member: Member, suffix: str) -> Cut | None:
    """The cut in the methods of the module that has the parameter, or of one around it."""
    for part, sources in _around(member, suffix):
        for source in sources:
            found = _cut_of(source, f"self.{part}")
            if found is not None:
                return found
    return None


def unused(member: Member, suffix: str, step: Step) -> Cut | None:
    """The innermost module that does not mention what it has, where the frames in sight do not either."""
    for part, sources in _around(member, suffix):
        if sources and not any(source.mentions(part, *_ALL) for source in (*sources, *step.sources)):
            return Cut("unused", f"self.{part}", (sources[0].file, sources[0].lineno))
    return None


def _around(member: Member, suffix: str) -> Iterator[tuple[str, list[Source]]]:
    """For each module around a parameter, from within: what it calls the part on the way there, and its methods."""
    inner: Member | None = member
    part = suffix.lstrip(".").partition("[")[0]
    while inner is not None:
        if part.isidentifier():
            methods = (Source(found.__code__, found.__code__.co_firstlineno) for found in methods_of(inner.module))
            yield part, [source for source in methods if source.is_known()]
        if inner.parent is not None:
            part = inner.name[len(inner.parent.name) :].lstrip(".").partition(".")[0]
        inner = inner.parent


def in_frames(step: Step, names: list[str]) -> Cut | None:
    """The cut in the frames in sight of something of one of these names."""
    for source in step.sources:
        for name in names:
            found = _cut_of(source, name)
            if found is not None:
                return found
    return None


def _cut_of(source: Source, name: str) -> Cut | None:
    """How what is made with something of a name is cut."""
    uses = [call for call in source.calls if call.callee == name or call.callee.startswith((f"{name}.", f"{name}["))]
    for call in uses:
        block = source.is_under(call.lineno, *_NO_GRAD)
        if block is not None:
            return Cut("no_grad", text_of(call.node), (source.file, block.lineno))
    made = {name, *(call.target for call in uses if call.target)}
    for call in source.calls:
        code: NoGradientCode | None = _code(call)
        if code is not None and any(_is_of(given, made) for given in _given(call)):
            return Cut(code, text_of(call.node), (source.file, call.lineno))
    return None


def _code(call: Call) -> NoGradientCode | None:
    if call.name in _DETACHED:
        return "detached"
    return "rebuilt" if call.name in _REBUILT else None


def _given(call: Call) -> Iterator[ast.expr]:
    """What a call cuts: what it is called on, or its first argument."""
    if call.receiver is not None:
        yield call.receiver
    if call.name in _REBUILT:
        yield from call.args[:1]


def _is_of(given: ast.expr, names: set[str]) -> bool:
    """Whether an expression is one of these names, or made with them by calls, attributes and subscripts."""
    node: ast.AST = given
    while True:
        if text_of(node) in names:
            return True
        if isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        else:
            return False
