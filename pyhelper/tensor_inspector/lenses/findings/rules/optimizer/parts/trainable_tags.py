"""Attributes of the program's own by which it may choose what is trained: ``p.trainable = False``, which torch does not know."""

from __future__ import annotations

import ast
from itertools import chain

from ......measure.torch.modules import Member
from ......safe.guard import instance_dict
from .....flow.reach.code_objects import codes_that_name
from .....step.expressions import text_of
from .....step.functions import sources_in_reach
from .....step.roles import Parameter
from .....step.source import Source, source_of
from .....step.step import Step

#: What is written in the place of ``requires_grad``.
TYPOS = ("require_grad", "requires_gradient", "require_grads", "requires_grads", "required_grad", "trainable")


def is_read(step: Step, attribute: str) -> bool:
    """Whether the program asks for an attribute: in the frames in sight, in what they call, in the file with the backward."""
    named = (source_of(code) for code in codes_that_name(step, attribute))
    return any(_reads(source, attribute) for source in chain(sources_in_reach(step), named))


def _reads(source: Source, attribute: str) -> bool:
    for node in source.nodes:
        if isinstance(node, ast.Attribute) and node.attr == attribute and isinstance(node.ctx, ast.Load):
            return True
        is_asked = isinstance(node, ast.Call) and text_of(node.func) in ("getattr", "hasattr") and len(node.args) > 1
        if is_asked and isinstance(node, ast.Call) and text_of(node.args[1]) == repr(attribute):
            return True
    return False


def is_left_out(step: Step, one: Parameter) -> bool:
    """Whether a tag at a parameter, or at a module around it, says that it is not trained, and the program reads that tag."""
    held, member = [instance_dict(one.tensor)], one.member
    above: Member | None = member
    while above is not None:
        held.append(above.attributes)
        above = above.parent
    return any(attributes.get(tag) is False and is_read(step, tag) for attributes in held for tag in TYPOS)
