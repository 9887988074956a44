"""Rules about operations whose result is not finite."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.causes import cause_of
from .....measure.torch.metadata import requires_grad
from .....measure.torch.node import AutogradNode
from .....measure.torch.origin import Origin
from .....safe.guard import module
from .....words.text import listed, number, plural
from ....graphs.lines import line_of_operation
from ....graphs.origin_words import CAUSES, or_others
from ....step.expressions import last_name
from ....step.functions import functions_called_by_all
from ....step.step import Step
from ...finding import Violation
from ...finite import words_of
from ...lines import Line, line_of_binding_or_call
from ...losses import model_inputs
from ...rule import rule
from .afterwards import log_in_source, one_sample_in_source, origin_in_sight
from .ctc import CTC, too_few_frames
from .handled import is_left_out_if_not_finite
from .onset import onset_of, onset_outside
from .squares import squares_past_the_end
from .state import buffers_not_finite

torch: Any = module("torch")


@rule(
    "error",
    why="log of 0 is −inf, and 0 · −inf is NaN.",
    suggestion="clamp it",
)
def log_of_zero(step: Step) -> Iterator[Violation]:
    """NaN or Inf began at the logarithm of 0 or of a negative number."""
    onset = onset_of(step)
    node = None if onset is None or cause_of(onset.origin) != "log_of_zero" else onset.origin.node
    saved = node.tensor("self") if node is not None and node.op in ("Log", "Log2", "Log10") else None
    stats = None if saved is None else step.stats(saved)
    if onset is None or node is None or stats is None:
        yield from log_in_source(step) if onset is None else ()
        return
    source = step.graph.input(node)
    subject = step.owner_of(saved) or step.title_of(source)
    origin = f"; {subject or 'it'} comes from {source.op}" if source is not None else ""
    yield Violation(
        (
            f"{onset.name} is not finite",
            ": ",
            f"log({subject or 'its input'}) where {stats['zeros']} elements are 0{origin}",
        ),
        (subject, f"runs from {number(stats['min'])} to {number(stats['max'])}, {stats['zeros']} zeros"),
        (onset.name, words_of(step.stats(onset.tensor) or stats)),
        line=_line_of(step, node) or line_of_binding_or_call(step, "log", subject),
        suggestion="clamp it, or use log_softmax or logsigmoid",
    )


@rule(
    "error",
    why="A softmax needs one finite score at least.",
    suggestion="leave one place unmasked, or skip such rows",
)
def masked_row(step: Step) -> Iterator[Violation]:
    """Softmax over a row of −inf alone, where that has reached the loss, or will reach its gradients."""
    onset = onset_of(step)
    rows = 0 if onset is None else onset.origin.masked
    result = step.stats(onset.origin.value) if onset is not None and rows else None
    if onset is None or result is None:
        return
    node, mask = onset.origin.node, onset.origin.mask
    below = step.graph.through_views(step.graph.input(node))
    name, by = step.title_of(node), None if mask is None else step.owner_of(mask)
    where = "every place is masked there" if by is None else f"{by} masks every place there"
    yield Violation(
        (
            f"softmax over {plural(rows, 'row')} of −inf alone is NaN",
            ": ",
            f"{name or 'its result'} has {words_of(result)}, {where}",
        ),
        (name, words_of(result)),
        (None if below is None else step.title_of(below), f"{plural(rows, 'row')} all masked"),
        *([(by, f"hides every place of {plural(rows, 'row')}")] if by is not None else []),
        line=_line_of(step, node) or line_of_binding_or_call(step, "softmax", name),
    )


@rule(
    "error",
    why="float16 ends at 65504; beyond is Inf, and Inf − Inf is NaN.",
    suggestion="bfloat16 or float32 here, or smaller values",
)
def fp16_overflow(step: Step) -> Iterator[Violation]:
    """Inf began where a value passed the largest number of float16."""
    onset = onset_of(step)
    is_proven = onset is not None and cause_of(onset.origin) == "overflow"
    value = onset.origin.value if onset is not None and is_proven else None
    stats = None if value is None or value.dtype is not torch.float16 else step.stats(value)
    if onset is not None and stats is not None and (stats["pos_inf"] or stats["neg_inf"]):
        subject = step.title_of(onset.origin.seen) or _above(step, onset.origin.seen) or onset.name
        yield Violation(
            (
                f"{subject} has Inf",
                ": ",
                f"{onset.origin.node.op} passes 65504, the largest float16",
            ),
            (subject, f"float16, {words_of(stats)} after {onset.origin.seen.op}"),
            (onset.name, "not finite"),
            line=line_of_binding_or_call(step, "", subject),
        )
        return
    for variable in step.tensors:
        if (
            variable.value.dtype is not torch.float16
            or step.node_of(variable.value) is not None
            or requires_grad(variable.value)
        ):
            continue
        stats = step.stats(variable.value)
        if stats is None or stats["nan"] or not (stats["pos_inf"] or stats["neg_inf"]):
            continue
        if (
            stats["max"] is not None
            and stats["max"] > 20_000
            and any(given.tensor is variable.value for given in model_inputs(step))
        ):
            most = number(stats["max"])
            past = f"its others go up to {most}; beyond 65504, the largest float16, is Inf"
            yield Violation(
                (f"{variable.name} has {words_of(stats)}", ": ", past),
                (variable.name, f"float16, finite up to {most}"),
                line=line_of_binding_or_call(step, "", variable.name),
            )
            return
    yield from squares_past_the_end(step) if onset is None else ()


def _above(step: Step, node: AutogradNode) -> str | None:
    """The nearest variable that was made of a node's output."""
    for _ in range(6):
        users = step.graph.users(node)
        if not users:
            return None
        node = users[0][0]
        variable = step.tensor_at(node)
        if variable is not None:
            return variable.name
    return None


@rule(
    "error",
    why="The unbiased estimate divides by n − 1.",
    suggestion="correction=0, or more samples",
)
def std_of_one(step: Step) -> Iterator[Violation]:
    """NaN began in the deviation or variance of a single value."""
    onset = onset_of(step)
    if onset is None or cause_of(onset.origin) != "one_sample":
        yield from one_sample_in_source(step)
        return
    node = onset.origin.node
    below = step.graph.input(node)
    sizes = None if below is None else below.sizes()
    subject = step.title_of(node) or (None if below is None else step.title_of(below))
    over = "" if sizes is None else f" of {sizes}"
    yield Violation(
        (f"{subject or onset.name} is NaN", ": ", f"the unbiased {node.op.lower()} of one value divides by 0"),
        (subject or onset.name, f"{node.op.lower()} over 1{over}"),
        (onset.name, "not finite"),
        line=_line_of(step, node) or line_of_binding_or_call(step, node.op.lower(), subject),
    )


@rule(
    "error",
    why="All that comes after it is not finite.",
    suggestion="look at the inputs of this operation",
)
def nan_origin(step: Step) -> Iterator[Violation]:
    """NaN or Inf began in an operation that was given finite values."""
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
        yield from origin_in_sight(step)
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
    above = [] if subject is not None else [one for one in (_above(step, origin.seen),) if one is not None]
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
            _line_of(step, node) or line_of_binding_or_call(step, "", subject or next(iter(above), name)),
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


def _line_of(step: Step, node: AutogradNode) -> tuple[str, int] | None:
    return line_of_operation(step, node, step.title_of(node))


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
