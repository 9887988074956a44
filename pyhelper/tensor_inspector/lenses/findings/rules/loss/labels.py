"""Rules about labels: ignored, out of range, of the wrong dimension."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .....measure.torch.elements import bare, is_plain
from .....measure.torch.metadata import is_exact_tensor, shape_of
from .....measure.torch.node import AutogradNode
from .....safe.guard import instance_dict
from ....step.decided import is_foretold
from ....step.expressions import constant_of, is_name, text_of
from ....step.sight import VisibleVariable
from ....step.step import Step
from ...finding import Violation
from ...lines import line_of_binding, line_of_call_below
from ...losses import LossCall, loss_calls
from ...rule import rule
from ...written import written
from ..numbers.parts.handled import is_left_out_if_not_finite

_MEAN = 1  #: the reduction, as torch numbers it
_SHAPED = ("contiguous", "flatten", "long", "ravel", "reshape", "squeeze", "t", "to", "transpose", "view")


@rule(
    "error",
    why="No target is left to average over.",
    suggestion="check the masking, or skip such a batch",
    needs="source",
)
def all_targets_ignored(step: Step) -> Iterator[Violation]:
    """Every target of a batch is the one that the loss ignores."""
    for one in loss_calls(step):
        target = _target(step, one) if one.function in ("cross_entropy", "nll_loss") else None
        if target is None or not _averages(one) or _is_left_out(step, one):
            continue
        index = _ignore_index(step, one)
        stats = step.stats(target.value)
        if stats is not None and type(index) is int and stats["count"] and stats["min"] == stats["max"] == index:
            yield Violation(
                (
                    f"all {stats['count']} targets in {target.name} are {index}",
                    ", ",
                    "which is ignored: the mean of nothing is NaN",
                ),
                (target.name, f"every element is ignore_index {index}"),
                line=(step.sources[one.level].file, one.call.lineno),
            )
            return
    yield from _ignored_in_graph(step)


def _is_left_out(step: Step, one: LossCall) -> bool:
    """Whether the program leaves such a batch out: before the loss, by a condition in its expression, or as it is NaN."""
    source = step.sources[one.level]
    is_chosen = any(
        isinstance(node, ast.IfExp) and any(one.call.node is below for below in ast.walk(node)) for node in source.nodes
    )
    is_skipped = one.call.target is not None and is_left_out_if_not_finite(source, one.call.target)
    return is_chosen or is_skipped or not is_foretold(step, one.call.lineno, one.level)


def _ignored_in_graph(step: Step) -> Iterator[Violation]:
    """All targets are ignored in a loss that is called further down, as in a ``forward``: its node has saved them."""
    for loss in step.pending():
        if is_left_out_if_not_finite(step.source, loss.name):
            continue
        number, root = step.number(loss.tensor), step.node_of(loss.tensor)
        for node in [] if root is None or number is None or number == number else step.graph.below(root, "NllLoss"):
            target, index = node.tensor("target"), node.setting("ignore_index")
            if target is None or type(index) is not int or node.setting("reduction") != _MEAN:
                continue
            index -= 2**64 if index >= 2**63 else 0
            stats = step.stats(target)
            if stats is None or not stats["count"] or not stats["min"] == stats["max"] == index:
                continue
            names = [variable.name for variable in step.tensors if _holds_only(step, variable, index)]
            of = f" of {names[0]}" if names else ""
            yield Violation(
                (
                    f"all {stats['count']} targets{of} are {index}",
                    ", ",
                    f"which is ignored: {loss.name} is NaN, the mean of nothing",
                ),
                *((name, f"every element is ignore_index {index}") for name in names[:2]),
                (loss.name, "NaN"),
                line=line_of_call_below(step, "cross_entropy", "nll_loss") or line_of_binding(step, loss.name),
            )
            return


def _holds_only(step: Step, variable: VisibleVariable, index: int) -> bool:
    stats = None if variable.value.dtype.is_floating_point else step.stats(variable.value)
    return stats is not None and bool(stats["count"]) and stats["min"] == stats["max"] == index


def _target(step: Step, one: LossCall) -> VisibleVariable | None:
    """The target that a loss is given, or what that is a part or another shape of: ``labels[:, 1:].reshape(-1)``."""
    node = one.call.argument(1, "target")
    while one.target is None and node is not None and not is_name(node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _SHAPED:
            node = node.func.value
        elif isinstance(node, ast.Subscript):
            node = node.value
        else:
            return None
    found = one.target or step.operand(node, one.level, one.call.lineno)
    return found if found is not None and is_exact_tensor(found.value) else None


def _averages(one: LossCall) -> bool:
    """Whether a loss is a mean: of what is summed, or not reduced, nothing is left as 0."""
    written = _option(one, 6, "reduction")
    reduction = instance_dict(one.criterion).get("reduction", "mean") if written is None else constant_of(written)
    return type(reduction) is str and reduction == "mean"


def _ignore_index(step: Step, one: LossCall) -> int | None:
    """The label that a loss leaves out, told by the call, or by its criterion; None where the source does not tell."""
    written = _option(one, 4, "ignore_index")
    if "**" in one.call.keywords or None in _criterion(one):
        return None
    if written is None:
        index = instance_dict(one.criterion).get("ignore_index", -100)
    else:
        index = step.value(text_of(written), one.level) if is_name(written) else constant_of(written)
    return index if type(index) is int else None


def _option(one: LossCall, position: int, name: str) -> ast.expr | None:
    return one.call.argument(position, name) or _criterion(one).get(name)


def _criterion(one: LossCall) -> dict[str | None, ast.expr]:
    """What a criterion is made with that is called at once: ``nn.CrossEntropyLoss(ignore_index=255)(scores, labels)``."""
    made = one.call.node.func
    return {keyword.arg: keyword.value for keyword in made.keywords} if isinstance(made, ast.Call) else {}


@rule(
    "error",
    why="The loss raises, or a GPU stops with a device-side assert.",
    suggestion="count labels from 0, or widen the head",
    needs="source",
)
def label_out_of_range(step: Step) -> Iterator[Violation]:
    """Before the loss is computed: labels beyond the classes of the output that it is given."""
    for one in loss_calls(step):
        if one.function not in ("cross_entropy", "nll_loss") or one.target is None or one.input is None:
            continue
        if not is_foretold(step, one.call.lineno, one.level):
            continue
        scores, target = one.input.value, one.target.value
        sizes = tuple(shape_of(scores))
        if len(sizes) < 2 or target.dtype.is_floating_point or one.call.lineno < step.sources[one.level].lineno:
            continue
        stats, index = step.stats(target), _ignore_index(step, one)
        classes = sizes[1]
        if stats is None or stats["min"] is None or index is None:
            continue
        if not is_plain(target) or 0 <= stats["min"] <= stats["max"] < classes:
            continue
        counted = bare(target)[bare(target) != index]
        outside = int(((counted < 0) | (counted >= classes)).sum())
        if outside:
            lowest, highest = int(counted.min()), int(counted.max())
            yield Violation(
                (
                    f"{one.target.name} runs from {lowest} to {highest}",
                    ", ",
                    f"but the {classes} classes are 0…{classes - 1}: {outside} of {counted.numel()} out of range",
                ),
                (one.target.name, f"{lowest}…{highest}, {outside} out of range"),
                (one.input.name, f"{classes} classes"),
                line=(step.sources[one.level].file, one.call.lineno),
            )
            return


@rule(
    "warning",
    tier="likely",
    why="Scores of different positions compete as if they were classes.",
    suggestion="move the classes to dim 1",
)
def class_dim(step: Step) -> Iterator[Violation]:
    """cross_entropy takes dim 1 as the classes; here the head's classes stand elsewhere."""
    for node in step.graph.by("NllLoss2D"):
        below = step.graph.through_views(step.graph.input(node))
        if below is None or below.op != "LogSoftmax":
            continue
        view, sizes = step.graph.input(below), below.sizes()
        given = view
        while view is not None and (view.op in ("Unsqueeze", "Clone") or _adds_bias(step, view)):
            view = step.graph.input(view)
        if view is None or sizes is None or len(sizes) != 3 or view.op not in ("View", "UnsafeView", "ReshapeAlias"):
            continue
        before = view.setting("self_sym_sizes")
        if type(before) is not tuple:
            continue
        head = step.graph.input(view)
        reordered = (
            len(before) == 3 and before[0] == sizes[0] and before[1:] == (sizes[2], sizes[1]) and sizes[1] != sizes[2]
        )
        last = head is not None and head.op in ("Addmm", "Mm") and len(before) == 2 and before[1] == sizes[2]
        last = last and sizes[1] == sizes[2]  # else labels for each place of the last dimension tell that it is meant
        if reordered or last:
            found = written(step, given or view)
            classes = before[-1]
            if _are_written_out(step) or _highest_label(step, node) >= classes:
                continue  # they are places, or what else is in dim 1
            how = ", by a view that is no transpose" if reordered else ""
            yield Violation(
                (
                    f"cross_entropy takes dim 1 of {found.name or 'its input'} {tuple(sizes)} for the classes{how}",
                    ": ",
                    f"the head gives {classes} classes in its last dim",
                ),
                (found.expression, f"{tuple(sizes)} from {tuple(before)}"),
                line=found.line,
                certain=False,
                suggestion="transpose(1, 2), so that the classes are dim 1",
            )
            return


def _are_written_out(step: Step) -> bool:
    """Whether the source takes the logarithms of the probabilities itself, and so has chosen their dimension."""
    kinds = {one.function for one in loss_calls(step)}
    return "nll_loss" in kinds and "cross_entropy" not in kinds


def _highest_label(step: Step, node: AutogradNode) -> float:
    """The highest of the labels that a loss was given, as it has saved them, or as they are in sight."""
    saved = node.tensor("target")
    targets = [one.target.value for one in loss_calls(step) if one.target is not None] if saved is None else [saved]
    highest = [stats["max"] for stats in map(step.stats, targets) if stats is not None and stats["max"] is not None]
    return float(highest[0]) if len(highest) == 1 else float("-inf")


def _adds_bias(step: Step, node: AutogradNode) -> bool:
    """Whether a node adds a vector of weights: how a linear layer of more dimensions may end."""
    bias = step.graph.input(node, 1) if node.op == "Add" else None
    return bias is not None and bias.leaf is not None and len(shape_of(bias.leaf)) == 1
