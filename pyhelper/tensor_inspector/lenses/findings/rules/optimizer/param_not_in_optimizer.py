"""A trainable parameter that leads to the loss is in no optimizer.

Why: It keeps its initial values, although a gradient is computed for it.

Example:
    optimizer = torch.optim.SGD(model.body.parameters(), lr=0.1)
    loss = F.cross_entropy(model.head(model.body(x)), y)

Instead:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = F.cross_entropy(model.head(model.body(x)), y)

Silent when:
    - the parameter is moved by hand, has a hook for its gradient, or lies in the memory of what an optimizer holds
    - an optimizer may hold a float32 copy of it, or a wrapper's optimizer steps copies of all
    - its model is only a means: alone in eval mode, or never compared with labels, as a discriminator while the
      generator is trained
    - what is trained is an input, and nothing of this model
    - a tag of the program (`p.trainable = False`) says that it is not trained, and the program reads that tag
    - a caller trains it by another call of the same function, or the optimizer was made after the loss
"""

from __future__ import annotations

from collections.abc import Iterator

from .....measure.torch.optimizers import tensors as tensors_of
from .....words.text import listed, plural
from ....flow.lines import line_of_optimizer
from ....step.roles import Parameter
from ....step.sight import VisibleVariable
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.unheld_parameters import unheld


@rule(
    "warning",
    why="It keeps its initial values, although a gradient is computed for it.",
    suggestion="give it to an optimizer, or freeze it with requires_grad_(False)",
    needs="loss optimizer module groups",
)
def param_not_in_optimizer(step: Step) -> Iterator[Violation]:
    missed = unheld(step)
    if not missed:
        return
    optimizer = _doubtful(step)
    owners: dict[str, list[Parameter]] = {}
    for one in missed:
        owners.setdefault(one.name.rpartition(".")[0] or one.name, []).append(one)
    names = listed(owners, False, 60)
    has = "has a gradient, " if any(step.grad(one.tensor) is not None for one in missed) else ""
    though = "" if not has else f" though {'it has a gradient' if len(missed) == 1 else 'they have gradients'}"
    yield Violation(
        (names, ": ", f"{plural(len(missed), 'trainable parameter')} in no optimizer, never updated{though}"),
        *((one.name, f"{has}requires_grad, in no optimizer in sight") for one in missed[:4]),
        (optimizer.name, f"holds {plural(len(list(tensors_of(optimizer.value))), 'tensor')}"),
        line=line_of_optimizer(step, optimizer),
    )


def _doubtful(step: Step) -> VisibleVariable:
    """The optimizer that holds only what one before it holds too; else the first."""
    before: set[int] = set()
    for variable in step.optimizers:
        ids = set(map(id, tensors_of(variable.value)))
        if ids and ids <= before:
            return variable
        before |= ids
    return step.optimizers[0]
