"""Training of a model that is in eval mode."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from .....measure.torch.metadata import element_count, is_exact_tensor, requires_grad
from .....measure.torch.modules import Member
from .....measure.torch.node import AutogradNode
from .....safe.budget import Steps
from ....step.called import Called, functions_called
from ....step.calls import Call
from ....step.classes import function_called, methods_of
from ....step.expressions import text_of
from ....step.sight import Thing
from ....step.source import Source
from ....step.step import Step
from ...ahead.calls import coming_calls, is_made_of, may_change
from ...ahead.meantime import runs_its_forward_alone
from ...finding import Found
from ...lines import Line
from ...rule import rule
from .mode import is_dropout, is_norm


class _Parts:
    """What acts in another way in eval mode: the names of batch norms and of dropouts, and whether some is in train mode."""

    __slots__ = ("drops", "is_mixed", "norms")

    def __init__(self, step: Step, module: Any) -> None:
        parts = [(name, member) for name, member in step.members.values() if member.is_in(module)]
        norms = [(name, member) for name, member in parts if is_norm(member) and _trains(member)]
        drops = [(name, member) for name, member in parts if is_dropout(member)]
        self.norms = [name for name, member in norms if member.training is False]
        self.drops = [name for name, member in drops if member.training is False]
        self.is_mixed = len(self.norms) + len(self.drops) < len(norms) + len(drops)


@rule(
    "error",
    why="Without dropout, and with frozen statistics, another model is trained than is meant.",
    suggestion="model.train()",
    needs="optimizer module source",
)
def eval_during_training(step: Step) -> Iterator[Found]:
    """A loss was computed in eval mode, or is about to be, though an optimizer is to train the model by it."""
    trains = list(_optimizer_steps(step))
    if not step.grad_mode:
        return
    file, found = step.source.file, list[tuple[Thing, _Parts]]()
    if trains:
        found = [*_computed(step, trains)] or [*_to_come(step, trains)]
    elif not step.source.backwards:
        file, trains, roots = _trained_below(step)
        found = [*_in_eval_mode(step, roots)]
    for thing, parts in found:
        name = step.members[id(thing.value)][0]  # in the active frame, as that of a forward
        norm, drop = (thing.name + part[len(name) :] for part in ((*parts.norms, name)[0], (*parts.drops, name)[0]))
        what = f"batch norm no longer moves {norm}.running_mean" if parts.norms else ""
        off = f"dropout {drop} is off" if parts.drops else ""
        yield Found(
            f"{thing.name} is in eval mode in a training step: {' and '.join(filter(None, (off, what)))}",
            (f"{name}.training", "False"),
            *((f"{part}.training", "False") for part in (*parts.norms[:2], *parts.drops[:2])),
            line=_set_to_eval(step, thing) or (file, trains[0].lineno),
            suggestion=f"{thing.name}.train() before the loop, and after each evaluation",
        )


def _optimizer_steps(step: Step) -> Iterator[Call]:
    """The calls of ``step`` of optimizers and scalers in sight."""
    for things in (step.optimizers, step.scalers):
        for call in step.source.calls_of("step"):
            if any(thing.key == text_of(call.receiver) for thing in things):
                yield call


def _held(step: Step, module: Any) -> set[int]:
    """The trainable parameters of a module that an optimizer holds."""
    found = (one for one in step.parameters.values() if one.member.is_in(module) and requires_grad(one.tensor))
    return {id(one.tensor) for one in found} & step.optimized


def _computed(step: Step, trains: list[Call]) -> Iterator[tuple[Thing, _Parts]]:
    """By the graph: the models of which a loss was computed in eval mode."""
    source = step.source
    losses = [loss for loss in step.losses if _is_stepped_with(source, loss.backward.lineno, trains)]
    losses = [loss for loss in losses if not (loss.pending and _is_undecided(source, loss.backward.lineno))]
    yield from _in_eval_mode(step, _nodes_of(step, (loss.tensor for loss in losses)))


def _nodes_of(step: Step, tensors: Iterable[Any]) -> list[AutogradNode]:
    return [node for node in map(step.node_of, tensors) if node is not None]


def _trained_below(step: Step) -> tuple[str, list[Call], list[AutogradNode]]:
    """The steps of an optimizer in a function or generator that the frame calls, and the losses that it gives."""
    for called in functions_called(step):
        things = [*step.optimizers, *step.scalers]
        steps = [
            call
            for call in called.source.calls_of("step")
            if any(thing.value is called.value(text_of(call.receiver)) for thing in things)
        ]
        if steps and any(_is_stepped_with(called.source, one.lineno, steps) for one in called.source.backwards):
            return called.source.file, steps, _nodes_of(step, _results_of(step, called))
    return "", [], []


def _results_of(step: Step, called: Called) -> Iterator[Any]:
    """The single numbers that a frame has from a call, at once or in a loop over them."""
    while called.caller is not None:
        called = called.caller
    source, view = step.sources[called.view], called.view
    for name, bindings in source.bindings.items():
        for line, node in bindings:
            given = node.iter if isinstance(node, (ast.For, ast.AsyncFor)) else getattr(node, "value", None)
            if given is None or not any(below is called.call.node for below in ast.walk(given)):
                continue
            value = step.value(name, view)
            is_done = line < source.lineno and source.is_current(name, line + 1)
            if is_done and is_exact_tensor(value) and requires_grad(value) and element_count(value) == 1:
                yield value


def _in_eval_mode(step: Step, roots: list[AutogradNode]) -> Iterator[tuple[Thing, _Parts]]:
    """The models in eval mode whose parameters losses lead to, by layers that were in that mode too."""
    reached = [(root, {id(leaf) for leaf in step.graph.leaves(root)}) for root in roots]
    for thing in step.modules:
        held = _held(step, thing.value)
        if step.members[id(thing.value)][1].training is not False or not held:
            continue
        parts, steps = _Parts(step, thing.value), Steps(step.budget)
        below = [
            node for root, leaves in reached if leaves & held for node in step.graph.below(root) if not steps.end()
        ]
        if not below or steps.over:
            continue
        modes = {
            node.setting("training")
            for node in below
            if node.op in ("NativeBatchNorm", "CudnnBatchNorm", "MiopenBatchNorm")
        }
        if True in modes:
            continue  # the mode of its parts was set one by one
        dropped = any(node.op in ("NativeDropout", "FusedDropout") or _is_masked(node) for node in below)
        if (parts.norms and modes == {False}) or (parts.drops and not dropped and not parts.norms):
            yield thing, parts


def _is_undecided(source: Source, line: int) -> bool:
    """Whether a condition that is still to come decides if a line is reached: ``if train:``"""
    return source.is_conditional(line, seen_from=source.lineno)


def _to_come(step: Step, trains: list[Call]) -> Iterator[tuple[Thing, _Parts]]:
    """By the source: the models that are in eval mode as they are about to be called for such a loss."""
    source = step.source
    for coming in coming_calls(step):
        thing, backward = coming.thing, coming.backward
        known = step.members.get(id(thing.value))
        if known is None or known[1].training is not False or not _held(step, thing.value):
            continue
        parts = _Parts(step, thing.value)
        if parts.is_mixed or not (parts.norms or parts.drops):
            continue
        if (
            is_made_of(source, coming)
            and _is_stepped_with(source, backward.lineno, trains)
            and runs_its_forward_alone(step, thing.value, "train", "eval")
            and not may_change(step, coming, backward.lineno, "train", "eval", "training")
        ):
            yield thing, parts
            return


def _set_to_eval(step: Step, thing: Thing) -> Line | None:
    """The line that has set a model to eval mode: of the frames in sight, a method, or a function that they call."""
    for view, source in enumerate(step.sources):
        found = [call.lineno for call in source.calls_of("eval") if _is_of(step, call, view, thing)]
        before = [line for line in found if line < source.lineno]
        if found:
            return source.file, max(before or found)
    for view, source in enumerate(step.sources):
        owner = step.value(source.self_name, view)
        methods = [] if owner is None else [method for _, method in methods_of(type(owner))]
        functions = [function_called(step, call, view) for call in source.calls]
        for called in (*methods, *(function for function in functions if function is not None)):
            lines = [call.lineno for call in called.calls_of("eval") if _is_of(step, call, view, thing)]
            if lines:
                return called.file, lines[-1]
    return None


def _is_of(step: Step, call: Call, view: int, thing: Thing) -> bool:
    """Whether a method is called of a model, or of it as it is made: ``net = Net().eval()``."""
    found = step.module_of(text_of(call.receiver), view)
    return found.value is thing.value if found is not None else call.target == thing.key


def _is_stepped_with(source: Source, backward: int, steps: list[Call]) -> bool:
    """Whether a step follows a backward before the gradients are cleared, or a mode set: not so in an attack on inputs."""
    after = [call.lineno for call in steps if call.lineno >= backward]
    between = range(backward + 1, min(after)) if after else ()
    return not any(call.lineno in between for call in source.calls_of("train", "eval", "zero_grad"))


def _is_masked(node: Any) -> bool:
    """Whether it is a product with a mask, as dropout on the CPU is: of the same shape, with only one input of a node."""
    return node.op == "Mul" and len(node.inputs) == 2 and node.inputs[1] is None and node.sizes() not in (None, ())


def _trains(member: Member) -> bool:
    parts = [tensor for _, tensor in member.part("_parameters")]
    return not parts or any(requires_grad(tensor) for tensor in parts)
