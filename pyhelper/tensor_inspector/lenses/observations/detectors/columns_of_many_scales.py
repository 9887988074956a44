"""Data: the columns of a table are of scales that lie far apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.torch.elements import bare
from ....measure.torch.metadata import element_count, grad_fn_of, is_exact_tensor
from ....measure.torch.modules import is_of
from ....words.text import number
from ...findings.finding import Violation
from ...flow.ops import NORMS
from ...step.classes import is_library, methods_of
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading

_ROWS, _COLUMNS = 8, 64
_RATIO = 1000.0
_SCALING = ("log", "log1p", "mean", "normalize", "scale", "std", "sqrt")


@detector(
    10,
    because="tables as they come have ages beside incomes; most programs scale them before training",
    why="The wide column decides the loss and the gradient; the narrow ones hardly count.",
    suggestion="scale each column: (x - x.mean(0)) / x.std(0), by the numbers of the training data",
)
def columns_of_many_scales(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """A column of 0.01 … 0.1 beside one of 10,000 … 90,000, given to a model."""
    for call, model, level in reading.each(list(step.calls_of_modules())):
        if _scales(step, model.value):
            continue
        given = step.operand(call.args[0] if call.args else None, level, call.lineno)
        if given is None or not is_exact_tensor(given.value) or grad_fn_of(given.value) is not None:
            continue
        with reading.of(given.name):
            values = _table(given.name, given.value, reading)
            if values is None:
                continue
            spreads = values.std(0)
            wide, narrow = int(spreads.argmax()), int(spreads.argmin())
            least, most = float(spreads[narrow]), float(spreads[wide])
            if not least > 0 or not _RATIO * least < most < float("inf") or most < 10:
                continue
            ratio = number(most / least)
            yield Violation(
                (
                    f"columns of {given.name} are of scales far apart",
                    ": ",
                    f"{wide} spreads {ratio} times as wide as {narrow}",
                ),
                (f"{given.name}[:, {wide}]", f"standard deviation {number(most)}"),
                (f"{given.name}[:, {narrow}]", f"standard deviation {number(least)}"),
                line=step.sources[level].line_of(given.key),
            )
            return


def _scales(step: Step, model: Any) -> bool:
    """Whether the model may scale its input by itself: it has a norm, a buffer, or words for it in its source."""
    inside = [member for _, member in step.members.values() if member.is_in(model)]
    classes = {id(cls): cls for member in inside if not is_library(cls := type(member.module))}
    return any(is_of(member.module, *NORMS) or member.items("_buffers") for member in inside) or any(
        source.mentions(*_SCALING) for cls in classes.values() for _, source in methods_of(cls)
    )


def _table(name: str, tensor: Any, reading: BoundedReading) -> Any:
    if not is_exact_tensor(tensor) or tensor.dim() != 2 or not tensor.dtype.is_floating_point:
        return None
    rows, columns = tensor.shape
    if rows < _ROWS or not 1 < columns <= _COLUMNS or not reading.takes(name, element_count(tensor) or 0):
        return None
    return bare(tensor)
