"""Finds dead stores: results of submodules in ``forward`` that nothing reads."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator
from types import FunctionType, ModuleType

from ...safe.guard import class_attribute, plain_str, top_package
from ..step.classes import forward_of
from ..step.expressions import SCOPES, root_of, text_of
from ..step.source import Source
from .effects import REACHING_VARIABLES
from .lines import Line

_ITERATIONS = 20  #: statements whose result only dropped ones read
#: What may leave statements out after one has run: none that binds a name again then proves that it was not read.
_SKIPPING = (
    *(ast.AsyncWith, ast.Break, ast.Continue, ast.Try, ast.With),
    *(getattr(ast, name, ast.Try) for name in ("Match", "TryStar")),  # as far as this Python has them
)
_LATER = (*SCOPES, ast.GeneratorExp)  #: what runs at another time than where it stands
_Pure = Callable[[ast.expr], bool]


def dead_store_in_forward(cls: type, attribute: str, silent: Collection[str]) -> tuple[str, Line] | None:
    """The name and line of a submodule's result, where all uses of the submodule are dead stores.

    A name that begins with ``_`` says itself that it is not wanted. ``silent``: submodules without side effects.
    """
    source = forward_of(cls)
    if source is None or not source.is_known():
        return None
    own = f"{source.self_name}.{attribute}"
    own_name, libraries = source.self_name, _torch_in_globals(cls)

    def is_pure(value: ast.expr) -> bool:
        nodes = list(ast.walk(value))
        called = [text_of(node.func) for node in nodes if isinstance(node, ast.Call)]
        is_known = all(
            root_of(text) in libraries or any(text == f"{own_name}.{part}" for part in silent) for text in called
        )
        return is_known and not any(isinstance(node, (ast.NamedExpr, ast.Yield, ast.Await)) for node in nodes)

    dead = _dead_assignments(source, is_pure)
    inside = {id(node) for statement in dead for node in ast.walk(statement)}
    uses = [node for node in source.nodes if _is(node, own)]
    if not uses or any(id(node) not in inside for node in uses):
        return None
    first = next(statement for statement in dead if any(node is uses[0] for node in ast.walk(statement)))
    name = text_of(first.targets[0])
    return None if name.startswith("_") else (name, (source.file, first.lineno))


def _is(node: ast.AST, own: str) -> bool:
    return isinstance(node, ast.Attribute) and text_of(node) == own


def _torch_in_globals(cls: type) -> list[str]:
    """The names of torch's modules where the ``forward`` of a class is defined: ``torch``, ``F``."""
    forward = class_attribute(cls, "forward")
    found = forward.__globals__ if type(forward) is FunctionType else {}
    return [
        name
        for name, value in list(dict.items(found))
        if type(value) is ModuleType and top_package(plain_str(value.__name__)) == "torch"
    ]


def _names_read_later(nodes: list[ast.AST]) -> set[str]:
    """The names that functions inside read, or that are not local."""
    inner = (below for node in nodes if isinstance(node, _LATER) for below in ast.walk(node))
    outer = (name for node in nodes if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names)
    return {node.id for node in inner if isinstance(node, ast.Name)} | set(outer)


def _dead_assignments(source: Source, is_pure: _Pure) -> list[ast.Assign]:
    """The assignments to local names that nothing but dead stores reads.

    What an assignment reads counts nevertheless where it calls what may keep that.
    """
    dead: list[ast.Assign] = []
    nodes = source.nodes
    later = _names_read_later(nodes)
    if any(isinstance(node, ast.Name) and node.id in REACHING_VARIABLES for node in nodes):
        return dead
    leaves = any(isinstance(node, _SKIPPING) for node in nodes)
    whole: list[ast.stmt] = [ast.If(ast.Constant(True), source.body, [])]  # each read in it counts, wherever it stands
    for _ in range(_ITERATIONS):
        pure = [one for one in dead if is_pure(one.value)]
        found = [
            one
            for one, after in _assignments(source.body, [])
            if one not in dead and later.isdisjoint(_names(one)) and _is_dead(one, whole if leaves else after, pure)
        ]
        if not found:
            break
        dead += found
    return sorted(dead, key=lambda one: one.lineno)


def _assignments(body: list[ast.stmt], after: list[ast.stmt]) -> Iterator[tuple[ast.Assign, list[ast.stmt]]]:
    """The plain assignments to names, each with the statements that may run after it."""
    for at, statement in enumerate(body):
        later = [*body[at + 1 :], *after]
        if isinstance(statement, ast.Assign) and _names(statement):
            yield statement, later
        again = [statement] if isinstance(statement, (ast.For, ast.While)) else []  # a later iteration reads it too
        for block in () if isinstance(statement, SCOPES) else ("body", "orelse", "finalbody"):
            inner = getattr(statement, block, None)
            if type(inner) is list:
                yield from _assignments(inner, [*again, *later])


def _names(statement: ast.Assign) -> list[str]:
    """The names that a statement binds; none where it binds anything else too."""
    target = statement.targets[0]
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    is_plain = len(statement.targets) == 1 and all(isinstance(part, ast.Name) for part in parts)
    return [part.id for part in parts if isinstance(part, ast.Name)] if is_plain else []


def _is_dead(one: ast.Assign, after: list[ast.stmt], pure: list[ast.Assign]) -> bool:
    return all(
        _is_never_read(name, [statement for statement in after if statement is not one], pure) for name in _names(one)
    )


def _is_never_read(name: str, after: list[ast.stmt], pure: list[ast.Assign]) -> bool:
    """Whether nothing reads a name but assignments of which nothing is read in turn."""
    for statement in after:
        ignored = {id(node) for other in pure if other is not statement for node in ast.walk(other)}
        nodes = [] if statement in pure else [node for node in ast.walk(statement) if id(node) not in ignored]
        if any(
            isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, (ast.Load, ast.Del))
            for node in nodes
        ):
            return False
        if any(isinstance(node, ast.AugAssign) and text_of(node.target) == name for node in nodes):
            return False
        if isinstance(statement, ast.Assign) and name in _names(statement):
            return True
    return True
