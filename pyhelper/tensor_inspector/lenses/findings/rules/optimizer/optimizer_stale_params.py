"""An optimizer holds tensors that no module has any more.

Why: The optimizer updates tensors that are not part of the model any more.

Example:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model.head = nn.Linear(16, 3)  # after the optimizer

Instead:
    model.head = nn.Linear(16, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

Silent when:
    - each tensor that it holds is in a module, has a name in sight, leads to the loss, or has a gradient
    - no module that it was made for has a trainable parameter that leads to the loss and is in no optimizer
    - whatever keeps `param-not-in-optimizer` silent about that parameter
"""

from __future__ import annotations

from collections.abc import Iterator

from .....measure.torch.optimizers import tensors as tensors_of
from .....words.text import listed, plural
from ....flow.lines import line_of_optimizer
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.unheld_parameters import unheld


@rule(
    "error",
    why="The optimizer updates tensors that are not part of the model any more.",
    suggestion="make the optimizer after the model is complete",
    causes="param-not-in-optimizer weights-unchanged",
    needs="loss optimizer module",
)
def optimizer_stale_params(step: Step) -> Iterator[Violation]:
    reached = step.reached()
    for variable in step.optimizers:
        held = list(tensors_of(variable.value))
        stale = [
            tensor
            for tensor in held
            if id(tensor) not in step.parameters
            and id(tensor) not in step.names
            and id(tensor) not in reached
            and step.grad(tensor) is None
        ]
        new = unheld(step) if stale else []
        if not new:
            continue
        roots = {id(one.root.value) for one in step.parameters.values() if id(one.tensor) in set(map(id, held))}
        new = [one for one in new if id(one.root.value) in roots or len(stale) == len(held)]
        if new:
            names = listed((one.name for one in new), False, 60)
            yield Violation(
                (
                    f"{plural(len(stale), 'tensor')} in {variable.name} belong to no module",
                    "; ",
                    f"{names} get gradients but are in no optimizer",
                ),
                (variable.name, f"{len(stale)} of {plural(len(held), 'tensor')} are in no module in sight"),
                *((one.name, "trainable, in no optimizer") for one in new[:4]),
                line=line_of_optimizer(step, variable),
            )
