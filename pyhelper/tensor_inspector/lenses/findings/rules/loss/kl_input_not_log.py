"""kl_div is given an input that holds no log-probabilities.

Why: kl_div takes log-probabilities as its first argument.

Example:
    loss = F.kl_div(model(x).softmax(1), y)

Instead:
    loss = F.kl_div(model(x).log_softmax(1), y)

Silent when:
    - the input comes from something else than a softmax or sigmoid (nudged from 0 at most)
    - other terms in the graph look like kl_div's as well, and not all come from a softmax or sigmoid
    - the source shows no kl_div that is given it
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .....measure.torch.node import AutogradNode
from ....flow.losses import loss_calls
from ....flow.written import written_for_kl_div
from ....step.expressions import last_name, text_of
from ....step.step import Step
from ...finding import Violation
from ...rule import rule

_NUDGED = ("Add", "Clamp", "ClampMin")  #: what keeps probabilities from 0


@rule(
    "error",
    why="kl_div takes log-probabilities as its first argument.",
    suggestion="log_softmax for the first argument",
)
def kl_input_not_log(step: Step) -> Iterator[Violation]:
    subtracted = [below for node in step.graph.by("Sub") for below in _subtracted(step, node)]
    sources = [below for below in subtracted if below.op in ("Softmax", "Sigmoid")]
    found = written_for_kl_div(step, sources[0]) if sources and len(sources) == len(subtracted) else None
    if found is not None:
        made = sources[0].op
        yield Violation(
            (
                "kl_div was given probabilities as its input",
                ": ",
                f"{found.name} comes from a {made.lower()}, and must be log-probabilities",
            ),
            (found.expression, f"grad ← {made}Backward0, first argument of kl_div"),
            line=found.line,
        )
        return
    yield from _written_in_kl_div(step)


def _subtracted(step: Step, node: AutogradNode) -> Iterator[AutogradNode]:
    """What is subtracted, times a target, from what the target makes, as kl_div does with its input."""
    product = step.graph.input(node, 1) if len(node.inputs) == 2 else None
    entropy = step.graph.input(node)
    if product is None or product.op != "Mul" or not (entropy is None or entropy.op == "Xlogy"):
        return
    below = step.graph.through_views(step.graph.input(product, 1))
    while below is not None and below.op in _NUDGED and len(list(step.graph.inputs(below))) == 1:
        below = step.graph.through_views(step.graph.input(below))
    if below is not None:
        yield below


def _written_in_kl_div(step: Step) -> Iterator[Violation]:
    """``kl_div`` of what the source writes as a softmax or sigmoid, where the graph does not exist yet."""
    for one in loss_calls(step):
        argument = one.call.argument(0, "input")
        if one.function != "kl_div" or not isinstance(argument, ast.Call):
            continue
        if last_name(argument.func) not in ("softmax", "sigmoid"):
            continue
        yield Violation(
            (
                "kl_div was given probabilities as its input",
                ": ",
                f"{text_of(argument)} comes from a softmax, and must be log-probabilities",
            ),
            (None, f"first argument of {one.call.callee}"),
            line=(step.sources[one.level].file, one.call.lineno),
        )
        return
