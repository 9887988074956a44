"""Parses the source of a function or module from its file; the latest syntax trees are kept."""

from __future__ import annotations

import ast
import linecache
import os
import re
import stat
from collections.abc import Callable, Iterable
from types import CodeType
from typing import Any

_LINES = 1500  #: a longer function or module is not read
_CHARACTERS = 100_000  #: nor one with more of them: the parser can't be interrupted
_TAIL = 30  #: lines that the end of a statement may lie below its last instruction
_KEPT = 128  #: functions whose source is kept parsed
_FILES = 16  #: whose lines are kept

_read: dict[str, tuple[tuple[int, ...], list[str]]] = {}  #: by the names of files: which version, and its lines
_parsed: dict[int, tuple[CodeType, list[str], Any]] = {}  #: trees by the ids of codes, with the file's lines


def lines_of_file(name: str) -> list[str]:
    """The lines of a file, also of a notebook's cell; no loader of the program is asked for them.

    The same list for as long as the file is not changed: nobody changes it.
    """
    known: Any = linecache.cache.get(name)
    if type(known) is tuple and len(known) == 4 and type(known[2]) is list:
        return known[2]
    if name.startswith("<"):
        return []
    try:
        found = os.stat(name)
        if not stat.S_ISREG(found.st_mode):  # opening a pipe would wait
            return []
        version = (found.st_mtime_ns, found.st_size, found.st_ino)
        before = _read.get(name)
        if before is not None and before[0] == version:
            return before[1]
        with open(name, encoding="utf-8", errors="replace") as file:
            lines = file.read(4_000_000).splitlines(True)
    except (OSError, ValueError):
        return []
    if len(_read) >= _FILES:
        _read.clear()
    _read[name] = (version, lines)
    return lines


def tree_of(code: CodeType) -> ast.AST | None:
    """The syntax tree of a frame's function or module; line numbers are those of the file.

    None where something else stands at its lines now: the file was changed after the program had loaded it.
    """
    tree: ast.AST | None = None if code.co_name == "<lambda>" else _kept(code, _tree_in)
    return tree


def _kept(code: CodeType, find: Callable[[list[str], CodeType], ast.AST | None]) -> Any:
    lines = lines_of_file(code.co_filename)
    known = _parsed.get(id(code))
    if known is not None and known[1] is lines:
        return known[2]
    if len(_parsed) >= _KEPT:
        _parsed.clear()
    tree = find(lines, code)
    _parsed[id(code)] = (code, lines, tree)
    return tree


def _tree_in(lines: list[str], code: CodeType) -> ast.AST | None:
    if code.co_name == "<module>":
        first, last = 1, len(lines)
    elif code.co_name.startswith("<"):
        return None
    else:
        first, last = code.co_firstlineno, _last_line(code)
    if not lines or last - first > _LINES:
        return None
    text = lines[first - 1 : last + _TAIL]
    if not text or sum(map(len, text)) > _CHARACTERS:
        return None
    if code.co_name == "<module>":
        return _parse_module(lines)
    return _parse_function(text, code, last - first + 1)


def lambda_of(code: CodeType) -> ast.Lambda | None:
    """The syntax tree of a lambda, if it is the only one with these arguments that begins in its line."""
    tree: ast.Lambda | None = _kept(code, _lambda_in) if code.co_name == "<lambda>" else None
    return tree


def _lambda_in(lines: list[str], code: CodeType) -> ast.Lambda | None:
    if not lines or sum(map(len, lines)) > _CHARACTERS:
        return None
    names = list(code.co_varnames[: code.co_argcount])
    found = [
        node
        for node in ast.walk(_parse_module(lines) or ast.Pass())
        if isinstance(node, ast.Lambda)
        and node.lineno == code.co_firstlineno
        and [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)] == names
    ]
    return found[0] if len(found) == 1 else None


#: A backslash that stands for nothing, such as that of "\\d", after those that do.
_ODD = re.compile(r"""(\\(?:\r?\n|[\\'"abfnrtvxNuU0-3]|[4-7](?![0-7]{2})))|\\""")
_UNPARSED = (SyntaxError, ValueError, RecursionError, MemoryError, SystemError)
_UNPRINTABLE = "\x01\x02\x03\x04\x05\x06\x0e\x0f"


def parsed(text: str) -> ast.Module:
    """The syntax tree of a text, as `ast.parse` gives it, but without its warnings.

    The parser hands those of ``"\\d"`` to the program's filters and writes them to its stderr, though the program had
    them when it was compiled. So such a backslash stands for itself only once the text is parsed.
    """
    unused = next((sign for sign in _UNPRINTABLE if sign not in text), None)
    if "\\" not in text or unused is None:
        return _parse(text)
    tree = _parse(_ODD.sub(lambda found: found[1] or unused, text))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            if type(node.value) is str:
                node.value = node.value.replace(unused, "\\")
            elif type(node.value) is bytes:
                node.value = node.value.replace(unused.encode(), b"\\")
    return tree


def _parse(text: str) -> ast.Module:
    """`ast.parse`, once more where it fails inside: Python 3.11 does where the collector comes in between and runs code
    that parses something too, as printing the traceback of a failed ``__del__`` does."""
    try:
        return ast.parse(text)
    except SystemError:
        return ast.parse(text)


def _parse_module(lines: list[str]) -> ast.AST | None:
    try:
        return parsed("".join(lines))
    except _UNPARSED:
        return None


def _parse_function(text: list[str], code: CodeType, least: int) -> ast.AST | None:
    indented = text[0][:1] in (" ", "\t")
    for count in range(least, len(text) + 1):
        try:
            tree: Any = parsed(("if 1:\n" if indented else "") + "".join(text[:count]))
        except _UNPARSED:
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
