"""The part of a report about an exception: its class, its message, the lines of the program that it came through.

Messages of libraries tell shapes and dtypes. What a program says itself, and what is quoted, may be data.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ...safe.guard import full_name
from ...words.text import full_path, plural
from ..explain.trace import TraceEntry, chain, entries_of, is_caused, message
from ..lens import Paused
from ..step.frames import View, is_tools
from ..step.parsed import tree_of
from .section import Section

_LEFT_OUT = "(message left out: it may hold data)"
#: In quotes: what is named by a word before it or after it is a name of the program's source; all else may be data.
_QUOTED = re.compile(
    r"(?P<before>(?:argument|attribute|for|module|named?|operand type\(s\) for \S+:|and) )?"
    r"(?P<quoted>'[^'\n]*'|\"[^\"\n]*\")(?P<after> object| has no| and ')?"
)
#: Messages that quote names only.
_OF_NAMES = re.compile(r"state_dict|unexpected keyword argument|required (positional|keyword-only) argument")
_EXPRESSIONS = ("<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")  #: in which nothing can be raised
_WRITTEN = re.compile(r"\b(tensor|array)\([^)]*\)?")  #: values, as libraries write them
_LONGEST = 2000  #: characters of a message
_NAME = re.compile(r"[\w.]+$")


def raised(paused: Paused, *, values: bool) -> Section | None:
    """None where there is no exception."""
    if paused.raised is None:
        return None
    _, error, traceback = paused.raised
    errors = chain(error)
    lines: list[str] = []
    for number, one in enumerate(errors):
        if number:
            lines.append("caused by" if is_caused(errors, number) else "raised while this was handled")
        trace = entries_of(one, traceback if one is error else None)
        text = _message(one, trace, values=values)
        lines.append(f"{full_name(type(one))}: {text}" if text else full_name(type(one)))
        lines.extend(f"  {line}" for line in _places(trace))
    return Section("Exception", full_name(type(error)), lines)


def raised_in(paused: Paused) -> View | None:
    """The innermost frame of the user that the exception came through."""
    if paused.raised is None:
        return None
    _, error, traceback = paused.raised
    trace = [one for one in entries_of(error, traceback) if not one.is_installed() and not is_tools(one.frame)]
    return View(trace[-1].frame, trace[-1].variables, trace[-1].lineno) if trace else None


def place(file: str, line: int, function: str) -> str:
    return f"{full_path(file)}:{line} in {function}"


def _message(error: BaseException, trace: list[TraceEntry], *, values: bool) -> str:
    text = message(error).strip()[:_LONGEST]
    if values or not text:
        return text
    if issubclass(type(error), KeyError) or _is_the_programs(trace):
        return _LEFT_OUT
    text = _WRITTEN.sub(r"\1(…)", text)
    return text if _OF_NAMES.search(text) else _QUOTED.sub(_named_only, text)


def _is_the_programs(trace: list[TraceEntry]) -> bool:
    """Whether the program raised it itself: by ``raise`` or ``assert`` in its own line, or in one that is not known."""
    if not trace or trace[-1].is_installed():
        return not trace
    code, line = trace[-1].frame.f_code, trace[-1].lineno
    if code.co_name in _EXPRESSIONS:
        return False
    tree = tree_of(code)
    return tree is None or any(
        isinstance(node, (ast.Raise, ast.Assert)) and node.lineno <= line <= (node.end_lineno or node.lineno)
        for node in ast.walk(tree)
    )


def _named_only(found: re.Match[str]) -> str:
    before, quoted, after = (found.group(name) or "" for name in ("before", "quoted", "after"))
    is_name = (before or after) and _NAME.match(quoted[1:-1])
    return f"{before}{quoted if is_name else '‹…›'}{after}"


def _places(trace: list[TraceEntry]) -> Iterator[str]:
    """The frames of the user; how many of libraries are between them."""
    skipped = 0
    for entry in trace:
        if entry.is_installed() or is_tools(entry.frame):
            skipped += 1
            continue
        if skipped:
            yield f"… {plural(skipped, 'frame')} of libraries"
        skipped = 0
        yield place(entry.file, entry.lineno, entry.function)
    if skipped:
        yield f"… {plural(skipped, 'frame')} of libraries"
