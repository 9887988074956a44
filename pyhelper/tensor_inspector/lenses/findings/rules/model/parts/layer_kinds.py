"""Tells layers that act in another way in eval mode: batch norms and dropouts."""

from __future__ import annotations

from ......measure.torch.modules import Member, is_of
from ......safe.guard import NUMBERS

DROPOUT = ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout")


def is_norm(member: Member) -> bool:
    return is_of(member.module, "_BatchNorm") and member.setting("track_running_stats") is True


def is_dropout(member: Member) -> bool:
    rate = member.setting("p")
    return is_of(member.module, *DROPOUT) and type(rate) in NUMBERS and rate > 0
