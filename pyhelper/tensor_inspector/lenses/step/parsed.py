"""The syntax tree of a function or module whose frame is in sight, from its file; kept for the latest ones."""

from __future__ import annotations

import ast
import linecache
import os
from collections.abc import Iterable
from types import CodeType
from typing import Any

_LINES = 1500  #: a longer function or module is not read
_TAIL = 30  #: lines that the end of a statement may lie below its last instruction
_KEPT = 64  #: functions whose source is kept parsed


def lines_of_file(name: str) -> list[str]:
    """The lines of a file, also of a notebook's cell; no loader of the program is asked for them."""
    known: Any = linecache.cache.get(name)
    if type(known) is tuple and len(known) == 4:
        return list(known[2])
    if name.startswith("<") or not os.path.isfile(name):  # opening a pipe would wait
        return []
    try:
        with open(name, encoding="utf-8", errors="replace") as file:
            return file.read(4_000_000).splitlines(True)
    except OSError:
        return []


def full_path(name: str) -> str:
    """Where a file of code is: ``runpy`` and the like run a file by the path that they were given."""
    return name if name.startswith("<") else os.path.abspath(name)


_parsed: dict[tuple[str, int, str], tuple[list[str], ast.AST | None]] = {}


def tree_of(code: CodeType) -> ast.AST | None:
    """The syntax tree of a frame's function or module; line numbers are those of the file.

    None where something else stands at its lines now: the file was changed after the program had loaded it.
    """
    lines = lines_of_file(code.co_filename)
    if code.co_name == "<module>":
        first, last = 1, len(lines)
    elif code.co_name.startswith("<"):
        return None
    else:
        first, last = code.co_firstlineno, _last_line(code)
    if not lines or last - first > _LINES:
        return None
    text = lines[first - 1 : last + _TAIL]
    if not text:
        return None
    key = (code.co_filename, first, code.co_name)
    known = _parsed.get(key)
    if known is not None and known[0] == text:
        return known[1]
    tree = _parse_module(lines) if code.co_name == "<module>" else _parse_function(text, code, last - first + 1)
    if len(_parsed) >= _KEPT:
        _parsed.clear()
    _parsed[key] = (text, tree)
    return tree


def _parse_module(lines: list[str]) -> ast.AST | None:
    try:
        return ast.parse("".join(line for line in lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _parse_function(text: list[str], code: CodeType, least: int) -> ast.AST | None:
    indented = text[0][:1] in (" ", "\t")
    for count in range(least, len(text) + 1):
        try:
            tree: Any = ast.parse(("if 1:\n" if indented else "") + "".join(text[:count]))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        body = tree.body[0].body if indented else tree.body
        ast.increment_lineno(tree, code.co_firstlineno - (2 if indented else 1))
        found = body[0] if body else None
        return found if getattr(found, "name", None) == code.co_name else None
    return None


def _last_line(code: CodeType) -> int:
    """The last line that has an instruction, in the function or one inside it."""
    last, waiting = code.co_firstlineno, [code]
    while waiting:
        current = waiting.pop()
        last = max([last, *_instruction_lines(current)])
        waiting.extend(item for item in current.co_consts if type(item) is CodeType)
    return last


def _instruction_lines(code: CodeType) -> Iterable[int]:
    if hasattr(code, "co_lines"):
        return [line for _, _, line in code.co_lines() if line is not None]
    lines, line = [], code.co_firstlineno  # before Python 3.10
    for step in code.co_lnotab[1::2]:
        line += step - 256 if step > 127 else step
        lines.append(line)
    return lines
