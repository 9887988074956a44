"""Rules about a model's parameters and buffers that are not finite."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from math import hypot, isfinite
from typing import Any

from .....measure.stats.finite import NotFiniteTensors, not_finite, summed_dtypes
from .....measure.torch.elements import bare_each
from .....measure.torch.metadata import element_count, requires_grad
from .....safe.guard import module
from .....words.text import listed, number, plural
from ....step.expressions import key_of, text_of
from ....step.step import Step
from ...finding import Violation
from ...finite import count_not_finite, words_of
from ...lines import Line, lines_of_filling
from ...rule import rule
from .onset import bad_roots

torch: Any = module("torch")
_STOPS = 6  #: whose norms are told

_STATISTICS = ("running_mean", "running_var")  #: of batch norms; extremes that run begin at infinity


@rule(
    "error",
    why="Nothing that this model computes is a number any more.",
    suggestion="load the last good checkpoint",
    needs="module",
)
def nan_in_params(step: Step) -> Iterator[Violation]:
    """Parameters of a model hold NaN or Inf."""
    bad = parameters_not_finite(step) if step.thorough or bad_roots(step) else []
    if not bad:
        return
    since = {name: _since(step, name) for name in bad}
    bad.sort(key=lambda name: since[name])  # as it is where nothing is remembered
    others = [at for at in since.values() if at > since[bad[0]]]
    first = f"; {bad[0]} was the first" if len(others) == len(bad) - 1 > 0 else ""
    tensors = {one.name: one.tensor for one in step.parameters.values()}
    norms = _gradient_norms(step)
    yield Violation(
        (
            f"{plural(len(bad), 'parameter')} {'has' if len(bad) == 1 else 'have'} NaN or Inf",
            ": ",
            f"{listed(bad, False, 60)}{first}",
        ),
        *((name, _seen(step, tensors[name], since[name])) for name in bad[:4]),
        *([(None, f"gradient norms {', '.join(norms)} at the stops before")] if norms else []),
        line=next(filter(None, (_set_in(step, name) for name in bad[:4])), None),
    )


def _since(step: Step, name: str) -> int:
    """At which of the stops before a parameter was not finite; their number where at none."""
    norms = ((at, moment.weights[name].norm) for at, moment in enumerate(step.moments) if name in moment.weights)
    return next((at for at, norm in norms if norm is not None and not isfinite(norm)), len(step.moments))


def _seen(step: Step, tensor: Any, since: int) -> str:
    """``3 NaN, already 1 stop ago``"""
    stats, stops = step.stats(tensor), len(step.moments) - since
    words = "NaN or Inf" if stats is None else words_of(stats)
    return f"{words}, already {plural(stops, 'stop')} ago" if stops else words


def _gradient_norms(step: Step) -> list[str]:
    """The norm of all gradients at the latest of the stops before, the oldest first."""
    found = []
    for moment in step.moments:
        norms = [weight.grad_norm for weight in moment.weights.values()]
        known = [norm for norm in norms if norm is not None]
        if known and len(known) == len(norms):
            found.append(number(hypot(*known), 3))
    return found[-_STOPS:]


def _set_in(step: Step, name: str) -> Line | None:
    """The line that writes NaN or an infinity into a parameter: ``nn.init.constant_(net.bias, math.nan)``."""
    given = (line for line, call in lines_of_filling(step, name) if call.args and _is_not_finite(call.args[-1]))
    line, key = next(given, None), key_of(name)
    for source in step.sources if line is None else ():
        for bound, nodes in source.bindings.items():
            lines = [at for at, node in nodes if isinstance(node, ast.Assign) and _is_not_finite(node.value)]
            if lines and (bound == key or bound.startswith((f"{key}[", f"{key}.data"))):
                return source.file, lines[0]
    return line


def _is_not_finite(node: ast.expr) -> bool:
    """Whether an expression is written as NaN or an infinity."""
    if isinstance(node, ast.UnaryOp):
        return _is_not_finite(node.operand)
    if isinstance(node, ast.Call):
        is_text = text_of(node.func) == "float" and len(node.args) == 1 and isinstance(node.args[0], ast.Constant)
        return is_text and text_of(node.args[0]).strip("'+-").lower() in ("nan", "inf", "infinity")
    return isinstance(node, ast.Attribute) and node.attr.lower() in ("nan", "inf", "infty")


@rule(
    "error",
    why="In eval mode these statistics are used, and make every output NaN.",
    suggestion="reset_running_stats()",
    needs="module",
)
def nan_in_buffers(step: Step) -> Iterator[Violation]:
    """Running statistics of a model hold NaN or Inf."""
    small = [
        (name, tensor)
        for name, tensor, _ in step.buffers
        if name.rpartition(".")[2] in _STATISTICS and (element_count(tensor) or 0) < 1 << 16
    ]
    bad = [small[at][0] for at in numbers_not_finite(step, (tensor for _, tensor in small))]
    if not bad:
        yield from _kept_by_the_program(step)
    else:
        finite = next((loss.name for loss in step.losses if count_not_finite(step, loss.tensor) == 0), None)
        then = f"; {finite} is finite in train mode, in eval mode it will not be" if finite else ""
        yield Violation(
            (
                f"{listed(bad, False, 60)} {'is' if len(bad) == 1 else 'are'} not finite",
                ": ",
                f"a batch before this one had NaN or Inf{then}",
            ),
            *((name, "NaN or Inf") for name in bad[:4]),
            suggestion="reset_running_stats(), and keep such batches out",
        )


def _kept_by_the_program(step: Step) -> Iterator[Violation]:
    """NaN in a buffer that is no running statistic, where a loss is not finite."""
    loss = next((loss.name for loss in step.losses if count_not_finite(step, loss.tensor)), None)
    if loss is None:
        return
    bad = buffers_not_finite(step)
    if bad:
        yield Violation(
            (f"{listed(bad, False, 60)} {'is' if len(bad) == 1 else 'are'} NaN", ", ", f"and so {loss} is not finite"),
            *((name, "NaN") for name in bad[:4]),
            (loss, "not finite"),
            certain=False,
            suggestion="look at where it is updated: a division by a count of 0, a mean of nothing",
        )


def buffers_not_finite(step: Step) -> list[str]:
    """The buffers with NaN; −inf in one may be a mask."""
    held = [(name, tensor) for name, tensor, _ in step.buffers if (element_count(tensor) or 0) < 1 << 16]
    return [held[at][0] for at in sorted(_not_finite(step, (tensor for _, tensor in held)).nan)]


def numbers_not_finite(step: Step, tensors: Iterable[Any]) -> list[int]:
    """Which of some tensors hold NaN or Inf; those that are None, or can't be read, are passed over."""
    found = _not_finite(step, tensors)
    return sorted(found.nan | found.inf)


def parameters_not_finite(step: Step) -> list[str]:
    """The parameters with NaN or Inf; of a frozen one only NaN counts, since it may be a mask that is made of −inf."""
    held = list(step.parameters.values())
    found = _not_finite(step, (one.tensor for one in held))
    infinite = {at for at in found.inf if requires_grad(held[at].tensor)}
    return [held[at].name for at in sorted(found.nan | infinite)]


def _not_finite(step: Step, tensors: Iterable[Any]) -> NotFiniteTensors:
    summed = summed_dtypes(torch)
    numbers = (
        (at, values)
        for at, values in enumerate(bare_each(list(tensors)))
        if values is not None and values.dtype in summed
    )
    return not_finite(torch, numbers, step.budget.share())
