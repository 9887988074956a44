"""Finds the parts of modules that a forward detaches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ....measure.torch import optimizers
from ....measure.torch.modules import Member, is_module, parameters_of
from ...step.classes import is_library
from ...step.step import Step
from ..reach.trained_elsewhere import is_written
from .forward import DetachLine, detached_attributes


def detached_in_forwards(step: Step, missing: set[int]) -> Iterator[tuple[str, Member, DetachLine, list[Any]]]:
    """The submodules that a ``forward`` detaches: name, module, where, trainable parameters."""
    for name, member in list(step.members.values()) if missing else ():
        if is_library(type(member.module)):
            continue
        gone = {key: tensors for key, tensors in parts_of(member) if tensors and missing.issuperset(map(id, tensors))}
        cuts = step.once(detached_attributes, type(member.module)) if gone else {}
        for key, tensors in gone.items():
            if key in cuts and not is_written(step, key):
                yield f"{name}.{key}", member, cuts[key], tensors


def parts_of(member: Member) -> Iterator[tuple[str, list[Any]]]:
    """The attributes of a module that hold parameters: each with these."""
    for part in ("_parameters", "_modules"):
        for key, item in member.items(part):
            if item is None:
                continue
            yield key, parameters_of(item) if is_module(item) else [item]


def share_an_optimizer(step: Step, some: Iterable[Any], reached: set[int]) -> bool:
    """Whether an optimizer holds some of these tensors, and some that the losses reach."""
    wanted = set(map(id, some))
    held = ({id(tensor) for tensor in optimizers.tensors(variable.value)} for variable in step.optimizers)
    return any(own & reached and own & wanted for own in held)
