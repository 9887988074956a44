"""Memory shared where a copy is meant: a kept state that is the live one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....measure.torch.elements import elements_key
from ....measure.torch.metadata import requires_grad
from ....words.text import plural
from ...findings.finding import Violation
from ...step.expressions import root_of, shown, shown_text
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading
from ..tensors_in import tensors_in

_KEPT = tuple("before best first former initial kept last old previous saved snapshot start".split())


@detector(
    30,
    because="a state_dict is most often loaded or saved at once; one that is kept over a step was to stay as it was",
    why="It changes with each step of the optimizer: what was kept is not what was there then.",
    suggestion="keep a copy: copy.deepcopy(model.state_dict()), or {k: v.clone() for k, v in …}",
)
def kept_but_live(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``best = model.state_dict()``"""
    live = {
        key: one.name
        for one in reading.each(step.parameters.values())
        if requires_grad(one.tensor) and (key := elements_key(one.tensor)) is not None
    }
    for (level, name), value in reading.each(step.named_values()):
        tensors = tensors_in(value) if live else []
        keys = [elements_key(one) for one in tensors if id(one) not in step.parameters]
        shared = [live[key] for key in keys if key in live]
        if len(shared) < 2 or not _is_kept(step, name, level):
            continue
        known = shown(name)
        yield Violation(
            (f"{plural(len(shared), 'tensor')} of {known} share memory with the model", ": ", "they change as it does"),
            (known, f"{len(shared)} of {plural(len(tensors), 'tensor')} are not copies"),
            (shared[0], "the same memory"),
            line=step.sources[level].line_of(name),
        )


def _is_kept(step: Step, name: str, level: int) -> bool:
    """Whether a state is to outlive a step: it is read after a later one, or called the best in a loop."""
    source, root = step.sources[level], root_of(name)
    made = source.binding_of(name) or source.binding_of(root)
    if made is None:
        return False
    line, _ = made
    around = [(first, last) for first, last in source.loops if first <= line <= last]
    if around and any(word in name.lower() for word in _KEPT):
        return True
    read = [
        node.lineno
        for node in source.nodes
        if isinstance(node, ast.Name) and node.id == root and isinstance(node.ctx, ast.Load)
    ]
    stepping = {one.name for one in step.optimizers if one.level == level}
    steps = [
        call.lineno
        for call in source.calls_of("step")
        if not stepping.isdisjoint(map(shown_text, (call.receiver, *call.args)))  # a scaler is given the optimizer
    ]
    if any(line < at < last for at in steps for last in read):
        return True
    branches = [(first, last) for first, last in source.branches if first <= line <= last]
    later = [at for at in read if at > line and not any(first <= at <= last for first, last in branches)]
    return bool(later) and any(
        first <= at <= last and any(first < begins for begins, _ in branches) for first, last in around for at in steps
    )
