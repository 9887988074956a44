"""Parameters that an optimizer does not accept: none at all, no leaves, no tensors."""

from __future__ import annotations

from typing import Any

from ....measure.torch.modules import is_module, members
from ....safe.budget import Budget, Steps
from ....safe.guard import SEQUENCES, class_name
from ...findings.finding import Found
from ..errors import type_in_parameters
from ..operand import UNKNOWN, Operand
from ..scene import Scene
from ..values import items_of, value_words


def optimizer_parameters(scene: Scene) -> Found | None:
    if "non-leaf" in scene.message:
        return _not_a_leaf(scene)
    if "empty" in scene.message:
        return _empty(scene)
    for text, value in _given(scene):
        content = type_in_parameters(scene.message)
        if value is not UNKNOWN or content is None:
            title = (
                f"{text} is {value_words(value)}",
                ", ",
                "but an optimizer wants parameters: tensors, or dicts of them",
            )
            return scene.found(title, (text, value_words(value)), suggestion="model.parameters()")
        title = (f"{text} holds {content}", ", ", "but an optimizer wants parameters: tensors, or dicts of them")
        return scene.found(title, (text, f"holds {content}"), suggestion="model.parameters()")
    return None


def _given(scene: Scene) -> list[tuple[str, Any]]:
    """The first argument of the optimizer's class."""
    return [] if scene.call is None else list(scene.written())[1:2]


def _not_a_leaf(scene: Scene) -> Found | None:
    for _, value in _given(scene):
        for one in items_of(value) if type(value) in SEQUENCES else [value]:
            if type(one) is Operand and one.value is not None and not one.value.is_leaf:
                title = (f"{one.name} is computed", ", ", "no leaf: an optimizer can't change what made it")
                return scene.found(
                    title, one, suggestion=f"{one.written}.detach().requires_grad_(), or the tensors that it is made of"
                )
    return scene.quoted()


def _empty(scene: Scene) -> Found | None:
    """No parameter at all: a model without any, or none that was chosen."""
    for name, value in scene.named():
        if not is_module(value) or any(
            True for one in members(value, Steps(Budget(200))) for _ in one.part("_parameters")
        ):
            continue
        title = (f"{name} ({class_name(type(value))}) has no parameters", ": ", "its optimizer got an empty list")
        fit = "layers in a plain list or dict are not registered: nn.ModuleList, nn.ModuleDict"
        return scene.found(title, (name, value_words(value)), suggestion=fit)
    for text, value in _given(scene):
        title = (f"{text} holds no parameter", ": ", "an optimizer needs one")
        return scene.found(
            title, (text, "empty" if value is UNKNOWN else value_words(value)), suggestion="check which are chosen"
        )
    return None
