"""The answer of `nan_origin` in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...words.text import listed, plural

if TYPE_CHECKING:
    from ...protocol import NanCause, NanUnknown

_NAMED = 3  #: operations that are named beside the one where it may have begun

CAUSES: dict[NanCause, str] = {
    "zero_variance": "a deviation of 0 divides",
    "negative_variance": "running_var below 0",
    "nan_input": "NaN went in",
    "infinite_input": "Inf went in",
    "log_of_zero": "log of 0",
    "log_of_negative": "log of a negative number",
    "overflow": "an overflow: larger than the dtype holds",
    "masked_row": "a row that is −inf everywhere: every place is masked",
    "zero_by_zero": "0 / 0",
    "division_by_zero": "a division by 0",
    "inf_minus_inf": "Inf − Inf",
    "zero_times_inf": "0 · Inf",
    "root_of_negative": "a root of a negative number",
    "mean_of_nothing": "a mean of nothing",
    "one_sample": "the unbiased deviation of one sample",
    "power": "a power of a negative number",
    "infinite_slope": "a slope that is infinite there",
    "domain": "a number outside of what it is defined for",
}
#: Why the origin is not known.
WHY: dict[NanUnknown, str] = {
    "no_graph": "it has no grad_fn: detached, or made where gradients were off",
    "no_loss": "no loss in sight whose backward made this gradient",
    "freed": "an earlier backward has freed saved tensors",
    "hooked": "saved tensors have hooks, which are not run",
    "custom": "a custom Function does not tell what it made",
    "modified": "a saved tensor was modified in place",
    "not_saved": "not every operation saves what it made",
    "too_many": "the graph is too large",
    "no_time": "there was no time for more",
}


def or_others(operations: list[str]) -> str:
    """Further operations in which it may have begun, as they follow the first."""
    if len(operations) > _NAMED:
        return f" or {plural(len(operations), 'other')}"
    return "".join(f" or {operation}" for operation in operations)


def parts(found: Any, location: tuple[str, int] | None) -> Iterator[str | None]:
    """The line of the answer: where, why, what, and how much."""
    if found["where"] == "finite":
        yield "all is finite"
        return
    if found["where"] == "unknown":
        yield f"can't be told: {WHY[found['unknown'][0]]}" if found["unknown"] else "can't be told"
        if found["name"] is not None:
            yield f"{found['name']} has it already: ask before the backward"
        return
    amounts = [plural(found["nan"], "NaN").replace("NaNs", "NaN")] * bool(found["nan"])
    amounts += [f"{found['inf']:,} Inf"] * bool(found["inf"])
    text = ", ".join(amounts) + (f", first at {found['first']}" if found["first"] is not None else "")
    may = "" if found["certain"] or found["where"] != "operation" else "may begin at "
    line = "" if location is None else f", line {location[1]}"
    if found["where"] == "parameter":
        yield f"in the parameter {found['name'] or ''}".rstrip()
    elif found["where"] == "input":
        yield f"in what {found['operation']} was given{': ' + found['name'] if found['name'] else ''}"
    elif found["where"] == "backward":
        yield f"in backward, at {found['operation']}{line}"
    else:
        yield f"{may}{found['operation']}{line}{or_others(found['others'])}"
    yield CAUSES.get(found["cause"])
    yield found["name"] if found["where"] in ("operation", "backward") else None
    yield text
    yield f"of {listed(found['inputs'], False, 40)}" if found["inputs"] and found["where"] == "operation" else None
