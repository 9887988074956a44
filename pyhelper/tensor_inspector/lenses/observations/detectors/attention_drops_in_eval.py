"""Modes: an attention that drops by a number, which eval mode does not switch off."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....measure.torch.modules import Member
from ....safe.guard import NUMBERS
from ....words.text import number
from ...findings.finding import Violation
from ...step.calls import Call
from ...step.classes import is_library, methods_of
from ...step.expressions import constant_of, text_of
from ...step.source import Source
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading


@detector(
    300,
    because="who evaluates wants no dropout; as a number it goes on in eval mode",
    why="scaled_dot_product_attention knows no mode: it drops by dropout_p also in eval.",
    suggestion="dropout_p=self.dropout if self.training else 0.0",
)
def attention_drops_in_eval(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout)``"""
    told: set[tuple[str, int]] = set()
    for name, member in reading.each(list(step.members.values())):
        cls = type(member.module)
        if is_library(cls):
            continue
        for source, call in step.once(_attentions, cls):
            line = source.file, call.lineno
            rate = _rate(source, call, member)
            if rate is not None and line not in told:
                told.add(line)
                yield Violation(
                    (f"attention of {name} drops {number(rate)}", ", ", "in eval mode too"),
                    (name, f"dropout_p={text_of(call.argument(4, 'dropout_p'))}, which is {number(rate)}"),
                    line=line,
                )


def _attentions(cls: type) -> list[tuple[Source, Call]]:
    """The calls whose dropout no mode decides, in the methods of a class."""
    methods = dict(methods_of(cls))
    calls = ((source, call) for source in methods.values() for call in source.calls_of("scaled_dot_product_attention"))
    own = methods.get("train")  # which may set the rate
    return [] if own is not None else [(source, call) for source, call in calls if _is_by_a_number(source, call)]


def _is_by_a_number(source: Source, call: Call) -> bool:
    given = call.argument(4, "dropout_p")
    if given is None:
        return False
    is_plain = constant_of(given) is not None or isinstance(given, ast.Attribute)
    return is_plain and not source.is_conditional(call.lineno) and not source.mentions("training")


def _rate(source: Source, call: Call, member: Member) -> float | None:
    """The rate above 0: a number in the source, or an attribute of the module that is one."""
    given = call.argument(4, "dropout_p")
    assert given is not None
    rate = constant_of(given)
    if rate is None and isinstance(given, ast.Attribute) and text_of(given.value) == source.self_name:
        rate = member.setting(given.attr)
    return float(rate) if type(rate) in NUMBERS and rate > 0 else None
