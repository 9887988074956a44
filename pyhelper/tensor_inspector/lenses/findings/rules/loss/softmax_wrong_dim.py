"""A softmax goes over the batch, not over the classes of a sample.

Why: The probabilities of a sample do not sum to 1, and depend on the rest of the batch.

Example:
    loss = F.nll_loss(F.log_softmax(model(x), 0), y)

Instead:
    loss = F.nll_loss(F.log_softmax(model(x), 1), y)

Silent when:
    - nothing takes a row as the classes of one sample: no loss of labels, no choice of one a row, no sum over the row
    - it does not follow a linear layer (of three and more dimensions: a loss does not take other classes)
    - the batch has one row
    - its weights are summed over the samples, as a pool of tokens does, or there are as many rows as columns
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import bare
from .....measure.torch.graph import VIEWS
from .....measure.torch.node import AutogradNode
from ....flow.written import written
from ....step.step import Step
from ...finding import Violation
from ...rule import rule


@rule(
    "error",
    why="The probabilities of a sample do not sum to 1, and depend on the rest of the batch.",
    suggestion="softmax over the last dimension",
    causes="batch-mixing",
)
def softmax_wrong_dim(step: Step) -> Iterator[Violation]:
    for node in step.graph.by("Softmax", "LogSoftmax"):
        sizes, dim, head = node.sizes(), node.dim(), step.graph.through_views(step.graph.input(node))
        classes = _classes_for_loss(step, node)
        if classes is not None and dim is not None and sizes is not None and dim % len(sizes) != classes:
            found = written(step, node)
            yield Violation(
                (
                    f"{_WORDS[node.op]} over dim {dim}",
                    ", ",
                    f"not over the {sizes[classes]} classes in dim {classes}: {found.name or 'its result'}",
                ),
                (found.expression, f"{tuple(sizes)}, grad ← {node.op}Backward0 over dim {dim}"),
                line=found.line,
                suggestion=f"softmax over dim {classes}, of which the loss takes the classes",
            )
            return
        is_over_batch = sizes is not None and len(sizes) == 2 and dim in (0, -2) and sizes[0] > 1
        if sizes is None or not is_over_batch or head is None or head.op not in ("Addmm", "Mm"):
            continue
        is_of_classes = any(_is_of_samples(step, *use, sizes) for use in _uses(step, node)) or (
            head.op == "Addmm" and any(_meets_distributions(*use, sizes) for use in _uses(step, node))
        )
        if not is_of_classes and not _mixes(step, node, head):
            continue
        found = written(step, node)
        columns = f"the {sizes[1]} classes" if is_of_classes else f"the {sizes[1]} weights of each sample"
        yield Violation(
            (
                f"{_WORDS[node.op]} over dim {dim}",
                ", ",
                f"the batch of {sizes[0]}, not over {columns}: {found.name or 'its result'}",
            ),
            (found.expression, f"{tuple(sizes)}, grad ← {node.op}Backward0 over dim {dim}"),
            line=found.line,
        )
        return


def _classes_for_loss(step: Step, node: AutogradNode) -> int | None:
    """In which dimension of a result of three or more a loss of labels, or a cross entropy, takes its classes."""
    sizes = node.sizes() or ()
    waiting, whole = [(user, position, node) for user, position in step.graph.users(node)], len(sizes) > 2
    while waiting and whole:
        user, position, below = waiting.pop()
        given = below.sizes() or ()
        if user.op in _ROWS and user.sizes() is not None and _keeps_rows(user.sizes() or (), sizes):
            waiting += [(above, at, user) for above, at in step.graph.users(user)]
        elif user.op == "LogSoftmax" and user.dim() == 1:
            waiting += [(above, at, user) for above, at in step.graph.users(user) if above.op.startswith("NllLoss")]
        elif user.op in ("NllLoss", "NllLoss2D") and position == 0:
            if given == sizes:
                return 1
            return len(sizes) - 1 if len(given) == 2 else None
    return None


#: What makes rows of a result, each with its last dimension as it is.
_ROWS = ("Clone", "ReshapeAlias", "UnsafeView", "View")


def _keeps_rows(made: tuple[int, ...], sizes: tuple[int, ...]) -> bool:
    return made == sizes or (len(made) == 2 and made[1] == sizes[-1])


_WORDS = {"Softmax": "softmax", "LogSoftmax": "log_softmax"}


_LOGS = ("Log", "Clamp", "ClampMin")


_READ = 1 << 20  #: elements of a target that are read


def _uses(step: Step, node: AutogradNode) -> Iterator[tuple[AutogradNode, int, bool]]:
    """What probabilities, or their logarithms, go into: as which input, and whether they are logarithms."""
    waiting = [(user, position, node.op == "LogSoftmax") for user, position in step.graph.users(node)]
    while waiting:
        user, position, is_log = waiting.pop()
        if (
            user.op in _LOGS
            or _is_alike(step, user, position)
            or (user.op == "Add" and len(list(step.graph.inputs(user))) == 1)
        ):
            waiting += [(above, at, is_log or user.op == "Log") for above, at in step.graph.users(user)]
        else:
            yield user, position, is_log


def _is_alike(step: Step, user: AutogradNode, position: int) -> bool:
    """Whether it makes the same of probabilities: divided by their own sum and given other strides, as by Categorical."""
    below = step.graph.input(user, position)
    if user.op == "Div" and position == 0:
        total = step.graph.through_views(step.graph.input(user, 1))
        return total is not None and total.op == "Sum" and step.graph.input(total) is below
    return user.op == "Expand" and below is not None and user.sizes() == below.sizes()


def _is_of_samples(step: Step, user: AutogradNode, position: int, is_log: bool, sizes: tuple[int, ...]) -> bool:
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


def _meets_distributions(user: AutogradNode, position: int, is_log: bool, sizes: tuple[int, ...]) -> bool:
    """Whether logarithms are multiplied by a distribution for each sample, as in ``kl_div``."""
    is_product = user.op == "Mul" and is_log and user.sizes() == sizes and sizes[0] != sizes[1]
    return is_product and _are_distributions(user.tensor("other" if position == 0 else "self"))


def _are_distributions(weights: Any) -> bool:
    """Whether the rows sum to 1, and the columns do not."""
    values = bare(weights)
    if values is None or values.dim() != 2 or values.numel() > _READ or not values.is_floating_point():
        return False
    rows, columns = ((values.sum(dim) - 1).abs().max() for dim in (1, 0)) if values.numel() else (1, 0)
    return bool(rows < 1e-3) and bool(columns > 1e-2) and not bool((values < 0).any())


def _mixes(step: Step, node: AutogradNode, head: AutogradNode) -> bool:
    """Whether what a layer gives for the samples is used as weights of a sum over each row, as a gate of experts is.

    A sum over the samples, which a pool of instances or of tokens makes, wants weights that add up over these.
    """
    if not any(
        below.leaf is not None and id(below.leaf) in step.parameters for below in step.graph.inputs_behind_views(head)
    ):
        return False
    rows, columns = node.sizes() or (0, 0)
    waiting, mixes = list(step.graph.users(node)) if rows != columns else [], False
    while waiting:
        user, position = waiting.pop()
        sizes, given = user.sizes() or (), step.graph.input(user, position)
        taken = () if given is None else given.sizes() or ()
        kept = tuple(size for size in sizes if size != 1)
        if user.op in ("Unsqueeze", "T", *VIEWS) and kept in ((rows, columns), (columns, rows)):
            waiting += step.graph.users(user)
        elif user.op == "Mul" and len(list(step.graph.inputs(user))) == 2:
            at = _from_the_end(taken, columns)
            summed = [_summed(above, len(sizes)) for above, _ in step.graph.users(user) if above.op == "Sum"]
            mixes = mixes or {at} in summed
            if at is None or any(dims and dims != {at} for dims in summed):
                return False
        elif user.op in ("Bmm", "Mm") and position < 2 and len(taken) > 1:
            if taken[-1 - position] != columns:
                return False
            mixes = True
    return mixes


def _summed(node: AutogradNode, dims: int) -> set[int]:
    """The dimensions that a sum goes over, counted from the end; none of a sum over all."""
    return {dim - dims if dim >= 0 else dim for dim in node.dims()}


def _from_the_end(sizes: tuple[int, ...], size: int) -> int | None:
    """Where the only dimension of a size stands, counted from the end."""
    found = [at - len(sizes) for at, one in enumerate(sizes) if one == size]
    return found[0] if len(found) == 1 else None


#: A sum over the last of two dimensions, as torch keeps it: a negative one is unsigned.
_LAST = ((1,), (-1,), (2**64 - 1,))
