"""Meaning: the number of padding stands between true ids."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.torch.elements import bare
from ....measure.torch.metadata import is_exact_tensor, is_integer
from ....measure.torch.modules import Member, is_of
from ....words.text import percent
from ...findings.finding import Violation
from ...flow.lines import line_of_module
from ...step.sight import VisibleVariable
from ...step.step import Step
from ..among_others import among_others
from ..detector import detector
from ..reading import BoundedReading


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
            count, total = among_others(ids, index, reading)
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
