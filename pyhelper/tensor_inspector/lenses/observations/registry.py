"""All detectors, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Collection

from .detector import Detector
from .detectors import (
    all_pairs,
    attention_drops_in_eval,
    batch_where_time_is,
    behind_its_optimizer,
    classes_and_head,
    clipped_after_the_step,
    columns_of_many_scales,
    default_of_all_calls,
    each_process_for_itself,
    entries_share_memory,
    epoch_never_set,
    equal_within_groups,
    first_batch_again,
    flat_and_no_gradient,
    freezes_in_train,
    frozen_but_moving,
    gradients_left_over,
    ignored_among_labels,
    kept_but_live,
    longer_than_its_row,
    made_in_inference_mode,
    mask_hides_nothing,
    mask_of_what_is_kept,
    never_a_label,
    never_read,
    never_written,
    no_batches,
    norm_never_estimated,
    nothing_left,
    nothing_was_reduced,
    one_layer_in_many_places,
    one_value_in_many_places,
    padding_inside,
    part_in_eval,
    rounded_to_its_neighbour,
    schedule_beyond_its_end,
    schedule_of_another,
    set_for_both,
    size_as_index,
    the_same_for_every_sample,
    tied_by_name_alone,
    unusual_setting,
    used_up,
    weights_and_data,
    weights_without_statistics,
)

_FILES = (
    one_layer_in_many_places,
    one_value_in_many_places,
    kept_but_live,
    entries_share_memory,
    used_up,
    nothing_left,
    no_batches,
    weights_and_data,
    all_pairs,
    the_same_for_every_sample,
    equal_within_groups,
    flat_and_no_gradient,
    never_a_label,
    part_in_eval,
    mask_of_what_is_kept,
    longer_than_its_row,
    rounded_to_its_neighbour,
    default_of_all_calls,
    nothing_was_reduced,
    each_process_for_itself,
    behind_its_optimizer,
    schedule_of_another,
    clipped_after_the_step,
    first_batch_again,
    classes_and_head,
    ignored_among_labels,
    padding_inside,
    frozen_but_moving,
    freezes_in_train,
    norm_never_estimated,
    never_written,
    made_in_inference_mode,
    attention_drops_in_eval,
    unusual_setting,
    columns_of_many_scales,
    size_as_index,
    schedule_beyond_its_end,
    epoch_never_set,
    weights_without_statistics,
    mask_hides_nothing,
    never_read,
    set_for_both,
    tied_by_name_alone,
    batch_where_time_is,
    gradients_left_over,
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
