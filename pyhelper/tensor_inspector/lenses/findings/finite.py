"""Checks whether a tensor is finite, as numbers and as text."""

from __future__ import annotations

from typing import Any

from ..step.step import Step


def count_not_finite(step: Step, tensor: Any) -> int | None:
    """How many elements are NaN or infinite; None where that is not known."""
    if tensor is None:
        return None
    stats = step.stats(tensor)
    return None if stats is None else stats["nan"] + stats["pos_inf"] + stats["neg_inf"]


def words_of(stats: dict[str, Any]) -> str:
    """``3 NaN, 1 Inf``"""
    infinite = stats["pos_inf"] + stats["neg_inf"]
    parts = [f"{stats['nan']:,} NaN" if stats["nan"] else "", f"{infinite:,} Inf" if infinite else ""]
    return ", ".join(filter(None, parts)) or "finite"
