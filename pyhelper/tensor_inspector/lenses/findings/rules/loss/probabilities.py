"""Rules about losses that are given probabilities for logits, or logits for probabilities."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .....words.text import number
from ....step.expressions import is_name, text_of
from ....step.step import Step
from ...finding import Found
from ...losses import loss_calls
from ...rule import Rule
from ...written import written

_NO_LOG = (
    "Addmm",
    "Mm",
    "Softmax",
    "Sigmoid",
    "Relu",
    "Convolution",
    "NativeBatchNorm",
    "NativeLayerNorm",
    "Tanh",
    "Gelu",
)


def double_softmax(step: Step) -> Iterator[Found]:
    for node in step.graph.nodes:
        below = step.graph.through_views(step.graph.input(node)) if node.op == "LogSoftmax" else None
        if below is None or below.op != "Softmax":
            continue
        found = written(step, below)
        yield Found(
            f"cross_entropy was given probabilities: {found.name or 'its input'} comes from a softmax (SoftmaxBackward0), and cross_entropy applies log_softmax itself",
            (found.expression, f"grad ← SoftmaxBackward0 over dim {below.dim()}"),
            line=found.line,
        )
        return


def double_sigmoid(step: Step) -> Iterator[Found]:
    for node in step.graph.nodes:
        below = step.graph.through_views(step.graph.input(node)) if node.op == "BinaryCrossEntropyWithLogits" else None
        if below is not None and below.op == "Sigmoid":
            found = written(step, below)
            yield Found(
                f"binary_cross_entropy_with_logits was given probabilities: {found.name or 'its input'} comes from a sigmoid (SigmoidBackward0), and the loss applies another one",
                (found.expression, "grad ← SigmoidBackward0"),
                line=found.line,
            )
            return


def nll_input_not_log(step: Step) -> Iterator[Found]:
    for node in step.graph.nodes:
        if node.op not in ("NllLoss", "NllLoss2D"):
            continue
        below = step.graph.through_views(step.graph.input(node))
        saved = node.tensor("self")
        stats = step.stats(saved) if saved is not None else None
        if below is None or below.op == "LogSoftmax":
            continue
        is_positive = stats is not None and stats["max"] is not None and stats["max"] > 1e-4
        if below.op in _NO_LOG or is_positive:
            found = written(step, below)
            seen = (
                f", it runs from {number(stats['min'])} to {number(stats['max'])}"
                if stats is not None and stats["min"] is not None
                else ""
            )
            yield Found(
                f"nll_loss was given no log-probabilities: {found.name or 'its input'} comes from {below.op}{seen}",
                (found.expression, f"grad ← {below.op}Backward0{seen}"),
                line=found.line,
            )
            return


def kl_input_not_log(step: Step) -> Iterator[Found]:
    for one in loss_calls(step):
        argument = one.call.argument(0, "input")
        if one.kind != "kl_div" or argument is None:
            continue
        name = text_of(argument)
        written = isinstance(argument, ast.Call) and text_of(argument.func).rpartition(".")[2] in ("softmax", "sigmoid")
        node = None if one.input is None else step.graph.through_views(step.node_of(one.input.value))
        if not written and (node is None or node.op not in ("Softmax", "Sigmoid")):
            continue
        yield Found(
            f"kl_div was given probabilities as its input: {name} comes from a softmax, and must be log-probabilities",
            (name if is_name(argument) else None, f"first argument of {one.call.callee}"),
            line=(step.sources[one.view].file, one.call.lineno),
        )
        return


RULES = [
    Rule(
        "double-softmax",
        double_softmax,
        "",
        "error",
        "A softmax of a softmax is nearly flat: gradients are small, and the loss can't reach 0.",
        "give cross_entropy the logits",
    ),
    Rule(
        "double-sigmoid",
        double_sigmoid,
        "",
        "error",
        "A sigmoid of a sigmoid stays between 0.5 and 0.73.",
        "give the loss the logits",
    ),
    Rule(
        "nll-input-not-log",
        nll_input_not_log,
        "",
        "error",
        "nll_loss only picks and negates: without log_softmax it is unbounded.",
        "log_softmax first, or cross_entropy",
    ),
    Rule(
        "kl-input-not-log",
        kl_input_not_log,
        "source",
        "error",
        "kl_div takes log-probabilities as its first argument.",
        "log_softmax for the first argument",
    ),
]
