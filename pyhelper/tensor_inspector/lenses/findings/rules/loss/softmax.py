"""Rules about the dimension that a softmax goes over."""

from __future__ import annotations

from collections.abc import Iterator

from .....measure.torch.graph import Node
from ....step.step import Step
from ...finding import Found
from ...rule import Rule
from ...written import written

_UNITS = {"Addmm": -1, "Mm": -1, "Convolution": 1}  #: the dimension of a head's units


def softmax_singleton(step: Step) -> Iterator[Found]:
    for node in step.graph.nodes:
        if node.op not in ("Softmax", "LogSoftmax"):
            continue
        sizes, dim = node.sizes(), node.dim()
        if sizes is None or dim is None or not sizes:
            continue
        head = step.graph.input(node)  # a view between them may have moved the head's unit to another dimension
        unit = _UNITS.get("" if head is None else head.op)
        if unit is None or sizes[0] < 2 or len(sizes) < 2:
            continue
        if not -len(sizes) <= dim < len(sizes) or dim % len(sizes) != unit % len(sizes) or sizes[dim] != 1:
            continue
        found = written(step, node)
        value = 1 if node.op == "Softmax" else 0
        yield Found(
            f"{found.name or 'the output'} is {value} for every sample: {node.op.lower()} over one unit (dim {dim} of {tuple(sizes)})",
            (found.expression, f"grad ← {node.op}Backward0 over a dimension of size 1"),
            line=found.line,
        )
        return


def softmax_wrong_dim(step: Step) -> Iterator[Found]:
    """Softmax over the batch, of a head's classes of which a loss then wants those of each sample."""
    for node in step.graph.nodes:
        if node.op not in ("Softmax", "LogSoftmax"):
            continue
        sizes, dim, head = node.sizes(), node.dim(), step.graph.through_views(step.graph.input(node))
        is_over_batch = sizes is not None and len(sizes) == 2 and dim in (0, -2) and sizes[0] > 1
        if sizes is None or not is_over_batch or head is None or head.op not in ("Addmm", "Mm"):
            continue
        if not any(_is_of_samples(step, *use, sizes) for use in _uses(step, node)):
            continue
        found = written(step, node)
        yield Found(
            f"{_WORDS[node.op]} over dim {dim}, the batch of {sizes[0]}, not over the {sizes[1]} classes: {found.name or 'its result'}",
            (found.expression, f"{tuple(sizes)}, grad ← {node.op}Backward0 over dim {dim}"),
            line=found.line,
        )
        return


_WORDS = {"Softmax": "softmax", "LogSoftmax": "log_softmax"}
_LOGS = ("Log", "Clamp", "ClampMin")


def _uses(step: Step, node: Node) -> Iterator[tuple[Node, int, bool]]:
    """What probabilities, or their logarithms, go into: as which input, and whether they are logarithms."""
    waiting = [(user, position, node.op == "LogSoftmax") for user, position in step.graph.users(node)]
    while waiting:
        user, position, is_log = waiting.pop()
        if user.op in _LOGS or (user.op == "Add" and len(list(step.graph.inputs(user))) == 1):
            waiting += [(above, at, is_log or user.op == "Log") for above, at in step.graph.users(user)]
        else:
            yield user, position, is_log


def _is_of_samples(step: Step, user: Node, position: int, is_log: bool, sizes: tuple[int, ...]) -> bool:
    """Whether a use takes each row as the classes of one sample: a loss, a choice of one a row, a sum over the row."""
    if user.op in ("NllLoss", "MseLoss", "BinaryCrossEntropy", "KlDiv"):
        return position == 0
    if user.op == "LogSoftmax":  # of a cross entropy
        return user.dim() in (1, -1) and any(above.op == "NllLoss" for above, _ in step.graph.users(user))
    if user.op == "Gather":
        chosen = user.sizes()
        return user.dim() in (1, -1) and chosen is not None and tuple(chosen) == (sizes[0], 1)
    if user.op == "Mul" and is_log and len(list(step.graph.inputs(user))) == 1 and user.sizes() == sizes:
        return any(above.op == "Sum" and above.setting("dim") in _LAST for above, _ in step.graph.users(user))
    return False


#: A sum over the last of two dimensions, as torch keeps it: a negative one is unsigned.
_LAST = ((1,), (-1,), (2**64 - 1,))


RULES = [
    Rule(
        "softmax-singleton",
        softmax_singleton,
        "",
        "error",
        "The softmax of one number is always 1: its gradient is zero.",
        "a sigmoid, or two units",
    ),
    Rule(
        "softmax-wrong-dim",
        softmax_wrong_dim,
        "",
        "error",
        "The probabilities of a sample do not sum to 1, and depend on the rest of the batch.",
        "softmax over the last dimension",
    ),
]
