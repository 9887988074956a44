"""NaN or Inf began at the logarithm of 0 or of a negative number.

Why: log of 0 is −inf, and 0 · −inf is NaN.

Example:
    loss = -(y * torch.log(probabilities)).sum()  # some are exactly 0

Instead:
    loss = -(y * torch.log(probabilities.clamp_min(1e-8))).sum()

Silent when:
    - the losses, and the results in sight, are finite
    - the first operation that is not finite is another one, or was given what is not finite already
    - the program itself leaves out or replaces such values (`torch.where`, `nan_to_num`, `if torch.isfinite(x)`)
    - after backward has freed the graph: no function that is called for the loss takes a logarithm of something in
      sight that has zeros
"""

from __future__ import annotations

from collections.abc import Iterator

from .....measure.torch.causes import cause_of
from .....measure.torch.metadata import is_exact_tensor
from .....words.text import number, plural
from ....flow.lines import line_of_binding_or_call
from ....step.expressions import is_name, text_of
from ....step.functions import functions_called
from ....step.step import Step
from ...consequences import NOT_FINITE
from ...finding import Violation
from ...finite import words_of
from ...rule import rule
from .parts.nan_losses import nan_losses
from .parts.nan_onset import onset_of
from .parts.nan_words import line_of_node
from .parts.not_finite import parameters_not_finite

_LOGS = ("log", "log2", "log10")


@rule(
    "error",
    why="log of 0 is −inf, and 0 · −inf is NaN.",
    suggestion="clamp it",
    causes=NOT_FINITE,
)
def log_of_zero(step: Step) -> Iterator[Violation]:
    onset = onset_of(step)
    node = None if onset is None or cause_of(onset.origin) != "log_of_zero" else onset.origin.node
    saved = node.tensor("self") if node is not None and node.op in ("Log", "Log2", "Log10") else None
    stats = None if saved is None else step.stats(saved)
    if onset is None or node is None or stats is None:
        yield from _log_in_source(step) if onset is None else ()
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
        line=line_of_node(step, node) or line_of_binding_or_call(step, "log", subject),
        suggestion="clamp it, or use log_softmax or logsigmoid",
    )


def _log_in_source(step: Step) -> Iterator[Violation]:
    """A loss that is NaN, and a function called for it that takes the logarithm of what has zeros, and no gradient."""
    losses = nan_losses(step)
    is_made_there = bool(losses) and not parameters_not_finite(step)
    for called in functions_called(step, [step.level]) if is_made_there else ():
        for call in called.source.calls_of(*_LOGS):
            subject = call.args[0] if text_of(call.receiver) == "torch" and call.args else call.receiver
            value = called.value(text_of(subject)) if is_name(subject) else None
            is_read = is_exact_tensor(value) and value is not None and value.dtype.is_floating_point
            stats = step.stats(value) if is_read else None
            if stats is None or not stats["zeros"] or stats["nan"]:
                continue
            name = step.name_of(value) or text_of(subject)
            yield Violation(
                (
                    f"{losses[0].name} is NaN",
                    ": ",
                    f"{called.source.function} takes the {call.name} of {name}, which has {plural(stats['zeros'], 'zero')}",
                ),
                (name, f"{plural(stats['zeros'], 'element')} are 0"),
                (losses[0].name, "NaN"),
                line=(called.source.file, call.lineno),
                certain=False,
                suggestion="torch.xlogy(p, p) is 0 where p is",
            )
            return
