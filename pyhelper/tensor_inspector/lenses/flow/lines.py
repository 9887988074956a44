"""Finds lines of the program's source: bindings, calls, fills, freezing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ...measure.torch.modules import Member
from ...measure.torch.optimizers import inner
from ...safe.guard import class_name
from ...safe.installed import is_installed_file
from ..step.calls import Call
from ..step.classes import is_library, methods_of
from ..step.expressions import key_of, text_of
from ..step.functions import functions_called_by_all, sources_in_reach
from ..step.sight import VisibleVariable
from ..step.source import Source
from ..step.step import Step
from .effects import FILLING, FILLING_WITH_ONE, FILLING_WITH_ZERO

Line = tuple[str, int]  #: a file and a line in it


def line_of_binding(step: Step, name: str | None) -> Line | None:
    """The line that assigned a name its present value."""
    return step.line_of(name)


def line_of_binding_or_call(step: Step, call: str, name: str | None) -> Line | None:
    """The line of a variable's binding; else that of a call of that name."""
    same = list(step.sources_of(name)) if name is not None else []
    for source in step.sources:
        calls = source.calls_of(call) if call else []
        found = (source.line_of(name) if source in same else None) or (
            (source.file, calls[-1].lineno) if calls else None
        )
        if found is not None:
            return found
    return None


def line_of_last_binding(step: Step, name: str) -> Line | None:
    """Where a name was bound last, or an attribute in a method of its class: ``self.model``."""
    for source in step.sources_of(name):
        found = source.bindings_of(name)
        if found:
            return source.file, found[-1][0]
    owner, _, attribute = key_of(name).rpartition(".")
    value = next((value for (_, key), value in step.named_values() if key == owner), None)
    return None if value is None else line_of_assignment(type(value), attribute)


def line_of_optimizer(step: Step, variable: VisibleVariable) -> Line | None:
    """Where an optimizer was made: the binding of its name, else a method that makes one.

    A method of a module in sight does so for a trainer: ``configure_optimizers``.
    """
    bound = line_of_last_binding(step, variable.key)
    if bound is not None and not is_installed_file(bound[0]):
        return bound
    name = class_name(type(inner(variable.value)))
    classes = {id(cls): cls for cls in map(type, (one.value for one in step.modules)) if not is_library(cls)}
    made = [
        (source.file, call.lineno)
        for source in (*step.sources, *(method for cls in classes.values() for _, method in methods_of(cls)))
        for call in source.calls_of(name)
        if not is_installed_file(source.file)
    ]
    return made[0] if len(set(made)) == 1 else None


def line_of_assignment(cls: type, attribute: str) -> Line | None:
    """Where a method of a class assigns an attribute first."""
    for _, source in methods_of(cls):
        found = source.bindings.get(f"{source.self_name}.{attribute}")
        if found:
            return source.file, found[0][0]
    return None


def line_of_module(step: Step, member: Member, name: str) -> Line | None:
    """Where a module got its name: in a method of its parent, else the variable's binding."""
    if member.parent is None:
        return step.line_of(name)
    return line_of_assignment(type(member.parent.module), member.name.rpartition(".")[2])


def line_of_change(step: Step, name: str, call: str = "") -> Line | None:
    """The last line before the stop that calls ``call`` on ``name``, or gives it ``name``.

    Without ``call``: any function whose name ends with ``_``.
    """
    for source in step.sources:
        lines = [line for line in _calls_about(source, key_of(name), call) if line < source.lineno]
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


def line_of_call(step: Step, *names: str) -> Line | None:
    """The first line that calls something of these names, in the frames in sight."""
    for source in step.sources:
        found = source.calls_of(*names)
        if found:
            return source.file, found[0].lineno
    return None


def lines_of_filling(step: Step, name: str) -> Iterator[tuple[Line, Call]]:
    """The lines that fill a parameter with one number: ``nn.init.constant_(net.weight, 0.1)``.

    In frames and methods of modules in sight. In a loop over modules, ``m.weight``, the attribute tells.
    """
    methods = (method for _, one in list(step.members.values()) for _, method in methods_of(type(one.module)))
    others = {key_of(one.name) for one in step.parameters.values()} - {key_of(name)}
    for source in (*step.sources, *methods):
        for call in source.calls_of(*FILLING, *FILLING_WITH_ZERO, *FILLING_WITH_ONE):
            what = text_of(call.argument(0, "tensor") if call.callee.split(".")[-2:-1] == ["init"] else call.receiver)
            what = what[: -len(".data")] if what.endswith(".data") else what
            same = what.rpartition(".")[2] == key_of(name).rpartition(".")[2] and what not in others
            if what == key_of(name) or same:
                yield (source.file, call.lineno), call


def line_of_rate(step: Step, name: str) -> Line | None:
    """Where an optimizer's rate is given: where it is made, or its owner is."""
    line, owner = line_of_last_binding(step, name), key_of(name).rpartition(".")[0]
    value = next((value for (_, key), value in step.named_values() if key == owner), None)
    first = next((source for method, source in methods_of(type(value)) if method == "__init__"), None)
    if first is None or line is None or not owner:
        return line
    rates = [call.argument(1, "lr") for call in first.calls if call.lineno == line[1]]
    is_given = any(rate is not None and text_of(rate) in first.arguments for rate in rates)
    return (line_of_last_binding(step, owner) if is_given else None) or line


def line_of_attribute(step: Step, attribute: str) -> Line | None:
    """Where an attribute of this name is set, in frames in sight or functions they call."""
    for source in sources_in_reach(step):
        found = [line for key, bound in source.bindings.items() if key.endswith(f".{attribute}") for line, _ in bound]
        if found:
            return source.file, found[0]
    return None


def line_of_call_below(step: Step, *names: str) -> Line | None:
    """The line that calls one of these names, in frames in sight or functions they call."""
    found = line_of_call(step, *names)
    for below in functions_called_by_all(step) if found is None else ():
        calls = below.source.calls_of(*names)
        if calls:
            return below.source.file, calls[0].lineno
    return found


def line_of_freezing(step: Step, name: str) -> Line | None:
    """The line that freezes a model: ``requires_grad_``, or a loop over its parameters."""
    direct = line_of_change(step, name, "requires_grad_")
    if direct is not None:
        return direct
    for source in step.sources:
        for call in source.calls_of("requires_grad_"):
            looped = [node for _, node in source.bindings.get(text_of(call.receiver), []) if isinstance(node, ast.For)]
            if any(text_of(loop.iter).startswith(f"{key_of(name)}.") for loop in looped):
                return source.file, call.lineno
        for key, bindings in source.bindings.items():
            for line, node in bindings if key.endswith(".requires_grad") else ():
                if isinstance(node, ast.Assign) and text_of(node.value) == "False":
                    return source.file, line
    return _line_of_own_freezing(step, name)


def _line_of_own_freezing(step: Step, name: str) -> Line | None:
    """The line in which a model's own method freezes it: ``self.requires_grad_(False)``."""
    found = next((one.value for one in step.modules if one.name == name), None)
    for _, source in methods_of(type(found)) if found is not None else ():
        for call in source.calls_of("requires_grad_"):
            if text_of(call.receiver) == source.self_name:
                return source.file, call.lineno
    return None
