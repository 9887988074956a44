"""Settings far from what they usually are: a momentum that is one minus what was meant, a huge eps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.torch.modules import is_of
from ....measure.torch.optimizers import each_group, inner
from ....safe.guard import NUMBERS, class_name
from ....words.text import number
from ...findings.finding import Violation
from ...flow.lines import line_of_module, line_of_optimizer
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading

#: of layers: their setting, what it usually is at most, and what is beyond that
_LAYERS = (
    (("_BatchNorm",), "momentum", 0.7, "the share of the new batch, which TensorFlow counts the other way round"),
    (
        ("_BatchNorm", "LayerNorm", "GroupNorm", "RMSNorm"),
        "eps",
        0.02,
        "a momentum may stand in the place of eps",
    ),
    (("_DropoutNd",), "p", 0.85, "more than five of six values are dropped"),
)
#: of groups of optimizers, likewise
_GROUPS = (
    ("momentum", 0.9999, "old gradients never fade"),
    ("weight_decay", 1.0, "weights fall faster than they are trained"),
    ("eps", 0.05, "more than most gradients: its steps become those of plain gradient descent"),
)


@detector(
    100,
    because="settings beyond these are in few published recipes; most often they are another library's, or a slip",
    why="A name may mean something else in another library, and a slip of one digit raises no error.",
    suggestion="compare it with the recipe that it is from",
)
def unusual_setting(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``nn.BatchNorm2d(64, momentum=0.99)``"""
    alike: dict[tuple[str, float], list[str]] = {}
    for name, member in reading.each(list(step.members.values())):
        for classes, setting, most, _ in _LAYERS:
            value = member.setting(setting)
            if type(value) in NUMBERS and most < value <= 1e9 and is_of(member.module, *classes):
                alike.setdefault((setting, float(value)), []).append(name)
    for (setting, value), names in alike.items():
        what = next(said for _, one, most, said in _LAYERS if one == setting and value > most)
        name, member = next(one for one in step.members.values() if one[0] == names[0])
        several = "" if len(names) == 1 else f" and {len(names) - 1} more"
        yield Violation(
            (f"{setting} of {name}{several} is {number(value)}", ": ", what),
            *((f"{one}.{setting}", number(value)) for one in names[:3]),
            line=line_of_module(step, member, name),
        )
    for variable in reading.each(step.optimizers):
        for at, group in enumerate(each_group(variable.value)):
            for setting, value, what in _odd_options(group, class_name(type(inner(variable.value)))):
                yield Violation(
                    (f"{setting} of {variable.name} is {number(value)}", ": ", what),
                    (f"{variable.name}.param_groups[{at}]['{setting}']", number(value)),
                    (variable.name, class_name(type(inner(variable.value)))),
                    line=line_of_optimizer(step, variable),
                )


def _odd_options(group: Any, kind: str) -> Iterator[tuple[str, float, str]]:
    for setting, most, what in _GROUPS:
        value = group.number(setting)
        if value is not None and value > most and (setting != "eps" or "Adam" in kind):
            yield setting, value, what
    betas = group.option("betas")
    is_pair = type(betas) is tuple and len(betas) == 2 and all(type(one) in NUMBERS for one in betas)
    if is_pair and betas[0] > betas[1]:
        yield "betas[0]", float(betas[0]), f"above betas[1] of {number(betas[1])}: they may be exchanged"
