"""Works out what the transforms in sight do to data, from their parameters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....safe.guard import NUMBERS, SEQUENCES, class_name, instance_dict
from ....step.expressions import shown
from ....step.step import Step
from ...finding import Violation

_PARTS = 64  #: of a list of transforms that are looked at


def twice_in_transforms(step: Step) -> Iterator[Violation]:
    """A list of transforms with the same normalisation in it twice."""
    for (level, key), value in step.named_values():
        parts = instance_dict(value).get("transforms") if class_name(type(value)) == "Compose" else None
        seen: list[tuple[Any, Any]] = []
        for part in parts[:_PARTS] if type(parts) is list else ():
            numbers = _numbers_of(part) if class_name(type(part)) == "Normalize" else None
            if numbers in seen and numbers is not None:
                name, (mean, std) = shown(key), numbers
                yield Violation(
                    f"{name} normalises twice by the same mean and deviation",
                    (name, f"Normalize(mean={mean}, std={std}) stands in it twice"),
                    line=step.sources[level].line_of(key),
                    suggestion="leave one of the two out",
                )
                return
            seen.extend([] if numbers is None else [numbers])


def _numbers_of(transform: Any) -> tuple[Any, Any] | None:
    """The mean and the deviation of a transform, where these are numbers as written."""
    held = instance_dict(transform)
    found: list[Any] = [held.get(name) for name in ("mean", "std")]
    is_known = all(type(one) in SEQUENCES and all(type(number) in NUMBERS for number in one) for one in found)
    return (list(found[0]), list(found[1])) if is_known else None
