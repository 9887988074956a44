"""Finds values appended to lists that outlive a step."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ....safe.record import Record
from ...step.expressions import last_name, parent_of, text_of
from ...step.functions import functions_called, value_in
from ...step.source import Source
from ...step.step import Step
from ..effects import PUTTING_INTO_LISTS, TAKING
from ..lines import Line
from .code_objects import codes_that_name, is_elsewhere


class Iterations(Record):
    """The lines of backwards and of updates, between which a step lies.

    Updates: where the optimizer steps, if that is known. ``are_retained``: each backward keeps its graph.
    """

    backwards: list[int]
    updates: list[int]
    are_retained: bool


def iterations_of(step: Step) -> Iterations:
    """The iterations of the frame, else of the functions that it calls.

    A function whose caller steps is one step.
    """
    source = step.source
    called = list(functions_called(step, [step.level]))
    backwards = [backward.lineno for backward in source.backwards]
    backwards = backwards or [one.first.call.lineno for one in called if one.source.backwards]
    updates = [call.lineno for call in source.calls_of("step")]
    updates += [one.first.call.lineno for one in called if one.source.calls_of("step")]
    is_part = any(outer.calls_of("step") for outer in step.sources[step.level + 1 :])
    retains = [text_of(backward.call.argument(1, "retain_graph")) == "True" for backward in source.backwards]
    return Iterations(backwards, updates if updates or is_part else backwards, bool(retains) and all(retains))


def outlives_a_step(source: Source, name: str, line: int, resets: list[int], iterations: Iterations) -> bool:
    """Whether what grows in a line is never reset in the loop around a step.

    Without such a loop, the function itself is what comes again: only an attribute outlives that.
    """
    resets = [*resets, *_emptied(source, name)]
    around = [(first, last) for first, last in source.loops if first <= line <= last]
    if not any(first <= at <= last for first, last in around for at in iterations.backwards):
        is_once_a_step = not around and any(
            not source.is_conditional(at, seen_from=line) for at in iterations.backwards
        )
        return "." in name and not resets and is_once_a_step
    return is_never_reset(source, line, resets, iterations)


def is_never_reset(source: Source, line: int, resets: list[int], iterations: Iterations) -> bool:
    """Whether the innermost loop with a line and a step has none of the resets."""
    around = [(first, last) for first, last in source.loops if first <= line <= last]
    steps = [loop for loop in around if any(loop[0] <= at <= loop[1] for at in iterations.updates)]
    if not steps:
        return False
    loops = [max(steps, key=lambda loop: loop[0])]
    loops += [loop for loop in map(source.loop_of, iterations.backwards) if loop is not None]
    return not any(first <= at <= last for first, last in loops for at in resets)


def is_never_reset_by_callers(step: Step, owner: Any, resetting: set[str], line: int, iterations: Iterations) -> bool:
    """Whether a line adds in each step to an object that no caller resets.

    ``resetting``: the methods that reset it.
    """
    source, outer, backwards = step.source, range(step.level + 1, len(step.sources)), iterations.backwards
    is_once = backwards and not any(map(source.loop_of, (line, *backwards)))
    if source.function.startswith("<") or not is_once or source.is_conditional(line, seen_from=backwards[0]):
        return False
    for level in outer:
        above = step.sources[level]
        resets = [(text_of(call.receiver), call.lineno) for call in above.calls_of(*resetting)]
        resets += [(name, at) for name in above.bindings for at in above.lines_of(name)]
        first, last = above.loop_of(above.lineno) or (1, 0)
        if any(first <= at <= last and value_in(step, name, level) is owner for name, at in resets):
            return False
        if last:
            break  # what a loop around that one resets is kept for many steps
    known = {(source.file, source.function) for source in step.sources}
    others = (code for method in resetting for code in codes_that_name(step, method))
    return not any(is_elsewhere(code, known) for code in others)


def _emptied(source: Source, name: str) -> list[int]:
    """Lines that may remove items of a list: ``del``, or any method but ``append`` and its like."""
    called = [call for call in source.calls if text_of(call.receiver) == name]
    taking = [call.lineno for call in called if call.name not in PUTTING_INTO_LISTS]
    return [*taking, *(target.lineno for target in _taken(source) if text_of(target.value) == name)]


def _taken(source: Source) -> Iterator[ast.Subscript]:
    """Items that are deleted, or slices that are replaced: ``del kept[0]``, ``kept[:] = …``."""
    for node in {id(node): node for bound in source.bindings.values() for _, node in bound}.values():
        targets = node.targets if isinstance(node, (ast.Assign, ast.Delete)) else []
        for target in targets:
            if isinstance(target, ast.Subscript) and (
                isinstance(node, ast.Delete) or isinstance(target.slice, ast.Slice)
            ):
                yield target


def appended_in(step: Step, name: str, value: Any, iterations: Iterations) -> Line | None:
    """The line that appends to a list in each step, in the frame or a called function."""
    joined = _joined_in(step.source, name, iterations)
    if joined is not None or type(value) is dict:
        return joined
    source, parent = step.source, parent_of(name) if name.endswith("]") else None
    for call in source.calls_of("append"):
        is_it = text_of(call.receiver) == name or (parent is not None and _around(call.receiver, name) == parent)
        if is_it and outlives_a_step(source, name, call.lineno, source.lines_of(name), iterations):
            return source.file, call.lineno
    holder = None if parent is None else step.value(parent)
    called = list(functions_called(step, (step.level,)))
    resetting = {one.first.call.name for one in called if _resets(one.source, name)}
    resets = [*source.lines_of(name), *_emptied(source, name)]
    resets += [call.lineno for call in source.calls if call.name in resetting]
    for one in called:
        for call in one.source.calls_of("append"):
            around = _around(call.receiver, name)
            is_it = one.value(text_of(call.receiver)) is value
            is_it = is_it or (around is not None and holder is not None and one.value(around) is holder)
            if is_it and is_never_reset(source, one.first.call.lineno, resets, iterations):
                return one.source.file, call.lineno
    return None


def _joined_in(source: Source, name: str, iterations: Iterations) -> Line | None:
    """The line that extends a list or adds to a dict: ``kept += [c]``, ``kept[k] = c``."""
    bindings = source.bindings.get(name, [])
    adding = [
        (line, node) for line, node in bindings if _joins(node, name) or _is_entry_of_an_iteration(source, node, name)
    ]
    resets = [at for at, node in bindings if all(node is not other for _, other in adding)]
    parent = parent_of(name)
    resets += [] if parent is None else source.lines_of(parent)
    found = (line for line, _ in adding if outlives_a_step(source, name, line, resets, iterations))
    return next(((source.file, line) for line in found), None)


def _joins(node: ast.AST, name: str) -> bool:
    """``kept += [c]``, ``kept = kept + [c]``"""
    if isinstance(node, ast.AugAssign):
        return isinstance(node.op, ast.Add) and isinstance(node.value, ast.List) and text_of(node.target) == name
    value = node.value if isinstance(node, ast.Assign) and [text_of(one) for one in node.targets] == [name] else None
    is_sum = isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add) and isinstance(value.right, ast.List)
    return is_sum and isinstance(value, ast.BinOp) and text_of(value.left) == name


def _is_entry_of_an_iteration(source: Source, node: ast.AST, name: str) -> bool:
    """``kept[k] = c`` where ``k`` counts the iterations of the only loop around."""
    target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    if not isinstance(target, ast.Subscript) or text_of(target.value) != name:
        return False
    key, around = text_of(target.slice), [loop for loop in source.loops if loop[0] <= target.lineno <= loop[1]]
    bound = [loop for _, loop in source.bindings.get(key, ())]
    return len(around) == len(bound) == 1 and _counts(bound[0], key) and bound[0].lineno == around[0][0]  # type: ignore[attr-defined]


def _counts(loop: ast.AST, name: str) -> bool:
    """``for name in range(…)``, ``for name, … in enumerate(…)``"""
    called = last_name(loop.iter.func) if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call) else ""
    if not isinstance(loop, ast.For) or called not in ("range", "enumerate", "trange"):
        return False
    first = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) and called == "enumerate" else loop.target
    return text_of(first) == name


def _around(receiver: ast.expr | None, name: str) -> str | None:
    """The container of the list that is appended to: of ``lists.setdefault(key, [])``."""
    holder, key = _looked_up(receiver)
    is_another = isinstance(key, ast.Constant) and not name.endswith(f"[{text_of(key)}]")
    return None if holder is None or is_another else text_of(holder)


def _looked_up(receiver: ast.expr | None) -> tuple[ast.expr | None, ast.expr | None]:
    if isinstance(receiver, ast.Subscript):
        return receiver.value, receiver.slice
    if not isinstance(receiver, ast.Call) or not isinstance(receiver.func, ast.Attribute) or not receiver.args:
        return None, None
    return (receiver.func.value, receiver.args[0]) if receiver.func.attr in ("setdefault", "get") else (None, None)


def _resets(inside: Source, name: str) -> bool:
    """Whether a function binds a list or its container, or removes items from any."""
    if any(call.name in TAKING for call in inside.calls) or any(_taken(inside)):
        return True
    ends = {last_name(ast.parse(one, mode="eval").body) for one in (name, parent_of(name) or name)}
    return any(bound.rpartition(".")[2] in ends for bound in inside.bindings)


def called_by(methods: dict[str, Source], name: str) -> list[str]:
    """A method, and those of the same object that it calls."""
    found: dict[str, Source] = {}
    waiting = [name]
    while waiting:
        method = waiting.pop()
        inside = None if method in found else methods.get(method)
        if inside is not None:
            found[method] = inside
            waiting += [call.name for call in inside.calls if text_of(call.receiver) == inside.self_name]
    return list(found)
