"""Rules about losses that get probabilities where they expect logits, or logits where they expect probabilities."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .....measure.torch.elements import bare, version_of
from .....measure.torch.graph import VIEWS
from .....measure.torch.node import AutogradNode
from .....words.text import number
from ....step.expressions import last_name, text_of
from ....step.step import Step
from ...finding import Violation
from ...losses import loss_calls
from ...rule import rule
from ...written import written, written_for_kl_div

_ROUNDING = 1e-2  #: of a sum of probabilities, in half precision too
_NO_LOG = tuple("Addmm Mm Softmax Sigmoid Relu Convolution NativeBatchNorm NativeLayerNorm Tanh Gelu".split())
_PARTS = ("Index", "IndexSelect", "Select", "Slice")
_JOINED = ("Cat", "Stack")
_JOINTS = 64  #: of what is joined, that are looked at
_DEEP = 8
_NUDGED = ("Add", "Clamp", "ClampMin")  #: what keeps probabilities from 0


@rule(
    "error",
    why="A softmax of a softmax is nearly flat: gradients are small, and the loss can't reach 0.",
    suggestion="give cross_entropy the logits",
)
def double_softmax(step: Step) -> Iterator[Violation]:
    """cross_entropy is given the output of a softmax."""
    for node in step.graph.by("LogSoftmax"):
        below = _made_by(step, step.graph.input(node), "Softmax")
        if below is None:
            continue
        found = written(step, below)
        yield Violation(
            (
                "cross_entropy was given probabilities",
                ": ",
                f"{found.name or 'its input'} comes from a softmax (SoftmaxBackward0), and cross_entropy applies log_softmax itself",
            ),
            (found.expression, f"grad ← SoftmaxBackward0 over dim {below.dim()}{_sums(step, below)}"),
            line=found.line,
        )
        return


def _made_by(step: Step, node: AutogradNode | None, op: str, deep: int = _DEEP) -> AutogradNode | None:
    """The operation that has made all elements of a result, which may be a part of what it made, or several joined."""
    node = step.graph.through_views(node)
    if node is None or node.is_custom:  # what a Function of the program makes is not told by its name
        return None
    if node.op == op or not deep:
        return node if node.op == op else None
    if node.op in _PARTS:
        return _made_by(step, step.graph.input(node), op, deep - 1)
    if node.op not in _JOINED:
        return None
    made = [_made_by(step, step.graph.input(node, at), op, deep - 1) for at in range(min(len(node.inputs), _JOINTS))]
    return made[0] if made and None not in made else None


def _sums(step: Step, node: AutogradNode) -> str:
    """That what a softmax has made adds up to 1 along its dimension, where the values can be read."""
    variable, dim = step.tensor_at(node), node.dim()
    stats = None if variable is None else step.stats(variable.value)
    values = None if variable is None or stats is None else bare(variable.value)
    if stats is None or values is None or dim is None or stats["min"] is None or not stats["min"] >= 0:
        return ""
    is_one = bool(((values.double().sum(dim) - 1).abs() < _ROUNDING).all())
    span = f"{number(stats['min'], 3)}…{number(stats['max'], 3)}"
    return f": {span}, {'each row sums' if dim in (1, -1) and values.dim() == 2 else 'all sum'} to 1" if is_one else ""


@rule(
    "error",
    why="A sigmoid of a sigmoid stays between 0.5 and 0.73.",
    suggestion="give the loss the logits",
)
def double_sigmoid(step: Step) -> Iterator[Violation]:
    """A loss that takes logits is given the output of a sigmoid."""
    for node in step.graph.by("BinaryCrossEntropyWithLogits"):
        below = _made_by(step, step.graph.input(node), "Sigmoid")
        if below is not None:
            found = written(step, below)
            yield Violation(
                (
                    "binary_cross_entropy_with_logits was given probabilities",
                    ": ",
                    f"{found.name or 'its input'} comes from a sigmoid (SigmoidBackward0), and the loss applies another one",
                ),
                (found.expression, "grad ← SigmoidBackward0"),
                line=found.line,
            )
            return


@rule(
    "error",
    why="nll_loss only picks and negates: without log_softmax it is unbounded.",
    suggestion="log_softmax first, or cross_entropy",
)
def nll_input_not_log(step: Step) -> Iterator[Violation]:
    """nll_loss is given what no log_softmax has made."""
    for node in step.graph.by("NllLoss", "NllLoss2D"):
        below = step.graph.through_views(step.graph.input(node))
        if below is None or below.op == "LogSoftmax":
            continue
        saved, variable = node.tensor("self"), step.tensor_at(below)
        given = saved
        if saved is None and variable is not None and not version_of(variable.value):
            given = variable.value  # after a backward nothing is saved
        stats = step.stats(given) if given is not None else None
        is_positive = stats is not None and stats["max"] is not None and stats["max"] > 1e-4
        is_positive = is_positive and not _is_log_density(step, below)
        if below.op in _NO_LOG or is_positive:
            found = written(step, below)
            seen = (
                f", it runs from {number(stats['min'])} to {number(stats['max'])}"
                if stats is not None and stats["min"] is not None
                else ""
            )
            yield Violation(
                (
                    "nll_loss was given no log-probabilities",
                    ": ",
                    f"{found.name or 'its input'} comes from {below.op}{seen}",
                ),
                (found.expression, f"grad ← {below.op}Backward0{seen}"),
                line=found.line,
            )
            return


_EACH = frozenset("Add Div Expand Mul Neg Rsub Sub Sum".split())


def _is_log_density(step: Step, node: AutogradNode) -> bool:
    """Whether it is the logarithm of a density, which may be above 0: a square, less the logarithm of a width."""
    waiting, ops = [node], set[str]()
    while waiting:
        one = waiting.pop()
        ops.add(one.op)
        if one.op in _EACH or one.op in VIEWS:
            waiting += step.graph.inputs(one)
    return "Pow" in ops and bool(ops & {"Exp", "Log", "Softplus"})


@rule(
    "error",
    why="kl_div takes log-probabilities as its first argument.",
    suggestion="log_softmax for the first argument",
)
def kl_input_not_log(step: Step) -> Iterator[Violation]:
    """kl_div is given an input that holds no log-probabilities."""
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
