"""Rules about the parameters in an optimizer."""

from __future__ import annotations

from collections.abc import Iterator

from .....measure.torch.optimizers import tensors as tensors_of
from .....words.text import listed, plural
from ....step.roles import Parameter
from ....step.sight import VisibleVariable
from ....step.step import Step
from ...finding import Violation
from ...lines import line_of_optimizer
from ...rule import rule
from .unheld import unheld


@rule(
    "warning",
    why="It keeps its initial values, although a gradient is computed for it.",
    suggestion="give it to an optimizer, or freeze it with requires_grad_(False)",
    needs="loss optimizer module groups",
)
def param_not_in_optimizer(step: Step) -> Iterator[Violation]:
    """Trainable, on the way to the loss, in a module in sight, and in no optimizer."""
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


@rule(
    "error",
    why="The optimizer updates tensors that are not part of the model any more.",
    suggestion="make the optimizer after the model is complete",
    needs="loss optimizer module",
)
def optimizer_stale_params(step: Step) -> Iterator[Violation]:
    """An optimizer holds tensors that no module has, while a module that it was made for has others."""
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
