"""Lines of the user's source that a finding is about: where a name was bound, made, changed, or a function called."""

from __future__ import annotations

import ast
from typing import Any

from ..step.expressions import text_of
from ..step.source import Source
from ..step.step import Step
from .classes import methods_of

Line = tuple[str, int]  #: a file and a line in it


def bound(step: Step, name: str | None) -> Line | None:
    """Where a name got what it means now."""
    return next(filter(None, (source.line_of(name) for source in step.sources)), None)


def bound_or_called(step: Step, call: str, name: str | None) -> Line | None:
    """The line of a variable's binding; else that of a call of that name."""
    for source in step.sources:
        calls = source.calls_of(call) if call else []
        found = source.line_of(name) or ((source.file, calls[-1].lineno) if calls else None)
        if found is not None:
            return found
    return None


def made(step: Step, name: str) -> Line | None:
    """Where a name was bound last, or an attribute in a method of its object's class: ``self.model``."""
    for source in step.sources:
        found = source.bound(name)
        if found:
            return source.file, found[-1][0]
    owner, _, attribute = _key(name).rpartition(".")
    value = next((value for (_, key), value in step.named_values() if key == owner), None)
    return None if value is None else assigned(type(value), attribute)


def assigned(cls: type, attribute: str) -> Line | None:
    """Where a method of a class assigns an attribute first."""
    for _, source in methods_of(cls):
        found = source.bindings.get(f"self.{attribute}")
        if found:
            return source.file, found[0][0]
    return None


def changed(step: Step, name: str, call: str = "") -> Line | None:
    """The last line before the stop that calls a function on a name, or gives it to one: of this name, if it is told."""
    for source in step.sources:
        lines = [line for line in _calls_about(source, _key(name), call) if line < source.lineno]
        if lines:
            return source.file, max(lines)
    return None


def _calls_about(source: Source, name: str, call: str) -> list[int]:
    found = []
    for one in source.calls:
        subjects: list[Any] = [one.receiver, *one.args]
        is_wanted = one.name == call if call else one.name.endswith("_")
        if is_wanted and any(text_of(subject).startswith(name) for subject in subjects):
            found.append(one.lineno)
    return found


def called(step: Step, *names: str) -> Line | None:
    """The first line that calls something of these names, in the frames in sight."""
    for source in step.sources:
        found = source.calls_of(*names)
        if found:
            return source.file, found[0].lineno
    return None


def frozen(step: Step, name: str) -> Line | None:
    """The line that freezes a model: by its ``requires_grad_``, or by an assignment of ``requires_grad`` in a loop."""
    direct = changed(step, name, "requires_grad_")
    if direct is not None:
        return direct
    for source in step.sources:
        for key, bindings in source.bindings.items():
            for line, node in bindings if key.endswith(".requires_grad") else ():
                if isinstance(node, ast.Assign) and text_of(node.value) == "False":
                    return source.file, line
    return None


def _key(name: str) -> str:
    return name.replace('"', "'")
