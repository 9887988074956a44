"""The expressions that the debugger keeps for rows: it watches, copies and sets values by them."""

from __future__ import annotations

import re

_ATOM = re.compile(r"[\w.]+(\[[\w'\".-]*\]|\.\w+|\(\))*", re.ASCII)


class GroupExpression(str):
    """What the debugger keeps as the expression of a group. It is empty, so that the views offer none, yet the rows
    below, which it makes from this, have theirs: to the debugger it counts as one."""

    __slots__ = ("whole",)
    whole: str  #: the expression of what the group is a part of

    def __bool__(self) -> bool:
        return True


class Copied(str):
    """The expression of a copy. Its parts have none: the debugger would set them by it, and nothing would change."""

    __slots__ = ()


class Fixed(str):
    """The expression of what is not to be set: the debugger writes an assignment with its text, which is empty, and so
    none; all else reads the expression itself."""

    __slots__ = ()

    def __str__(self) -> str:
        return ""


def reached(suffix: str, parent: str, copied: bool = False, fixed: bool = False) -> str | None:
    """The expression of a child: what is no atom of an expression is put in parentheses."""
    whole = parent.whole if type(parent) is GroupExpression else parent
    if not suffix:
        group = GroupExpression()
        group.whole = whole
        return group
    if type(whole) is Copied:
        return None
    expression = "".join([whole if _ATOM.fullmatch(whole) else f"({''.join([whole])})", suffix])
    if fixed:
        return Fixed(expression)
    return Copied(expression) if copied else expression
