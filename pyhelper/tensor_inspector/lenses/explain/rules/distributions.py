"""Values that a distribution does not accept: how many, and where the first one stands."""

from __future__ import annotations

from typing import Any

from ....measure.stats.first import first_special
from ....measure.torch.elements import bare, stats_of
from ....safe.guard import class_name
from ....words.text import number, shape
from ...findings.finding import Found
from ..errors import parameter_in, short_message
from ..operand import Operand, operand
from ..scene import Scene

_FITS: dict[str | None, str] = {
    None: "softmax makes probabilities of logits",
    "scale": "softplus or exp of it, plus a little: F.softplus(…) + 1e-5",
    "probs": "logits=…, if these are no probabilities",
}


def invalid_distribution(scene: Scene) -> Found:
    parameter = parameter_in(scene.message)
    given = _given(scene, parameter)
    if given is None:
        return scene.quoted()
    what = _distribution(scene) if parameter is not None else scene.called
    wrong = _wrong(scene, given)
    if wrong is None:
        return scene.found((f"{given.name} is {given.fact}", ": ", f"{short_message(scene.message)}"), given)
    as_what = f" as {parameter}" if parameter not in (None, "value") else ""
    title = f"{given.name} {wrong}, which {what} does not take{as_what}"
    fit = "look for where the NaN began" if "NaN" in wrong else _FITS.get(parameter, "")
    return scene.found(title, (given.name, f"{given.fact}, {wrong}"), suggestion=fit)


def _given(scene: Scene, parameter: str | None) -> Operand | None:
    """The tensor whose values are wrong, as the user wrote it, else as the distribution has it."""
    if parameter is None:
        return next((one for operation in scene.operations for one in operation.operands()), None)
    for entry in scene.running.library:
        value = entry.arguments().get(parameter)
        known = None if value is None else operand(scene.names.of(value) or parameter, value)
        if known is not None:
            return known
    return None


def _distribution(scene: Scene) -> str:
    of = (entry.variables.get("self") for entry in scene.running.library if entry.function != "_validate_sample")
    return next((class_name(type(one)) for one in of if one is not None), scene.called)


def _wrong(scene: Scene, given: Operand) -> str | None:
    """What stands in it that does not belong there: NaN, Inf, else the range of the values."""
    if given.value is None or given.is_array:
        return None
    stats: Any = stats_of(given.value, scene.budget)
    if stats is None:
        return None
    infinite = stats["pos_inf"] + stats["neg_inf"]
    if stats["nan"] or infinite:
        count = f"{stats['nan']} NaN" if stats["nan"] else f"{infinite} Inf"
        nan, inf = first_special(bare(given.value), scene.budget)
        at = nan if stats["nan"] else inf
        where = f", the first at {shape(at)}" if at else ""
        return f"holds {count} of {stats['count']}{where}"
    least, most = number(float(stats["min"]), 3), number(float(stats["max"]), 3)
    return f"is {least} everywhere" if least == most else f"runs from {least} to {most}"
