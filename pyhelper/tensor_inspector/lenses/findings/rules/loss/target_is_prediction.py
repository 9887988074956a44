"""A loss compares a prediction with itself.

Why: Such a loss is constant: nothing is learned.

Example:
    loss = F.mse_loss(out, out)

Instead:
    loss = F.mse_loss(out, y)

Silent when:
    - the two sides are other elements, or the same at other places (transposed), or rounded in between
    - the difference is only kept in the graph, and no error is made of it
    - a loss of exactly 0 has moved something: a gradient, or an average in the optimizer, is not zero
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import bare, is_plain, same_elements
from .....measure.torch.graph import VIEWS
from .....measure.torch.metadata import gradient_of, is_exact_tensor, output_number, requires_grad, shape_of
from .....measure.torch.node import AutogradNode
from .....measure.torch.optimizers import inner
from .....safe.guard import each, instance_dict
from .....safe.record import Record
from ....flow.lines import line_of_binding
from ....flow.losses import loss_calls
from ....flow.ops import REGRESSIONS
from ....flow.written import written
from ....step.step import Step
from ...finding import Violation
from ...rule import rule

#: What gives the elements other dimensions, in their order.
_REGROUPING = VIEWS - {"AsStrided", "Permute", "T", "Transpose"}
#: What of that leaves the dimensions as they are.
_COPIES = frozenset(("Alias", "Clone", "Contiguous", "ToCopy"))
#: What makes an error of a difference.
_OF_DIFFERENCES = frozenset(("Abs", "Mul", "Pow"))
#: Losses that compare element by element.
_COMPARING = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy")


@rule(
    "error",
    why="Such a loss is constant: nothing is learned.",
    suggestion="compare with the target",
)
def target_is_prediction(step: Step) -> Iterator[Violation]:
    for node in step.graph.by(*REGRESSIONS, "BinaryCrossEntropy", "BinaryCrossEntropyWithLogits"):
        prediction = step.graph.through_views(step.graph.input(node, 0))
        saved, against = node.tensor("self"), node.tensor("target")
        same = _is_of_itself(step, node)
        if saved is not None and against is not None and prediction is not None:
            same = same or same_elements(saved, against)
        if same and prediction is not None and prediction.leaf is None:
            name = _name_of(step, node)
            yield Violation(
                (
                    f"the loss compares {name or 'the prediction'} with itself",
                    ": ",
                    "prediction and target are the same value",
                ),
                (name, f"both sides of {node.op}Backward0"),
                line=_loss_line(step),
            )
            return
    yield from _subtracted_from_itself(step)
    for one in loss_calls(step):
        given, against = one.input, one.target
        if one.function not in _COMPARING or given is None or against is None or given.value is against.value:
            continue
        is_computed = requires_grad(given.value) and not gradient_of(given.value).is_leaf
        if is_computed and same_elements(given.value, against.value):
            yield Violation(
                (f"the loss compares {given.name} with itself", ": ", f"{against.name} is the same value"),
                (given.name, f"the same elements as {against.name}"),
                line=line_of_binding(step, against.key) or (step.sources[one.level].file, one.call.lineno),
            )
            return
    yield from _always_alike(step)


def _is_of_itself(step: Step, node: AutogradNode) -> bool:
    """Whether both inputs are the same elements at the same places: one computed result, with its dimensions regrouped."""
    sides = [step.graph.input(node, at) for at in (0, 1)]
    one, other = (_source_of(step, node, at) for at in (0, 1))
    if None in sides or one.key != other.key:
        return False
    if sides[0] is sides[1]:
        return True
    sizes = [None if side is None else side.sizes(step.graph.output(node, at)) for at, side in enumerate(sides)]
    places = 0 if sizes[0] is None or not one.regrouped | other.regrouped else sizes[0].count(1)
    return sizes[0] == sizes[1] is not None and places < 2  # a row and a column of one element have the same sizes


class _OutputSource(Record):
    """What an input is: which output of which node, through which dtypes that may have rounded it."""

    node: AutogradNode | None
    output: int
    dtypes: tuple[Any, ...]
    regrouped: bool

    @property
    def key(self) -> tuple[int | None, int, tuple[Any, ...]]:
        return None if self.node is None else self.node.index, self.output, self.dtypes


def _source_of(step: Step, node: AutogradNode, position: int) -> _OutputSource:
    output, dtypes, regrouped = step.graph.output(node, position), list[Any](), False
    source = step.graph.input(node, position)
    while source is not None and source.op in _REGROUPING:
        if source.op == "ToCopy":
            dtypes.append(source.dtype())
        regrouped |= source.op not in _COPIES
        output, source = step.graph.output(source), step.graph.input(source)
    return _OutputSource(source, output, tuple(dtypes), regrouped)


def _name_of(step: Step, node: AutogradNode) -> str | None:
    """What the first input of a comparison is called."""
    side, source = step.graph.input(node), _source_of(step, node, 0)
    if source.node is not None and source.node.op not in VIEWS and source.node.leaf is None:
        made = (one for one in step.tensors if step.node_of(one.value) is source.node)
        name = next((one.name for one in made if output_number(one.value) == source.output), None)
    else:
        name = step.title_of(step.graph.through_views(source.node))
    return name or (None if side is None or source.output else written(step, side).name)


def _subtracted_from_itself(step: Step) -> Iterator[Violation]:
    """An error whose difference is that of a value and itself, as ``l1_loss`` and errors by hand are made."""
    roots = [root for loss in step.losses if (root := step.node_of(loss.tensor)) is not None]
    for node in (node for root in roots for node in step.graph.below(root, "Sub")):
        if not {user.op for user, _ in step.graph.users(node)} & _OF_DIFFERENCES:
            continue  # only kept in the graph
        if _is_of_itself(step, node):
            name = _name_of(step, node)
            yield Violation(
                (
                    f"the loss compares {name or 'the prediction'} with itself",
                    ": ",
                    "prediction and target are the same value",
                ),
                (name, "both sides of SubBackward0"),
                line=_loss_line(step),
            )
            return


def _always_alike(step: Step) -> Iterator[Violation]:
    """A distance that is exactly zero, where the optimizer has stepped and has never had a gradient but zero."""
    for loss in step.losses:
        node = _only_distance(step, step.node_of(loss.tensor)) if step.number(loss.tensor) == 0 else None
        grads = [step.grad(one.tensor) for one in step.trained()] if node is not None else []
        if node is None or not _never_moved(step) or any(not _is_zero(grad) for grad in grads if grad is not None):
            continue
        yield Violation(
            (
                f"{loss.name} is exactly 0",
                ", ",
                f"and so was every gradient so far: both sides of its {node.op}Backward0 have the same values",
            ),
            (loss.name, "0, without any rest"),
            *(
                (variable.name, "has stepped, its averages of gradients are exactly 0")
                for variable in step.optimizers[:1]
            ),
            line=_loss_line(step),
            suggestion="compute the two sides from different inputs, or by different models",
        )
        return


def _only_distance(step: Step, node: AutogradNode | None) -> AutogradNode | None:
    """The distance that a loss is, or is a number of times, and nothing else."""
    while node is not None and node.op in ("Mul", "Div", "Mean", "Sum"):
        node = step.graph.input(node) if len(list(step.graph.inputs(node))) == 1 else None
    return node if node is not None and node.op in REGRESSIONS else None


def _never_moved(step: Step) -> bool:
    """Whether all that optimizers have averaged of the gradients of what they train is exactly zero, and there is some."""
    averages: list[Any] = []
    trained = {id(one.tensor) for one in step.trained()}
    for variable in step.optimizers:
        state = instance_dict(inner(variable.value)).get("state")
        for tensor, kept in each(dict.items, state) if issubclass(type(state), dict) else ():
            items = list(dict.values(kept)) if id(tensor) in trained and type(kept) is dict else []
            averages += [item for item in items if is_exact_tensor(item) and shape_of(item) == shape_of(tensor)]
    return bool(averages) and all(map(_is_zero, averages))


def _is_zero(tensor: Any) -> bool:
    return is_plain(tensor) and not bool(bare(tensor).any())


def _loss_line(step: Step) -> tuple[str, int] | None:
    return next(filter(None, (step.source.line_of(loss.name) for loss in step.losses)), None)
