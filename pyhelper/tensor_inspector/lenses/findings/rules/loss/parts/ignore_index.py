"""Reads what a loss of labels was asked for: the label that it ignores, and other options."""

from __future__ import annotations

import ast

from ......safe.guard import instance_dict
from .....flow.losses import LossCall
from .....step.expressions import constant_of, is_name, text_of
from .....step.step import Step


def ignore_index_of(step: Step, one: LossCall) -> int | None:
    """The label that a loss leaves out, told by the call, or by its criterion; None where the source does not tell."""
    written = option_of(one, 4, "ignore_index")
    if "**" in one.call.keywords or None in _criterion(one):
        return None
    if written is None:
        index = instance_dict(one.criterion).get("ignore_index", -100)
    else:
        index = step.value(text_of(written), one.level) if is_name(written) else constant_of(written)
    return index if type(index) is int else None


def option_of(one: LossCall, position: int, name: str) -> ast.expr | None:
    return one.call.argument(position, name) or _criterion(one).get(name)


def _criterion(one: LossCall) -> dict[str | None, ast.expr]:
    """What a criterion is made with that is called at once: ``nn.CrossEntropyLoss(ignore_index=255)(scores, labels)``."""
    made = one.call.node.func
    return {keyword.arg: keyword.value for keyword in made.keywords} if isinstance(made, ast.Call) else {}
