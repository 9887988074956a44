"""Meaning: a number that stands for padding, to a loss or to an embedding, is among true ones."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ....measure.torch.elements import bare
from ....measure.torch.metadata import element_count, is_exact_tensor, is_integer
from ....measure.torch.modules import Member, is_of
from ....safe.guard import instance_dict
from ....words.text import percent
from ...findings.finding import Violation
from ...findings.lines import line_of_module
from ...step.expressions import constant_of
from ...step.sight import VisibleVariable
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading

_MOVES = frozenset("view reshape flatten long to contiguous cuda cpu squeeze ravel".split())
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
            count, total = _among_others(labels, index, reading)
            if count:
                yield Violation(
                    (f"{count:,} labels of {labels.name} are {index}", ", ", "which the loss ignores"),
                    (labels.name, f"{percent(count, total)} are {index}, with other labels before and after"),
                    line=(step.sources[level].file, line),
                )


@detector(
    30,
    because="padding stands at the ends of rows alone; a true token of that number is a token never learned",
    why="The embedding of padding_idx is 0 and gets no gradient, wherever it stands.",
    suggestion="keep a number for padding that no token has",
)
def padding_inside(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``nn.Embedding(…, padding_idx=0)``, and ids with a 0 between others."""
    padded = [
        (name, member, member.setting("padding_idx"))
        for name, member in step.members.values()
        if is_of(member.module, "Embedding") and type(member.setting("padding_idx")) is int
    ]
    if len(padded) != 1:  # which ids are given to which is not known
        return
    name, member, index = padded[0]
    most = member.setting("num_embeddings")
    for ids in reading.each(list(_ids_given(step, member))):
        with reading.of(ids.name):
            count, total = _among_others(ids, index, reading)
            if count and type(most) is int and total - count and int(bare(ids.value).max()) < most:
                yield Violation(
                    (f"{count:,} ids of {ids.name} are {index}", ", ", f"the padding of {name}, between others"),
                    (ids.name, f"{percent(count, total)} are {index}, with others before and after"),
                    (f"{name}.padding_idx", str(index)),
                    line=line_of_module(step, member, name),
                )


def _ids_given(step: Step, embedding: Member) -> Iterator[VisibleVariable]:
    """The tables of whole numbers that calls give the embedding, or a module that it is a part of."""
    for call, variable, level in step.calls_of_modules():
        if not embedding.is_in(variable.value):
            continue
        given = [step.operand(one, level, call.lineno) for one in (*call.args, *call.keywords.values())]
        tables = [one for one in given if one is not None and _is_table(one.value)]
        if len(tables) == 1:
            yield tables[0]


def _is_table(value: Any) -> bool:
    return is_exact_tensor(value) and value.dim() == 2 and is_integer(value.dtype)


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
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _MOVES:
        node = node.func.value
    return node


def _among_others(variable: VisibleVariable, index: int, reading: BoundedReading) -> tuple[int, int]:
    """How many numbers equal the index alone between two others, and how many there are.

    None where most of them stand in runs, as padding does, between others too.
    """
    tensor = variable.value
    if not is_exact_tensor(tensor) or not is_integer(tensor.dtype) or tensor.dim() not in (1, 2):
        return 0, 1
    values = bare(tensor) if (element_count(tensor) or 0) > 2 else None
    if values is None or not reading.takes(variable.name, values.numel()):
        return 0, 1
    rows = values.reshape(1, -1) if tensor.dim() == 1 else values
    others = rows != index
    alone = ~others[:, 1:-1] & others[:, :-2] & others[:, 2:]
    before, after = others.cumsum(1) > 0, others.flip(1).cumsum(1).flip(1) > 0
    count, inside = int(alone.sum()), int((~others & before & after).sum())
    return (count if 2 * count > inside else 0), values.numel()
