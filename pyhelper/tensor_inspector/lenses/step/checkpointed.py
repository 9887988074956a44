"""Finds the calls of torch's checkpoints, by whichever name a program knows them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from ...safe.guard import class_attribute, instance_dict, module
from .calls import Call
from .classes import undecorated
from .expressions import root_of
from .functions import named_in
from .source import Source

_FILE = "torch.utils.checkpoint"
_NAMES = ("checkpoint", "checkpoint_sequential")


def is_checkpoint(value: Any) -> bool:
    known = instance_dict(module(_FILE))
    return value is not None and any(value is known.get(name) for name in _NAMES)


def checkpoints_in(cls: type, method: str, source: Source) -> Iterator[Call]:
    """The calls of them in a method of a class."""
    function = class_attribute(cls, method)
    if module(_FILE) is None or type(function) is not FunctionType:
        return
    for call in source.calls:
        if call.args and is_checkpoint(_meaning(undecorated(function), source, call.callee)):
            yield call


def _meaning(function: FunctionType, source: Source, callee: str) -> Any:
    """What a function calls, also by a name that it imports itself."""
    root = root_of(callee)
    for _, node in source.bindings.get(root, ()):
        imported = [alias.name for alias in getattr(node, "names", ()) if (alias.asname or alias.name) == root]
        if isinstance(node, ast.ImportFrom) and imported:
            name = f"{node.module}.{imported[0]}" + callee[len(root) :]
            home, _, last = name.rpartition(".")
            return instance_dict(module(home)).get(last)
        return None
    return named_in(function, callee)
