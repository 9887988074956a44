"""Calls of loss functions and of models in the source in sight, with the values that were, or will be, given to them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from ...measure.torch.metadata import is_exact_tensor
from ...safe.guard import class_dict, class_module, class_name, mro
from ..step.calls import Call
from ..step.expressions import before_moves, last_name
from ..step.sight import Thing
from ..step.step import Step

BY_CLASS = {
    "CrossEntropyLoss": "cross_entropy",
    "NLLLoss": "nll_loss",
    "MSELoss": "mse_loss",
    "L1Loss": "l1_loss",
    "SmoothL1Loss": "smooth_l1_loss",
    "HuberLoss": "huber_loss",
    "BCELoss": "binary_cross_entropy",
    "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "KLDivLoss": "kl_div",
}
_FUNCTIONS = frozenset(BY_CLASS.values())
REGRESSIONS = ("MseLoss", "SmoothL1Loss", "HuberLoss", "L1Loss")  #: nodes of the graph


class LossCall:
    """A call of a loss: which one, its input and target as the source writes them, and their values if in sight."""

    __slots__ = ("call", "criterion", "input", "kind", "target", "view")

    def __init__(self, kind: str, call: Call, criterion: Any, step: Step, view: int) -> None:
        self.kind = kind
        self.call = call
        self.criterion = criterion
        self.view = view
        self.input = _operand(step, call, 0, "input", view)
        self.target = _operand(step, call, 1, "target", view)


def loss_calls(step: Step) -> Iterator[LossCall]:
    for view in dict.fromkeys((0, step.at)):
        for call in step.sources[view].calls:
            found = step.module_of(call.callee, view) if isinstance(call.node.func, (ast.Name, ast.Attribute)) else None
            kind = kind_of(call, None if found is None else found.value)
            if kind is not None:
                yield LossCall(kind, call, None if found is None else found.value, step, view)


def kind_of(call: Call, callee: Any) -> str | None:
    """Which loss a call computes, by what its callee is, as far as that is known; None where it is none."""
    if (call.name in _FUNCTIONS and "." in call.callee) or call.callee in _FUNCTIONS:
        return call.name
    kind = None if callee is None else BY_CLASS.get(class_name(type(callee)))
    if kind is None and isinstance(call.node.func, ast.Call):
        return BY_CLASS.get(last_name(call.node.func.func))
    return kind


def _operand(step: Step, call: Call, position: int, keyword: str, view: int) -> Thing | None:
    found = step.operand(before_moves(call.argument(position, keyword)), view, call.lineno)
    return found if found is not None and is_exact_tensor(found.value) else None


class ModelInput:
    """A tensor that a call in the source gives to a module in sight.

    ``is_beside``: the call stands in the ``forward`` of another module, which was given it beside its own first input.
    """

    __slots__ = ("call", "is_beside", "model", "name", "position", "tensor", "view")

    def __init__(
        self, name: str, tensor: Any, call: Call, model: Thing, position: int | str, view: int, is_beside: bool
    ) -> None:
        self.name = name.replace("'", '"')
        self.tensor = tensor
        self.call = call
        self.model = model
        self.position = position
        self.view = view
        self.is_beside = is_beside

    def is_first(self) -> bool:
        """Whether it is the first argument of the model's forward, also where it is given by its name."""
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
    """What modules in sight, other than losses, are given; of ``model(**batch)`` each tensor of the batch."""
    for call, model, view in step.calls_of_modules():
        if class_name(type(model.value)) in BY_CLASS or class_module(type(model.value)) == "torch.nn.modules.loss":
            continue
        source = step.sources[view]
        beside = source.arguments[2:] if source.function == "forward" else []
        given: list[tuple[int | str, ast.expr]] = [*enumerate(call.args), *call.keywords.items()]
        for position, argument in given:
            thing = step.operand(argument, view, call.lineno)
            if thing is None:
                continue
            if is_exact_tensor(thing.value):
                yield ModelInput(thing.key, thing.value, call, model, position, view, thing.key in beside)
            elif issubclass(type(thing.value), dict):
                for name, value in list(dict.items(thing.value))[:32]:
                    if type(name) is str and is_exact_tensor(value):
                        yield ModelInput(f"{thing.key}[{name!r}]", value, call, model, name, view, False)
