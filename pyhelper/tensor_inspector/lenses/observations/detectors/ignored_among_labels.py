"""Meaning: a number that a loss ignores stands among true labels."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....safe.guard import instance_dict
from ....words.text import percent
from ...findings.finding import Violation
from ...flow.ops import REARRANGING
from ...step.expressions import constant_of
from ...step.step import Step
from ..among_others import among_others
from ..detector import detector
from ..reading import BoundedReading

_IMAGES = 255  #: what ground truths of segmentation have at places that nobody has labelled


@detector(
    30,
    because="a class number that a loss ignores is most often that of padding, which stands at the ends of rows alone",
    why="Labels of the ignored number give no gradient: a true class of that number is never learned.",
    suggestion="ignore a number that no class has, as -100",
)
def ignored_among_labels(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``ignore_index=0`` where 0 is a class too."""
    for level, line, node, index in reading.each(list(_ignoring(step))):
        labels = step.operand(_unmoved(node), level, line)
        if labels is None or index == _IMAGES:
            continue
        with reading.of(labels.name):
            count, total = among_others(labels, index, reading)
            if count:
                yield Violation(
                    (f"{count:,} labels of {labels.name} are {index}", ", ", "which the loss ignores"),
                    (labels.name, f"{percent(count, total)} are {index}, with other labels before and after"),
                    line=(step.sources[level].file, line),
                )


def _ignoring(step: Step) -> Iterator[tuple[int, int, ast.expr, int]]:
    """The calls of losses that ignore a class number: the frame's level, the line, the labels, the number."""
    for call, variable, level in step.calls_of_modules():
        index = instance_dict(variable.value).get("ignore_index")
        if type(index) is int and index >= 0 and len(call.args) > 1:
            yield level, call.lineno, call.args[1], index
    for level in step.levels:
        for call in step.sources[level].calls_of("cross_entropy", "nll_loss"):
            given, labels = call.keywords.get("ignore_index"), call.argument(1, "target")
            index = None if given is None else constant_of(given)
            if type(index) is int and index >= 0 and labels is not None:
                yield level, call.lineno, labels, index


def _unmoved(node: ast.expr) -> ast.expr:
    """``labels`` of ``labels.view(-1).long()``"""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in REARRANGING:
        node = node.func.value
    return node
