"""NaN or Inf began in an operation that was given finite values.

Why: All that comes after it is not finite.

Example:
    loss = (x / x.norm()).sum()  # x is 0

Instead:
    loss = F.normalize(x, dim=0).sum()

Silent when:
    - the losses, and the results in sight, are finite, or the program replaces what is not
    - what an operation was given was not finite already: rules about inputs, parameters and buffers tell that
    - the round is left where the loss is not finite (`if torch.isinf(loss): continue`), as with CTC and labels to be
      ignored
    - only −inf is in a result, as in masked scores
    - the Inf is the product with the scale of a GradScaler
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .....measure.torch.causes import cause_of
from .....measure.torch.metadata import is_exact_tensor
from .....measure.torch.node import AutogradNode
from .....measure.torch.origin import Origin
from .....words.text import listed, number
from ....flow.definitions import reaching_definitions
from ....flow.lines import Line, line_of_binding_or_call
from ....graphs.origin_words import CAUSES, or_others
from ....step.backpropagated import Loss
from ....step.expressions import last_name, shown
from ....step.functions import functions_called_by_all
from ....step.step import Step
from ...finding import Violation
from ...finite import words_of
from ...rule import rule
from .parts.ctc import CTC, too_few_frames
from .parts.gradient_handling import is_left_out_if_not_finite
from .parts.nan_losses import nan_losses
from .parts.nan_onset import flow_of, onset_of, onset_outside
from .parts.nan_words import line_of_node, name_above
from .parts.not_finite import buffers_not_finite, numbers_not_finite, parameters_not_finite


@rule(
    "error",
    why="All that comes after it is not finite.",
    suggestion="look at the inputs of this operation",
    causes="invalid-distribution nan-in-params nan-in-buffers nan-in-grad-only exploding-grad lr-too-high",
)
def nan_origin(step: Step) -> Iterator[Violation]:
    short = next(too_few_frames(step), None)
    if short is not None:
        yield short
        return
    onset = onset_of(step)
    if (
        onset is not None
        and onset.origin.node.op in (*CTC, "NllLoss", "NllLoss2D")
        and is_left_out_if_not_finite(step.source, onset.name)
    ):
        return
    if onset is None:
        yield from _origin_in_sight(step)
        yield from _origin_outside(step)
        return
    origin, name = onset.origin, onset.name
    node, value = origin.node, origin.value
    stats, subject = None if value is None else step.stats(value), step.title_of(origin.seen)
    given = list(_given(step, origin))
    seen = words_of(stats) if stats is not None else "not finite"
    finite = "finite " if origin.takes_finite() else ""
    from_what = f" of {finite}{listed((one for one, _ in given), False, 50)}" if given else ""
    cause = CAUSES.get(cause_of(origin))
    result = "its result" if node is origin.seen else f"the result of {origin.seen.op}"
    has = f"{subject or result} {'has' if stats is not None else 'is'} {seen}"
    above = [] if subject is not None else [one for one in (name_above(step, origin.seen),) if one is not None]
    yield Violation(
        (
            f"{name} is not finite",
            ": ",
            f"it begins at {node.op}{or_others(origin.others_named())}{from_what}, where {has}{f': {cause}' if cause else ''}",
        ),
        (subject, f"{seen}, grad ← {origin.seen.op}Backward0"),
        *((one, f"made of what {origin.seen.op} gives") for one in above),
        *given[:3],
        line=_line_below(
            step,
            node,
            line_of_node(step, node) or line_of_binding_or_call(step, "", subject or next(iter(above), name)),
        ),
        certain=origin.certain,
    )


def _origin_outside(step: Step) -> Iterator[Violation]:
    """A loss that is not finite because of a tensor that no gradient leads to, as a weight of its samples."""
    onset = onset_outside(step)
    if onset is None or buffers_not_finite(step):
        return
    origin = onset.origin
    stats = None if origin.value is None else step.stats(origin.value)
    if stats is None or not stats["nan"] + stats["pos_inf"]:
        return
    name = step.owner_of(origin.value)
    yield Violation(
        (
            f"{onset.name} is not finite",
            ": ",
            f"{name or 'a tensor without a gradient'}, which {origin.node.op} was given, has {words_of(stats)}",
        ),
        (name, words_of(stats)),
        (onset.name, "not finite"),
        line=line_of_binding_or_call(step, "", name or onset.name),
        suggestion="look at where that tensor is made",
    )


def _given(step: Step, origin: Origin) -> Iterator[tuple[str, str]]:
    """What an operation was given, by name, and how far from 0 that goes; of a mere view what it is a view of."""
    seen = set[str]()
    for one in origin.operands:
        whole = step.graph.through_views(one.node)
        title = step.title_of(one.node) or step.title_of(whole)
        name = step.name_of(one.value) if one.node is None and one.value is not None else title
        stats = None if one.value is None else step.stats(one.value)
        if name is not None and name not in seen:
            seen.add(name)
            if stats is not None and (stats["nan"] or stats["pos_inf"] or stats["neg_inf"]):
                yield name, words_of(stats)
            elif stats is not None and stats["max"] is not None:
                yield name, f"finite, up to {number(max(abs(stats['min']), abs(stats['max'])))}"
            else:
                yield name, "given to it"


def _line_below(step: Step, node: AutogradNode, line: Line | None) -> Line | None:
    """The line of the operation itself, where the line only calls the function of the user that alone has one of it."""
    operator, found = {"Div": ast.Div, "Pow": ast.Pow}.get(node.op), set[Line]()

    def is_of_it(one: ast.AST) -> bool:
        if isinstance(one, ast.BinOp):
            return type(one.op) is operator
        return isinstance(one, ast.Call) and last_name(one.func) == node.op.lower()

    here = [source for source in step.sources if line is not None and source.file == line[0]]
    if any(is_of_it(one) and one.lineno == line[1] for source in here for one in source.nodes):  # type: ignore[index,attr-defined]
        return line
    for called in functions_called_by_all(step):
        first = called.first
        if line != (step.sources[first.level].file, first.call.lineno):
            continue
        for one in called.source.nodes:
            if is_of_it(one):
                found.add((called.source.file, one.lineno))  # type: ignore[attr-defined]
    return found.pop() if len(found) == 1 else line


def _infinite_losses(step: Step) -> list[Loss]:
    """The losses that are infinite and have spoilt gradients; none that a scaler may have made infinite: it skips the step."""
    numbers = [(loss, step.number(loss.tensor)) for loss in step.losses]
    found = [loss for loss, number in numbers if number is not None and number == number and number - number != 0]
    if step.scalers:
        found = [loss for loss in found if not _may_be_scaled(step, loss)]
    grads = step.grads([one.tensor for one in step.trained()]) if found else []
    return found if numbers_not_finite(step, grads) else []


def _may_be_scaled(step: Step, loss: Loss) -> bool:
    """Whether a loss is a product, as a scaler gives, of what is not known to be infinite before."""
    root = step.node_of(loss.tensor)
    below = None if root is None or root.op != "Mul" else step.graph.input(root)
    if below is None:
        return root is None
    counts = flow_of(step).counts(below)
    return counts is None or not counts.any()


def _origin_in_sight(step: Step) -> Iterator[Violation]:
    """A loss that is not finite and whose graph is freed, with what is NaN in sight, the earliest bound first."""
    infinite = _infinite_losses(step)
    losses = [*nan_losses(step), *infinite]
    if losses and parameters_not_finite(step):
        return  # the parameters are what is to be told
    for loss in losses:
        root = step.node_of(loss.tensor)
        if loss.pending or root is None or step.graph.freed_below(root) is None:
            continue
        last = {name: (line, name, nan) for line, name, nan in sorted(_nan_above(step, loss))}
        found = sorted(last.values())
        first = f"the first NaN in sight is in {found[0][1]}; " if found else ""
        binding = next(reaching_definitions(step.source, loss.name), None)
        line = loss.backward.lineno if binding is None else binding.lineno
        if found:
            line = found[0][0]
        what = "Inf" if loss in infinite else "NaN"
        yield Violation(
            (
                f"{loss.name} is {what}",
                ", ",
                f"and its graph is freed: {first}stop before backward to see where it began",
            ),
            (loss.name, f"{what}, a backward has freed its graph"),
            *((name, f"{nan:,} NaN, bound in line {at}") for at, name, nan in found[:4]),
            line=(step.source.file, line),
            suggestion="stop before backward",
        )
        return


def _nan_above(step: Step, loss: Loss) -> Iterator[tuple[int, str, int]]:
    """The values that a loss is made of and that have NaN: line, name, count."""
    for made in reaching_definitions(step.source, loss.name):
        value = step.value(made.name)
        if made.name == "_" or not is_exact_tensor(value) or value is loss.tensor or not value.dtype.is_floating_point:
            continue
        stats = step.stats(value)
        if stats is not None and stats["nan"]:
            yield made.lineno, shown(made.name), stats["nan"]
