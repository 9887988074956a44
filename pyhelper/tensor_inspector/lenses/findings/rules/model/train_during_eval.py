"""A model is scored in train mode, with gradients off.

Why: Scores are noisy, and validation data leaks into the model.

Example:
    with torch.no_grad():
        for x, y in test_loader:
            correct += (model(x).argmax(1) == y).sum()

Instead:
    model.eval()
    with torch.no_grad():
        for x, y in test_loader:
            correct += (model(x).argmax(1) == y).sum()

Silent when:
    - the model has neither active dropout nor a batch norm that keeps statistics (batch norm alone is fine where noise
      goes in)
    - the source mentions `training`, or sets a mode between the call and this line
    - the call stands in a training step, or a function that is called in one, as for targets
    - the model is called again and again with the same, so that dropout is wanted, or only to learn a shape
    - the result is not used, or a caller switched gradients off and nothing compares the result with labels
    - a caller, or the function itself, has just called `train()` on this model
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.metadata import shape_of
from ....flow.effects import PUTTING
from ....step.calls import Call
from ....step.classes import function_called
from ....step.expressions import bound_in, last_name, text_of
from ....step.grad_mode import no_grad_block
from ....step.source import Source
from ....step.statements import last_line
from ....step.step import Step
from ....step.trainers.handed import is_evaluated_by_library
from ...finding import Violation
from ...rule import rule
from .parts.call_purpose import is_drawn_again, is_given_noise, is_tried_out, meets_an_argument, names_below
from .parts.layer_kinds import is_dropout, is_norm


@rule(
    "error",
    why="Scores are noisy, and validation data leaks into the model.",
    suggestion="model.eval()",
    needs="module source",
)
def train_during_eval(step: Step) -> Iterator[Violation]:
    source = step.here
    if step.grad_mode or not source.is_known() or source.mentions("training"):
        return  # where it sets the modes by hand, it is in the midst of that perhaps
    lines = _off_by_itself(source)
    is_scoring = lines is None and _scores_between_epochs(step)
    is_validation = lines is None and is_evaluated_by_library(step.sources)
    first, last = lines or (0, 10**9)
    for call, variable, level in step.calls_of_modules():
        if (
            level != 0
            or not first <= call.lineno <= last
            or call.is_statement
            or call.target == "_"
            or is_tried_out(step, call)
            or _is_in_training_step(source, call.lineno)
            or (_is_called_in_training_step(step) and not _judges_after_it(step, call))
        ):
            continue
        instead = _set_instead(step, variable.value) if is_scoring and _counts_right(source, call) else None
        is_judged = (
            lines is not None
            or instead is not None
            or _is_judged(source, call)
            or (is_validation and meets_an_argument(source, call))
        )
        if not is_judged or (lines is None and instead is None and _sets_train_around(step, variable.value)):
            continue  # a caller has switched gradients off: for a target, or with dropout on purpose
        first_line, last_line = sorted((call.lineno, source.lineno))
        if any(first_line <= other.lineno <= last_line for other in source.calls_of("eval", "train")):
            continue  # it may be in another mode there
        if _is_set_to_train(step, call, variable.value):
            continue
        if is_drawn_again(source, call):
            continue  # the dropout is wanted
        top = step.members.get(id(variable.value))
        if top is None or top[1].training is not True or not source.is_current(text_of(call.node.func), call.lineno):
            continue
        inside = [(name, member) for name, member in step.members.values() if member.is_in(variable.value)]
        drops = [name for name, member in inside if is_dropout(member) and member.training is True]
        norms = [name for name, member in inside if is_norm(member) and member.training is True]
        if not drops and (not norms or is_given_noise(step, call)):
            continue
        off = f"dropout {drops[0]} is active" if drops else ""
        moved = f"batch norm {norms[0]} takes this batch into its statistics" if norms else ""
        yield Violation(
            (
                f"{call.callee} is in train mode {'under no_grad' if lines is not None else 'in an evaluation'}",
                ": ",
                f"{' and '.join(filter(None, (off, moved)))}",
            ),
            (f"{call.callee}.training", "True"),
            *(((f"{instead}.training", "False"),) if instead is not None else ()),
            *((f"{name}.training", "True") for name in (*norms[:2], *drops[:2])),
            line=(source.file, call.lineno),
            certain=not is_validation,  # where a library sets the mode, another is meant perhaps
            suggestion=f"{call.callee}.eval() before it, {call.callee}.train() after",
        )
        return


def _off_by_itself(source: Source) -> tuple[int, int] | None:
    """The lines in which a source itself has switched gradients off, as they are now; None where a caller has."""
    block = no_grad_block(source, source.lineno) or source.with_block(source.lineno, "set_grad_enabled")
    if block is not None:
        return block.lineno, last_line(block)
    if any("no_grad" in text or "inference_mode" in text for text in source.decorators):
        return 0, 10**9
    switched = [one.lineno for one in source.calls_of("set_grad_enabled") if one.lineno < source.lineno]
    return (switched[-1], 10**9) if switched else None


def _sets_train_around(step: Step, model: Any) -> bool:
    """Tells whether a caller has set train mode for this: in the block of the call, or before no training at all, or
    where it calls the active function again and again, to vote."""
    for level, source in enumerate(step.sources[1:], 1):
        calls = [one for one in source.calls_of("train") if one.lineno <= source.lineno]
        found = ((one, step.module_of(text_of(one.receiver), level)) for one in calls)
        trains = [one.lineno for one, known in found if known is not None and known.value is model]
        around = [block.lineno for block in source.blocks if block.lineno <= source.lineno <= last_line(block)]
        if trains and (not source.backwards or (around and max(trains) >= min(around)) or _is_repeated(source)):
            return True
    return False


def _is_repeated(source: Source) -> bool:
    """Whether the line that runs stands in a comprehension, or in a loop of its own in a block, that calls again."""
    return any(
        isinstance(node, (ast.ListComp, ast.GeneratorExp)) and node.lineno <= source.lineno <= last_line(node)
        for node in source.nodes
    )


def _scores_between_epochs(step: Step) -> bool:
    """Whether a caller has switched gradients off, and sets no mode by name, in a loop that runs an epoch before."""
    off = False
    for at, source in enumerate(step.sources[1:], 1):
        loop = source.loop_of(source.lineno)
        if loop is not None:
            lines = [one.lineno for one in source.backwards]
            lines += [call.lineno for call in source.calls if _runs_backwards(step, call, at)]
            return off and any(loop[0] <= line <= source.lineno for line in lines)
        if source.calls_of("train", "eval") or source.mentions("training"):
            return False
        off = off or any(block.lineno <= source.lineno <= (block.end_lineno or 0) for block in source.blocks)
        off = off or any("no_grad" in text or "inference_mode" in text for text in source.decorators)
    return False


def _runs_backwards(step: Step, call: Call, level: int) -> bool:
    called = function_called(step, call, level)
    return called is not None and bool(called.backwards)


def _counts_right(source: Source, call: Call) -> bool:
    """Whether what a model gives in a loop over batches is compared with what came with its input: ``out.argmax(1) == y``."""
    if not source.is_done(call) or call.target is None or not _compares_batches(source, call):
        return False
    if any(block.lineno <= call.lineno <= (block.end_lineno or 0) for block in source.blocks):
        return False  # which may set the mode for this call alone
    for part in source.body:
        for loop in ast.walk(part):
            if isinstance(loop, ast.For) and any(node is call.node for node in ast.walk(loop)):
                others = set(bound_in(loop.target)) - names_below(call.node)
                for node in ast.walk(loop):
                    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq):
                        names = names_below(node)
                        if call.target in names and names & others:
                            return True
    return False


def _is_judged(source: Source, call: Call) -> bool:
    """Whether what a model gives meets the labels of its batch, in a comparison, a difference or a loss; not where the call
    stands in a block, which may set the mode for it alone."""
    if call.target is None or any(one.lineno <= call.lineno <= last_line(one) for one in source.blocks):
        return False
    given = names_below(call.node)
    others = {name for loop in source.nodes if isinstance(loop, ast.For) for name in bound_in(loop.target)} - given
    meeting = (
        node
        for node in source.nodes
        if isinstance(node, (ast.Compare, ast.BinOp))
        or (isinstance(node, ast.Call) and last_name(node.func) not in PUTTING)
    )
    is_met = any(call.target in met and met & others for met in map(names_below, meeting))
    return is_met and _compares_batches(source, call)


def _set_instead(step: Step, model: Any) -> str | None:
    """What trains, and is in eval mode, while its copy that is called is not: the wrong one of both was set."""
    sizes = _sizes_of(step, model)
    for variable in step.modules:
        if variable.value is model or type(variable.value) is not type(model):
            continue
        parts = [member for _, member in step.members.values() if member.is_in(variable.value)]
        trains = any(one.member.is_in(variable.value) for one in step.trainable())
        if trains and all(part.training is False for part in parts) and _sizes_of(step, variable.value) == sizes:
            return variable.name
    return None


def _sizes_of(step: Step, model: Any) -> list[tuple[int, ...]]:
    return [shape_of(one.tensor) for one in step.parameters.values() if one.member.is_in(model)]


def _is_set_to_train(step: Step, call: Call, model: Any) -> bool:
    """Whether a function that only evaluates has set the mode itself: to renew statistics, or to vote with dropout."""
    calls = [other for other in step.here.calls_of("train") if other.lineno < call.lineno and not other.args]
    modules = [step.module_of(text_of(other.receiver), 0) for other in calls]
    return not step.here.backwards and any(variable is not None and variable.value is model for variable in modules)


def _is_in_training_step(source: Source, line: int) -> bool:
    """Whether a line stands in the loop, or in the function, in which a backward is called too."""
    loop = source.loop_of(line)
    if loop is None:
        return bool(source.backwards)
    inside = [backward for backward in source.backwards if loop[0] <= backward.lineno <= loop[1]]
    if not inside:
        return bool(source.backwards) and not any(source.loop_of(backward.lineno) for backward in source.backwards)
    inner = [found for backward in inside if (found := source.loop_of(backward.lineno)) is not None]
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


def _judges_after_it(step: Step, call: Call) -> bool:
    """Whether the active function compares what a model gives with what comes with its input, batch after batch, and the
    function around has made its step before: for a score, not for a target."""
    if not _compares_batches(step.here, call):
        return False
    for source in step.sources[1:]:
        loop = source.loop_of(source.lineno)
        if loop is None:
            continue
        inside = [backward.lineno for backward in source.backwards if loop[0] <= backward.lineno <= loop[1]]
        steps = [one.lineno for one in source.calls_of("step") if inside and one.lineno > max(inside)]
        return any(line < source.lineno for line in steps) and max(inside) < source.lineno
    return False


def _compares_batches(source: Source, call: Call) -> bool:
    """Whether a call stands in a loop over batches that gives it a part of each, and reads another part elsewhere."""
    inside = {id(node) for node in ast.walk(call.node)}
    given = names_below(call.node)
    for part in source.body:
        for loop in ast.walk(part):
            if not isinstance(loop, ast.For) or not any(node is call.node for node in ast.walk(loop)):
                continue
            names = set(bound_in(loop.target))
            nodes = [node for statement in loop.body for node in ast.walk(statement)]
            is_alone = not any(
                node is not loop and isinstance(node, (ast.For, ast.While)) and id(call.node) in map(id, ast.walk(node))
                for node in nodes
            )
            others = names - given or names  # of one name it is another item
            read = [
                node
                for node in nodes
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in inside
            ]
            if is_alone and names & given and any(node.id in others for node in read):
                return True
    return False


def _runs_one_backward(step: Step, call: Call, level: int) -> bool:
    """Whether a call runs a function of the user that itself calls backward, in no loop: a step, not an epoch."""
    called = function_called(step, call, level)
    return called is not None and any(called.loop_of(backward.lineno) is None for backward in called.backwards)
