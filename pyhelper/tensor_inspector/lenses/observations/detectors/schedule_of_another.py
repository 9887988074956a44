"""Identity: a schedule changes the rates of an optimizer that does not train."""

from __future__ import annotations

from collections.abc import Iterator

from ....measure.torch.optimizers import inner, tensors
from ....safe.guard import class_name, instance_dict
from ...findings.finding import Violation
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading


@detector(
    300,
    because="a schedule is made for the optimizer that trains; one of another is left from before it was made anew",
    why="step() of the schedule changes the rates of an optimizer that nobody steps.",
    suggestion="make the schedule after the optimizer that it is for",
)
def schedule_of_another(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``scheduler = StepLR(optimizer, 10)``, and then ``optimizer = Adam(…)`` once more."""
    known = {id(inner(one.value)) for one in step.optimizers}
    trained = {id(one.tensor) for one in step.trained()}
    for variable in reading.each(step.schedulers):
        held = instance_dict(variable.value).get("optimizer")
        if held is None or not known or id(inner(held)) in known:
            continue
        shared = sum(1 for tensor in tensors(held) if id(tensor) in trained)
        of = "the same parameters" if shared else "other parameters"
        yield Violation(
            (f"{variable.name} is of an optimizer that is not in sight", ", ", f"which holds {of}"),
            (variable.name, f"changes the rates of another {class_name(type(inner(held)))}"),
            line=step.sources[variable.level].line_of(variable.key),
        )
