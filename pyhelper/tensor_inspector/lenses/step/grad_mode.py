"""Tells from a source where gradients are surely switched off: in a block, or in a whole function."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from .expressions import last_name, text_of
from .source import Source
from .statements import last_line

_OFF = ("no_grad", "inference_mode")
_MODES = frozenset((*_OFF, "enable_grad", "set_grad_enabled"))


def off_at(source: Source, line: int) -> int | None:
    """The line of what surely switches gradients off around another one: of a block, or of the function's decorator."""
    switching = [
        (block, is_off)
        for block in source.blocks
        for is_off in [switches_off(block.items)]
        if is_off is not None and block.lineno <= line <= last_line(block)
    ]
    if switching:  # the innermost decides
        block, is_off = max(switching, key=lambda one: one[0].lineno)
        return block.lineno if is_off else None
    return decorated_off(source)


def decorated_off(source: Source) -> int | None:
    """The line of the decorator that switches gradients off in a whole function."""
    decorators: Any = getattr(source.tree, "decorator_list", ())
    off = (one.lineno for one in decorators if text_of(one).partition("(")[0].endswith(_OFF))
    return next(off, None)


def no_grad_block(source: Source, line: int) -> ast.With | ast.AsyncWith | None:
    """The ``with`` block around a line that is opened by one of torch's functions for no gradients."""
    return source.with_block(line, *_OFF)


def switches_off(items: Iterable[ast.withitem]) -> bool | None:
    """Whether what a ``with`` opens surely switches gradients off; None where it has nothing to do with them.

    ``no_grad() if frozen else nullcontext()`` does not so surely.
    """
    found: bool | None = None
    for item in items:
        opened = item.context_expr
        if any(_MODES.intersection((getattr(one, "id", ""), getattr(one, "attr", ""))) for one in ast.walk(opened)):
            found = isinstance(opened, ast.Call) and last_name(opened.func) in _OFF and _is_on(opened)
    return found


def _is_on(call: ast.Call) -> bool:
    """Whether a mode is not called with what may say that it is to be left out: ``inference_mode(not training)``."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return all(isinstance(value, ast.Constant) and value.value is True for value in given)
