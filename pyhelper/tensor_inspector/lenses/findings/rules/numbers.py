"""Rules about numbers that are not finite: where they are, and where they came from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.stats.finite import can_be_summed, not_finite
from ....measure.stats.first import first_special
from ....measure.torch.elements import bare, is_plain
from ....measure.torch.graph import Node
from ....measure.torch.metadata import element_count, requires_grad
from ....measure.torch.modules import is_of
from ....safe.guard import module
from ....words.text import listed, number, plural
from ...step.step import Step
from ..finding import Found
from ..losses import ModelInput, model_inputs
from ..outputs import bad_in, output_of, words_of
from ..rule import Rule

torch: Any = module("torch")


def nan_in_input(step: Step) -> Iterator[Found]:
    """NaN or Inf in what a model is given, where what comes out is not finite either, or is still to come."""
    outcome = _outcome(step)
    for given in model_inputs(step):
        stats = step.stats(given.tensor) if given.tensor.dtype.is_floating_point else None
        if stats is None or not (stats["nan"] or stats["pos_inf"] or stats["neg_inf"]) or requires_grad(given.tensor):
            continue
        if given.tensor.dtype is torch.float16 and not stats["nan"] and (stats["max"] or 0) > 20_000:
            continue  # an overflow, which has a rule of its own
        is_mask = not stats["nan"] and not stats["pos_inf"]
        is_done = given.call.lineno < step.sources[given.view].lineno
        if is_mask or (is_done and outcome is None) or (not is_done and not _takes_it_raw(given)):
            continue
        first = first_special(bare(given.tensor), step.budget.share())
        place = next((place for place in first if place is not None), None)
        made = step.sources[given.view].value_of(given.name.replace('"', "'"))
        then = "" if outcome is None else f"; {outcome} is not finite because of it"
        yield Found(
            f"{given.name} has {words_of(stats)}{'' if place is None else f', the first at {place}'}, before {given.model.name} has it{then}",
            (given.name, words_of(stats)),
            *([(outcome, "not finite")] if outcome else []),
            line=None if made is None else (step.sources[given.view].file, made[0]),
        )
        return


def _outcome(step: Step) -> str | None:
    """The name of a result in sight that is not finite."""
    for thing in step.tensors:
        if requires_grad(thing.value) and step.node_of(thing.value) is not None and bad_in(step, thing.value):
            return thing.name
    for given in model_inputs(step):
        value = step.value(given.call.target or "", given.view)
        if value is not None and any(thing.value is value for thing in step.tensors) and bad_in(step, value):
            return given.call.target
    return None


def _takes_it_raw(given: ModelInput) -> bool:
    return is_of(given.model.value, "Sequential", "Linear", "Conv1d", "Conv2d", "Conv3d")


def log_of_zero(step: Step) -> Iterator[Found]:
    for root, name in bad_roots(step):
        for node in step.graph.below(root):
            saved = node.tensor("self") if node.op in ("Log", "Log2", "Log10") else None
            stats = None if saved is None else step.stats(saved)
            if stats is None or stats["min"] is None or stats["nan"] or stats["min"] > 0:
                continue
            subject = step.owner_of(saved) or step.title_of(step.graph.input(node))
            kind = "0" if stats["min"] == 0 else "not positive"
            amount = stats["zeros"] if stats["min"] == 0 else ""
            source = step.graph.input(node)
            origin = f"; {subject or 'it'} comes from {source.op}" if source is not None else ""
            yield Found(
                f"{name} is not finite: log({subject or 'its input'}) where {amount} elements are {kind}{origin}".replace(
                    "  ", " "
                ),
                (subject, f"runs from {number(stats['min'])} to {number(stats['max'])}, {stats['zeros']} zeros"),
                (name, words_of(step.stats(output_of(step, root)) or stats)),
                line=line(step, "log", subject),
                suggestion="clamp it, or use log_softmax or logsigmoid",
            )
            return


def masked_row(step: Step) -> Iterator[Found]:
    """Softmax over a row of −inf alone."""
    for node in step.graph.nodes:
        if node.op not in ("Softmax", "LogSoftmax"):
            continue
        below = step.graph.through_views(step.graph.input(node))
        result = node.tensor("result")
        before = None if below is None else output_of(step, below)
        stats, given = (None if tensor is None else step.stats(tensor) for tensor in (result, before))
        dim = node.dim()
        if stats is None or not stats["nan"] or dim is None:
            continue
        rows = _masked_rows(below, before, dim)
        if not rows or (given is not None and given["nan"]):
            continue
        name = step.title_of(node)
        yield Found(
            f"softmax over {plural(rows, 'row')} of −inf alone is NaN: {name or 'its result'} has {words_of(stats)}, every place is masked there",
            (name, words_of(stats)),
            (None if below is None else step.title_of(below), f"{plural(rows, 'row')} all masked"),
            line=line(step, "softmax", name),
        )
        return


def _masked_rows(below: Node | None, before: Any, dim: int) -> int:
    mask = below.tensor("mask") if below is not None and below.op == "MaskedFill" else None
    if mask is not None and is_plain(mask) and mask.dim():
        return int(bare(mask).all(dim if dim < 0 or mask.dim() > dim else -1).sum())
    if before is not None and is_plain(before) and before.dim():
        return int((bare(before) == -float("inf")).all(dim).sum())
    return 0


def fp16_overflow(step: Step) -> Iterator[Found]:
    for root, name in bad_roots(step):
        found = _origin(step, root)
        if found is None:
            continue
        node, _ = found
        value = output_of(step, node)
        stats = None if value is None else step.stats(value)
        if stats is None or value.dtype is not torch.float16 or not (stats["pos_inf"] or stats["neg_inf"]):
            continue
        subject = step.title_of(node) or _above(step, node) or name
        yield Found(
            f"{subject} has Inf: {node.op} passes 65504, the largest float16",
            (subject, f"float16, {words_of(stats)} after {node.op}"),
            (name, "not finite"),
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
    for root, name in bad_roots(step):
        for node in step.graph.below(root):
            if node.op not in ("Std", "Var", "StdMean", "VarMean"):
                continue
            below = step.graph.input(node)
            sizes, dims = None if below is None else below.sizes(), node.setting("dim")
            if sizes is None:
                continue
            over = (
                [sizes[dim if dim < len(sizes) else dim - 2**64] for dim in dims]
                if type(dims) in (tuple, list) and dims
                else sizes
            )
            count = 1
            for size in over:
                count *= size
            correction = node.setting("correction")
            if count == 1 and (correction is None or correction >= 1):
                subject = step.title_of(node) or step.title_of(below)
                yield Found(
                    f"{subject or name} is NaN: the unbiased {node.op.lower()} of one value divides by 0",
                    (subject or name, f"{node.op.lower()} over 1 of {tuple(sizes)}"),
                    (name, "not finite"),
                    line=line(step, node.op.lower(), subject),
                )
                return


def nan_origin(step: Step) -> Iterator[Found]:
    for root, name in bad_roots(step):
        found = _origin(step, root)
        if found is None:
            continue
        node, certain = found
        value = output_of(step, node)
        stats = None if value is None else step.stats(value)
        subject = step.title_of(node) or _above(step, node) or name
        inputs = [step.title_of(below) for below in step.graph.inputs(node)]
        given = [one for one in dict.fromkeys(inputs) if one]
        seen = words_of(stats) if stats is not None else "not finite"
        from_what = f" of finite {listed(given, False, 50)}" if given else ""
        yield Found(
            f"{name} is not finite: it begins at {node.op}{from_what}, where {subject} has {seen}",
            (subject, f"{seen}, grad ← {node.op}Backward0"),
            *((one, "finite") for one in given[:3]),
            line=line(step, "", subject),
            certain=certain,
        )
        return


def bad_roots(step: Step) -> list[tuple[Node, str]]:
    """Results in sight that are not finite, with their nodes: losses first. Masked scores, of −inf alone, are none."""
    found = []
    named = [
        *((loss.tensor, loss.name) for loss in step.losses),
        *((thing.value, thing.name) for thing in step.tensors),
    ]
    for tensor, name in named:
        node = step.node_of(tensor)
        if node is None or not tensor.dtype.is_floating_point:
            continue
        stats = step.stats(tensor)
        if stats is not None and (stats["nan"] or stats["pos_inf"] or (stats["neg_inf"] and stats["count"] == 1)):
            found.append((node, name))
    return found


def _origin(step: Step, root: Node) -> tuple[Node, bool] | None:
    """The first node below with a result that is not finite and inputs that are; and whether all of them are known."""
    node, certain, seen = root, True, set()
    while node.index not in seen:
        seen.add(node.index)
        worse = None
        for below in step.graph.inputs(node):
            if below.leaf is not None or (below.op in ("T", "Transpose") and _is_weight(step, below)):
                continue
            found = _first_bad(step, below)
            if found is not None:
                worse = found
                break
        if worse is None:
            break
        node = worse
    if node is root and any(output_of(step, below) is None and below.leaf is None for below in step.graph.inputs(node)):
        certain = False
        if bad_in(step, output_of(step, root)) and not node.keeps():
            return None
    if any(bad_in(step, node.tensor(name)) for name in node.saves() if name not in ("result", "self")):
        return None  # what is no node, as the batch, brought it in
    return node, certain


def _first_bad(step: Step, node: Node) -> Node | None:
    """The node, or through some of which nothing is known the nearest below, that has made what is not finite."""
    waiting, seen = [(node, 0)], set()
    while waiting:
        current, depth = waiting.pop(0)
        if current.index in seen or current.leaf is not None or depth > 8:
            continue
        seen.add(current.index)
        amount = bad_in(step, output_of(step, current))
        if amount:
            return current
        if amount is None:
            waiting.extend((below, depth + 1) for below in step.graph.inputs(current))
    return None


def _is_weight(step: Step, node: Node) -> bool:
    return getattr(step.graph.input(node), "leaf", None) is not None


def nan_in_params(step: Step) -> Iterator[Found]:
    held = [one for one in step.parameters.values() if step.thorough or bad_roots(step)]
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
    Rule(
        "nan-in-input",
        nan_in_input,
        "module source",
        "error",
        "Everything computed from it is NaN, and after one step so are the weights.",
        "clean or mask it where the data is read",
    ),
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
