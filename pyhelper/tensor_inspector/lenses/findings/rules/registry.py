"""All rules, in the order in which they run."""

from __future__ import annotations

from collections.abc import Collection
from types import ModuleType

from ..rule import Rule
from .call import batchnorm_batch_of_one, device_mismatch, dtype_mismatch, logits_to_prob_loss
from .data import (
    constant_feature,
    constant_input,
    duplicate_samples,
    nan_in_input,
    normalized_twice,
    not_normalized,
    one_class_batch,
    split_overlap,
)
from .graph import (
    checkpoint_cut,
    freeze_typo,
    frozen_params,
    grad_mode_off,
    graph_cut,
    graph_freed,
    graph_grows,
    inplace_modified,
    loss_rewrapped,
    loss_without_grad,
    missing_grad,
    non_leaf_grad,
    nondifferentiable,
    retained_graph,
    unregistered_params,
    unused_module,
    zero_grad_values,
)
from .loss import (
    all_targets_ignored,
    class_dim,
    double_sigmoid,
    double_softmax,
    kl_input_not_log,
    label_out_of_range,
    loss_broadcast,
    loss_not_scalar,
    loss_sign,
    nll_input_not_log,
    softmax_singleton,
    softmax_wrong_dim,
    target_is_prediction,
    target_requires_grad,
)
from .model import (
    aliased_models,
    batch_mixing,
    ddp_bypassed,
    dropout_in_eval,
    eval_during_training,
    no_nonlinearity,
    symmetric_init,
    tie_broken,
    train_during_eval,
)
from .numbers import (
    constant_output,
    dead_relu,
    exploding_grad,
    fp16_overflow,
    log_of_zero,
    masked_row,
    nan_in_buffers,
    nan_in_grad_only,
    nan_in_params,
    nan_origin,
    saturated,
    std_of_one,
    vanishing_grad,
)
from .optimizer import (
    clip_before_unscale,
    eps_underflow,
    grads_accumulated,
    lr_too_high,
    lr_too_low,
    lr_zero,
    optimizer_stale_params,
    param_not_in_optimizer,
    scaler_bypassed,
    step_without_grads,
    update_lost,
    weights_unchanged,
)

_FILES = (
    device_mismatch,
    dtype_mismatch,
    logits_to_prob_loss,
    batchnorm_batch_of_one,
    nan_in_input,
    not_normalized,
    normalized_twice,
    constant_input,
    duplicate_samples,
    constant_feature,
    one_class_batch,
    split_overlap,
    log_of_zero,
    masked_row,
    fp16_overflow,
    std_of_one,
    nan_origin,
    nan_in_params,
    nan_in_buffers,
    nan_in_grad_only,
    exploding_grad,
    vanishing_grad,
    nondifferentiable,
    loss_without_grad,
    grad_mode_off,
    loss_rewrapped,
    frozen_params,
    freeze_typo,
    graph_cut,
    checkpoint_cut,
    unused_module,
    unregistered_params,
    non_leaf_grad,
    inplace_modified,
    graph_freed,
    retained_graph,
    graph_grows,
    double_softmax,
    double_sigmoid,
    nll_input_not_log,
    kl_input_not_log,
    softmax_singleton,
    softmax_wrong_dim,
    loss_broadcast,
    all_targets_ignored,
    label_out_of_range,
    class_dim,
    loss_not_scalar,
    target_requires_grad,
    target_is_prediction,
    loss_sign,
    param_not_in_optimizer,
    optimizer_stale_params,
    lr_zero,
    lr_too_low,
    step_without_grads,
    clip_before_unscale,
    scaler_bypassed,
    grads_accumulated,
    lr_too_high,
    eps_underflow,
    weights_unchanged,
    update_lost,
    aliased_models,
    tie_broken,
    missing_grad,
    zero_grad_values,
    eval_during_training,
    train_during_eval,
    no_nonlinearity,
    symmetric_init,
    ddp_bypassed,
    dropout_in_eval,
    batch_mixing,
    dead_relu,
    saturated,
    constant_output,
)


def _rule_of(file: ModuleType) -> Rule:
    """The rule of a file, which has the file's name."""
    rule: Rule = getattr(file, file.__name__.rpartition(".")[2])
    return rule


RULES = [_rule_of(file) for file in _FILES]


def unknown_rules(ids: Collection[str]) -> list[str]:
    """The ids that no rule has."""
    known = {rule.id for rule in RULES}
    return [id for id in dict.fromkeys(ids) if id not in known]


def similar_rules(id: str) -> list[str]:
    """The rules that an unknown id may mean: the one that it is but for its signs, else those with one of its words."""
    parts = id.lower().replace("_", "-").split("-")
    found = [rule.id for rule in RULES if set(parts) & set(rule.id.split("-"))]
    return ["-".join(parts)] if "-".join(parts) in found else found
