"""All detectors, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Collection

from .detector import Detector
from .detectors import (
    all_pairs,
    averages,
    batch_where_time_is,
    classes,
    copied_without_a_copy,
    defaults,
    empty,
    equal_groups,
    flat_and_no_gradient,
    frozen_norms,
    in_the_loop,
    inference_tensors,
    left_over,
    lengths,
    mask_of_ones,
    masks,
    never_a_label,
    never_read,
    never_run,
    one_object,
    one_owner,
    own_train,
    padding,
    parallel,
    part_in_eval,
    rounded,
    same_order,
    scales,
    schedule_over,
    schedules_another,
    sdpa,
    settings,
    size_as_index,
    step_counts,
    untied,
    used_up,
    weights_and_data,
)

_FILES = (
    one_object,
    copied_without_a_copy,
    used_up,
    empty,
    weights_and_data,
    all_pairs,
    equal_groups,
    flat_and_no_gradient,
    never_a_label,
    part_in_eval,
    masks,
    lengths,
    rounded,
    defaults,
    parallel,
    step_counts,
    schedules_another,
    in_the_loop,
    classes,
    padding,
    frozen_norms,
    own_train,
    never_run,
    inference_tensors,
    sdpa,
    settings,
    scales,
    size_as_index,
    schedule_over,
    same_order,
    averages,
    mask_of_ones,
    never_read,
    one_owner,
    untied,
    batch_where_time_is,
    left_over,
)


def _detectors() -> list[Detector]:
    """Those of each file in the order in which they stand there."""
    found = []
    for file in _FILES:
        file.detector  # noqa: B018  an injected module runs its source when it is first asked for a name
        found += [one for one in vars(file).values() if type(one) is Detector]
    return found


DETECTORS = _detectors()


def unknown_detectors(ids: Collection[str]) -> list[str]:
    """The ids that no detector has."""
    known = {detector.id for detector in DETECTORS}
    return [id for id in dict.fromkeys(ids) if id not in known]
