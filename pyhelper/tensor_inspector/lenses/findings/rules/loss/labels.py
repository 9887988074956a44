"""Rules about labels: ignored, out of range, of the wrong dimension."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .....measure.torch.elements import bare, is_own, is_plain
from .....measure.torch.graph import Node
from .....measure.torch.metadata import shape_of
from .....safe.guard import instance_dict
from ....step.expressions import constant_of, is_name
from ....step.sight import Thing
from ....step.step import Step
from ...finding import Found
from ...losses import LossCall, loss_calls
from ...rule import Rule
from ...written import written

_SHAPED = ("contiguous", "flatten", "long", "ravel", "reshape", "squeeze", "t", "to", "transpose", "view")


def all_targets_ignored(step: Step) -> Iterator[Found]:
    for one in loss_calls(step):
        target = _target(step, one) if one.kind in ("cross_entropy", "nll_loss") else None
        if target is None:
            continue
        index = _ignore_index(one)
        stats = step.stats(target.value)
        if stats is not None and type(index) is int and stats["count"] and stats["min"] == stats["max"] == index:
            yield Found(
                f"all {stats['count']} targets in {target.name} are {index}, which is ignored: the mean of nothing is NaN",
                (target.name, f"every element is ignore_index {index}"),
                line=(step.sources[one.view].file, one.call.lineno),
            )
            return


def _target(step: Step, one: LossCall) -> Thing | None:
    """The target that a loss is given, or what that is a part or another shape of: ``labels[:, 1:].reshape(-1)``."""
    node = one.call.argument(1, "target")
    while one.target is None and node is not None and not is_name(node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _SHAPED:
            node = node.func.value
        elif isinstance(node, ast.Subscript):
            node = node.value
        else:
            return None
    found = one.target or step.operand(node, one.view, one.call.lineno)
    return found if found is not None and is_own(found.value) else None


def _ignore_index(one: LossCall) -> int | None:
    """The label that a loss leaves out, told by the call, or by its criterion; None where the source does not tell."""
    made = one.call.node.func  # also of `nn.CrossEntropyLoss(ignore_index=255)(scores, labels)`
    inner = {keyword.arg: keyword.value for keyword in made.keywords} if isinstance(made, ast.Call) else {}
    written = one.call.argument(4, "ignore_index") or inner.get("ignore_index")
    if "**" in one.call.keywords or None in inner:
        return None
    index = instance_dict(one.criterion).get("ignore_index", -100) if written is None else constant_of(written)
    return index if type(index) is int else None


def label_out_of_range(step: Step) -> Iterator[Found]:
    """Before the loss is computed: labels beyond the classes of the output that it is given."""
    for one in loss_calls(step):
        if one.kind not in ("cross_entropy", "nll_loss") or one.target is None or one.input is None:
            continue
        scores, target = one.input.value, one.target.value
        sizes = tuple(shape_of(scores))
        if len(sizes) < 2 or target.dtype.is_floating_point or one.call.lineno < step.sources[one.view].lineno:
            continue
        stats, index = step.stats(target), _ignore_index(one)
        classes = sizes[1]
        if stats is None or stats["min"] is None or index is None:
            continue
        lowest, highest = stats["min"], stats["max"]
        if index in (lowest, highest):
            if not is_plain(target):
                continue
            counted = bare(target)[bare(target) != index]
            if not counted.numel():
                continue
            lowest, highest = int(counted.min()), int(counted.max())
        if highest >= classes or lowest < 0:
            yield Found(
                f"labels in {one.target.name} run from {lowest} to {highest}, for {classes} classes (0 to {classes - 1})",
                (one.target.name, f"{lowest}…{highest}"),
                (one.input.name, f"{classes} classes"),
                line=(step.sources[one.view].file, one.call.lineno),
            )
            return


def class_dim(step: Step) -> Iterator[Found]:
    """cross_entropy takes dim 1 as the classes; here the head's classes stand elsewhere."""
    for node in step.graph.nodes:
        below = step.graph.through_views(step.graph.input(node)) if node.op == "NllLoss2D" else None
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
        if reordered or last:
            found = written(step, given or view)
            classes = before[-1]
            what = (
                "a view, not a transpose, made its dim 1 the classes"
                if reordered
                else "its dim 1 is taken as the classes"
            )
            yield Found(
                f"cross_entropy takes {sizes[1]} classes from {found.name or 'its input'} of {tuple(sizes)}: {what}, the head gives {classes} in its last",
                (found.expression, f"{tuple(sizes)} from {tuple(before)}"),
                line=found.line,
                certain=False,
                suggestion="transpose(1, 2), so that the classes are dim 1",
            )
            return


def _adds_bias(step: Step, node: Node) -> bool:
    """Whether a node adds a vector of weights: how a linear layer of more dimensions may end."""
    bias = step.graph.input(node, 1) if node.op == "Add" else None
    return bias is not None and bias.leaf is not None and len(shape_of(bias.leaf)) == 1


RULES = [
    Rule(
        "all-targets-ignored",
        all_targets_ignored,
        "source",
        "error",
        "No target is left to average over.",
        "check the masking, or skip such a batch",
    ),
    Rule(
        "label-out-of-range",
        label_out_of_range,
        "source",
        "error",
        "The loss raises, or a GPU stops with a device-side assert.",
        "count labels from 0, or widen the head",
    ),
    Rule(
        "class-dim",
        class_dim,
        "",
        "warning",
        "Scores of different positions compete as if they were classes.",
        "move the classes to dim 1",
    ),
]
