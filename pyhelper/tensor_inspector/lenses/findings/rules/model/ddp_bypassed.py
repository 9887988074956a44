"""The module inside DistributedDataParallel is called in place of the wrapper.

Why: Each process trains a model of its own.

Example:
    ddp = DistributedDataParallel(net)
    loss = F.cross_entropy(net(x), y)

Instead:
    ddp = DistributedDataParallel(net)
    loss = F.cross_entropy(ddp(x), y)

Silent when:
    - the call stands under `no_sync` or `no_grad`, or before the wrapper is made
    - no backward stands in the function that calls it
    - something else brings the gradients together: hooks, another optimizer than torch's, `all_reduce` and its like
    - no optimizer has stepped by gradients of the module inside
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....measure.torch.metadata import grad_hooks_of, hooks_of
from .....measure.torch.modules import is_of
from .....measure.torch.optimizers import has_step_hooks, states
from .....safe.guard import class_module, dict_attribute, dict_get, instance_dict
from ....flow.effects import COLLECTIVES
from ....step.backpropagated import Loss
from ....step.functions import functions_called
from ....step.sight import VisibleVariable
from ....step.step import Step
from ...finding import Violation
from ...rule import rule


@rule(
    "error",
    why="Each process trains a model of its own.",
    suggestion="call the wrapper",
    needs="module source",
)
def ddp_bypassed(step: Step) -> Iterator[Violation]:
    wrappers = [variable for variable in step.modules if is_of(variable.value, "DistributedDataParallel")]
    for wrapper in wrappers:
        inside = dict_get(dict_attribute(wrapper.value, "_modules"), "module")
        for call, variable, level in step.calls_of_modules():
            source = step.sources[level]
            if (
                variable.value is not inside
                or not source.backwards
                or source.with_block(call.lineno, "no_sync", "no_grad")
                or any(line > call.lineno for line in _lines_of(step, wrapper, level))
            ):
                continue
            yield Violation(
                (
                    f"{call.callee} is the module inside {wrapper.name}",
                    ": ",
                    "called itself, its gradients are not synchronised",
                ),
                (wrapper.name, "DistributedDataParallel"),
                (call.callee, "called"),
                line=(source.file, call.lineno),
                suggestion=f"call {wrapper.name}",
            )
            return
    for wrapper in wrappers:
        yield from _never_called(step, wrapper)


def _never_called(step: Step, wrapper: VisibleVariable) -> Iterator[Violation]:
    """A wrapper whose forward has never run, though a loss leads to its parameters and an optimizer has stepped by it."""
    held = instance_dict(wrapper.value)
    if held.get("_lazy_init_ran") is not False or held.get("_use_python_reducer") is True:
        return  # its forward sets the first, unless the second has it leave that out
    if held.get("require_backward_grad_sync") is not True:
        return
    kept = [states(optimizer.value) for optimizer in step.optimizers]
    reached = [
        one
        for one in step.trained()
        if one.member.is_in(wrapper.value)
        and id(one.tensor) in step.reached()
        and any(id(one.tensor) in of for of in kept)
    ]
    if not reached or _synchronises(step, [one.tensor for one in reached]):
        return
    for loss in step.losses:
        if _is_of_this_round(step, wrapper, loss):
            yield Violation(
                (
                    f"{wrapper.name} has never been called",
                    ": ",
                    "the gradients of the module inside are not synchronised",
                ),
                (f"{wrapper.name}._lazy_init_ran", "False"),
                (reached[0].name, f"{loss.name} leads to it"),
                line=step.source.line_of(loss.name) or (step.source.file, loss.backward.lineno),
                suggestion=f"call {wrapper.name}",
            )
            return


def _synchronises(step: Step, parameters: list[Any]) -> bool:
    """Whether something else may bring the gradients, or the weights, of all processes together."""
    if any(hooks_of(one) or grad_hooks_of(one) for one in parameters):
        return True
    for optimizer in step.optimizers:
        if not class_module(type(optimizer.value)).startswith("torch.optim.") or has_step_hooks(optimizer.value):
            return True
    sources = [*step.sources, *(called.source for called in functions_called(step))]
    return any(source.mentions(*COLLECTIVES) for source in sources)


def _is_of_this_round(step: Step, wrapper: VisibleVariable, loss: Loss) -> bool:
    """Whether a loss was made since there is this wrapper: what was trained before it was wrapped needed none."""
    source, line = step.source, loss.backward.lineno
    if source.loop_of(line) != source.loop_of(source.lineno) or source.with_block(line, "no_sync"):
        return False
    if any(_lines_of(step, wrapper, level) for level in range(step.level)):
        return False
    return not any(at >= line or source.loop_of(at) is not None for at in _lines_of(step, wrapper, step.level))


def _lines_of(step: Step, wrapper: VisibleVariable, level: int) -> list[int]:
    """The lines of a frame's source that bind a name of the wrapper there."""
    keys = [key for (at, key), value in step.named_values() if at == level and value is wrapper.value]
    return [line for key in keys for line in step.sources[level].lines_of(key)]
