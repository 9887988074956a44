"""A row of a pandas object that was asked for by its position, where only its label counts."""

from __future__ import annotations

import ast
from typing import Any

from .....kinds.tables.pandas_contents import index_contents
from .....safe.guard import class_name, dict_get, instance_dict, library_of
from .....words.text import plural
from ....findings.finding import Violation
from ...error_context import ErrorContext
from ...operand import in_title
from ...operation import FailingLine


def missing_label(context: ErrorContext, line: FailingLine, node: ast.Subscript) -> Violation | None:
    """``series[3]`` where no row is called 3; None of what is no Series, and of other labels than integers."""
    value, key = line.reader.read(node.value), line.reader.read(node.slice)
    cls = type(value)
    if class_name(cls) != "Series" or library_of(cls) != "pandas" or type(key) is not int:
        return None
    axes = getattr(dict_get(instance_dict(value), "_mgr"), "axes", None)
    if not axes:
        return None
    labels = index_contents(axes[0], context.budget)
    words = next(iter(labels.words()), "")
    text, count = in_title(node.value), plural(labels.length(), "row")
    what = f"a Series of {count}" + (f", labelled {words}" if words else "")
    is_position = -labels.length() <= key < labels.length()
    title = (f"{text} has no row that is labelled {key}", ": ", f"[{key}] asks for a label, not for a position")
    facts: list[tuple[str | None, str]] = [(text, what), *_key(node, key)]
    return context.found(title, *facts, suggestion=f"{text}.iloc[{in_title(node.slice)}]" if is_position else "")


def _key(node: ast.Subscript, key: Any) -> list[tuple[str | None, str]]:
    written = in_title(node.slice)
    return [] if written == str(key) else [(written, str(key))]
