"""Values that a distribution does not accept: how many, and where the first one stands."""

from __future__ import annotations

from typing import Any

from ....measure.stats.first import first_special
from ....measure.torch.elements import bare, stats_of
from ....safe.guard import class_name
from ....words.text import number, shape
from ...findings.finding import Violation
from ..error_context import ErrorContext
from ..errors import parameter_in, short_message
from ..operand import Operand, operand

_FITS: dict[str | None, str] = {
    None: "softmax makes probabilities of logits",
    "scale": "softplus or exp of it, plus a little: F.softplus(…) + 1e-5",
    "probs": "logits=…, if these are no probabilities",
}


def invalid_distribution(context: ErrorContext) -> Violation:
    parameter = parameter_in(context.message)
    given = _invalid_parameter(context, parameter)
    if given is None:
        return context.quoted()
    what = _distribution(context) if parameter is not None else context.called
    wrong = _wrong(context, given)
    if wrong is None:
        return context.found((f"{given.name} is {given.fact}", ": ", f"{short_message(context.message)}"), given)
    as_what = f" as {parameter}" if parameter not in (None, "value") else ""
    title = f"{given.name} {wrong}, which {what} does not take{as_what}"
    fit = "look for where the NaN began" if "NaN" in wrong else _FITS.get(parameter, "")
    return context.found(title, (given.name, f"{given.fact}, {wrong}"), suggestion=fit)


def _invalid_parameter(context: ErrorContext, parameter: str | None) -> Operand | None:
    """The tensor with invalid values, by the user's name for it, else by the distribution's."""
    if parameter is None:
        return next((one for operation in context.operations for one in operation.operands()), None)
    for entry in context.library.frames:
        value = entry.arguments().get(parameter)
        known = None if value is None else operand(context.names.of(value) or parameter, value)
        if known is not None:
            return known
    return None


def _distribution(context: ErrorContext) -> str:
    of = (entry.variables.get("self") for entry in context.library.frames if entry.function != "_validate_sample")
    return next((class_name(type(one)) for one in of if one is not None), context.called)


def _wrong(context: ErrorContext, given: Operand) -> str | None:
    """Its invalid values in words: NaN, Inf, else the range of all values."""
    if given.value is None or given.is_array:
        return None
    stats: Any = stats_of(given.value, context.budget)
    if stats is None:
        return None
    infinite = stats["pos_inf"] + stats["neg_inf"]
    if stats["nan"] or infinite:
        count = f"{stats['nan']} NaN" if stats["nan"] else f"{infinite} Inf"
        nan, inf = first_special(bare(given.value), context.budget)
        at = nan if stats["nan"] else inf
        where = f", the first at {shape(at)}" if at else ""
        return f"holds {count} of {stats['count']}{where}"
    least, most = number(float(stats["min"]), 3), number(float(stats["max"]), 3)
    return f"is {least} everywhere" if least == most else f"runs from {least} to {most}"
