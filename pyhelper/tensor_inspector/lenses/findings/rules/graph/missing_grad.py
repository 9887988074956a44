"""Parameters that an optimizer holds get no gradient from the backward.

Why: What gets no gradient does not learn, though the optimizer holds it.

Example:
    def forward(self, x):
        with torch.no_grad():
            h = self.encoder(x).relu()
        return self.head(h)

Instead:
    def forward(self, x):
        return self.head(self.encoder(x).relu())

Silent when:
    - not every loss of the step, or not the whole graph, is in sight
    - some place uses the part with its gradient, or a function that is not seen names it
    - it is moved by hand, as an average, or gradients are set by hand
    - nothing else of the same model gets a gradient
    - it has its turn elsewhere: another function or loop may train it
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch import optimizers
from .....measure.torch.modules import Member, parameters_of
from .....words.text import listed
from ....flow.definitions import detached_later
from ....flow.events.call_order import call_paths
from ....flow.gradient.detached_parts import detached_in_forwards, parts_of, share_an_optimizer
from ....flow.ops import DETACHING_METHODS
from ....flow.reach.trained_elsewhere import (
    UntrainedModule,
    is_written,
    may_train_by_name,
    may_train_elsewhere,
    sets_gradients_by_hand,
)
from ....step.calls import Call
from ....step.classes import function_called, is_library, methods_of
from ....step.expressions import text_of
from ....step.functions import functions_called
from ....step.grad_mode import decorated_off, off_at
from ....step.sight import VisibleVariable
from ....step.source import Source
from ....step.step import Step
from ...finding import Violation
from ...rule import rule

_Cut = tuple[Source, int, str]  #: where, in which line, by what


@rule(
    "error",
    why="What gets no gradient does not learn, though the optimizer holds it.",
    suggestion="use it without detach(), or freeze it",
    needs="loss optimizer module source",
)
def missing_grad(step: Step) -> Iterator[Violation]:
    if not step.has_all_losses() or not step.graph.complete or sets_gradients_by_hand(step):
        return
    reached, reported = step.reached(), set[int]()
    is_pending = any(loss.pending for loss in step.losses)
    ungraded = [one.tensor for one in step.trained() if id(one.tensor) not in reached]
    missing = {id(tensor) for tensor in ungraded if step.grad(tensor) is None}
    for name, member in list(step.members.values()) if missing else ():
        if is_library(type(member.module)):
            continue
        for key, tensors in parts_of(member):
            if not tensors or not missing.issuperset(map(id, tensors)):
                continue
            others = [
                one
                for one in parameters_of(member.module)
                if id(one) in reached and (is_pending or step.grad(one) is not None)
            ]
            is_shared = bool(others) and share_an_optimizer(step, tensors, reached)
            cut = _cut_in(step, member, key, in_frames=is_shared) if others else None
            if cut is None or is_written(step, key):
                continue
            source, line, how = cut
            reported.update(map(id, tensors))
            where = f"line {line}" if source.function == "<module>" else source.function
            yield Violation(
                (f"{name}.{key} {'gets' if is_pending else 'got'} no gradient", ": ", f"{how} cuts it off in {where}"),
                *((step.name_of(one), "trainable, in the optimizer, grad None") for one in tensors[:4]),
                line=(source.file, line),
            )
    if any(id(one.tensor) in reached and step.grad(one.tensor) is not None for one in step.trained()):
        yield from _cut_in_forwards(step, missing - reported)
        yield from _run_without_gradients(step, missing - reported, reached)


def _cut_in_forwards(step: Step, missing: set[int]) -> Iterator[Violation]:
    """What a ``forward`` computes with, and cuts off before it returns: all parts that one place cuts off at once."""
    by_cut: dict[tuple[str, int, str], list[tuple[str, list[Any]]]] = {}
    for name, _, cut, tensors in detached_in_forwards(step, missing):
        by_cut.setdefault(cut, []).append((name, tensors))
    for (file, line, how), parts in by_cut.items():
        yield Violation(
            (
                f"{listed((f'{name}.*' for name, _ in parts), False, 60)} got no gradient",
                ": ",
                f"{how} cuts {'it' if len(parts) == 1 else 'them'} off in forward",
            ),
            *(
                (step.name_of(one), "trainable, in the optimizer, grad None")
                for _, tensors in parts
                for one in tensors[:2]
            ),
            line=(file, line),
        )


def _cut_in(step: Step, member: Member, attribute: str, *, in_frames: bool) -> _Cut | None:
    """The place where a part of a module is cut off, if each place that names it does so.

    Where its own methods do not name it, the frames in sight tell, if no other function names it.
    """
    cls = type(member.module)
    places, is_whole = step.once(_cut_in_methods, cls, attribute)
    owners = _methods(cls)
    if in_frames and not places and is_whole:
        owners = list(_owners(step, member.module))
        known = {(source.file, source.function) for source, _ in owners}
        if may_train_by_name(step, attribute, known):
            return None
        places, is_whole = _places(owners, attribute)
    if not is_whole or not places:
        return None
    if any(decorated_off(source) is not None for source, _, _ in places) and _is_reached_otherwise(
        step, owners, attribute
    ):
        return None
    return places[0]


def _cut_in_methods(cls: type, attribute: str) -> tuple[list[_Cut], bool]:
    return _places(_methods(cls), attribute)


def _places(owners: list[tuple[Source, str]], attribute: str) -> tuple[list[_Cut], bool]:
    """Where an attribute of what functions call by these names is cut off, and whether nothing uses it otherwise."""
    places: list[_Cut] = []
    for source, owner in owners:
        for path in _uses(source, f"{owner}.{attribute}"):
            cut = _cut_on(source, path) or detached_later(source, path)
            if cut is None:
                return places, False
            places.append((source, cut[1], cut[0]))
    return places, True


def _is_reached_otherwise(step: Step, owners: list[tuple[Source, str]], attribute: str) -> bool:
    """Whether other functions of the program name an attribute, or these may reach it without its name."""
    known = {(source.file, source.function) for source, _ in owners}
    if any(source.mentions("getattr", "named_parameters", "parameters", "_parameters") for source, _ in owners):
        return True
    return may_train_by_name(step, attribute, known)


def _methods(cls: type) -> list[tuple[Source, str]]:
    """The methods of a module, with what each calls it."""
    return [(source, source.self_name) for name, source in methods_of(cls) if name != "__init__"]


def _owners(step: Step, module: Any) -> Iterator[tuple[Source, str]]:
    """The frames in sight, and functions that they give a module to, with what each calls it."""
    for level, source in enumerate(step.sources):
        names = [key for (at, key), value in step.named_values() if at == level and value is module]
        yield from ((source, name) for name in names)
        for call in source.calls:
            given = [at for at, argument in enumerate(call.args) if text_of(argument) in names]
            function = function_called(step, call, level) if given else None
            if function is not None:
                first = int("." in call.callee)  # a method's object comes first
                yield from ((function, name) for at, name in enumerate(function.arguments) if at - first in given)


def _uses(source: Source, expression: str) -> Iterator[list[ast.AST]]:
    """Each place where an expression stands, as ``self.encoder``: the nodes from its statement down to it."""
    waiting: list[list[ast.AST]] = [[statement] for statement in source.body]
    while waiting:
        path = waiting.pop()
        node = path[-1]
        if isinstance(node, ast.Attribute) and text_of(node) == expression:
            yield path
        waiting.extend([*path, below] for below in ast.iter_child_nodes(node))


def _cut_on(source: Source, path: list[ast.AST]) -> tuple[str, int] | None:
    """What on the way up from a place leaves autograd, as ``detach``, and in which line."""
    line: int = path[-1].lineno  # type: ignore[attr-defined]
    off = off_at(source, line)
    if off is not None:
        return "no_grad", off
    names = [node.attr for node in path[:-1] if isinstance(node, ast.Attribute)]
    return next(((name, line) for name in names if name in DETACHING_METHODS), None)


def _run_without_gradients(step: Step, missing: set[int], reached: set[int]) -> Iterator[Violation]:
    """A whole module that is called, wherever it is, only where gradients are off."""
    for variable in step.modules:
        held = [one for one in step.trained() if one.root is variable]
        if not held or not missing.issuperset(id(one.tensor) for one in held):
            continue
        tensors = [one.tensor for one in held]
        is_shared = share_an_optimizer(step, tensors, reached)
        if not is_shared and not _have_their_turn(step, tensors):
            continue
        calls = _calling(step, variable)
        # An optimizer that has others to move may hold these for a later phase, in which nothing is detached.
        places = [off_at(source, call.lineno) if is_shared else _cut_off_at(source, call) for source, call in calls]
        if not places or None in places:
            continue
        module = UntrainedModule(variable.key.rpartition(".")[2], variable.value, True)
        if may_train_elsewhere(step, module, [source for source, _ in calls]):
            continue
        where, (source, call) = places[0], calls[0]
        how = "detaches what it gives" if _is_detached(source, call) else "calls it where gradients are off"
        by = "the script" if source.function.startswith("<") else source.function
        yield Violation(
            (f"{variable.name}.* got no gradient", ": ", f"{by} {how}"),
            *((one.name, "trainable, in the optimizer, grad None") for one in held[:4]),
            line=None if where is None else (source.file, where),
        )


def _have_their_turn(step: Step, tensors: list[Any]) -> bool:
    """Whether an optimizer of these clears their gradients, and steps after the very next backward."""
    wanted = set(map(id, tensors))
    own = [one.key for one in step.optimizers if wanted & set(map(id, optimizers.tensors(one.value)))]
    return any(
        (first.name, second.name, third.name) == ("zero_grad", "backward", "step")
        and first.subject == third.subject
        and third.subject in own
        for order in call_paths(step)
        for first, second, third in zip(order, order[1:], order[2:])
    )


def _cut_off_at(source: Source, call: Call) -> int | None:
    return call.lineno if _is_detached(source, call) else off_at(source, call.lineno)


def _is_detached(source: Source, call: Call) -> bool:
    return any(other.receiver is call.node for other in source.calls_of("detach"))


def _calling(step: Step, variable: VisibleVariable) -> list[tuple[Source, Call]]:
    """Where a module is called: in the frames in sight, and in the functions that these call."""
    frames = [
        (source, call)
        for level, source in enumerate(step.sources)
        for call in source.calls
        if step.value(call.callee, level) is variable.value
    ]
    return frames + [
        (one.source, call)
        for one in functions_called(step)
        for call in one.source.calls
        if one.value(call.callee) is variable.value
    ]
