"""Sizes that don't belong together: a layer that takes time first is given the batch first."""

from __future__ import annotations

from collections.abc import Iterator

from ....measure.torch.metadata import is_exact_tensor, shape_of
from ....measure.torch.modules import Member, is_of
from ....safe.guard import class_name
from ....words.text import shape
from ...findings.finding import Violation
from ...flow.lines import line_of_module
from ...step.classes import is_library, methods_of
from ...step.sight import VisibleVariable
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading

_LAYERS = ("RNNBase", "MultiheadAttention")
#: by which a forward may put another dimension first
_MOVING = "transpose permute T t mT swapaxes swapdims movedim moveaxis rearrange einsum stack unsqueeze view reshape"
_PACKING = "pack_padded_sequence pack_sequence unbind chunk split"


@detector(
    100,
    because="who has the batch first says batch_first=True, or moves the dimension in forward",
    why="The layer goes through the samples of the batch as if they were the places of one sequence.",
    suggestion="batch_first=True, or x.transpose(0, 1) before the layer",
)
def batch_where_time_is(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``nn.LSTM(8, 16)`` of ``x`` with 32 × 10 × 8 numbers and 32 labels."""
    layers = [(name, member) for name, member in reading.each(list(step.members.values())) if _is_time_first(member)]
    for name, member in reading.each(layers):
        holder = _users(member)
        found = None if holder is None or _is_moved(holder) else _batch_first(step, holder)
        if found is not None:
            given, labels = found
            yield Violation(
                (f"{name} takes time first", ", ", f"and {given.name} has the batch first"),
                (f"{name}.batch_first", "False"),
                (given.name, f"shape {shape(shape_of(given.value))}"),
                (labels.name, f"shape {shape(shape_of(labels.value))}: one for each row"),
                line=line_of_module(step, member, name),
            )
            return


def _is_time_first(member: Member) -> bool:
    """Whether it is a layer that takes its input with time first."""
    return is_of(member.module, *_LAYERS) and member.setting("batch_first") is False


def _users(member: Member) -> Member | None:
    """The nearest module around it whose class is the user's; None where there is none."""
    holder = member.parent
    while holder is not None and is_library(type(holder.module)):
        holder = holder.parent
    return holder


def _is_moved(holder: Member) -> bool:
    """Whether a method of the module that holds the layer may put another dimension first."""
    words = [*_MOVING.split(), *_PACKING.split()]
    return any(source.mentions(*words) for _, source in methods_of(type(holder.module)))


def _batch_first(step: Step, holder: Member) -> tuple[VisibleVariable, VisibleVariable] | None:
    """What a call gives the module that holds the layer, and the labels, one for each of its rows."""
    for call, variable, level in step.calls_of_modules():
        if variable.value is not holder.module or not call.args:
            continue
        given = step.operand(call.args[0], level, call.lineno)
        if given is None or not is_exact_tensor(given.value) or given.value.dim() not in (2, 3):
            continue
        rows, places = (int(size) for size in shape_of(given.value)[:2])
        for other in step.tensors:
            is_label = other.level == level and other.value.dim() == 1 and other.value is not given.value
            if rows != places and is_label and int(shape_of(other.value)[0]) == rows and _is_target(step, other, level):
                return given, other
    return None


def _is_target(step: Step, variable: VisibleVariable, level: int) -> bool:
    """Whether a loss is given it as its target."""
    for call in step.sources[level].calls:
        kind = class_name(type(step.value(call.callee, level)))
        if (kind.endswith("Loss") or call.name.endswith(("cross_entropy", "loss"))) and len(call.args) > 1:
            target = step.operand(call.args[1], level, call.lineno)
            if target is not None and target.value is variable.value:
                return True
    return False
