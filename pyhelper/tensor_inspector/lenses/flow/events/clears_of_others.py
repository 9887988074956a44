"""Finds calls of ``zero_grad`` that surely clear no gradient of some tensors."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from types import CodeType
from typing import Any

from ....measure.torch.modules import is_module, parameters_of
from ....measure.torch.optimizers import inner, is_optimizer, is_readable
from ....measure.torch.optimizers import tensors as tensors_of
from ....safe.guard import class_attribute, instance_dict, module
from ...step.expressions import own_name, parent_of, root_of, text_of
from ...step.functions import Called, functions_called, value_in
from ...step.source import Source
from ...step.step import Step
from ..constants.loop_values import ValueOf, values_in_line

torch: Any = module("torch")
#: Parts of the frames in sight: the level of a frame, and from which line to which; None for all of its function.
Region = list[tuple[int, "tuple[int, int] | None"]]
#: Where an expression stands: the file, the line, the column.
Site = tuple[str, int, int]


class ClearsOfOthers:
    """The ``zero_grad`` calls of other optimizers, and the functions that make no other."""

    def __init__(self) -> None:
        self.sites = set[Site]()
        self.codes = set[CodeType]()
        self.known = set[CodeType]()  #: of all functions that are called, as far as they are found
        self.names = set[str]()  #: of those in ``codes``

    def may_be_called_by(self, code: CodeType) -> bool:
        """Whether a function not known to be called may call one of them."""
        return code not in self.known and not self.names.isdisjoint(code.co_names)


def clears_of_others(step: Step, region: Region, tensors: Collection[int]) -> ClearsOfOthers:
    found, bound, mentioned = ClearsOfOthers(), dict[int, set[str]](), dict[str, set[Site]]()
    frames = {step.frames[level].frame.f_code for level, _ in region}
    functions = functions_called(step, [level for level, _ in region])
    called = list({one.code: one for one in reversed(functions) if one.code not in frames}.values())
    for level, lines in region:
        source = step.sources[level]
        nodes = list(nodes_in(source.tree, lines))
        bound[level] = {text_of(node) for node in nodes if _is_bound(node)}
        _note(mentioned, source, nodes)
        found.sites |= _clears(source, lines, _values_around(step, level, bound[level]), tensors)
    for one in called:
        found.known.add(one.code)
        _note(mentioned, one.source, one.source.nodes)
    for one in called:
        if len(mentioned.get(one.source.function, ())) == 1 and not _is_given_in_turn(one, bound[one.level]):
            sites = _clears(one.source, None, one.value, tensors)
            own = {site_of(one.source, node) for node in one.source.nodes if own_name(node) == "zero_grad"}
            if own and own == sites:
                found.sites |= sites
                found.codes.add(one.code)
                found.names.add(one.source.function)
    return found


def site_of(source: Source, node: ast.AST) -> Site:
    return source.file, getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _note(mentioned: dict[str, set[Site]], source: Source, nodes: Iterable[ast.AST]) -> None:
    """Notes where names stand. A function is read with the module that it is in, too."""
    for node in nodes:
        name = own_name(node)
        if name:
            mentioned.setdefault(name, set()).add(site_of(source, node))


def nodes_in(tree: ast.AST | None, lines: tuple[int, int] | None) -> Iterator[ast.AST]:
    """What stands in some lines, and in functions inside the tree."""
    waiting = [(node, False) for node in ast.iter_child_nodes(tree or ast.Pass())]
    while waiting:
        node, is_called = waiting.pop()
        is_called = is_called or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        waiting.extend((below, is_called) for below in ast.iter_child_nodes(node))
        if is_called or lines is None or lines[0] <= getattr(node, "lineno", 0) <= lines[1]:
            yield node


def _clears(source: Source, lines: tuple[int, int] | None, value_of: ValueOf, tensors: Collection[int]) -> set[Site]:
    """Calls of ``zero_grad`` in some lines whose receivers are known and hold none of the tensors."""
    found = set[Site]()
    for call in source.calls_of("zero_grad"):
        is_inside = lines is None or lines[0] <= call.lineno <= lines[1]
        owners = values_in_line(source, text_of(call.receiver), call.lineno, value_of) if is_inside else []
        if owners and all(_clears_itself(one) and not _holds(one, tensors) for one in owners):
            found.add(site_of(source, call.node.func))
    return found


def _values_around(step: Step, level: int, bound: set[str]) -> ValueOf:
    """Looks up names that the region does not bind: they mean the same in each iteration."""
    return lambda name: value_in(step, name, level) if bound.isdisjoint(_with_parents(name)) else None


def _is_given_in_turn(called: Called, bound: set[str]) -> bool:
    """Whether the call may have another object or other arguments in another iteration."""
    call = called.first.call
    names = [call.callee, *(text_of(part) for part in (*call.args, *call.keywords.values()))]
    return any(root_of(name) in bound or not bound.isdisjoint(_with_parents(name)) for name in names)


def _clears_itself(owner: Any) -> bool:
    """Whether the object's ``zero_grad`` is torch's own."""
    if "zero_grad" in instance_dict(owner):
        return False
    if is_optimizer(owner):
        return is_readable(owner) and class_attribute(type(owner), "zero_grad") is torch.optim.Optimizer.zero_grad
    return is_module(owner) and class_attribute(type(owner), "zero_grad") is torch.nn.Module.zero_grad


def _holds(owner: Any, wanted: Collection[int]) -> bool:
    held = parameters_of(owner) if is_module(owner) else tensors_of(inner(owner))
    return any(id(tensor) in wanted for tensor in held)


def _with_parents(key: str) -> Iterator[str]:
    found: str | None = key
    while found is not None:
        yield found
        found = parent_of(found)


def _is_bound(node: ast.AST) -> bool:
    """Whether a node binds or deletes a name."""
    return isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
