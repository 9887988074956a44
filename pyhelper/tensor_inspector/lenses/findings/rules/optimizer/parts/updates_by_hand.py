"""Updates that are written by hand and change no weight."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ......measure.torch.metadata import is_exact_tensor, is_trainable_leaf
from ......safe.guard import SEQUENCES
from .....flow.effects import PARAMETERS, UPDATING
from .....step.calls import Call
from .....step.classes import is_library, methods_of
from .....step.expressions import bound_in, is_name, names_in, shown_text, text_of
from .....step.functions import functions_called, sources_in_reach
from .....step.source import Source
from .....step.statements import statements_in
from .....step.step import Step
from ....finding import Violation

_METHODS = tuple(name[:-1] for name in UPDATING)
_AT_ONCE = tuple(f"_foreach_{name}" for name in UPDATING if name != "mul_")
_GIVING = (*PARAMETERS, "trainable_parameters")


def updates_of_nothing(step: Step) -> Iterator[Violation]:
    """``for p in model.parameters(): p = p - lr * p.grad``: the name means another tensor, and the weight is as it was.

    Or the result of ``p.sub(lr * p.grad)`` is dropped.
    """
    for source, level in _sources(step):
        for loop in source.statements:
            if isinstance(loop, ast.For):
                for at, name in _lost_in(source, loop):
                    if not _is_over_parameters(step, loop.iter, level):
                        continue
                    over = next((one for one in names_in(loop.iter) if level is not None), None)
                    is_bound = isinstance(at, ast.Assign)
                    how = f"only binds the name {name} anew" if is_bound else "gives a new tensor that is dropped"
                    yield Violation(
                        (f"{shown_text(at)} changes no weight", ": ", f"it {how}"),
                        (over, "its parameters stay as they are"),
                        line=(source.file, at.lineno),
                        suggestion=f"under no_grad: {name}.sub_(…)",
                    )
                    return


def moved_by_hand(step: Step) -> Iterator[int | None]:
    """The ids of parameters that code in reach moves in place by their gradients, as ``p.data.add_(p.grad, alpha=-lr)``.

    None for each that only runs will tell, as where a loop goes through them.
    """
    named = {one.name: id(one.tensor) for one in step.parameters.values()}
    levels = {id(source.code): level for level, source in enumerate(step.sources)}
    for source in sources_in_reach(step):
        level = levels.get(id(source.code))
        for key in _moved_in(source):
            value = None if level is None else step.value(key, level)
            if level is not None and key in named:
                yield named[key]
            elif not is_exact_tensor(value) or id(value) in step.parameters:
                yield None
        if any(_moves_at_once(source, call) for call in source.calls_of(*_AT_ONCE)):
            yield None


def _moved_in(source: Source) -> set[str]:
    """What is changed in place, by itself or by its ``.data``, where its gradient is read."""
    changed = {key for key, _ in source.changes_in_place}
    for key, bound in source.bindings.items():
        if key.endswith(".data") or any(isinstance(node, ast.AugAssign) for _, node in bound):
            changed.add(key)
    gradients = (node for node in source.nodes if isinstance(node, ast.Attribute) and node.attr == "grad")
    return {key.removesuffix(".data") for key in changed} & {text_of(node.value) for node in gradients}


def _moves_at_once(source: Source, call: Call) -> bool:
    """Whether it adds gradients to what are none: ``torch._foreach_add_(weights, [p.grad for p in weights], alpha=-lr)``."""
    given = [_has_gradients(source, argument) for argument in call.args]
    return any(given) and not given[0]


def _has_gradients(source: Source, node: ast.expr) -> bool:
    """Whether an expression reads gradients, or what made the list that it names does."""
    made = [bound for _, bound in source.bindings.get(text_of(node), ())]
    return any(
        isinstance(part, ast.Attribute) and part.attr == "grad" for one in (node, *made) for part in ast.walk(one)
    )


def _sources(step: Step) -> Iterator[tuple[Source, int | None]]:
    """Those of the frames in sight, of the functions that they call, and of the steps of optimizers of the program."""
    yield from ((source, level) for level, source in enumerate(step.sources))
    yield from ((called.source, None) for called in functions_called(step))
    for variable in step.optimizers:
        if not is_library(type(variable.value)):
            yield from ((source, None) for name, source in methods_of(type(variable.value)) if name == "step")


def _lost_in(source: Source, loop: ast.For) -> Iterator[tuple[ast.stmt, str]]:
    """The statements of a loop that compute one of its variables, with a gradient, and leave it as it is: with its name."""
    names = set(bound_in(loop.target))
    for node in statements_in(loop.body):
        if isinstance(node, ast.Expr):
            call = node.value
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS:
                name = text_of(call.func.value).removesuffix(".data")
                if name in names and _has_gradient(call, name, loop):
                    yield node, name
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            is_sum = isinstance(node.value, ast.BinOp) and bool({name, f"{name}.data"} & set(names_in(node.value)))
            if (
                name in names
                and is_sum
                and _has_gradient(node.value, name, loop)
                and not _is_read_below(source, node, name)
            ):
                yield node, name


def _is_read_below(source: Source, statement: ast.stmt, name: str) -> bool:
    end = statement.end_lineno or statement.lineno
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load) and node.lineno > end
        for node in ast.walk(source.tree or ast.Pass())
    )


def _has_gradient(value: ast.AST, name: str, loop: ast.For) -> bool:
    """Whether an expression has the gradient of a name in it, or a variable that comes with it, as of a zip."""
    others = set(bound_in(loop.target)) - {name}
    return any(
        (isinstance(node, ast.Attribute) and text_of(node) == f"{name}.grad")
        or (isinstance(node, ast.Name) and node.id in others)
        for node in ast.walk(value)
    )


def _is_over_parameters(step: Step, over: ast.expr, level: int | None) -> bool:
    """Whether a loop goes through parameters: of a module, of an optimizer's group, or through a list of leaves."""
    for node in ast.walk(over):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _GIVING:
            return True
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value == "params":
            return True
        value = step.value(text_of(node), level) if level is not None and is_name(node) else None
        if type(value) in SEQUENCES and value and all(map(is_trainable_leaf, value[:8])):
            return True
    return False
