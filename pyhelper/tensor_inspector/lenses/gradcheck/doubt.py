"""Reasons why a backward that disagrees with finite differences may still be right, or intended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .entries import Disagreement

if TYPE_CHECKING:
    from ...protocol import GradcheckDoubt

#: Operations whose results are unique up to signs, phases or bases only.
_NOT_UNIQUE = frozenset(("LinalgEig", "LinalgEigh", "LinalgQr", "LinalgSvd", "LinalgLdlFactorEx"))
_CTC = frozenset(("CtcLoss", "CudnnCtcLoss", "MiopenCtcLoss"))  #: whose backward counts the softmax before it in
CHECKPOINT = "CheckpointFunction"  #: a reentrant one, whose backward runs again what is under it
_NEAR = 1e-3
_NOTHING = 1e-9  #: a slope that counts as zero, as a share of what the backward says


def doubt(
    wrong: Sequence[Disagreement],
    ops: frozenset[str],
    custom: frozenset[str],
    *,
    unreached: bool,
    left_out: bool,
    partly: bool,
) -> GradcheckDoubt | None:
    """``ops`` are those of the graph, ``custom`` those among them whose backward Python runs. ``unreached``
    tells that no gradient comes to what disagrees, ``left_out`` that none comes to all of it and that none was asked
    for by ``requires_grad``, ``partly`` that other entries of it agree: then what does not is no
    straight-through estimator but may well be forgotten.

    Without such ones each operation's backward is torch's, so what is left out was cut from the graph.
    """
    if not wrong or not all(one.is_finite() for one in wrong):
        return None
    if left_out:
        return "left_out"
    if not custom and ops & _CTC:
        return "log_softmax"
    if not custom and all(_is_mirrored(one, wrong) for one in wrong):
        return "symmetric"
    if not custom and ops & _NOT_UNIQUE:
        return "not_unique"
    if not partly and all(abs(one.numeric) <= _NOTHING * abs(one.analytic) for one in wrong):
        return "straight_through"
    return None if custom or unreached else "cut"


def _is_mirrored(one: Disagreement, wrong: Sequence[Disagreement]) -> bool:
    """Whether it agrees together with the entry of the transposed index, as where one triangle of a matrix is read."""
    if len(one.index) < 2 or one.index[-1] == one.index[-2]:
        return False
    mirrored = (*one.index[:-2], one.index[-1], one.index[-2])
    for other in wrong:
        if (other.name, other.index, other.part, other.output) == (one.name, mirrored, one.part, one.output):
            analytic, numeric = one.analytic + other.analytic, one.numeric + other.numeric
            return abs(analytic - numeric) <= _NEAR * max(abs(analytic), abs(numeric))
    return False
