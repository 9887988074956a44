"""Gradients are not cleared between two steps of the optimizer.

Why: Each step follows the sum of all gradients so far.

Example:
    for x, y in loader:
        F.cross_entropy(model(x), y).backward()
        optimizer.step()

Instead:
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()

Silent when:
    - the gradient is a new tensor, or was written anew, since the last step
    - anything in the loop, or in what it calls, bears a name of clearing (`zero_grad`, `grad = None`, `mul_(0)` …); an
      unknown call counts as one
    - the program works on the memory of gradients (`.grad.data`)
    - the optimizer has hooks, or is neither torch's nor the program's own
    - the optimizer is made anew in the loop
    - no step was made between the backwards: that is accumulation on purpose
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import version_of
from .....measure.torch.optimizers import has_step_hooks, is_optimizer
from .....measure.torch.optimizers import tensors as tensors_of
from .....safe.guard import library_of
from .....words.text import plural
from ....flow.constants.loop_values import ValueOf, values_in_line
from ....flow.events.clearing import may_clear_gradients
from ....flow.events.clears_of_others import Region
from ....flow.lines import Line
from ....step.classes import is_library, methods_of
from ....step.expressions import root_of, text_of
from ....step.frames import global_of
from ....step.functions import functions_called, sources_in_reach, value_in
from ....step.moment import Moment
from ....step.roles import Parameter
from ....step.step import Step
from ...finding import Violation
from ...rule import rule


@rule(
    "error",
    why="Each step follows the sum of all gradients so far.",
    suggestion="call optimizer.zero_grad() before backward",
    needs="optimizer",
)
def grads_accumulated(step: Step) -> Iterator[Violation]:
    summed = _summed_between_stops(step)
    if summed is not None:
        one, count = summed
        optimizer = next((call for call in step.source.calls_of("step")), None)
        yield Violation(
            (
                "gradients were not cleared since the last optimizer step",
                ": ",
                f"{one.name}.grad is the sum of {count} steps, zero_grad was not called",
            ),
            (f"{one.name}.grad", f"added to {plural(count - 1, 'time')}, while {one.name} was updated"),
            line=None if optimizer is None else (step.source.file, optimizer.lineno),
        )
        return
    grads = ((one, step.grad(one.tensor)) for one in step.trained())
    grown = [(one, version_of(grad)) for one, grad in grads if grad is not None and version_of(grad)]
    found = _steps_without_clearing(step, {id(one.tensor) for one, _ in grown}) if grown else None
    if found is not None:
        line, stepped = found
        one, times = next(((one, times) for one, times in grown if id(one.tensor) in stepped), grown[0])
        yield Violation(
            (
                "gradients are not cleared between two steps",
                ": ",
                f"nothing in the loop calls zero_grad{'' if len(step.optimizers) == 1 else ' for them'}, so {one.name}.grad adds up over its steps",
            ),
            (f"{one.name}.grad", f"added to {plural(times, 'time')}"),
            line=line,
        )


def _summed_between_stops(step: Step) -> tuple[Parameter, int] | None:
    """A parameter to whose gradient one was added since the last stop, and a step made; and how many it is the sum of."""
    stops = [moment for moment in step.moments if moment.lineno == step.source.lineno]
    if not stops or not _has_newer_graph(step, stops[-1]):
        return None
    before, subject, summing = stops[-1], None, list[Moment]()
    for one in step.trained():
        known, grad = before.weights.get(one.name), step.grad(one.tensor)
        if known is None or grad is None or not known.grad_norm or not known.had(grad) or not step.norm(grad):
            continue
        if version_of(one.tensor) == known.version:
            return None  # no step of the optimizer that has it
        if not _steps_come_first(step) and not _had_stepped(stops, one):
            return None  # this step may be the first that uses the sum
        if subject is None and version_of(grad) - known.grad_version == 1:
            subject = one
            summing = [stop for stop in stops if one.name in stop.weights and stop.weights[one.name].had(grad)]
    if subject is None or not step.source.runs_a_backward_each_round() or _may_clear_unseen(step):
        return None
    # Several stops may be of one step: only a step of the optimizer writes the parameter.
    versions = {stop.weights[subject.name].version for stop in summing}
    return subject, len(versions | {version_of(subject.tensor)})


def _may_clear_unseen(step: Step) -> bool:
    """Whether the program works on the memory of gradients, as by ``p.grad.data.zero_()``: that leaves their versions as they
    were."""
    own = {id(type(one.value)): type(one.value) for one in step.optimizers if not is_library(type(one.value))}
    sources = [*sources_in_reach(step), *(source for cls in own.values() for _, source in methods_of(cls))]
    return any(
        isinstance(node, ast.Attribute) and node.attr in ("data", "numpy") and "grad" in text_of(node.value)
        for source in sources
        for node in source.nodes
    )


def _steps_come_first(step: Step) -> bool:
    """Whether from one stop in this line to the next a step is made before a backward adds to what that has used."""
    source, keys = step.source, {variable.key for variable in step.optimizers}
    calls = [one for one in source.calls_of("step") if text_of(one.args[0] if one.args else one.receiver) in keys]
    calls = [one for one in calls if not source.is_conditional(one.lineno, seen_from=source.lineno)]
    after = [
        [(line < source.lineno, line) for line in lines]
        for lines in ([one.lineno for one in calls], [one.lineno for one in source.backwards])
    ]
    return all(after) and min(after[0]) < min(after[1])


def _had_stepped(stops: list[Moment], one: Parameter) -> bool:
    """Whether a step was made before the last stop too: what it has used was added to since."""
    known = [stop.weights[one.name].version for stop in stops[-2:] if one.name in stop.weights]
    return len(set(known)) > 1


def _has_newer_graph(step: Step, before: Moment) -> bool:
    """Whether a loss was computed since a stop: two stops in one line may be of the same round."""
    roots = step.loss_nodes()
    newest = max((root.order() for root in roots if root.leaf is None), default=-1)
    return newest < 0 or before.newest < 0 or newest > before.newest


def _steps_without_clearing(step: Step, grown: set[int]) -> tuple[Line, set[int]] | None:
    """The step in the loop that runs here, where neither that loop nor what it calls may clear those of the grown
    gradients that it follows: its line, and the ids of their parameters."""
    source = step.source
    if not all(_only_steps(variable.value) for variable in step.optimizers):
        return None
    for line, at, subject, optimizers in _steps(step):
        if not source.backwards:
            continue
        lines = [line, source.lineno, *(backward.lineno for backward in source.backwards)]
        loops = [loop for loop in source.loops if all(loop[0] <= one <= loop[1] for one in lines)]
        region: Region = [(step.level, max(loops))] if loops else _loop_around(step)
        followed = grown & {id(tensor) for one in optimizers for tensor in tensors_of(one)}
        if not followed or not region or not _is_made_before(step, subject, optimizers[0], *region[-1]):
            continue
        if not may_clear_gradients(step, region, followed):
            return at, followed
    return None


def _steps(step: Step) -> Iterator[tuple[int, Line, str, list[Any]]]:
    """The calls of ``step``, also in functions that the source calls: the line in the source and that of the call, what
    the optimizers are, or are kept in, and these."""
    source, known = step.source, {id(variable.value) for variable in step.optimizers}
    for call in source.calls_of("step"):
        subject = text_of(call.args[0] if call.args else call.receiver)
        value_of: ValueOf = lambda name: value_in(step, name, step.level)  # noqa: E731
        optimizers = values_in_line(source, subject, call.lineno, value_of)
        if optimizers and known.issuperset(map(id, optimizers)):
            yield call.lineno, (source.file, call.lineno), _kept_as(step, optimizers[0]) or subject, optimizers
    for called in functions_called(step, [step.level]):
        for call in called.source.calls_of("step"):
            subject = text_of(call.args[0] if call.args else call.receiver)
            optimizers = values_in_line(called.source, subject, call.lineno, called.value)
            kept = _kept_as(step, optimizers[0]) if optimizers and known.issuperset(map(id, optimizers)) else None
            if kept is not None and called.source.will_reach(call.lineno):
                yield called.first.call.lineno, (called.source.file, call.lineno), kept, optimizers


def _kept_as(step: Step, optimizer: Any) -> str | None:
    """The expression for an optimizer in the frame of the source."""
    found = ((key, value) for (level, key), value in step.named_values() if level == step.level)
    return next((key for key, value in found if value is optimizer), None)


def _is_made_before(step: Step, subject: str, optimizer: Any, level: int, loop: tuple[int, int] | None) -> bool:
    """Whether an optimizer, or what has it, is in sight where the loop stands, and not made anew in its rounds."""
    here, around, root = step.frames[step.level], step.frames[level], root_of(subject)
    bindings = step.sources[level].bindings
    if root not in here.variables and root not in around.variables:
        return global_of(here.frame, root) is not None
    owner = here.variables.get(root, optimizer)
    return any(
        value is owner or value is optimizer
        for name, value in around.variables.items()
        if loop is None or not any(loop[0] <= line <= loop[1] for line, _ in bindings.get(name, ()))
    )


def _only_steps(optimizer: Any) -> bool:
    """Whether what its ``step`` runs is known: torch's, or the program's own, with no hook."""
    is_known = not is_library(type(optimizer)) or library_of(type(optimizer)) == "torch"
    return is_optimizer(optimizer) and is_known and not has_step_hooks(optimizer)


def _loop_around(step: Step) -> Region:
    """The whole function in sight, and the functions that call it, up to the one that does so in a loop."""
    found: Region = []
    for level, source in enumerate(step.sources[step.level :], step.level):
        loop = source.loop_of(source.lineno) if level > step.level else None
        if not source.is_known() or (level == step.level and source.function == "<module>"):
            return []
        found.append((level, loop))
        if loop is not None:
            return found
    return []
