"""Every target of a batch is the one that the loss ignores.

Why: No target is left to average over.

Example:
    for x, y in loader:  # in one batch every label is -100
        loss = F.cross_entropy(model(x), y)  # the mean of nothing

Instead:
    for x, y in loader:
        if (y == -100).all():
            continue
        loss = F.cross_entropy(model(x), y)

Silent when:
    - one target is another label, or the batch is empty
    - the loss sums, or does not reduce: then nothing is left as 0
    - the program leaves such a batch out: by a condition that is still to come, in the expression, or as it is NaN
    - the source does not tell which label is ignored
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .....measure.torch.metadata import is_exact_tensor
from .....safe.guard import instance_dict
from ....flow.constants.conditions import is_foretold
from ....flow.lines import line_of_binding, line_of_call_below
from ....flow.losses import LossCall, loss_calls
from ....flow.ops import REARRANGING
from ....step.expressions import constant_of, is_name
from ....step.sight import VisibleVariable
from ....step.step import Step
from ...consequences import NOT_FINITE
from ...finding import Violation
from ...rule import rule
from ..numbers.parts.gradient_handling import is_left_out_if_not_finite
from .parts.ignore_index import ignore_index_of, option_of

_MEAN = 1  #: the reduction, as torch numbers it


@rule(
    "error",
    why="No target is left to average over.",
    suggestion="check the masking, or skip such a batch",
    causes=NOT_FINITE,
    needs="source",
)
def all_targets_ignored(step: Step) -> Iterator[Violation]:
    for one in loss_calls(step):
        target = _target(step, one) if one.function in ("cross_entropy", "nll_loss") else None
        if target is None or not _averages(one) or _is_left_out(step, one):
            continue
        index = ignore_index_of(step, one)
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
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in REARRANGING:
            node = node.func.value
        elif isinstance(node, ast.Subscript):
            node = node.value
        else:
            return None
    found = one.target or step.operand(node, one.level, one.call.lineno)
    return found if found is not None and is_exact_tensor(found.value) else None


def _averages(one: LossCall) -> bool:
    """Whether a loss is a mean: of what is summed, or not reduced, nothing is left as 0."""
    written = option_of(one, 6, "reduction")
    reduction = instance_dict(one.criterion).get("reduction", "mean") if written is None else constant_of(written)
    return type(reduction) is str and reduction == "mean"
