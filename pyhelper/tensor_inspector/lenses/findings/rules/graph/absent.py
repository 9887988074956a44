"""Rules about gradients that are not there: None where one was meant, or exactly zero everywhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import bare, is_plain, version_of
from .....measure.torch.graph import Node
from .....measure.torch.modules import parameters_of
from .....words.text import listed, number
from ....step.backpropagated import Loss
from ....step.expressions import text_of
from ....step.source import Source
from ....step.step import Step
from ...classes import is_library, methods_of
from ...finding import Found
from ...places import bound
from ...rule import Rule
from .cut import cuts_in_forwards, parts_of, reached_by_losses

_CUTS = ("detach", "data", "item", "tolist", "numpy")
_COPIES = ("torch.tensor", "np.array", "np.asarray", "numpy.array", "numpy.asarray")
_FLAT = ("Clamp", "ClampMin", "ClampMax", "Hardtanh", "Hardsigmoid", "Threshold", "Relu", "Round", "Floor", "Ceil", "Sign", "Trunc")  # fmt: skip
_CHOICES = ("Minimum", "Maximum", "Min", "Max", "Amin", "Amax", "Where")


def missing_grad(step: Step) -> Iterator[Found]:
    """What the optimizer is to train has no gradient after a backward: each method that names it detaches it."""
    if not step.has_all_losses() or not step.graph.complete:
        return
    reached, _ = reached_by_losses(step)
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
            cut = _cut_in(type(member.module), key) if others else None
            if cut is None:
                continue
            source, line, how = cut
            yield Found(
                f"{name}.{key} {'gets' if is_pending else 'got'} no gradient: {how} cuts it off in {source.function}",
                *((step.name_of(one), "trainable, in the optimizer, grad None") for one in tensors[:4]),
                line=(source.file, line),
            )
    if any(id(one.tensor) in reached and step.grad(one.tensor) is not None for one in step.trained()):
        yield from _cut_in_forwards(step, missing)


def _cut_in_forwards(step: Step, missing: set[int]) -> Iterator[Found]:
    """What a ``forward`` computes with, and cuts off before it returns: all parts that one place cuts off at once."""
    told: dict[tuple[str, int, str], list[tuple[str, list[Any]]]] = {}
    for name, _, place, tensors in cuts_in_forwards(step, missing):
        told.setdefault(place, []).append((name, tensors))
    for (file, line, how), parts in told.items():
        yield Found(
            f"{listed((f'{name}.*' for name, _ in parts), False, 60)} got no gradient: {how} cuts {'it' if len(parts) == 1 else 'them'} off in forward",
            *((step.name_of(one), "trainable, in the optimizer, grad None") for _, own in parts for one in own[:2]),
            line=(file, line),
        )


def _cut_in(cls: type, attribute: str) -> tuple[Source, int, str] | None:
    """The place where a class cuts an attribute off, if each of its methods but ``__init__`` that names it does so."""
    places = []
    for name, source in methods_of(cls):
        for path in _uses(source, attribute) if name != "__init__" else ():
            cut = _cut_on(source, path) or _cut_later(source, path)
            if cut is None:
                return None
            places.append((source, cut[1], cut[0]))
    return places[0] if places else None


def _uses(source: Source, attribute: str) -> Iterator[list[ast.AST]]:
    """Each place where ``self.attribute`` stands: the nodes from its statement down to it."""
    waiting: list[list[ast.AST]] = [[statement] for statement in source.body]
    while waiting:
        path = waiting.pop()
        node = path[-1]
        is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
        if is_own and node.attr == attribute:  # type: ignore[attr-defined]
            yield path
        waiting.extend([*path, below] for below in ast.iter_child_nodes(node))


def _cut_on(source: Source, path: list[ast.AST]) -> tuple[str, int] | None:
    """What on the way up from a place leaves autograd, as ``detach``, and in which line."""
    line: int = path[-1].lineno  # type: ignore[attr-defined]
    if source.is_under(line, "no_grad", "inference_mode") is not None:
        return "no_grad", line
    names = [node.attr for node in path[:-1] if isinstance(node, ast.Attribute)]
    return next(((name, line) for name in names if name in _CUTS), None)


def _cut_later(source: Source, path: list[ast.AST]) -> tuple[str, int] | None:
    """What cuts off the variable that a place is bound to, at each of its uses, and the line of the first."""
    bound = next((node for node in path if isinstance(node, ast.Assign)), None)
    if bound is None or len(bound.targets) != 1 or not isinstance(bound.targets[0], ast.Name):
        return None
    name = bound.targets[0].id
    last = _until_bound_again(source, bound, name)
    parents = {
        id(below): node for part in source.body for node in ast.walk(part) for below in ast.iter_child_nodes(node)
    }
    nodes = [node for part in source.body for node in ast.walk(part) if isinstance(node, ast.Name) and node.id == name]
    uses = [node for node in nodes if isinstance(node.ctx, ast.Load) and node.lineno <= last]
    cuts = [_cut_at(node, parents) for node in uses]
    return (cuts[0], uses[0].lineno) if cuts and cuts[0] is not None and None not in cuts else None


def _until_bound_again(source: Source, bound: ast.Assign, name: str) -> float:
    """The last line that can use what a statement binds, if nothing but the statements below it does."""
    block = next((block for block in _blocks(source.body) if bound in block), [])
    if any(first <= bound.lineno <= last for first, last in source.loops) or name in map(
        text_of, ast.walk(bound.value)
    ):
        return float("inf")
    for part in block[block.index(bound) + 1 :] if block else ():
        if isinstance(part, ast.Assign) and [text_of(target) for target in part.targets] == [name]:
            return part.end_lineno or part.lineno
    return float("inf")


def _blocks(body: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    yield body
    for part in body:
        for below in ("body", "orelse", "finalbody"):
            inner = getattr(part, below, None)
            if type(inner) is list and not isinstance(part, (ast.FunctionDef, ast.ClassDef)):
                yield from _blocks(inner)


def _cut_at(node: ast.AST, parents: dict[int, ast.AST]) -> str | None:
    """What cuts off a variable where it is used: a method of it, or a new tensor that is made of it."""
    above = parents.get(id(node))
    if isinstance(above, ast.Attribute):
        return above.attr if above.attr in _CUTS else None
    is_copied = isinstance(above, ast.Call) and text_of(above.func) in _COPIES and node in above.args
    return text_of(above.func) if is_copied and isinstance(above, ast.Call) else None


def zero_grad_values(step: Step) -> Iterator[Found]:
    """All gradients are exactly zero though the loss is not: on the way stands what is flat there."""
    for loss in step.losses:
        value, root = step.number(loss.tensor), step.node_of(loss.tensor)
        if loss.pending or not value or value - value != 0 or root is None:
            continue
        below = step.graph.below(root)
        flat = next((node for node in below if node.op in _FLAT), None)
        if flat is None or any(node.op in _CHOICES for node in below) or not _are_zero(step, loss, root):
            continue
        name = step.title_of(flat)
        yield Found(
            f"all gradients of {loss.name} are exactly zero, though it is {number(value)}: {name or 'a value'} comes from {flat.op.lower()}, which is flat there",
            (name, f"grad ← {flat.op}Backward0"),
            (loss.name, number(value)),
            line=bound(step, name),
        )
        return


def _are_zero(step: Step, loss: Loss, root: Node) -> bool:
    """Whether the gradients are zero as the backward has left them, and nothing has cleared them since."""
    leaves = [leaf for leaf in step.graph.leaves(root) if id(leaf) in step.held]
    grads = [step.grad(leaf) for leaf in leaves]
    if not grads or not all(is_plain(grad) and not bool(bare(grad).any()) for grad in grads):
        return False
    start, end = loss.backward.lineno, step.source.lineno
    replaced = any(
        name.endswith(".grad") and start <= line <= end
        for name, bound_in in step.source.bindings.items()
        for line, _ in bound_in
    )
    if not replaced and all(version_of(grad) == 0 for grad in grads):
        return True  # as new: what is cleared in place has a version
    own = {id(node) for node in ast.walk(loss.backward.call.node)}
    later = [call for call in step.source.calls if start <= call.lineno < end and id(call.node) not in own]
    return step.at == 0 and not replaced and not later


RULES = [
    Rule(
        "missing-grad",
        missing_grad,
        "loss optimizer module source",
        "error",
        "What gets no gradient does not learn, though the optimizer holds it.",
        "use it without detach(), or freeze it",
    ),
    Rule(
        "zero-grad-values",
        zero_grad_values,
        "loss optimizer",
        "error",
        "Where a function is flat, nothing tells in which direction to go.",
        "keep the values out of its flat parts",
    ),
]
