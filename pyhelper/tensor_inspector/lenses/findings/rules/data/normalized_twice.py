"""Images are scaled by 1/255 twice, or normalised twice by the same numbers.

Why: Weights and learning rate are made for another scale, so that the model learns slowly.

Example:
    x = torch.stack([to_tensor(image) for image in images]) / 255  # 0…1 already
    out = model(x)

Instead:
    x = torch.stack([to_tensor(image) for image in images])
    out = model(x)

Silent when:
    - the first layer does not take the input as it is, or the input needs gradients
    - the input has not four dimensions, or not 1, 3 or 4 channels
    - the values are no bytes by 255², or do not fill 0…1 when a usual mean and deviation are undone twice
    - two `Normalize` in one `Compose` have different numbers
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....safe.guard import NUMBERS, SEQUENCES, class_name, instance_dict
from .....words.text import number
from ....step.expressions import shown
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.raw_inputs import raw_inputs, where_made
from .parts.scales import are_of_bytes, is_normalised_twice

_PARTS = 64  #: of a list of transforms that are looked at


@rule(
    "warning",
    why="Weights and learning rate are made for another scale, so that the model learns slowly.",
    suggestion="scale once",
    needs="module source",
)
def normalized_twice(step: Step) -> Iterator[Violation]:
    yield from _twice_in_transforms(step)
    for given in raw_inputs(step):
        stats = step.stats(given.tensor) if given.tensor.dim() == 4 else None
        if stats is not None and is_normalised_twice(given.tensor):
            yield Violation(
                (
                    f"{given.name} runs from {number(stats['min'])} to {number(stats['max'])}",
                    ": ",
                    "the mean and deviation of the data were applied twice",
                ),
                (given.name, "two times less the mean, by the deviation: undone twice it fills 0…1"),
                line=where_made(step, given),
                suggestion="normalise once: in the dataset, or in the step",
            )
            return
        if stats is None or stats["max"] is None or given.tensor.shape[1] not in (1, 3, 4):
            continue
        if stats["min"] < 0 or not 1e-3 < stats["max"] <= 1 / 255 + 1e-6 or not stats["std"] or stats["std"] <= 1e-4:
            continue
        if are_of_bytes(given.tensor, 255 * 255):
            yield Violation(
                (
                    f"{given.name} runs from {number(stats['min'])} to {number(stats['max'])}",
                    ": ",
                    "scaled by 1/255 twice",
                ),
                (given.name, f"at most {number(stats['max'])}, 1/255 is 0.00392"),
                line=where_made(step, given),
                suggestion="divide once: ToTensor() already gives 0…1",
            )
            return


def _twice_in_transforms(step: Step) -> Iterator[Violation]:
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
