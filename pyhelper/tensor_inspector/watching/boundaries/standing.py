"""Finds where NaN or Inf began in the graph that still stands, with a line only where the source proves it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ...kinds import Child
from ...lenses.graphs.nan_origin import NanOriginLens
from ...lenses.graphs.nan_origin import lens as lens_of
from ...lenses.lens import Paused
from ...measure.torch.metadata import grad_fn_of
from ...safe.budget import Budget
from ...safe.guard import module
from ...safe.record import Record
from ...safe.untouched import Untouched
from ..places import CodePlace, SourceLine, user_frame
from .derivation import Derivation
from .scopes import Scope

if TYPE_CHECKING:
    from types import FrameType

    from ...measure.torch.graph import Graph
    from ...measure.torch.node import AutogradNode

torch: Any = module("torch")

_WENT_IN = ("nan_input", "infinite_input")  #: causes
_OVERFLOWS = ("overflow", "log_of_zero", "division_by_zero")  #: causes of which Inf comes, and no NaN
_SLICE = 200  #: milliseconds of one slice of the lens
_SLICES = 20
_FRAMES = 8  #: of the user, in which a value is looked for
#: Seeds a derivation with the expressions that a value is the result of.
Seeds = Callable[[Derivation, "AutogradNode"], None]


class ProvenOrigin(Record):
    """Where it began: ``where`` as the lens says, an operation and its place where these are proven."""

    where: str
    operation: str | None
    place: CodePlace
    name: str | None  #: of the value that was not finite first, if no operation made it
    is_inf: bool = False  #: the operation is known to have made Inf, and no NaN


UNKNOWN_PLACE = CodePlace(None, None)


def where_it_began(value: Any, frame: FrameType | None, seeds: Seeds) -> ProvenOrigin:
    """Of NaN or Inf in a tensor: the lens `nan_origin` is asked in the user's frame."""
    found = user_frame(frame)
    paused = None if found is None else Paused(found, None, True, None, lambda expression, frame: None)
    with Untouched():
        work = lens_of({"tensor": Child("value", value, None)}, {}, Budget(_SLICE), paused)
        assert isinstance(work, NanOriginLens)
        for _ in range(_SLICES):
            if work.go_on():
                break
            work.budget.renew(_SLICE)
        else:
            work.stop()
        answer: Any = work.found()
        sure = work.operation()
        if answer["cause"] in _WENT_IN:  # what was not finite already came from elsewhere
            return ProvenOrigin("input", None, UNKNOWN_PLACE, None)
        if sure is None:
            return ProvenOrigin(answer["where"], None, UNKNOWN_PLACE, answer["name"])
        place = line_of(*sure, value, seeds)
        operation = _python_name(sure[1]) if place is None else place[2]
        where = UNKNOWN_PLACE if place is None else SourceLine(*place[:2], None)
        is_inf = answer["cause"] in _OVERFLOWS or (answer["inf"] > 0 and answer["nan"] == 0)
        return ProvenOrigin("operation", operation, where, None, is_inf)


def line_of(graph: Graph, node: AutogradNode, value: Any, seeds: Seeds) -> tuple[str, int, str] | None:
    """File, line and name of the operation that made a node below a value; None where the source proves none."""
    top = graph.of(grad_fn_of(value))
    if top is None:
        return None
    derivation = Derivation(graph, node)
    seeds(derivation, top)
    return derivation.place()


def names_of(value: Any, frame: FrameType | None) -> Seeds:
    """Seeds of a value that variables of the user's frames hold, or that ``backward`` is called on in one."""

    def seeds(derivation: Derivation, node: AutogradNode) -> None:
        for scope, line in _scopes(frame):
            held = [name for name, one in scope.variables.items() if one is value]
            for name in held:
                derivation.follow(ast.Name(name, ast.Load()), node, scope)
            called = () if held else _backwards(scope, line)
            for expression in called:
                derivation.follow(expression, node, scope)
            if held or called:
                return

    return seeds


def returned_by(function: Any) -> Seeds:
    """Seeds of what a module has returned."""

    def seeds(derivation: Derivation, node: AutogradNode) -> None:
        derivation.follow_function(function, node)

    return seeds


def _scopes(frame: FrameType | None) -> Iterator[tuple[Scope, int]]:
    frame = user_frame(frame)
    for _ in range(_FRAMES):
        if frame is None:
            return
        yield Scope.of_frame(frame), frame.f_lineno
        frame = user_frame(frame.f_back)


def _backwards(scope: Scope, line: int) -> list[ast.expr]:
    """What ``backward`` is called on in a line."""
    found = [
        node.func.value
        for node in ast.walk(scope.tree or ast.Pass())
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "backward"
        if node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return found if len(found) == 1 else []


def _python_name(node: AutogradNode) -> str | None:
    """``log_softmax`` of LogSoftmax; None where torch has no such function."""
    name = "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in node.op).strip("_")
    return name if any(hasattr(home, name) for home in (torch, torch.nn.functional)) else None
