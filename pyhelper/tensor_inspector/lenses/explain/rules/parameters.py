"""Parameters that an optimizer does not accept: none at all, no leaves, no tensors."""

from __future__ import annotations

from typing import Any

from ....measure.torch.modules import is_module, members
from ....safe.budget import Budget, Steps
from ....safe.guard import SEQUENCES, class_name
from ...findings.finding import Violation
from ..error_context import ErrorContext
from ..errors import type_in_parameters
from ..operand import UNKNOWN, Operand
from ..values import items_of, value_words


def optimizer_parameters(context: ErrorContext) -> Violation | None:
    if "non-leaf" in context.message:
        return _not_a_leaf(context)
    if "empty" in context.message:
        return _empty(context)
    for text, value in _first_argument(context):
        content = type_in_parameters(context.message)
        if value is not UNKNOWN or content is None:
            title = (
                f"{text} is {value_words(value)}",
                ", ",
                "but an optimizer wants parameters: tensors, or dicts of them",
            )
            return context.found(title, (text, value_words(value)), suggestion="model.parameters()")
        title = (f"{text} holds {content}", ", ", "but an optimizer wants parameters: tensors, or dicts of them")
        return context.found(title, (text, f"holds {content}"), suggestion="model.parameters()")
    return None


def _first_argument(context: ErrorContext) -> list[tuple[str, Any]]:
    """The first argument of the optimizer's class."""
    return [] if context.call is None else list(context.written())[1:2]


def _not_a_leaf(context: ErrorContext) -> Violation | None:
    for _, value in _first_argument(context):
        for one in items_of(value) if type(value) in SEQUENCES else [value]:
            if type(one) is Operand and one.value is not None and not one.value.is_leaf:
                title = (f"{one.name} is computed", ", ", "no leaf: an optimizer can't change what made it")
                return context.found(
                    title, one, suggestion=f"{one.written}.detach().requires_grad_(), or the tensors that it is made of"
                )
    return context.quoted()


def _empty(context: ErrorContext) -> Violation | None:
    """No parameter at all: a model without any, or none that was chosen."""
    for name, value in context.named():
        if not is_module(value) or any(
            True for one in members(value, Steps(Budget(200))) for _ in one.part("_parameters")
        ):
            continue
        title = (f"{name} ({class_name(type(value))}) has no parameters", ": ", "its optimizer got an empty list")
        fit = "layers in a plain list or dict are not registered: nn.ModuleList, nn.ModuleDict"
        return context.found(title, (name, value_words(value)), suggestion=fit)
    for text, value in _first_argument(context):
        title = (f"{text} holds no parameter", ": ", "an optimizer needs one")
        return context.found(
            title, (text, "empty" if value is UNKNOWN else value_words(value)), suggestion="check which are chosen"
        )
    return None
