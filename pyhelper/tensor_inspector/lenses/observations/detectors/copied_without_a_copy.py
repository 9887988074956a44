"""Memory that is shared where a copy is meant: a state that was kept, and is the live one; a history of one tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice
from typing import Any

from ....measure.torch.elements import elements_key
from ....measure.torch.metadata import is_exact_tensor, requires_grad
from ....safe.guard import Classes, each
from ....words.text import plural
from ...findings.finding import Violation
from ...step.expressions import root_of, shown, shown_text
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading

_SEQUENCES = Classes(list, tuple)
_CONTAINERS = Classes(list, tuple, dict)
_KEPT = tuple("before best first former initial kept last old previous saved snapshot start".split())
_MOST = 1000  #: tensors of one container


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
        tensors = _tensors(value) if live else []
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


@detector(
    100,
    because="tensors that are listed are most often made anew in each round",
    why="All of the entries show what was written last.",
    suggestion="append a copy: values.append(x.clone())",
)
def entries_share_memory(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``history.append(x.detach())`` of an ``x`` that is changed in place."""
    for (level, name), value in reading.each(step.named_values()):
        tensors = _tensors(value) if type(value) in _CONTAINERS else []
        keys = [elements_key(one) for one in {id(one): one for one in tensors}.values()]
        known = [key for key in keys if key is not None]
        if len(known) > 2 and len(set(known)) == 1:
            text = shown(name)
            yield Violation(
                (f"all {len(known)} tensors of {text} are over the same memory", ": ", "they show the same numbers"),
                (text, f"{len(known)} tensors, 1 piece of memory"),
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


def _tensors(value: Any) -> list[Any]:
    """The tensors in a list, a tuple or a dict, also one of a class that is derived from it, as a state_dict is."""
    cls = type(value)
    if issubclass(cls, dict):
        items = islice(each(dict.values, value), _MOST)
    elif cls in _SEQUENCES:
        items = islice(each(list.__iter__ if cls is list else tuple.__iter__, value), _MOST)
    else:
        return []
    return [item for item in items if is_exact_tensor(item)]
