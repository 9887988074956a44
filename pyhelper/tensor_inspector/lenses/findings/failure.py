"""An exception as it is to be explained: its text, the user's line, the operands there, the module inside which it came."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FrameType
from typing import Any

from ...measure.torch.elements import is_own
from ...measure.torch.metadata import device_name, dtype_name, shape_of
from ...measure.torch.modules import is_module
from ...safe.guard import class_module, class_name, instance_dict, plain_message
from ..step.frames import View, is_tools, variables
from ..step.sight import Thing
from ..step.source import names_in
from ..step.step import Step

_FRAMES = 200
_KEPT = 8


class Failure:
    """``step`` is what is in sight of the user's failing line, ``inner`` the innermost module that was called there."""

    def __init__(self, error: BaseException, frame: FrameType | None, make_step: Any) -> None:
        self.message = plain_message(error)
        self.frames = list(_frames(error))
        users = [found for found in self.frames if not is_tools(found[0])]
        if frame is not None:
            users = [found for found in users if found[0] is frame] or users or [(frame, frame.f_lineno)]
        views = [View(found, variables(found), line) for found, line in reversed(users[-_KEPT:])]
        self.is_known = bool(views)
        if not views:
            return
        self.step: Step = make_step(views)
        self.lineno = (views[0].frame.f_code.co_filename, views[0].lineno)
        self.inner = self._inner()
        self.locals = self._locals()

    def _inner(self) -> Any:
        for frame, _ in reversed(self.frames):
            value = variables(frame).get("self") if is_tools(frame) else None
            if value is not None and is_module(value):
                return value
        return None

    def _locals(self) -> dict[str, Any]:
        """The arguments of torch's own innermost functions, the outer ones where the inner have none of that name."""
        found: dict[str, Any] = {}
        for frame, _ in self.frames:
            if is_tools(frame):
                found.update({name: value for name, value in variables(frame).items() if is_own(value)})
        return found

    def module_name(self) -> str | None:
        """The module's name in the model; None of one that is not in sight."""
        if self.inner is None:
            return None
        known = self.step.members.get(id(self.inner))
        if known is not None:
            return known[0]
        names = self.step.names.get(id(self.inner))
        return names[0] if names else None

    def layer(self) -> str:
        """``Linear model[0]``"""
        if self.inner is None:
            return ""
        name = self.module_name()
        return f"{class_name(type(self.inner))}{f' {name}' if name else ''}"

    def setting(self, name: str) -> Any:
        return instance_dict(self.inner).get(name) if self.inner is not None else None

    def operands(self) -> list[Thing]:
        """The tensors that the failing statement names."""
        source, found = self.step.here, []
        names: list[str] = []
        for statement in _statements(source.body):
            if statement.lineno <= source.lineno <= (statement.end_lineno or statement.lineno):
                values: list[ast.AST] = (
                    [statement.value]
                    if isinstance(statement, (ast.Assign, ast.AugAssign)) and statement.value is not None
                    else [statement]
                )
                if isinstance(statement, ast.AugAssign):
                    values.append(statement.target)
                names = [name for value in values for name in names_in(value)]
        for name in names:
            value = self.step.value(name, 0)
            if is_own(value):
                found.append(Thing(name, value, 0, 0))
            elif type(value) in (list, tuple):
                found.extend(Thing(f"{name}[{at}]", item, 0, 0) for at, item in enumerate(value[:8]) if is_own(item))
            elif issubclass(type(value), dict):
                found.extend(
                    Thing(f"{name}[{key!r}]", item, 0, 0) for key, item in list(dict.items(value))[:8] if is_own(item)
                )
        if not found:
            found = [Thing(name, value, 0, 0) for name, value in self.locals.items()]
        return list({id(thing.value): thing for thing in found}.values())

    def named(self, value: Any, fallback: str) -> str:
        return self.step.name_of(value) or self.step.owner_of(value) or fallback


def told(tensor: Any) -> str:
    """``float32 of (32, 5)``, with the device where it is not the cpu."""
    device = device_name(tensor)
    return f"{dtype_name(tensor)} of {tuple(shape_of(tensor))}{'' if device == 'cpu' else f' on {device}'}"


def _frames(error: BaseException) -> Iterator[tuple[FrameType, int]]:
    trace = error.__traceback__
    for _ in range(_FRAMES):
        if trace is None:
            return
        yield trace.tb_frame, trace.tb_lineno
        trace = trace.tb_next


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements, each before those inside it."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.stmt):
            yield node
            if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
                continue
        waiting = [*ast.iter_child_nodes(node), *waiting]


def is_of_torch(value: Any) -> bool:
    return class_module(type(value)).startswith("torch.")
