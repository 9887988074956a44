"""A model in eval mode is trained by an optimizer.

Why: Without dropout, and with frozen statistics, another model is trained than is meant.

Example:
    model.eval()
    evaluate(model)
    for x, y in loader:  # no model.train()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()

Instead:
    for x, y in loader:
        model.train()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()

Silent when:
    - the model has neither dropout nor a trained batch norm that keeps statistics
    - some of its parts are in train mode: their modes were set one by one
    - no step follows the backward before gradients are cleared or a mode is set, as in an attack on inputs
    - a condition that is still to come decides whether the backward runs
    - gradients are off, or no optimizer holds a parameter that the loss leads to
    - the dropout lies behind frozen parameters, or the graph shows that it was on
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from .....measure.torch.metadata import element_count, is_exact_tensor, requires_grad
from .....measure.torch.modules import Member
from .....measure.torch.node import AutogradNode
from .....safe.budget import Steps
from ....flow.lines import Line
from ....flow.module_entries import ALL_PARTS
from ....flow.reach.between import runs_its_forward_alone
from ....flow.reach.coming_calls import coming_calls, is_computed_from, may_change
from ....step.calls import Call
from ....step.classes import function_called, is_library, methods_of, own_methods_of
from ....step.expressions import text_of
from ....step.functions import Called, functions_called
from ....step.sight import VisibleVariable
from ....step.source import Source
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.layer_kinds import is_dropout, is_norm


class _Parts:
    """What acts in another way in eval mode: the names of batch norms and of dropouts, and whether some is in train mode."""

    __slots__ = ("drops", "is_mixed", "norms")

    def __init__(self, step: Step, module: Any) -> None:
        parts = [(name, member) for name, member in step.members.values() if member.is_in(module)]
        norms = [(name, member) for name, member in parts if is_norm(member) and _trains(step, member)]
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
def eval_during_training(step: Step) -> Iterator[Violation]:
    trains = list(_optimizer_steps(step))
    if not step.grad_mode:
        return
    file, found = step.source.file, list[tuple[VisibleVariable, _Parts]]()
    if trains:
        found = [*_computed(step, trains)] or [*_to_come(step, trains)]
        if not found:
            yield from _left_in_eval(step)
    elif step.is_handed_back and step.optimizers:  # a library steps after the backward of what is returned
        trains = [loss.backward.call for loss in step.losses[:1]]
        found = [*_in_eval_mode(step, _nodes_of(step, (loss.tensor for loss in step.losses)))]
    elif not step.source.backwards:
        file, trains, roots = _trained_below(step)
        found = [*_in_eval_mode(step, roots)]
    for variable, parts in found:
        name = step.members[id(variable.value)][0]  # in the active frame, as that of a forward
        norm, drop = (variable.name + part[len(name) :] for part in ((*parts.norms, name)[0], (*parts.drops, name)[0]))
        what = f"batch norm no longer moves {norm}.running_mean" if parts.norms else ""
        off = f"dropout {drop} is off" if parts.drops else ""
        yield Violation(
            (f"{variable.name} is in eval mode in a training step", ": ", f"{' and '.join(filter(None, (off, what)))}"),
            (f"{name}.training", "False"),
            *((f"{part}.training", "False") for part in (*parts.norms[:2], *parts.drops[:2])),
            line=_set_to_eval(step, variable) or (file, trains[0].lineno),
            suggestion=f"{variable.name}.train() before the loop, and after each evaluation",
        )


def _left_in_eval(step: Step) -> Iterator[Violation]:
    """A model whose own ``train`` sets its mode and not that of its parts: these stay as an evaluation has left them."""
    reached = {id(leaf) for loss in step.losses for leaf in _leaves_of(step, loss.tensor)}
    for variable in step.modules:
        name, member = step.members[id(variable.value)]
        own = None if is_library(type(variable.value)) else dict(methods_of(type(variable.value))).get("train")
        if own is None or member.training is not True or not reached & _held(step, variable.value):
            continue
        if not own.is_known() or own.mentions("Module", *ALL_PARTS) or own.calls_of("train"):
            continue
        if not own.mentions("training") or _stills_its_parts(type(variable.value)):
            continue  # parts that it has in eval mode on purpose
        parts = _Parts(step, variable.value)
        acting = {
            part: part[len(name) + 1 :].replace("[", ".").partition(".")[0] for part in (*parts.drops, *parts.norms)
        }
        left = [part for part, attribute in acting.items() if not own.mentions(attribute)]
        if not left or parts.is_mixed:
            continue
        yield Violation(
            (
                f"{left[0]} is in eval mode in a training step",
                ": ",
                f"{own.function}() of {variable.name} sets its own mode, not that of its parts",
            ),
            (f"{name}.training", "True"),
            *((f"{part}.training", "False") for part in left[:4]),
            line=(own.file, own.body[0].lineno),
            suggestion="super().train(mode) in it",
        )


def _stills_its_parts(cls: type) -> bool:
    """Whether a method other than ``train`` sets parts to eval mode, as for good."""
    return any(source.calls_of("eval") for name, source in methods_of(cls) if name != "train")


def _leaves_of(step: Step, tensor: Any) -> Iterable[Any]:
    root = step.node_of(tensor)
    return [] if root is None else step.graph.leaves(root)


def _optimizer_steps(step: Step) -> Iterator[Call]:
    """The calls of ``step`` of optimizers and scalers in sight."""
    for variables in (step.optimizers, step.scalers):
        for call in step.source.calls_of("step"):
            if any(variable.key == text_of(call.receiver) for variable in variables):
                yield call


def _held(step: Step, module: Any) -> set[int]:
    """The trainable parameters of a module that an optimizer holds."""
    found = (one for one in step.trainable() if one.member.is_in(module))
    return {id(one.tensor) for one in found} & step.optimized


def _computed(step: Step, trains: list[Call]) -> Iterator[tuple[VisibleVariable, _Parts]]:
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
        variables = [*step.optimizers, *step.scalers]
        steps = [
            call
            for call in called.source.calls_of("step")
            if any(variable.value is called.value(text_of(call.receiver)) for variable in variables)
        ]
        if steps and any(_is_stepped_with(called.source, one.lineno, steps) for one in called.source.backwards):
            return called.source.file, steps, _nodes_of(step, _results_of(step, called))
    return "", [], []


def _results_of(step: Step, called: Called) -> Iterator[Any]:
    """The single numbers that a frame has from a call, at once or in a loop over them."""
    while called.caller is not None:
        called = called.caller
    source, level = step.sources[called.level], called.level
    for name, bindings in source.bindings.items():
        for line, node in bindings:
            given = node.iter if isinstance(node, (ast.For, ast.AsyncFor)) else getattr(node, "value", None)
            if given is None or not any(below is called.call.node for below in ast.walk(given)):
                continue
            value = step.value(name, level)
            is_done = line < source.lineno and source.is_current(name, line + 1)
            if is_done and is_exact_tensor(value) and requires_grad(value) and element_count(value) == 1:
                yield value


def _in_eval_mode(step: Step, roots: list[AutogradNode]) -> Iterator[tuple[VisibleVariable, _Parts]]:
    """The models in eval mode whose parameters losses lead to, by layers that were in that mode too."""
    reached = [(root, {id(leaf) for leaf in step.graph.leaves(root)}) for root in roots]
    for variable in step.modules:
        held = _held(step, variable.value)
        if step.members[id(variable.value)][1].training is not False or not held:
            continue
        parts, steps = _Parts(step, variable.value), Steps(step.budget)
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
        all_reached = set[int]().union(*(leaves for _, leaves in reached))
        parts.drops = [name for name in parts.drops if _is_behind(step, name, variable.value, all_reached)]
        if (parts.norms and modes == {False}) or (parts.drops and not dropped and not parts.norms):
            yield variable, parts


def _is_behind(step: Step, dropout: str, module: Any, leaves: set[int]) -> bool:
    """Whether a part stands behind a parameter that a loss leads to: behind frozen ones it leaves no node in a graph."""
    for name, member in step.members.values():
        if name == dropout:
            return False
        if member.is_in(module) and any(id(tensor) in leaves for _, tensor in member.part("_parameters")):
            return True
    return False


def _is_undecided(source: Source, line: int) -> bool:
    """Whether a condition that is still to come decides if a line is reached: ``if train:``"""
    return source.is_conditional(line, seen_from=source.lineno)


def _to_come(step: Step, trains: list[Call]) -> Iterator[tuple[VisibleVariable, _Parts]]:
    """By the source: the models that are in eval mode as they are about to be called for such a loss."""
    source = step.source
    for coming in coming_calls(step):
        variable, backward = coming.variable, coming.backward
        known = step.members.get(id(variable.value))
        if known is None or known[1].training is not False or not _held(step, variable.value):
            continue
        parts = _Parts(step, variable.value)
        if parts.is_mixed or not (parts.norms or parts.drops):
            continue
        if (
            is_computed_from(step, coming)
            and _is_stepped_with(source, backward.lineno, trains)
            and runs_its_forward_alone(step, variable.value, "train", "eval")
            and not may_change(step, coming, backward.lineno, "train", "eval", "training")
        ):
            yield variable, parts
            return


def _set_to_eval(step: Step, variable: VisibleVariable) -> Line | None:
    """The line that has set a model to eval mode: of the frames in sight, a method, or a function that they call."""
    for level, source in enumerate(step.sources):
        found = [call.lineno for call in source.calls_of("eval") if _is_of(step, call, level, variable)]
        before = [line for line in found if line < source.lineno]
        if found:
            return source.file, max(before or found)
    for level, source in enumerate(step.sources):
        methods = [method for _, method in own_methods_of(step.value(source.self_name, level))]
        functions = [function_called(step, call, level) for call in source.calls]
        for called in (*methods, *(function for function in functions if function is not None)):
            lines = [call.lineno for call in called.calls_of("eval") if _is_of(step, call, level, variable)]
            if lines:
                return called.file, lines[-1]
    return None


def _is_of(step: Step, call: Call, level: int, variable: VisibleVariable) -> bool:
    """Whether a method is called of a model, or of it as it is made: ``net = Net().eval()``."""
    found = step.module_of(text_of(call.receiver), level)
    return found.value is variable.value if found is not None else call.target == variable.key


def _is_stepped_with(source: Source, backward: int, steps: list[Call]) -> bool:
    """Whether a step follows a backward before the gradients are cleared, or a mode set: not so in an attack on inputs."""
    after = [call.lineno for call in steps if call.lineno >= backward]
    between = range(backward + 1, min(after)) if after else ()
    if not after and not any(one[0] <= call.lineno <= backward <= one[1] for one in source.loops for call in steps):
        return False  # the training is over
    return not any(call.lineno in between for call in source.calls_of("train", "eval", "zero_grad"))


def _is_masked(node: Any) -> bool:
    """Whether it is a product with a mask, as dropout on the CPU is: of the same shape, with only one input of a node."""
    return node.op == "Mul" and len(node.inputs) == 2 and node.inputs[1] is None and node.sizes() not in (None, ())


def _trains(step: Step, member: Member) -> bool:
    parts = [tensor for _, tensor in member.part("_parameters")]
    return not parts or any(requires_grad(tensor) and id(tensor) in step.optimized for tensor in parts)
