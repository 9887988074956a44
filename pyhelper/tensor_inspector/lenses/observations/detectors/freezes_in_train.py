"""Freezing: a model whose own ``train()`` freezes a part of it, and has not done so."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....measure.torch.metadata import requires_grad
from ....words.text import plural
from ...findings.finding import Violation
from ...flow.lines import Line
from ...step.classes import is_library, methods_of
from ...step.expressions import constant_of, last_name
from ...step.source import Source
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading


@detector(
    30,
    because="a model that freezes parts in train() counts on being told to train; a new one is in train mode unasked",
    why="A new module is in train mode without its train() having run: then nothing is frozen.",
    suggestion="call model.train() before the first step, or freeze where the model is made",
)
def freezes_in_train(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``def train(self, mode=True)`` that calls ``requires_grad_(False)``, of a model that is all trainable."""
    for name, member in reading.each(list(step.members.values())):
        cls = type(member.module)
        if member.training is not True or is_library(cls):
            continue
        line = step.once(_freezing_line, cls)
        if line is None:
            continue
        inside = [one for one in step.parameters.values() if one.member.is_in(member.module)]
        if inside and all(requires_grad(one.tensor) for one in inside):
            yield Violation(
                (
                    f"{name}.train() freezes parameters",
                    ", ",
                    f"and all {plural(len(inside), 'parameter')} are trainable",
                ),
                (name, f"{plural(len(inside), 'parameter')}, none frozen"),
                line=line,
            )


def _freezing_line(cls: type) -> Line | None:
    """Where the class's ``train()``, or a method that it calls, freezes parameters."""
    methods = dict(methods_of(cls))
    train = methods.get("train")
    if train is None:
        return None
    called = [methods[call.name] for call in train.calls if call.name in methods and call.name != "train"]
    return next((line for source in (train, *called) if (line := _freezes(source)) is not None), None)


def _freezes(source: Source) -> Line | None:
    for call in source.calls_of("requires_grad_"):
        if any(isinstance(one, ast.Constant) and one.value is False for one in (*call.args, *call.keywords.values())):
            return None if source.is_conditional(call.lineno) else (source.file, call.lineno)
    for node in source.nodes:
        if not isinstance(node, ast.Assign) or constant_of(node.value) is not False:
            continue
        if any(last_name(target) == "requires_grad" for target in node.targets):
            return None if source.is_conditional(node.lineno) else (source.file, node.lineno)
    return None
