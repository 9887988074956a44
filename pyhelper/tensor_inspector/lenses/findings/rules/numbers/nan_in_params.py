"""Parameters of a model hold NaN or Inf.

Why: Nothing that this model computes is a number any more.

Example:
    optimizer = torch.optim.SGD(model.parameters(), lr=1e4)
    for x, y in loader:
        F.mse_loss(model(x), y).backward()
        optimizer.step()

Instead:
    model.load_state_dict(torch.load("last_good.pt"))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)

Silent when:
    - no parameter holds NaN, and only frozen ones Inf: these may be masks
    - a loss and all results in sight are finite, unless `thorough=True` asks
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from math import hypot, isfinite
from typing import Any

from .....words.text import listed, number, plural
from ....flow.lines import Line, lines_of_filling
from ....step.expressions import key_of, text_of
from ....step.step import Step
from ...finding import Violation
from ...finite import words_of
from ...rule import rule
from .parts.nan_onset import bad_roots
from .parts.not_finite import parameters_not_finite

_STOPS = 6  #: whose norms are told


@rule(
    "error",
    why="Nothing that this model computes is a number any more.",
    suggestion="load the last good checkpoint",
    causes="invalid-distribution nan-origin nan-in-buffers nan-in-grad-only exploding-grad",
    needs="module",
)
def nan_in_params(step: Step) -> Iterator[Violation]:
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
