"""The modules of a model as rows of a tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from types import FunctionType
from typing import Any

from ...kinds import Child, Rows, TextRow
from ...safe.guard import class_name
from ...words.line import line_of
from ...words.text import plural
from .order import ModuleOrder
from .submodule import Submodule
from .tree import ModuleTree
from .words import keys_of, line_parts

_LISTED = 100  #: rows of what is tied


def row_of(name: str, tree: ModuleTree, order: ModuleOrder) -> Child:
    first = []
    if tree.tied:
        rows = [Child(names[0], TextRow(f"is {', '.join(names[1:])}"), "") for names in tree.tied[:_LISTED]]
        first = [Child("tied", Rows.of(f"{len(tree.tied):,}: {' = '.join(tree.tied[0])}", rows, "evidence"), "")]
    return _row(name, [tree.root], tree.root, order, first)


def _row(
    name: str, group: Sequence[Submodule], root: Submodule, order: ModuleOrder, first: Sequence[Child] = ()
) -> Child:
    """The row of a module, or of several that are alike: below it stand these, or what is in it."""
    groups = order.groups(group[0].below) if len(group) == 1 else [[one] for one in group]
    others = [*first, *(_tensor_rows(group[0]) if len(group) == 1 else ())]

    def below(start: int, count: int) -> Iterator[Child]:
        rest = others[max(0, start - len(groups)) :]
        rows = (_row(keys_of(one), one, root, order) for one in groups[start : start + count])
        yield from islice((row for some in (rows, rest) for row in some), count)

    line = line_of(line_parts(group, root))
    return Child(name, Rows(line, len(groups) + len(others), below, "module"), "")


def _tensor_rows(one: Submodule) -> Iterator[Child]:
    """Its own parameters and buffers, as they are, and its hooks."""
    for held, _ in one.own_tensors():
        yield Child(held.key, held.value, held.path)
    if one.hooks:
        rows = [Child(when, TextRow(_called(hook)), "") for when, hook in one.hooks]
        yield Child("hooks", Rows.of(plural(len(rows), "hook"), rows, "evidence"), "")


def _called(hook: Any) -> str:
    return hook.__qualname__ if type(hook) is FunctionType else class_name(type(hook))
