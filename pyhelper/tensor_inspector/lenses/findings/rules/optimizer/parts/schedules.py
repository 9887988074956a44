"""Tells what a schedule makes of a rate: whether it has come to its end, and what the program writes by hand."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator
from typing import Any

from ......measure.torch.optimizers import inner, turns_of
from ......safe.guard import class_name, instance_dict
from .....flow.constants.numbers import NotComputed, functions_of_number, site_of_function
from .....flow.lines import Line
from .....step.expressions import constant_of, last_name, text_of
from .....step.sight import VisibleVariable
from .....step.source import Source
from .....step.step import Step

_NEXT = 300  #: steps that are computed one by one
_FAR = 100  #: steps beyond them, up to ten times as far as the schedule has come


def schedulers_of(step: Step, optimizer: Any) -> list[VisibleVariable]:
    held = ((variable, instance_dict(variable.value).get("optimizer")) for variable in step.schedulers)
    return [variable for variable, scheduled in held if scheduled is optimizer or scheduled is inner(optimizer)]


def ended_at(scheduler: Any) -> int | None:
    """The step from which on the functions of a schedule are 0, if it was stepped on well after that.

    None where they rise again, or may do so, or where what they compute is not known.
    """
    now = turns_of(scheduler)
    known = functions_of_number(_functions(scheduler))
    if not known:
        return None
    far = range(now, 10 * now + _NEXT, max(1, (9 * now + _NEXT) // _FAR))
    try:
        if any(one(turn) for one in known for turn in (*range(now, now + _NEXT), *far)):
            return None
        ended = _began(known, now)
        has_fallen = ended > 0
    except NotComputed:
        return None
    return ended if has_fallen and now > ended + max(1, ended // 10) else None


def _began(functions: list[Callable[[float], float]], now: int) -> int:
    """The step from which on all functions are 0 up to now: counted back one by one, from afar in larger strides."""
    near = next((turn for turn in range(now, max(now - _NEXT, 0), -1) if any(one(turn - 1) for one in functions)), None)
    if near is not None:
        return near
    low, high = 0, max(now - _NEXT, 0)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if any(one(middle) for one in functions) else (low, middle)
    between = range(low, now, max(1, (now - low) // _FAR))
    return now if any(one(turn) for one in functions for turn in between) else low  # it may rise in between


def active(scheduler: Any) -> Any:
    """The last part of a schedule of several, one after another, where that has begun; else the schedule itself."""
    kept = instance_dict(scheduler)
    parts, starts = kept.get("_schedulers"), kept.get("_milestones")
    if type(parts) is not list or type(starts) is not list or not parts or not starts:
        return scheduler
    has_begun = type(starts[-1]) is int and turns_of(scheduler) > starts[-1]
    return parts[-1] if class_name(type(scheduler)) == "SequentialLR" and has_begun else scheduler


def is_over(scheduler: Any) -> bool:
    """Whether a schedule that ends at 0 was stepped on after its end: at the end itself the training ends as well."""
    kept, kind = instance_dict(scheduler), class_name(type(scheduler))
    ends = kind == "PolynomialLR" or (kind == "LinearLR" and kept.get("end_factor") == 0)
    length = kept.get("total_iters")
    return ends and type(length) is int and turns_of(scheduler) > length


def rates_written(sources: list[Source], others: Collection[str]) -> Iterator[ast.expr | None]:
    """What sources set items ``"lr"`` to; None for what is not known, as under a key that a variable has.

    That may be a rate where the program names groups. ``others`` are names of lists and tensors, which are none.
    """
    has_groups = any(source.mentions("param_groups") for source in sources)
    for value in (value for source in sources for value in _written_in(source, others)):
        if value is not None or has_groups:
            yield value


def _written_in(source: Source, others: Collection[str]) -> Iterator[ast.expr | None]:
    for node in source.nodes:
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                for one, value in _pairs(target, node.value):
                    if isinstance(one, ast.Subscript) and _may_be_rate(one, others):
                        yield value if isinstance(one.slice, ast.Constant) else None
        elif isinstance(node, ast.Call) and last_name(node.func) == "update":
            yield from (keyword.value for keyword in node.keywords if keyword.arg == "lr")
            yield from (value for given in node.args for value in _rates_in(given))


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """What an assignment binds, each with its value where that is written."""
    if not isinstance(target, (ast.Tuple, ast.List)):
        yield target, value
        return
    values = value.elts if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts) else None
    yield from zip(target.elts, [None] * len(target.elts) if values is None else values)


def _may_be_rate(item: ast.Subscript, others: Collection[str]) -> bool:
    """Whether an item is one with the key ``"lr"``, or with a key that is not known."""
    key = item.slice
    if isinstance(key, ast.Constant):
        return key.value == "lr"
    return (
        not isinstance(key, (ast.Slice, ast.Tuple)) and constant_of(key) is None and text_of(item.value) not in others
    )


def _rates_in(given: ast.expr) -> list[ast.expr | None]:
    """The rates in what a group is updated with: a dict as it is written; of all else they are not known."""
    if isinstance(given, ast.Dict):
        pairs = [(None if key is None else constant_of(key), value) for key, value in zip(given.keys, given.values)]
    elif isinstance(given, ast.Call) and last_name(given.func) == "dict":
        pairs = [(keyword.arg, keyword.value) for keyword in given.keywords]
    else:
        return [None]
    return [value if key == "lr" else None for key, value in pairs if key == "lr" or key is None]


def written_in(scheduler: Any) -> Line | None:
    """Where the only function of a schedule is written."""
    functions = _functions(scheduler)
    return site_of_function(functions[0]) if len(functions) == 1 else None


def _functions(scheduler: Any) -> list[Callable[[int], float]]:
    kept = instance_dict(scheduler).get("lr_lambdas")
    return list(kept) if type(kept) is list else []
