"""Whether the program itself deals with gradients that are too large or not finite before its optimizer takes them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ......safe.guard import instance_dict
from .....flow.effects import CHANGING_NOTHING, CLIPPING_OF_ANY
from .....step.expressions import last_name
from .....step.functions import functions_called_by_all, sources_in_reach
from .....step.source import Source
from .....step.step import Step

_KEEPING = ("zero_", "add_", *CHANGING_NOTHING)  #: methods that make no gradient smaller
_LEAVING = (ast.Break, ast.Continue, ast.Return, ast.Raise)
_STEPS = ("step", "zero_grad", "zero_", "nan_to_num_")
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_NOT_FINITE = ("finite", "isnan", "isinf")
_NO_NUMBERS = ("accum", "sync", "enabled", "require", "no_grad")  #: in names with "grad" that are none of a gradient


def are_gradients_scaled(step: Step) -> bool:
    """Whether gradients are clipped, scaled or replaced in the frames in sight, in what they call, or by a hook."""
    return _has_hooks_before_steps(step) or any(map(_scales_gradients, sources_in_reach(step)))


def is_nan_left_out(step: Step) -> bool:
    """Whether gradients that are not finite are replaced, or the step with them is left out."""
    return _has_hooks_before_steps(step) or any(map(_replaces_nan, sources_in_reach(step))) or are_steps_left_out(step)


def are_steps_left_out(step: Step) -> bool:
    """Whether a condition on the numbers in gradients decides what becomes of them: ``if not isfinite(norm): continue``."""
    called = {id(one.call.node): one.source for one in functions_called_by_all(step)}
    return any(
        _is_about_gradients(source, test, called)
        for source in sources_in_reach(step)
        for test in _deciding_tests(source)
    )


def is_left_out_if_not_finite(source: Source, loss: str) -> bool:
    """Whether a round is left where a loss is not finite: ``if torch.isinf(loss): continue``."""
    for test in _deciding_tests(source):
        names = {getattr(node, "attr", getattr(node, "id", "")) for node in ast.walk(test)}
        if loss in names and any(word in name for name in names for word in _NOT_FINITE):
            return True
    return False


def _has_hooks_before_steps(step: Step) -> bool:
    """Whether an optimizer in sight runs code of the program before it steps: that may do anything to gradients."""
    return any(instance_dict(one.value).get("_optimizer_step_pre_hooks") for one in step.optimizers)


def _scales_gradients(source: Source) -> bool:
    if source.calls_of(*CLIPPING_OF_ANY):
        return True
    for name, bindings in source.bindings.items():
        is_grad = ".grad" in name and name.rpartition(".grad")[2] in ("", ".data")
        values = [getattr(node, "value", None) for _, node in bindings]
        if is_grad and any(not isinstance(value, ast.Constant) or value.value is not None for value in values):
            return True
    changing = [call for call in source.calls if call.name.endswith("_") and call.name not in _KEEPING]
    return any(
        part is not None and any(_has_grad(node) for node in _behind(source, part))
        for call in changing
        for part in (call.receiver, *call.args[:1])
    )


def _replaces_nan(source: Source) -> bool:
    calls = source.calls_of("nan_to_num", "nan_to_num_")
    return any(_has_grad(node) for call in calls for node in _behind(source, call.node))


def _has_grad(node: ast.AST) -> bool:
    return any(isinstance(below, ast.Attribute) and below.attr == "grad" for below in ast.walk(node))


def _behind(source: Source, node: ast.AST, rounds: int = 1) -> list[ast.AST]:
    """An expression, and what the names in it are bound to or taken from."""
    found, waiting = [node], [node]
    for _ in range(rounds):
        names = dict.fromkeys(below.id for one in waiting for below in ast.walk(one) if isinstance(below, ast.Name))
        bound = [made for name in names for _, made in source.bindings.get(name, ())]
        parts = [getattr(made, part, None) for made in bound for part in ("value", "iter")]
        waiting = [part for part in parts if isinstance(part, ast.AST)]
        found += waiting
    return found


def _deciding_tests(source: Source) -> Iterator[ast.expr]:
    """The conditions under which a step is made, or a round or function left."""
    for node in source.nodes:
        branches: list[ast.AST] = []
        if isinstance(node, ast.If):
            branches = [*node.body, *node.orelse]
        elif isinstance(node, ast.IfExp):
            branches = [node.body, node.orelse]
        inside = (below for branch in branches for below in ast.walk(branch))
        if any(
            isinstance(below, _LEAVING) or (isinstance(below, ast.Call) and last_name(below.func) in _STEPS)
            for below in inside
        ):
            yield node.test  # type: ignore[attr-defined]


def _is_about_gradients(source: Source, test: ast.expr, called: dict[int, Source]) -> bool:
    nodes = _behind(source, test, 2)
    bodies = [called[id(node)].body for one in nodes for node in ast.walk(one) if id(node) in called]
    nodes += [statement for body in bodies for statement in body]
    names = [getattr(below, "attr", getattr(below, "id", "")) for node in nodes for below in ast.walk(node)]
    compared = [below for node in nodes[:1] for below in ast.walk(node) if isinstance(below, ast.Compare)]
    is_of_size = any(isinstance(compare.ops[0], _ORDERS) for compare in compared)
    if not is_of_size and not any(word in name for name in names for word in _NOT_FINITE):
        return False
    return any("grad" in name and not any(word in name for word in _NO_NUMBERS) for name in names)
