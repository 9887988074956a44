"""Finds calls of torch's checkpoints, and which of them a forward surely runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from math import inf
from types import FunctionType
from typing import Any

from ....safe.guard import class_attribute, instance_dict, module
from ...step.calls import Call
from ...step.classes import undecorated
from ...step.expressions import root_of, text_of
from ...step.frames import global_of
from ...step.functions import named_in
from ...step.source import Source
from ...step.step import Step

_FILE = "torch.utils.checkpoint"
_NAMES = ("checkpoint", "checkpoint_sequential")
#: What stands around a call that runs whenever they do.
_PLAIN = (
    ast.Assign,
    ast.AugAssign,
    ast.AnnAssign,
    ast.Return,
    ast.Expr,
    ast.With,
    ast.Call,
    ast.Attribute,
    ast.BinOp,
    ast.UnaryOp,
    ast.Tuple,
    ast.List,
    ast.keyword,
    ast.Subscript,
    ast.Starred,
    ast.withitem,
)


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


class SureRuns:
    """Finds the lines of ``forward`` that surely run a call in a method of a module.

    ``lists``: the attributes of the module that are lists and not empty.
    """

    def __init__(self, step: Step, module: Any, methods: dict[str, Source], lists: set[str]) -> None:
        self._step = step
        self._module = module
        self._methods = methods
        self._lists = lists

    def lines_of(self, source: Source, call: Call) -> list[int]:
        """The lines of ``forward`` that run a call in every iteration. Empty where one may not, or none is known."""
        found, waiting, seen = list[int](), [(source, call)], set[str]()
        while waiting:
            source, call = waiting.pop()
            if not self._always_runs(source, call):
                return []
            if source is self._methods.get("forward"):
                found.append(call.lineno)
                continue
            outer = [
                (other, one)
                for other in self._methods.values()
                for one in other.calls
                if one.callee == f"{other.self_name}.{source.function}"
            ]
            if not outer or source.function in seen:
                return []
            seen.add(source.function)
            waiting += outer
        return found

    def _always_runs(self, source: Source, call: Call) -> bool:
        """Whether no exit stands before a call, and all around it is entered.

        Entered are conditions that the module meets now, as ``if self.training``, and loops through lists that are
        not empty.
        """
        around = [
            node
            for node in source.nodes
            if not issubclass(type(node), _PLAIN) and any(below is call.node for below in ast.walk(node))
        ]
        leaves = [at for at in source.exits if at < call.lineno]
        is_sure = all(
            _goes_through(node.iter, source, self._lists)
            if isinstance(node, ast.For)
            else self._is_met(node, source, call)
            for node in around
        )
        return is_sure and not any(map(source.is_conditional, leaves))

    def _is_met(self, node: ast.AST, source: Source, call: Call) -> bool:
        """Whether it is a condition that is true now, above a call."""
        if not isinstance(node, ast.If) or call.lineno >= min((one.lineno for one in node.orelse), default=inf):
            return False
        tests = (
            node.test.values if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And) else [node.test]
        )
        return all(setting(self._step, test, source, self._module) is True for test in tests)


def setting(step: Step, node: ast.expr, source: Source, module: Any) -> Any:
    """Evaluates constants, attributes and dict items in a method; None for anything else."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        frames = (visible.frame for visible in step.frames if visible.frame.f_code.co_filename == source.file)
        is_global = node.id not in source.bindings and node.id not in source.arguments
        known = next((global_of(frame, node.id) for frame in frames), None) if is_global else None
        return module if node.id == source.self_name else known
    if not isinstance(node, (ast.Attribute, ast.Subscript)):
        return None
    owner = setting(step, node.value, source, module)
    if isinstance(node, ast.Attribute):
        held = instance_dict(owner)
        return held[node.attr] if node.attr in held else class_attribute(type(owner), node.attr)
    is_item = type(owner) is dict and isinstance(node.slice, ast.Constant)
    return dict.get(owner, node.slice.value) if is_item else None  # type: ignore[attr-defined]


def _goes_through(node: ast.expr, source: Source, lists: set[str]) -> bool:
    if isinstance(node, ast.Call) and text_of(node.func) in ("enumerate", "reversed") and node.args:
        node = node.args[0]
    return isinstance(node, ast.Attribute) and text_of(node.value) == source.self_name and node.attr in lists
