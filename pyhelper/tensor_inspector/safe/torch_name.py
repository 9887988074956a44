"""The names of torch's constants."""

from __future__ import annotations

from typing import Any


def torch_name(constant: Any) -> str:
    """A dtype, layout or scheme of torch without ``torch.``: ``float32``. A dtype of numpy as numpy writes it."""
    return str(constant).replace("torch.", "")
