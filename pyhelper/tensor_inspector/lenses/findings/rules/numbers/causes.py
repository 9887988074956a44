"""Rules about operations whose result is not finite."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....measure.torch.graph import Node
from .....measure.torch.metadata import requires_grad
from .....measure.torch.origin import cause_of
from .....safe.guard import module
from .....words.text import listed, number, plural
from ....graphs.nan_origin import CAUSES
from ....graphs.place import line_of
from ....step.step import Step
from ...finding import Found
from ...finite import words_of
from ...losses import model_inputs
from ...places import bound_or_called
from ...rule import Rule
from .afterwards import one_sample_in_source, origin_in_sight
from .begin import begin_of, masked_rows

torch: Any = module("torch")


def log_of_zero(step: Step) -> Iterator[Found]:
    begin = begin_of(step)
    node = None if begin is None or cause_of(begin.origin) != "log_of_zero" else begin.origin.node
    saved = node.tensor("self") if node is not None and node.op in ("Log", "Log2", "Log10") else None
    stats = None if saved is None else step.stats(saved)
    if begin is None or node is None or stats is None:
        return
    source = step.graph.input(node)
    subject = step.owner_of(saved) or step.title_of(source)
    origin = f"; {subject or 'it'} comes from {source.op}" if source is not None else ""
    yield Found(
        f"{begin.name} is not finite: log({subject or 'its input'}) where {stats['zeros']} elements are 0{origin}",
        (subject, f"runs from {number(stats['min'])} to {number(stats['max'])}, {stats['zeros']} zeros"),
        (begin.name, words_of(step.stats(begin.tensor) or stats)),
        line=_line_of(step, node) or bound_or_called(step, "log", subject),
        suggestion="clamp it, or use log_softmax or logsigmoid",
    )


def masked_row(step: Step) -> Iterator[Found]:
    """Softmax over a row of −inf alone, where that has reached the loss."""
    begin = begin_of(step)
    rows = 0 if begin is None else masked_rows(step, begin.origin)
    result = step.stats(begin.origin.value) if begin is not None and rows else None
    if begin is None or result is None:
        return
    node = begin.origin.node
    below = step.graph.through_views(step.graph.input(node))
    name = step.title_of(node)
    yield Found(
        f"softmax over {plural(rows, 'row')} of −inf alone is NaN: {name or 'its result'} has {words_of(result)}, every place is masked there",
        (name, words_of(result)),
        (None if below is None else step.title_of(below), f"{plural(rows, 'row')} all masked"),
        line=_line_of(step, node) or bound_or_called(step, "softmax", name),
    )


def fp16_overflow(step: Step) -> Iterator[Found]:
    begin = begin_of(step)
    value = None if begin is None else begin.origin.value
    stats = None if value is None or value.dtype is not torch.float16 else step.stats(value)
    if begin is not None and stats is not None and (stats["pos_inf"] or stats["neg_inf"]):
        node = begin.origin.node
        subject = step.title_of(node) or _above(step, node) or begin.name
        yield Found(
            f"{subject} has Inf: {node.op} passes 65504, the largest float16",
            (subject, f"float16, {words_of(stats)} after {node.op}"),
            (begin.name, "not finite"),
            line=bound_or_called(step, "", subject),
        )
        return
    for thing in step.tensors:
        if (
            thing.value.dtype is not torch.float16
            or step.node_of(thing.value) is not None
            or requires_grad(thing.value)
        ):
            continue
        stats = step.stats(thing.value)
        if stats is None or stats["nan"] or not (stats["pos_inf"] or stats["neg_inf"]):
            continue
        if (
            stats["max"] is not None
            and stats["max"] > 20_000
            and any(given.tensor is thing.value for given in model_inputs(step))
        ):
            yield Found(
                f"{thing.name} has {words_of(stats)}: its values pass 65504, the largest float16",
                (thing.name, f"float16, finite up to {number(stats['max'])}"),
                line=bound_or_called(step, "", thing.name),
            )
            return


def _above(step: Step, node: Node) -> str | None:
    """The nearest variable that was made of a node's output."""
    for _ in range(6):
        users = step.graph.users(node)
        if not users:
            return None
        node = users[0][0]
        thing = step.tensor_at(node)
        if thing is not None:
            return thing.name
    return None


def std_of_one(step: Step) -> Iterator[Found]:
    begin = begin_of(step)
    if begin is None or cause_of(begin.origin) != "one_sample":
        yield from one_sample_in_source(step)
        return
    node = begin.origin.node
    below = step.graph.input(node)
    sizes = None if below is None else below.sizes()
    subject = step.title_of(node) or (None if below is None else step.title_of(below))
    over = "" if sizes is None else f" of {sizes}"
    yield Found(
        f"{subject or begin.name} is NaN: the unbiased {node.op.lower()} of one value divides by 0",
        (subject or begin.name, f"{node.op.lower()} over 1{over}"),
        (begin.name, "not finite"),
        line=_line_of(step, node) or bound_or_called(step, node.op.lower(), subject),
    )


def nan_origin(step: Step) -> Iterator[Found]:
    begin = begin_of(step)
    if begin is None:
        yield from origin_in_sight(step)
        return
    origin, name = begin.origin, begin.name
    node, value = origin.node, origin.value
    stats = None if value is None else step.stats(value)
    subject = step.title_of(node) or _above(step, node) or name
    inputs = [step.title_of(below) for below in step.graph.inputs(node)]
    given = [one for one in dict.fromkeys(inputs) if one]
    seen = words_of(stats) if stats is not None else "not finite"
    from_what = f" of finite {listed(given, False, 50)}" if given else ""
    cause = CAUSES.get(cause_of(origin))
    yield Found(
        f"{name} is not finite: it begins at {node.op}{from_what}, where {subject} has {seen}{f': {cause}' if cause else ''}",
        (subject, f"{seen}, grad ← {node.op}Backward0"),
        *((one, "finite") for one in given[:3]),
        line=_line_of(step, node) or bound_or_called(step, "", subject),
        certain=origin.certain,
    )


def _line_of(step: Step, node: Node) -> tuple[str, int] | None:
    return line_of(step, node, step.title_of(node))


RULES = [
    Rule("log-of-zero", log_of_zero, "", "error", "log of 0 is −inf, and 0 · −inf is NaN.", "clamp it"),
    Rule(
        "masked-row",
        masked_row,
        "",
        "error",
        "A softmax needs one finite score at least.",
        "leave one place unmasked, or skip such rows",
    ),
    Rule(
        "std-of-one",
        std_of_one,
        "",
        "error",
        "The unbiased estimate divides by n − 1.",
        "correction=0, or more samples",
    ),
    Rule(
        "fp16-overflow",
        fp16_overflow,
        "",
        "error",
        "float16 ends at 65504; beyond is Inf, and Inf − Inf is NaN.",
        "bfloat16 or float32 here, or smaller values",
    ),
    Rule(
        "nan-origin",
        nan_origin,
        "",
        "error",
        "All that comes after it is not finite.",
        "look at the inputs of this operation",
    ),
]
