"""Shortens the names of classes, which differ at their ends."""

from __future__ import annotations


def shorten_class(text: str, limit: int) -> str:
    """The name of a class, with what follows it, without its first words: its last ones tell what it is.

    >>> shorten_class("NonDynamicallyQuantizableLinear(8 → 8)", 30)
    '…QuantizableLinear(8 → 8)'
    """
    if len(text) <= limit:
        return text
    words = (at for at in range(1, len(text)) if text[at].isupper() and not text[at - 1].isupper())
    start = next((at for at in words if len(text) - at < limit), len(text) - limit + 1)
    return f"…{text[start:]}"
