"""Tells memory that nothing has written yet: what ``torch.empty`` gives holds what was there before."""

from __future__ import annotations

import ast

from ....step.expressions import key_of, last_name, names_in
from ....step.source import Source

_UNWRITTEN = ("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided")


def is_to_be_filled(source: Source, name: str, line: int) -> bool:
    """Tells whether a call before that line is given memory that nothing has written so far."""
    made = source.binding_of(name)
    value = None if made is None else getattr(made[1], "value", None)
    if made is None or not isinstance(value, ast.Call) or last_name(value.func) not in _UNWRITTEN:
        return False
    key = key_of(name)
    return any(
        source.lineno <= call.lineno < line
        and any(key in names_in(given) for given in (*call.args, *call.keywords.values()))
        for call in source.calls
    )
