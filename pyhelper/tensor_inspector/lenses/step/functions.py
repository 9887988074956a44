"""Finds the user's functions that the frames in sight call, also through others, and their arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any
from weakref import proxy

from ...measure.torch.modules import Member, is_module
from ...safe.guard import Classes, class_attribute, instance_dict, plain_str, top_package
from .calls import Call
from .classes import is_library, is_library_module, is_standard, undecorated
from .expressions import SCOPES, is_name, root_of, text_of
from .frames import global_of
from .source import Source, source_of
from .step import Step

_DEFINITIONS = (*SCOPES, ast.Import, ast.ImportFrom)
_FUNCTIONS = Classes(FunctionType, MethodType)
_DEEP = 2  #: calls from a frame in sight
_MOST = 60  #: functions called from one frame


class Called:
    """A function that is called: by which call, what it was given as its caller writes it.

    ``level`` is that of the frame that the calls begin from, ``caller`` the function between that and this one.
    """

    __slots__ = ("_function", "_owner", "_step", "call", "caller", "depth", "given", "level", "source")

    def __init__(
        self, step: Step, function: FunctionType, owner: Any, call: Call, level: int, caller: Called | None
    ) -> None:
        self._step: Step = proxy(step)  # which keeps this: a cycle would keep values until the collector runs
        self._function = function
        self._owner = owner  #: what it is a method of; None of a plain function
        self.call = call
        self.level = level
        self.caller = caller
        self.depth: int = 1 if caller is None else caller.depth + 1  #: calls from the frame
        self.source = source_of(function.__code__)
        names = self.source.arguments[0 if owner is None else 1 :]
        self.given: dict[str, ast.expr] = {**dict(zip(names, call.args)), **call.keywords}

    @property
    def code(self) -> CodeType:
        return self._function.__code__

    @property
    def first(self) -> Called:
        """The function that the frame itself calls, and that leads to this one."""
        return self if self.caller is None else self.caller.first

    def value(self, name: str) -> Any:
        """What a name, or an attribute of one, means there; None where that is not known, as of its variables."""
        root, *attributes = name.split(".")
        arguments, value = self.source.arguments, None
        if self._owner is not None and arguments[:1] == [root]:
            value = self._owner
        elif root in self.given and root not in self.source.bindings:
            argument = self.given[root]
            value = _value(self._step, text_of(argument), self.level, self.caller) if is_name(argument) else None
        elif root not in arguments and root not in self.source.bindings:
            value = free_of(self._function, root)
        for attribute in attributes:
            value = attribute_of(value, attribute)
        return value

    def seen_outside(self, expression: str) -> str:
        """An expression of the function in the names of the frame: ``agent.target`` for ``self.target``. Empty for one
        that begins with a variable of the function."""
        root = root_of(expression)
        if root in self.source.bindings:
            return ""
        outer = self.given.get(root)
        if self._owner is not None and self.source.arguments[:1] == [root]:
            outer = self.call.receiver
        text = expression if outer is None else text_of(outer) + expression[len(root) :]
        return text if self.caller is None else self.caller.seen_outside(text)


def functions_called(step: Step, levels: Iterable[int] = ()) -> list[Called]:
    """Those that frames call themselves first, each once for each frame: the active one, that with the backward."""
    frames = tuple(levels) or step.levels
    known: list[Called] | None = step.functions.get(frames)
    if known is None:
        if len(frames) == 1:
            known = list(_find_functions(step, frames[0]))
        else:
            of_each = (called for level in frames for called in functions_called(step, (level,)))
            known = sorted(of_each, key=lambda called: called.depth)
        step.functions[frames] = known
    return known


def functions_called_by_all(step: Step) -> list[Called]:
    """Those that any frame in sight calls, also through others."""
    return functions_called(step, range(len(step.frames)))


def sources_in_reach(step: Step) -> Iterator[Source]:
    """The sources of the frames in sight, then those of the functions that they call."""
    yield from step.sources
    yield from (called.source for called in functions_called_by_all(step))


def called_at(step: Step, call: Call, level: int, caller: Called | None = None) -> Called | None:
    """The user's function that a call runs, in a frame or in a function that is called from it."""
    function, owner = _function_of(_value(step, call.callee, level, caller))
    if function is None or not _is_users(function):
        return None
    called = Called(step, function, owner, call, level, caller)
    return called if called.source.is_known() else None


def calls_module(step: Step, node: ast.AST, level: int) -> bool:
    """Whether an expression is a call of a module, whatever its name is: ``self.le(x)``, ``net.eq(x)``."""
    return isinstance(node, ast.Call) and is_module(value_in(step, text_of(node.func), level))


def is_same_each_round(step: Step, source: Source, callee: str, level: int, caller: Called | None = None) -> bool:
    """Whether what is called is the same function in each round: no argument, loop, condition or object chooses it."""
    owner, _, method = callee.rpartition(".")
    held = _value(step, owner, level, caller) if owner else None
    if is_module(held) or is_module(_value(step, callee, level, caller)):
        return True
    if type(instance_dict(held).get(method)) in _FUNCTIONS or callee in source.arguments:
        return False
    bound: list[Any] = [node for _, node in source.bindings.get(root_of(callee), ())]
    if len(bound) > 1 or any(source.is_conditional(node.lineno, seen_from=source.lineno) for node in bound):
        return False
    return all(isinstance(node, _DEFINITIONS) or _is_made_once(source, node) for node in bound)


def _is_made_once(source: Source, node: Any) -> bool:
    value = getattr(node, "value", None)
    is_called = isinstance(value, ast.Call) and source.loop_of(node.lineno) is None
    return is_called or isinstance(value, (ast.Name, ast.Attribute, ast.Lambda))


def _find_functions(step: Step, level: int) -> Iterator[Called]:
    waiting: list[tuple[Source, Called | None]] = [(step.sources[level], None)]
    seen: set[int] = set()
    while waiting and len(seen) < _MOST:
        source, caller = waiting.pop(0)
        for call in source.calls:
            function, owner = _function_of(_value(step, call.callee, level, caller))
            if function is None or id(function) in seen or not _is_users(function):
                continue
            seen.add(id(function))
            called = Called(step, function, owner, call, level, caller)
            if called.source.is_known():
                yield called
                if called.depth < _DEEP:
                    waiting.append((called.source, called))


def _is_users(function: FunctionType) -> bool:
    is_library = is_library_module(plain_str(function.__module__))
    return not is_library and not is_standard(function.__code__.co_filename)


def value_in(step: Step, name: str, level: int) -> Any:
    """What a name, or an attribute of one, means in a frame: as it is kept, also in a namespace of options."""
    return _value(step, name, level, None)


def _value(step: Step, name: str, level: int, caller: Called | None) -> Any:
    """What an expression means in a frame, or in a function that is called from it."""
    if caller is not None:
        return caller.value(name)
    found = step.module_of(name, level)
    value = step.value(name, level) if found is None else found.value
    if value is not None:
        return value
    root, *attributes = name.split(".")
    seen = step.frames[level]
    value = seen.variables.get(root, global_of(seen.frame, root))
    for attribute in attributes:
        value = attribute_of(value, attribute)
    return value


def is_torchs(function: Any) -> bool:
    """Whether a function is one of torch's, not one of the program, or of a trainer, with the same name."""
    return type(function) is FunctionType and top_package(plain_str(function.__module__)) == "torch"


def argument_given(step: Step, level: int, name: str) -> ast.expr | None:
    """What the caller of a frame gives an argument of the frame's function, as the caller's source writes it."""
    source, outer = step.sources[level], step.sources[level + 1]
    first = step.frames[level].variables.get(source.self_name)
    in_line = [call for call in outer.calls if outer.is_running(call)] or [
        call for call in outer.calls if call.lineno == outer.lineno
    ]
    calls = [
        call
        for call in in_line
        if call.name == source.function or (first is not None and value_in(step, call.callee, level + 1) is first)
    ]
    if len(calls) != 1 or any(isinstance(one, ast.Starred) for one in calls[0].args):
        return None
    call = calls[0]
    owner = call.callee if call.name != source.function else text_of(call.receiver)
    is_method = first is not None and value_in(step, owner, level + 1) is first
    given = dict(zip(source.arguments[int(is_method) :], call.args))
    return given.get(name, call.keywords.get(name))


def free_of(function: FunctionType, name: str) -> Any:
    """A variable of the function around, or a global."""
    for free, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        if free == name:
            try:
                return cell.cell_contents
            except ValueError:  # empty
                return None
    return dict.get(function.__globals__, name)


def named_in(function: FunctionType, expression: str) -> Any:
    """What a name that a function does not bind, or an attribute of one, means there: ``nn.Linear``."""
    root, *attributes = expression.split(".")
    value = free_of(function, root)
    for attribute in attributes:
        value = instance_dict(value).get(attribute) if type(value) is ModuleType else attribute_of(value, attribute)
    return value


def attribute_of(value: Any, name: str) -> Any:
    """An attribute as it is kept, or a method of the class."""
    if value is None:
        return None
    held = instance_dict(value)
    if name in held:
        return held[name]
    if is_module(value):
        parts = dict(Member(value).items("_modules"))
        if name in parts:
            return parts[name]
    method = None if issubclass(type(value), type) else class_attribute(type(value), name)
    return MethodType(method, value) if type(method) is FunctionType else None


def _function_of(value: Any) -> tuple[FunctionType | None, Any]:
    """The function that a call of a value runs, and what it is a method of."""
    if type(value) is FunctionType:
        return undecorated(value), None
    if type(value) is MethodType:
        return _function_of(value.__func__)[0], value.__self__
    if value is None or issubclass(type(value), type) or is_library(type(value)):
        return None, None
    method = class_attribute(type(value), "forward" if is_module(value) else "__call__")
    return (_function_of(method)[0], value) if type(method) is FunctionType else (None, None)
