"""Order: gradients are clipped after the step that has used them."""

from __future__ import annotations

from collections.abc import Iterator

from ...findings.finding import Violation
from ...flow.effects import CLIPPING
from ...step.calls import Call
from ...step.expressions import text_of
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading


@detector(
    100,
    because="gradients are clipped for the step after them; few read the norm alone after it",
    why="The step has used the gradients as they were: clipping them afterwards limits nothing.",
    suggestion="clip between backward() and step()",
)
def clipped_after_the_step(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``loss.backward(); optimizer.step(); clip_grad_norm_(…)``"""
    source, names = step.source, {one.key for one in step.optimizers if one.level == step.level}
    steps = [call for call in source.calls if call.name == "step" and text_of(call.receiver) in names]
    for clip in reading.each([call for call in source.calls_of(*CLIPPING) if not _measures(call)]):
        around = source.loop_of(clip.lineno)
        beside = [call.lineno for call in steps if source.loop_of(call.lineno) == around]
        before = [line for line in beside if line < clip.lineno]
        if not before or len(before) < len(beside):
            continue
        if not any(before[-1] < one.lineno < clip.lineno for one in source.backwards):
            yield Violation(
                (f"line {clip.lineno} clips gradients", ", ", f"after line {before[-1]} has used them"),
                (clip.callee, "called after the step"),
                line=(source.file, clip.lineno),
            )


def _measures(clip: Call) -> bool:
    """Whether the limit is infinite, by which one reads the norm."""
    given = clip.argument(1, "max_norm")
    return given is not None and "inf" in text_of(given)
