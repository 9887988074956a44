"""Tables and trees of plain text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool], foot: Sequence[str]) -> str:
    """Columns as wide as their widest cell, those that are ``right`` to that side; one without a cell is left out.

    >>> rows = [["0", "", "12"], ["10", "", "7"]]
    >>> print(aligned(["layer", "mode", "bytes"], rows, [False, False, True], ["2 layers"]))
    layer  bytes
    ────────────
    0         12
    10         7
    ────────────
    2 layers
    """
    shown = [at for at in range(len(head)) if any(row[at] for row in rows)]
    widths = {at: max(len(row[at]) for row in (head, *rows)) for at in shown}

    def line(row: Sequence[str]) -> str:
        cells = (row[at].rjust(widths[at]) if right[at] else row[at].ljust(widths[at]) for at in shown)
        return "  ".join(cells).rstrip()

    lines = [line(row) for row in rows]
    rule = "─" * max(map(len, [line(head), *lines]))
    return "\n".join([line(head), rule, *lines, *([rule, *foot] if foot else [])])


def branched(top: T, below: Callable[[T], Sequence[T]]) -> Iterator[tuple[T, str]]:
    """A tree in its order, and what stands before each: the lines of a drawn tree.

    >>> for name, branch in branched("abc", lambda name: list(name[1:]) if len(name) > 1 else []):
    ...     print(branch + name)
    abc
    ├─ b
    └─ c
    """
    waiting = [(top, "", "")]
    while waiting:
        one, branch, indent = waiting.pop()
        yield one, branch
        inside = list(below(one))
        for at in range(len(inside) - 1, -1, -1):
            last = at == len(inside) - 1
            waiting.append((inside[at], indent + ("└─ " if last else "├─ "), indent + ("   " if last else "│  ")))
