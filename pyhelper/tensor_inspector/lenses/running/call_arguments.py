"""The arguments for a call, by position and by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kinds import Child
from ...safe.record import Record


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
