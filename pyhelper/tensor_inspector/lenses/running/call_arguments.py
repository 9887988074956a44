"""The arguments for a call, by position and by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType, MethodType
from typing import Any

from ...kinds import Child
from ...safe.guard import Classes, class_attribute, instance_dict, plain_str
from ...safe.record import Record
from ...words.text import listed
from ..step.classes import undecorated

_FUNCTIONS = Classes(FunctionType, MethodType)


class CallArguments(Record):
    """The arguments of one call; ``named`` bear the names of their parameters."""

    positional: list[Child]
    named: list[Child]

    @classmethod
    def of(cls, values: Mapping[str, Child], options: Mapping[str, Any]) -> CallArguments:
        """From the values ``input1``, ``input2`` …; the option ``names`` has the parameters of the last of them.

        Raises `ValueError` for names that are no list of distinct parameters.
        """
        inputs = [values[f"input{number}"] for number in range(1, len(values))]
        names = options.get("names", [])
        if type(names) is not list or any(type(name) is not str for name in names) or len(names) > len(inputs):
            raise ValueError("names is a list of the parameters that the last inputs are for, as in ['dim']")
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"names has {twice!r} twice: a parameter takes one input")
        first = len(inputs) - len(names)
        named = [Child(name, one.value, one.suffix) for name, one in zip(names, inputs[first:])]
        return cls(inputs[:first], named)

    def all(self) -> list[Child]:
        return [*self.positional, *self.named]

    def refuse_none(self, called: Any) -> None:
        """Raises `TypeError` where nothing is given to a function, or to a module's forward, that wants something."""
        is_module = type(called) not in _FUNCTIONS
        function = forward_method_of(called) if is_module else called
        held = int(is_module or type(called) is MethodType)
        function = python_function(function)
        if self.all() or function is None:
            return
        code = function.__code__
        wanted = code.co_varnames[held : code.co_argcount - len(function.__defaults__ or ())]
        if wanted:
            raise TypeError(f"no input is given: {plain_str(function.__qualname__)} wants {listed(wanted, False, 60)}")


def forward_method_of(module: Any) -> Any:
    """What a call of a module runs: a ``forward`` that was set on the module itself, else that of its class."""
    return instance_dict(module).get("forward", class_attribute(type(module), "forward"))


def python_function(function: Any) -> FunctionType | None:
    """The function of a method, without its decorators; None where it is not written in Python."""
    if type(function) is MethodType:
        function = function.__func__
    return undecorated(function) if type(function) is FunctionType else None
