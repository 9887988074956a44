"""Rules about the mode of a model: train or eval."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....measure.torch.metadata import requires_grad
from .....measure.torch.modules import Member, is_of
from .....safe.budget import Steps
from .....safe.guard import NUMBERS
from ....step.expressions import text_of
from ....step.sight import Thing
from ....step.source import Call, Source
from ....step.step import Step
from ...classes import function_called, methods_of
from ...finding import Found
from ...places import Line
from ...rule import Rule

DROPOUT = ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout")


def eval_during_training(step: Step) -> Iterator[Found]:
    """The loss was computed in eval mode, though an optimizer is about to train the model."""
    source = step.source
    trains = [
        call
        for call in source.calls_of("step")
        if any(thing.key == text_of(call.receiver) for thing in step.optimizers)
    ]
    trains += [
        call for call in source.calls_of("step") if any(thing.key == text_of(call.receiver) for thing in step.scalers)
    ]
    if not trains or not step.grad_mode:
        return
    losses = [loss for loss in step.losses if _is_stepped_with(source, loss.backward.lineno, trains)]
    roots = [node for node in (step.node_of(loss.tensor) for loss in losses) if node is not None]
    reached = [(root, {id(leaf) for leaf in step.graph.leaves(root)}) for root in roots]
    for thing in step.modules:
        top = step.members[id(thing.value)][1]
        parts = [(name, member) for name, member in step.members.values() if member.top.module is thing.value]
        held = {
            id(one.tensor)
            for one in step.parameters.values()
            if one.root.value is thing.value and requires_grad(one.tensor)
        } & step.held
        if top.training is not False or not held:
            continue
        norms = [name for name, member in parts if _is_norm(member) and member.training is False and _trains(member)]
        drops = [name for name, member in parts if is_dropout(member) and member.training is False]
        steps = Steps(step.budget)
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
        proven = (norms and modes == {False}) or (drops and not dropped and not norms)
        if proven:
            what = f"batch norm no longer moves {norms[0]}.running_mean" if norms else ""
            off = f"dropout {drops[0]} is off" if drops else ""
            yield Found(
                f"{thing.name} is in eval mode in a training step: {' and '.join(filter(None, (off, what)))}",
                (f"{thing.name}.training", "False"),
                *((f"{name}.training", "False") for name in (*norms[:2], *drops[:2])),
                line=_set_to_eval(step, thing) or (source.file, trains[0].lineno),
                suggestion=f"{thing.name}.train() before the loop, and after each evaluation",
            )


def _set_to_eval(step: Step, thing: Thing) -> Line | None:
    """The line that has set a model to eval mode: of the frames in sight, a method, or a function that they call."""
    for view, source in enumerate(step.sources):
        found = [call.lineno for call in source.calls_of("eval") if _is_of(step, call, view, thing)]
        before = [line for line in found if line < source.lineno]
        if found:
            return source.file, max(before or found)
    for view, source in enumerate(step.sources):
        owner = step.value("self", view)
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


def _is_norm(member: Member) -> bool:
    return is_of(member.module, "_BatchNorm") and member.setting("track_running_stats") is True


def _trains(member: Member) -> bool:
    parts = [tensor for _, tensor in member.part("_parameters")]
    return not parts or any(requires_grad(tensor) for tensor in parts)


def is_dropout(member: Member) -> bool:
    rate = member.setting("p")
    return is_of(member.module, *DROPOUT) and type(rate) in NUMBERS and rate > 0


def train_during_eval(step: Step) -> Iterator[Found]:
    """Under no_grad, outside of a training step, a model is called in train mode."""
    source = step.here
    if step.grad_mode or not source.is_known():
        return
    block = source.is_under(source.lineno, "no_grad", "inference_mode")
    whole = any("no_grad" in text or "inference_mode" in text for text in source.decorators)
    if block is None and not whole:
        return
    first, last = (block.lineno, block.end_lineno or block.lineno) if block is not None else (0, 10**9)
    for call, thing, view in step.calls_of_modules():
        if (
            view != 0
            or not first <= call.lineno <= last
            or call.is_statement
            or _is_in_training_step(source, call.lineno)
            or _is_called_in_training_step(step)
        ):
            continue
        first_line, last_line = sorted((call.lineno, source.lineno))
        if any(first_line <= other.lineno <= last_line for other in source.calls_of("eval", "train")):
            continue  # it may be in another mode there
        top = step.members.get(id(thing.value))
        if top is None or top[1].training is not True or not source.is_current(text_of(call.node.func), call.lineno):
            continue
        inside = [(name, member) for name, member in step.members.values() if member.is_in(thing.value)]
        drops = [name for name, member in inside if is_dropout(member) and member.training is True]
        norms = [name for name, member in inside if _is_norm(member) and member.training is True]
        if not drops and not norms:
            continue
        off = f"dropout {drops[0]} is active" if drops else ""
        moved = f"batch norm {norms[0]} takes this batch into its statistics" if norms else ""
        yield Found(
            f"{call.callee} is in train mode under no_grad: {' and '.join(filter(None, (off, moved)))}",
            (f"{call.callee}.training", "True"),
            *((f"{name}.training", "True") for name in (*norms[:2], *drops[:2])),
            line=(source.file, call.lineno),
            suggestion=f"{call.callee}.eval() before it, {call.callee}.train() after",
        )
        return


def _is_in_training_step(source: Source, line: int) -> bool:
    """Whether a line stands in the loop, or in the function, in which a backward is called too."""
    loop = source.loop_of(line)
    if loop is None:
        return bool(source.backwards)
    own = [backward for backward in source.backwards if loop[0] <= backward.lineno <= loop[1]]
    if not own:
        return bool(source.backwards) and not any(source.loop_of(backward.lineno) for backward in source.backwards)
    inner = [found for backward in own if (found := source.loop_of(backward.lineno)) is not None]
    return any(found == loop or (found[0] <= line <= found[1]) for found in inner)


def _is_called_in_training_step(step: Step) -> bool:
    """Whether a function around calls the active one in the round of a loop that trains: for targets, or keys."""
    for at, source in enumerate(step.sources[1:], 1):
        loop = source.loop_of(source.lineno)
        rounds = [backward for backward in source.backwards if source.loop_of(backward.lineno) == loop]
        if rounds or (source.backwards and loop is not None and _is_in_training_step(source, source.lineno)):
            return True
        if loop is not None and any(
            source.loop_of(call.lineno) == loop and _runs_one_backward(step, call, at) for call in source.calls
        ):
            return True
    return False


def _runs_one_backward(step: Step, call: Call, view: int) -> bool:
    """Whether a call runs a function of the user that itself calls backward, in no loop: a step, not an epoch."""
    called = function_called(step, call, view)
    return called is not None and any(called.loop_of(backward.lineno) is None for backward in called.backwards)


RULES = [
    Rule(
        "eval-during-training",
        eval_during_training,
        "loss optimizer module source",
        "error",
        "Without dropout, and with frozen statistics, another model is trained than is meant.",
        "model.train()",
    ),
    Rule(
        "train-during-eval",
        train_during_eval,
        "module source",
        "error",
        "Scores are noisy, and validation data leaks into the model.",
        "model.eval()",
    ),
]
