"""Encodes numbers that JavaScript can't hold: its only numbers are finite float64."""

from __future__ import annotations

_SAFE_INTEGER = 2**53 - 1


def tagged(value: object) -> object:
    """``value`` as JSON can carry it to JavaScript: big integers and non-finite floats become tagged strings.

    Only plain dicts, lists, strings and numbers come here: they are our own answers, never a user's value.
    """
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return value if -_SAFE_INTEGER <= value <= _SAFE_INTEGER else f"#{value}"
    if isinstance(value, float):
        if value != value:
            return "#nan"
        if value in (float("inf"), float("-inf")):
            return "#inf" if value > 0 else "#-inf"
        return value
    if isinstance(value, dict):
        return {key: tagged(item) for key, item in value.items()}
    if isinstance(value, list):
        return [tagged(item) for item in value]
    raise TypeError(f"no JSON for {type(value).__name__}")
