"""Works out the sign of a loss: whether minimising it makes the errors in it smaller or larger.

An error is a term of a loss that compares with a target, as cross entropy does: less is better.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ...measure.torch.graph import VIEWS
from ...measure.torch.metadata import dtype_of, element_count, is_exact_tensor, requires_grad
from ...measure.torch.node import AutogradNode
from ...safe.guard import NUMBERS, module
from ...safe.record import Record
from ..flow.definitions import reaching_definitions
from ..flow.lines import Line
from ..flow.ops import ERRORS, REGRESSIONS, SAMPLING, WEIGHT_INPUTS
from ..step.backpropagated import Loss
from ..step.expressions import constant_of, is_name, key_of, last_name, text_of
from ..step.functions import functions_called
from ..step.step import Step
from .ascents import is_of_two_outputs, is_to_be_forgotten

torch: Any = module("torch")
_DRAWN = (*SAMPLING, "Categorical", "argmax", "act", "bernoulli", "choice")
#: Of these, what draws labels whose likelihood is weighed; an argmax also counts what is right.
_CHOSEN = tuple(name for name in _DRAWN if name not in ("argmax", "rsample", "gumbel_softmax"))
_COUNTS = ("len", "numel", "size")
_DEEP = 12
_MOST_TERMS = 200


class Grows(Record):
    """An error that grows as the loss is minimised: how the loss is made of it, in words, and by which nodes."""

    title: str
    effect: str
    path: str
    suggestion: str


def error_that_grows(step: Step, loss: Loss) -> Grows | None:
    """The error that a loss is a negative number of times of; or that was given the negative of its log-probabilities."""
    node, is_negative, path = step.node_of(loss.tensor), False, list[str]()
    for _ in range(_DEEP):
        if node is None:
            return None
        if node.op in ERRORS:
            return _of_error(step, loss, node, is_negative, path)
        if node.op in ("Gather", "Index", "Select") and not is_negative:
            return _of_likelihood(step, loss, node) if {"Mul", "Div"}.isdisjoint(path) else None
        if node.op in ("Add", "Sub") and is_negative:
            return _of_sum(step, loss, node, path)
        negated = _sign_of(step, loss, node, is_top=not path)
        if negated is None:
            return None
        is_negative ^= negated
        path.append(node.op)
        node = step.graph.input(node)
    return None


def _of_error(step: Step, loss: Loss, node: AutogradNode, is_negative: bool, path: list[str]) -> Grows | None:
    if is_negative:
        if not _is_to_be_less(step, node) or _is_of_choices(step, node):
            return None
        if is_of_two_outputs(step, loss, node) or is_to_be_forgotten(step, loss, node, path):
            return None
        nodes = " ← ".join(f"{op}Backward0" for op in [*path, node.op])
        return Grows(f"the negative of {node.op}", "minimising it makes that loss grow", nodes, "")
    given = step.graph.through_views(step.graph.input(node)) if node.op in ("NllLoss", "NllLoss2D") else None
    below = step.graph.through_views(step.graph.input(given)) if given is not None and given.op == "Neg" else None
    if below is None or below.op != "LogSoftmax":
        return None
    nodes = f"{node.op}Backward0 ← NegBackward0 ← LogSoftmaxBackward0"
    title = f"{node.op} of the negative of log-probabilities"
    effect = "minimising it makes the right labels less likely"
    return Grows(title, effect, nodes, "give nll_loss the log-probabilities themselves")


def _of_sum(step: Step, loss: Loss, node: AutogradNode, path: list[str]) -> Grows | None:
    """The first error of a sum of which the negative is taken, where none of its errors is made less."""
    errors = _errors_of(step, loss, node, True)
    if not errors or not all(is_negative and _is_to_be_less(step, one) for one, is_negative in errors):
        return None
    if any(_is_of_choices(step, one) for one, _ in errors):
        return None
    first = errors[0][0].op
    nodes = " ← ".join(f"{op}Backward0" for op in [*path, node.op, first])
    return Grows(f"the negative of a sum with {first}", "minimising it makes that loss grow", nodes, "")


def errors_in(step: Step, loss: Loss) -> list[tuple[AutogradNode, bool]] | None:
    """The errors among the terms of a loss, each with whether a negative number of times it is in it.

    None where that is not known of all of them.
    """
    node = step.node_of(loss.tensor)
    return None if node is None else _errors_of(step, loss, node, False)


def _errors_of(step: Step, loss: Loss, node: AutogradNode, is_negative: bool) -> list[tuple[AutogradNode, bool]] | None:
    found = list[tuple[AutogradNode, bool]]()
    top = step.node_of(loss.tensor)
    seen, waiting = set[tuple[int, bool]](), [(node, is_negative)]
    while waiting:
        node, is_negative = waiting.pop()
        if (node.index, is_negative) in seen:
            continue
        seen.add((node.index, is_negative))
        if len(seen) > _MOST_TERMS:
            return None
        if node.op in ERRORS:
            found.append((node, is_negative))
            continue
        is_sum = node.op in ("Add", "Sub")
        negated = (False, node.op == "Sub") if is_sum else (_sign_of(step, loss, node, node is top),)
        for at, sign in reversed(list(enumerate(negated))):
            below = step.graph.input(node, at)
            if sign is not None and below is not None:
                waiting.append((below, is_negative ^ sign))
            elif sign is None and step.graph.below(node, *ERRORS, most=1):
                return None
    return found


def _is_of_choices(step: Step, node: AutogradNode) -> bool:
    """Whether an error may be a likelihood of what the program draws: weighed by what that gave, it may well grow."""
    return node.op not in REGRESSIONS and _mentions(step, *_CHOSEN)


def _mentions(step: Step, *names: str) -> bool:
    called = (one.source for one in functions_called(step, (step.level,)))
    return any(one.mentions(*names) for one in (step.source, *called))


def _is_to_be_less(step: Step, node: AutogradNode) -> bool:
    """Whether an error is that of a layer which the optimizer trains, against what is given.

    That of another model may be raised on purpose, as by what is to fool it; and two outputs may be pushed apart.
    """
    if node.op in REGRESSIONS and step.graph.input(node, 1) is not None:
        return False
    below = step.graph.input(node)
    for _ in range(_DEEP):
        if below is None or below.op in WEIGHT_INPUTS:
            break
        below = step.graph.input(below)
    weights = [] if below is None else [step.graph.input(below, at) for at in WEIGHT_INPUTS.get(below.op, ())]
    ends = [step.graph.through_views(one) for one in weights]
    return any(one is not None and one.leaf is not None and id(one.leaf) in step.optimized for one in ends)


def _of_likelihood(step: Step, loss: Loss, node: AutogradNode) -> Grows | None:
    """The log-probabilities of given labels, picked by an index, and not negated.

    Of what was drawn they may be minimised: then they estimate the slope of a cost.
    """
    below = step.graph.through_views(step.graph.input(node))
    if below is None or below.op != "LogSoftmax" or _mentions(step, *_DRAWN):
        return None
    if not any(_picks_labels(step, made.value) for made in reaching_definitions(step.source, loss.name)):
        return None
    path = f"{node.op}Backward0 ← LogSoftmaxBackward0"
    title, effect = "the log-likelihood of the labels itself", "minimising it makes them less likely"
    return Grows(title, effect, path, "minimise its negative")


def _picks_labels(step: Step, value: ast.expr) -> bool:
    """Whether an expression picks entries by a tensor of integers in sight: ``logp[rows, y]``, ``logp.gather(1, y)``."""
    for node in ast.walk(value):
        parts: list[ast.AST] = []
        if isinstance(node, ast.Subscript):
            parts = [node.slice]
        elif isinstance(node, ast.Call) and last_name(node.func) == "gather":
            parts = [*node.args]
        names = [text_of(one) for part in parts for one in ast.walk(part) if is_name(one)]
        tensors = [value for value in map(step.value, names) if is_exact_tensor(value)]
        if any(not requires_grad(one) and dtype_of(one) is torch.int64 for one in tensors):
            return True
    return False


def _sign_of(step: Step, loss: Loss, node: AutogradNode, is_top: bool = False) -> bool | None:
    """Whether a step on the way to the error changes its sign; None for one that does more than that.

    A variable factor that is negative now, as a reward, is no sign.
    """
    if node.op == "Neg":
        return True
    if node.op in ("Mean", "Sum") or node.op in VIEWS:
        return False
    if node.op not in ("Mul", "Div") or len(list(step.graph.inputs(node))) != 1 or step.graph.input(node) is None:
        return None
    factor = node.tensor("other")
    if factor is not None:
        number = step.number(factor) if element_count(factor) == 1 else None
        if number is None or (number < 0 and not _is_minus_written(step, loss)):
            return None
        return number < 0
    sizes = node.sizes()
    if sizes:
        return None  # each element has a factor of its own
    if is_top:
        return _is_negated(step, loss.name)
    written = list(_factors_written(step, loss))  # the graph forgets them after its backward
    return False if written and all(one > 0 for one in written) else None


def _is_minus_written(step: Step, loss: Loss) -> bool:
    return any(one < 0 for one in _factors_written(step, loss))


def _factors_written(step: Step, loss: Loss) -> Iterator[float]:
    """The factor of each product by which a loss is computed, or by which a function called there makes its result.

    It is -1 for the negative of something, 1 for a count, NaN where it is no literal.
    """
    values = [
        made.value
        for made in reaching_definitions(step.source, loss.name)
        if made.name == key_of(loss.name) or _has_graph(step.value(made.name))
    ]
    inside = {id(node) for value in values for node in ast.walk(value)}
    for called in functions_called(step, (step.level,)):
        if id(called.first.call.node) in inside:
            values += [one.value for one in called.source.returns if one.value is not None]
    for product in (node for value in values for node in ast.walk(value)):
        if isinstance(product, ast.BinOp) and isinstance(product.op, (ast.Mult, ast.Div)):
            factors = [number for side in (product.left, product.right) if (number := _factor(side)) is not None]
            yield factors[0] if factors else float("nan")


def _factor(side: ast.expr) -> float | None:
    number = constant_of(side)
    if type(number) in NUMBERS:
        return float(number)
    if isinstance(side, ast.UnaryOp) and isinstance(side.op, ast.USub):
        return -1.0
    return 1.0 if isinstance(side, ast.Call) and last_name(side.func) in _COUNTS else None


def _has_graph(value: Any) -> bool:
    return is_exact_tensor(value) and requires_grad(value)


def _is_negated(step: Step, name: str) -> bool | None:
    """Whether it is written as a product with a negative number, or as one by a count, which the graph forgets after its
    backward; None where the factor is another. What a function of the program gives is written there."""
    made = step.source.binding_of(name)
    value = getattr(made[1], "value", None) if made is not None else None
    if not isinstance(value, ast.Call):
        return _sign_written(value)
    here = (one.source for one in functions_called(step, (step.level,)) if one.first.call.node is value)
    results = next(([one.value for one in source.returns] for source in here), [])
    return _sign_written(results[0]) if len(results) == 1 else None


def _sign_written(value: ast.expr | None) -> bool | None:
    """Whether a product has a negative factor: a literal, or a count that it is divided by."""
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, (ast.Mult, ast.Div)):
        return None
    sides = [value.right] if isinstance(value.op, ast.Div) else [value.left, value.right]
    factors = [factor for factor in map(constant_of, sides) if type(factor) in NUMBERS]
    if factors:
        return bool(factors[0] < 0)
    return False if any(isinstance(side, ast.Call) and last_name(side.func) in _COUNTS for side in sides) else None


def line_of_minus(step: Step, loss: Loss) -> Line | None:
    """Where the function of the program that makes a loss returns the negative of something."""
    made = step.source.binding_of(key_of(loss.name))
    inside = {id(node) for node in ast.walk(made[1])} if made is not None else set[int]()
    for called in functions_called(step, (step.level,)) if inside else ():
        if id(called.first.call.node) in inside:
            for one in called.source.returns:
                if isinstance(one.value, ast.UnaryOp) and isinstance(one.value.op, ast.USub):
                    return called.source.file, one.lineno
    return None
