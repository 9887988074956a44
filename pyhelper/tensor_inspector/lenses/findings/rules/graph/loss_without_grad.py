"""A loss that is about to be backpropagated has no graph.

Why: backward() will raise, or nothing is learned.

Example:
    loss = torch.tensor(F.cross_entropy(model(x), y).item())
    loss.backward()

Instead:
    loss = F.cross_entropy(model(x), y)
    loss.backward()

Silent when:
    - it needs gradients
    - neither an optimizer nor a parameter is in sight
    - backward is given a `gradient`
    - the round ends before the backward where a loss has no graph (`if not loss.requires_grad: continue`)
    - a condition decides whether backward is called, and gradients were off for it: it may be an evaluation
"""

from __future__ import annotations

from collections.abc import Iterator

from .....measure.torch.metadata import dtype_name
from ....flow.gradient.dead_losses import dead_losses, line_of_loss
from ....step.step import Step
from ...consequences import NO_LEARNING
from ...finding import Violation
from ...rule import rule
from .parts.lost_graph import cut_of


@rule(
    "error",
    why="backward() will raise, or nothing is learned.",
    suggestion="keep the computation in torch, without detach, numpy or item",
    causes=f"graph-cut unused-module {NO_LEARNING}",
    needs="loss source",
)
def loss_without_grad(step: Step) -> Iterator[Violation]:
    for loss in dead_losses(step):
        cut = cut_of(step, loss)
        fact = (loss.name, f"{dtype_name(loss.tensor)} without grad_fn")
        if cut is None:
            yield Violation(
                (f"{loss.name} has no grad_fn", ": ", "backward will fail"), fact, line=line_of_loss(step, loss)
            )
        else:
            title = (f"{loss.name} has no grad_fn", ": ", cut.words)
            yield Violation(title, fact, cut.fact, line=cut.line, suggestion=cut.suggestion)
