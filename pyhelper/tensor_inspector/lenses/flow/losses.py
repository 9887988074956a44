"""Finds calls of loss functions and models in the source, with their arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from ...measure.torch.metadata import is_exact_tensor
from ...safe.guard import class_dict, class_module, class_name, module, mro
from ..step.calls import Backward, Call
from ..step.expressions import last_name, names_in, parent_of, root_of, shown, text_of, without_moves
from ..step.grad_mode import no_grad_block
from ..step.sight import VisibleVariable
from ..step.source import Source
from ..step.step import Step
from .ops import LOSS_CLASSES, LOSS_FUNCTIONS, METADATA

torch: Any = module("torch")


class LossCall:
    """A call of a loss: the ``function`` that computes it, its input and target.

    Both as the source writes them, with their values if in sight.
    """

    __slots__ = ("call", "criterion", "function", "input", "level", "target")

    def __init__(self, function: str, call: Call, criterion: Any, step: Step, level: int) -> None:
        self.function = function
        self.call = call
        self.criterion = criterion
        self.level = level
        self.input = _operand(step, call, 0, "input", level)
        self.target = _operand(step, call, 1, "target", level)


def loss_calls(step: Step) -> Iterator[LossCall]:
    for level in step.levels:
        for call in step.sources[level].calls:
            found = (
                step.module_of(call.callee, level) if isinstance(call.node.func, (ast.Name, ast.Attribute)) else None
            )
            function = loss_function(call, None if found is None else found.value)
            if function is not None:
                yield LossCall(function, call, None if found is None else found.value, step, level)


def loss_function(call: Call, callee: Any) -> str | None:
    """The loss function that a call computes; None where it is no loss, or not known."""
    if (call.name in LOSS_FUNCTIONS and "." in call.callee) or call.callee in LOSS_FUNCTIONS:
        return call.name
    found = None if callee is None else LOSS_CLASSES.get(class_name(type(callee)))
    if found is None and isinstance(call.node.func, ast.Call):
        return LOSS_CLASSES.get(last_name(call.node.func.func))
    return found


def _operand(step: Step, call: Call, position: int, keyword: str, level: int) -> VisibleVariable | None:
    found = step.operand(without_moves(call.argument(position, keyword)), level, call.lineno)
    return found if found is not None and is_exact_tensor(found.value) else None


def is_backpropagated(step: Step, one: LossCall) -> bool:
    """Whether a loss surely goes into a backward in the iteration that made its target."""
    source, line = step.sources[one.level], one.call.lineno
    if not step.grad_mode or one.target is None or no_grad_block(source, line) is not None:
        return False
    made = source.binding_of(root_of(one.target.key))
    loop = None if made is None else source.loop_of(made[0])
    for backward in source.backwards if one.level == step.level else ():
        is_near = loop is None or loop[0] <= backward.lineno <= loop[1]
        is_sure = is_near and not source.is_conditional(backward.lineno, seen_from=source.lineno)
        if is_sure and _is_made_with(source, backward, one.call, loop):
            return True
    return False


def terms_beside(step: Step, one: LossCall) -> Iterator[LossCall]:
    """The other losses of the same function that go into the same backward."""
    source = step.sources[one.level]
    for backward in source.backwards if one.level == step.level else ():
        loop = source.loop_of(backward.lineno) or None
        if _is_made_with(source, backward, one.call, loop):
            found = (other for other in loss_calls(step) if other.level == one.level and other.function == one.function)
            yield from (
                other
                for other in found
                if other.call.node is not one.call.node and _is_made_with(source, backward, other.call, loop)
            )


def _is_made_with(source: Source, backward: Backward, call: Call, loop: tuple[int, int] | None) -> bool:
    """Whether a backward is computed from the result of a call, by bindings in a loop."""
    nodes = [backward.call.node, *_behind(source, backward.mentioned, loop)]
    return any(below is call.node for node in nodes for below in ast.walk(node))


def _behind(source: Source, names: list[str], loop: tuple[int, int] | None) -> Iterator[ast.AST]:
    """The expressions that a loop binds to these names, and to names in those expressions."""
    waiting, seen = list(names), set[str]()
    while waiting and len(seen) < 100:
        name = waiting.pop()
        for line, node in () if name in seen else source.bindings_of(name):
            value = getattr(node, "value", None)
            if isinstance(value, ast.AST) and (loop is None or loop[0] <= line <= loop[1]):
                yield value
                waiting.extend(part for inner in names_in(value) for part in (inner, root_of(inner)))
        seen.add(name)


def modules_behind(step: Step, value: ast.expr | None, level: int) -> Iterator[VisibleVariable]:
    """The modules in sight that computed a value, or a value behind it."""
    source, seen = step.sources[level], set[str]()
    waiting: list[ast.AST] = [] if value is None else [value]
    while waiting and len(seen) < 100:
        node = waiting.pop()
        parts = list(_parts(node))
        for call in (below for below in parts if isinstance(below, ast.Call)):
            callee = text_of(call.func)
            found = step.module_of(callee, level)
            if found is None and not _is_of_every_module(last_name(call.func)):
                found = step.module_of(parent_of(callee) or "", level)
            if found is not None and class_name(type(found.value)) not in LOSS_CLASSES:
                yield found
        for name in dict.fromkeys(below.id for below in parts if isinstance(below, ast.Name) and below.id not in seen):
            seen.add(name)
            made = source.binding_of(name)
            values = [getattr(made[1], part, None) for part in ("value", "iter")] if made is not None else []
            waiting += [one for one in values if isinstance(one, ast.AST)]
            filled = (call.args for call in source.calls_of("append", "extend") if text_of(call.receiver) == name)
            waiting += [one for args in filled for one in args]


def _is_of_every_module(method: str) -> bool:
    """Whether every module has a method of that name, as ``parameters``: its result is none of the model."""
    return method not in ("__call__", "forward") and method in class_dict(torch.nn.Module)


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of an expression, without those that only ask for metadata or a device."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "to":
            waiting.append(node.func.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            waiting += [*node.args, *node.keywords]
        elif not (isinstance(node, ast.Attribute) and node.attr in METADATA):
            waiting.extend(ast.iter_child_nodes(node))


class ModelInput:
    """A tensor that a call in the source gives to a module in sight.

    ``is_beside``: the call stands in the ``forward`` of another module, which was given it beside its own first input.
    """

    __slots__ = ("call", "is_beside", "level", "model", "name", "position", "tensor")

    def __init__(
        self,
        name: str,
        tensor: Any,
        call: Call,
        model: VisibleVariable,
        position: int | str,
        level: int,
        is_beside: bool,
    ) -> None:
        self.name = shown(name)
        self.tensor = tensor
        self.call = call
        self.model = model
        self.position = position
        self.level = level
        self.is_beside = is_beside

    def is_first(self) -> bool:
        """Whether it is the first argument of the model's forward, by position or name."""
        is_first = self.position == 0 or self.position == _first_argument(self.model.value)
        return is_first and not self.is_beside


def _first_argument(model: Any) -> str | None:
    for base in mro(type(model)):
        forward = class_dict(base).get("forward")
        if type(forward) is FunctionType:
            code = forward.__code__
            return code.co_varnames[1] if code.co_argcount > 1 else None
    return None


def model_inputs(step: Step) -> Iterator[ModelInput]:
    """The inputs of modules in sight other than losses; of ``model(**batch)`` each tensor."""
    for call, model, level in step.calls_of_modules():
        if class_name(type(model.value)) in LOSS_CLASSES or class_module(type(model.value)) == "torch.nn.modules.loss":
            continue
        source = step.sources[level]
        beside = source.arguments[2:] if source.function == "forward" else []
        given: list[tuple[int | str, ast.expr]] = [*enumerate(call.args), *call.keywords.items()]
        for position, argument in given:
            variable = step.operand(argument, level, call.lineno)
            if variable is None:
                continue
            if is_exact_tensor(variable.value):
                yield ModelInput(variable.key, variable.value, call, model, position, level, variable.key in beside)
            elif issubclass(type(variable.value), dict):
                for name, value in list(dict.items(variable.value))[:32]:
                    if type(name) is str and is_exact_tensor(value):
                        yield ModelInput(f"{variable.key}[{name!r}]", value, call, model, name, level, False)
