"""Finds summands of a loss that are detached one by one: in a loop, list or called function."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from ....measure.torch.metadata import is_exact_tensor
from ....measure.torch.modules import is_module, parameters_of
from ....safe.guard import SEQUENCES
from ....safe.record import Record
from ...step.backpropagated import Loss
from ...step.expressions import bound_in, is_name, key_of, last_name, names_in, text_of
from ...step.functions import functions_called, value_in
from ...step.grad_mode import off_at
from ...step.source import Source
from ...step.step import Step
from ..definitions import definitions_of, is_choice
from ..effects import PUTTING_INTO_LISTS
from ..lines import Line
from ..ops import DETACHING, SHAPE_ONLY

_SUMS = ("cat", "fsum", "mean", "stack", "sum", "values")
_MOST = 200  #: expressions
_ITEMS = 64  #: of a list
_END = 1 << 30  #: a line below all of a function
_LoopVariables = dict[str, ast.expr]  #: what each variable of a comprehension goes through


class DetachedSummand(Record):
    """The call that detaches a summand, its line, and the ids of the leaves behind it."""

    call: str
    line: Line
    leaves: set[int]


class _Site(Record):
    """A function's source, and what a name means there."""

    source: Source
    value: Callable[[str], Any]


class _Use(Record):
    """A use of something with a graph in a summand: its leaves, and what detaches it.

    ``is_value``: it is a value in sight. ``is_chosen``: it is one of several, of which another one may come next.
    """

    leaves: set[int]
    is_value: bool
    cut: str | None
    lineno: int
    is_chosen: bool = False


def detached_summands(step: Step, loss: Loss) -> Iterator[DetachedSummand]:
    here = _Site(step.source, lambda name: value_in(step, name, step.level))
    terms = [(term[0], list(_uses(step, *term))) for term in _terms(step, here, key_of(loss.name))]
    chosen = set[int]().union(*(use.leaves for _, uses in terms for use in uses if use.is_chosen))
    for site, uses in terms:
        is_dead = all(use.cut is not None for use in uses)
        cut = [use for use in uses if use.cut is not None and (is_dead or use.is_value)]
        live = set[int]().union(*(use.leaves for use in uses if use.cut is None))
        leaves = set[int]().union(*(use.leaves for use in cut)) - live - chosen
        if leaves:
            first = cut[0]
            yield DetachedSummand(first.cut or "", (site.source.file, first.lineno), leaves)


def _terms(step: Step, site: _Site, name: str) -> Iterator[tuple[_Site, ast.expr, _LoopVariables]]:
    """The summands of a name, in lists and called functions too. Factors are no summands."""
    seen, waiting = set[tuple[int, str]](), list[tuple[_Site, ast.expr, _LoopVariables]]([(site, ast.Name(name), {})])
    for _ in range(_MOST):
        if not waiting:
            return
        site, node, loops = waiting.pop()
        text = text_of(node) if is_name(node) else ""
        parts: list[ast.expr] | None = None
        if text in loops:
            parts, loops = [loops[text]], {}
        elif text:
            known = (id(site), text) in seen
            seen.add((id(site), text))
            parts = [] if known else list(_put_in(site.source, text))
        elif is_choice(node, site.value):
            yield site, node, loops
            continue
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            parts, loops = [node.elt], {**loops, **_looped(node)}
        elif isinstance(node, ast.Call) and last_name(node.func) in _SUMS:
            parts = [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
        elif isinstance(node, ast.Call):
            inner = _entered(step, node)
            if inner is not None:
                results = (one.value for one in inner.source.returns)
                waiting += [(inner, one, {}) for one in results if one is not None]
                continue
        else:
            parts = _parts(step, site, node)
        if parts is None:
            yield site, node, loops
        else:
            waiting += [(site, part, loops) for part in parts]


def _parts(step: Step, site: _Site, node: ast.expr) -> list[ast.expr] | None:
    """The summands of an expression, or the operand that it scales; None for a single term."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        return [node.left, node.right]
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
        scaled = [side for side in (node.left, node.right) if not _is_number(step, site, side)]
        return scaled if len(scaled) == 1 else None
    if isinstance(node, (ast.List, ast.Tuple)):
        return list(node.elts)
    if isinstance(node, ast.Dict):
        return list(node.values)
    return [node.operand] if isinstance(node, ast.UnaryOp) else [node.value] if isinstance(node, ast.Starred) else None


def _is_number(step: Step, site: _Site, side: ast.expr) -> bool:
    called = [last_name(node.func) for node in ast.walk(side) if isinstance(node, ast.Call)]
    return set(called) <= {"len"} and not any(_leaves(step, site.value(name)) for name in names_in(side))


def _put_in(source: Source, name: str) -> Iterator[ast.expr]:
    """The expressions that are bound to a name or put into its list, whichever way conditions go."""
    made = [(one.lineno, one.value) for one in definitions_of(source, name)]
    made += [
        (call.lineno, call.args[-1])
        for call in source.calls_of(*PUTTING_INTO_LISTS)
        if call.args and text_of(call.receiver) == name
    ]
    for key, bound in source.bindings.items():
        if key.startswith(f"{name}["):
            made += [(line, node.value) for line, node in bound if isinstance(node, ast.Assign)]
    return (value for line, value in made if not source.is_conditional(line, seen_from=source.lineno))


def _entered(step: Step, node: ast.Call) -> _Site | None:
    """The function of the program that a call in the frame runs."""
    called = next((one for one in functions_called(step, (step.level,)) if one.call.node is node), None)
    if called is None or is_module(called.value(called.source.self_name)):
        return None
    return _Site(Source(called.code, _END), called.value)


def _looped(node: ast.AST) -> _LoopVariables:
    generators = node.generators if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)) else []
    return {name: one.iter for one in generators for name in bound_in(one.target)}


def _uses(step: Step, site: _Site, term: ast.expr, loops: _LoopVariables) -> Iterator[_Use]:
    """Each module and each value with a graph in a term, with what detaches it."""
    loops = {name: value for one in ast.walk(term) for name, value in _looped(one).items()} | loops
    waiting: list[tuple[ast.AST, str | None]] = [(term, None)]
    while waiting:
        node, cut = waiting.pop()
        if is_choice(node, site.value):
            named = [text_of(below) for below in ast.walk(node) if is_name(below)]
            yield _Use(set[int]().union(*(_leaves_of(step, site, name, loops) for name in named)), True, None, 0, True)
            continue
        called = node.func if isinstance(node, ast.Call) else None
        if last_name(called) in SHAPE_ONLY:
            continue
        if is_name(node) and not (isinstance(node, ast.Attribute) and node.attr in DETACHING):
            leaves = _leaves_of(step, site, text_of(node), loops)
            off = off_at(site.source, node.lineno)  # type: ignore[attr-defined]
            if leaves:
                yield _Use(leaves, called is None, "no_grad" if off is not None else cut, node.lineno)  # type: ignore[attr-defined]
            continue
        name = node.attr if isinstance(node, ast.Attribute) else last_name(called)
        cut = f"{name}()" if called is not None and name in (*DETACHING, "float") else cut
        cut = ".data" if name == "data" else cut
        waiting += [(below, cut) for below in ast.iter_child_nodes(node)]


def _leaves_of(step: Step, site: _Site, name: str, loops: _LoopVariables) -> set[int]:
    """The ids of the leaves behind a name. For a loop's variable: behind its iterable."""
    bound = [node.iter for _, node in site.source.bindings.get(name, ()) if isinstance(node, ast.For)]
    through = [loops[name]] if name in loops else bound
    values = [site.value(one) for each in through for one in names_in(each)] if through else [site.value(name)]
    return set[int]().union(*(_leaves(step, value) for value in values))


def _leaves(step: Step, value: Any) -> set[int]:
    if is_module(value):
        return set(map(id, parameters_of(value)))
    if is_exact_tensor(value):
        node = step.node_of(value)
        return set() if node is None else {id(leaf) for leaf in step.graph.leaves(node)}
    items = list(dict.values(value)) if type(value) is dict else value if type(value) in SEQUENCES else ()
    some = (one for one in items[:_ITEMS] if is_module(one) or is_exact_tensor(one))
    return set[int]().union(*(_leaves(step, one) for one in some))
