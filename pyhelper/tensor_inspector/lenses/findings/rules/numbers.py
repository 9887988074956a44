"""Rules about numbers that are not finite: where they are, and where they came from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary

from ....measure.stats.finite import can_be_summed, not_finite
from ....measure.torch.elements import bare, is_plain
from ....measure.torch.flow import Flow
from ....measure.torch.graph import Node
from ....measure.torch.metadata import element_count, requires_grad
from ....measure.torch.origin import Origin, Search, cause_of
from ....safe.guard import module
from ....words.text import listed, number, plural
from ...graphs.nan_origin import CAUSES
from ...graphs.place import line_of
from ...step.step import Step
from ..finding import Found
from ..losses import model_inputs
from ..outputs import bad_in, words_of
from ..rule import Rule

torch: Any = module("torch")


class Begin:
    """Where what is not finite began: the operation, and the value in sight that is not finite because of it."""

    __slots__ = ("name", "origin", "tensor")

    def __init__(self, origin: Origin, name: str, tensor: Any) -> None:
        self.origin = origin
        self.name = name
        self.tensor = tensor


_begins: WeakKeyDictionary[Step, Begin | None] = WeakKeyDictionary()


def begin_of(step: Step) -> Begin | None:
    """Where the first loss that is not finite began to be so, else the first value in sight.

    None where it was in what the operations were given, as the batch or a parameter.
    """
    if step not in _begins:
        found = _search(step)
        if step.budget.spent():
            return None
        _begins[step] = found
    return _begins[step]


def _search(step: Step) -> Begin | None:
    live: dict[int, Any] = {}
    for thing in step.tensors:
        node = step.node_of(thing.value)
        if node is not None and node.leaf is None and node.sizes() == tuple(thing.value.shape):
            live.setdefault(node.index, thing.value)
    losses = {id(loss.tensor) for loss in step.losses}
    for root, name, tensor in _bad_results(step):
        search = Search(step.graph, Flow(step.graph, live), step.graph.below(root))
        search.go_on(step.budget.share())
        found = search.found
        if found is None:
            continue
        if found.given is not None:
            return None
        if found.node is root and not found.certain and not root.keeps():
            continue
        if _masked_rows(step, found) and id(tensor) not in losses:
            continue  # such rows may be replaced before they matter
        return Begin(found, name, tensor)
    return None


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
        line=_line_of(step, node) or line(step, "log", subject),
        suggestion="clamp it, or use log_softmax or logsigmoid",
    )


def masked_row(step: Step) -> Iterator[Found]:
    """Softmax over a row of −inf alone, where that has reached the loss."""
    begin = begin_of(step)
    rows = 0 if begin is None else _masked_rows(step, begin.origin)
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
        line=_line_of(step, node) or line(step, "softmax", name),
    )


def _masked_rows(step: Step, origin: Origin) -> int:
    """How many rows a softmax was given that are −inf everywhere."""
    node = origin.node
    dim = node.dim()
    if node.op not in ("Softmax", "LogSoftmax") or dim is None or origin.value is None or not origin.counts.nan:
        return 0
    below = step.graph.through_views(step.graph.input(node))
    mask = below.tensor("mask") if below is not None and below.op == "MaskedFill" else None
    if mask is not None and is_plain(mask) and mask.dim():
        return int(bare(mask).all(dim if dim < 0 or mask.dim() > dim else -1).sum())
    before = origin.operands[0].value if origin.operands else None
    if before is None or not before.dim():
        return 0
    return int((before == -float("inf")).all(dim).sum())


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
            line=line(step, "", subject),
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
                line=line(step, "", thing.name),
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
        line=_line_of(step, node) or line(step, node.op.lower(), subject),
    )


def nan_origin(step: Step) -> Iterator[Found]:
    begin = begin_of(step)
    if begin is None:
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
        line=_line_of(step, node) or line(step, "", subject),
        certain=origin.certain,
    )


def bad_roots(step: Step) -> list[tuple[Node, str]]:
    """Results in sight that are not finite, with their nodes: losses first."""
    return [(node, name) for node, name, _ in _bad_results(step)]


def _bad_results(step: Step) -> list[tuple[Node, str, Any]]:
    """Masked scores, of −inf alone, are none; nor is what a finite result in sight was made of: it was replaced there."""
    bad, finite = [], []
    losses = {id(loss.tensor) for loss in step.losses}
    named = [
        *((loss.tensor, loss.name) for loss in step.losses),
        *((thing.value, thing.name) for thing in step.tensors),
    ]
    for tensor, name in named:
        node = step.node_of(tensor)
        stats = step.stats(tensor) if node is not None and tensor.dtype.is_floating_point else None
        if node is None or stats is None:
            continue
        if stats["nan"] or stats["pos_inf"] or (stats["neg_inf"] and stats["count"] == 1):
            bad.append((node, name, tensor))
        elif not stats["neg_inf"] and stats["count"]:
            finite.append(node)
    return [
        (node, name, tensor)
        for node, name, tensor in bad
        if id(tensor) in losses or not any(step.graph.reaches(other, node) for other in finite if other is not node)
    ]


def nan_in_params(step: Step) -> Iterator[Found]:
    held = list(step.parameters.values()) if step.thorough or bad_roots(step) else []
    bad = names_not_finite(step, [(one.name, one.tensor) for one in held])
    if bad:
        yield Found(
            f"{plural(len(bad), 'parameter')} {'has' if len(bad) == 1 else 'have'} NaN or Inf: {listed(bad, False, 60)}",
            *((name, "NaN or Inf") for name in bad[:4]),
        )


def nan_in_buffers(step: Step) -> Iterator[Found]:
    small = [
        (name, tensor)
        for name, tensor, member in step.buffers
        if "running_" in name and (element_count(tensor) or 0) < 1 << 16
    ]
    bad = names_not_finite(step, small)
    if bad:
        finite = next((loss.name for loss in step.losses if bad_in(step, loss.tensor) == 0), None)
        then = f"; {finite} is finite in train mode, in eval mode it will not be" if finite else ""
        yield Found(
            f"{listed(bad, False, 60)} {'is' if len(bad) == 1 else 'are'} not finite: a batch before this one had NaN or Inf{then}",
            *((name, "NaN or Inf") for name in bad[:4]),
            suggestion="reset_running_stats(), and keep such batches out",
        )


def names_not_finite(step: Step, named: list[tuple[str, Any]]) -> list[str]:
    tensors = [
        (at, bare(tensor))
        for at, (_, tensor) in enumerate(named)
        if is_plain(tensor) and can_be_summed(torch, tensor.dtype)
    ]
    found = not_finite(torch, iter(tensors), step.budget.share())
    return [named[at][0] for at in sorted(found.nan | found.inf)]


def _line_of(step: Step, node: Node) -> tuple[str, int] | None:
    return line_of(step, node, step.title_of(node))


def line(step: Step, call: str, name: str | None) -> tuple[str, int] | None:
    """The line of a variable's binding; else that of a call of that name."""
    for source in step.sources:
        made = None if name is None else source.value_of(name.replace('"', "'"))
        if made is not None:
            return source.file, made[0]
        calls = source.calls_of(call) if call else []
        if calls:
            return source.file, calls[-1].lineno
    return None


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
        "nan-in-params",
        nan_in_params,
        "module",
        "error",
        "Nothing that this model computes is a number any more.",
        "load the last good checkpoint",
    ),
    Rule(
        "nan-origin",
        nan_origin,
        "",
        "error",
        "All that comes after it is not finite.",
        "look at the inputs of this operation",
    ),
    Rule(
        "nan-in-buffers",
        nan_in_buffers,
        "module",
        "error",
        "In eval mode these statistics are used, and make every output NaN.",
        "reset_running_stats()",
    ),
]
