"""A part of a batch as data that JSON can carry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .labels import imbalance, label_data
from .part import DataPart

if TYPE_CHECKING:
    from ...protocol import BatchPart


def data_of(part: DataPart) -> BatchPart:
    """What is known of a part, as plain data."""
    return {
        "path": part.path,
        "type": ", ".join(part.types),
        "values": len(part.values) if part.read is None else part.read,
        "shape": part.shape(),
        "dtype": ", ".join(part.dtypes) or None,
        "device": ", ".join(part.devices) or None,
        "min": part.least,
        "max": part.most,
        "mean": part.mean,
        "nan": part.nan,
        "inf": part.inf,
        "missing": part.missing,
        "exact": part.is_whole(),
        "unread": part.unread,
        "distinct": part.distinct,
        "labels": None if part.labels is None else label_data(part.labels),
        "imbalance": imbalance(part.labels or {}),
        "duplicates": part.duplicates(),
        "constant_columns": part.constant,
    }
