"""Shows our lines and rows in the debugger's own views.

Variables, Watch, the debug hover and the console ask `Lines` for the text of a value and `Children` for its rows, by
class first. Neither ever raises: the debugger would stop asking the provider for that class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

from .. import debugger, debugger_views
from ..kinds import Kind, as_kind
from ..safe.budget import Budget
from ..safe.guard import class_name
from ..words.text import one_line
from .claims import claim, claim_safely
from .clock import Answering, RequestBurst, current_burst
from .rows import NAME, Entry, Text, entries, row_of

_PRINTED = 10  #: rows of a container that the console prints


class Lines:
    """The texts of values, for the debugger's ``StrPresentationProvider``."""

    def __init__(self, burst: RequestBurst | None = None) -> None:
        self._burst = burst  #: None: the session's, which both providers share

    def can_provide(self, cls: type, name: str) -> bool:
        return claim_safely(cls) != "nothing"

    def get_str(self, value: object) -> str | None:
        """The line of a value; None leaves it to the debugger."""
        return self._text(value, _line)

    def get_str_in_context(self, value: object, context: str) -> str | None:
        """The line of a value; in the console the first values too. None, as for a copy, leaves it to the debugger."""
        if context == "clipboard" and type(value) is not Text:
            return None
        return self._text(value, _printed if context == "repl" else _line)

    def _text(self, value: object, ask: Callable[[object, Budget], str | None]) -> str | None:
        if type(value) is Text:
            return str.__str__(value)
        try:
            if not debugger_views.has_client(self):
                debugger_views.unregister_providers()
                return None
            with Answering(self._burst or current_burst()) as budget:
                return ask(value, budget)
        except BaseException as error:
            return f"not read: {class_name(type(error))}" if claim_safely(type(value)) == "whole" else None


class Children:
    """What is below values, for the debugger's ``TypeResolveProvider``."""

    def __init__(self, burst: RequestBurst | None = None) -> None:
        self._burst = burst  #: None: the session's, which both providers share

    def can_provide(self, cls: type, name: str) -> bool:
        return claim_safely(cls) == "whole"

    def get_contents_debug_adapter_protocol(self, value: object, fmt: object = None) -> list[Entry]:
        """Rows in their order. More than a page of them ends in ranges, which open in turn."""
        found: list[Entry] = []
        try:
            if claim_safely(type(value)) != "whole":  # it says that it is of another class
                return cast("list[Entry]", debugger_views.stock_rows(value, fmt))
            with Answering(self._burst or current_burst()) as budget:
                found.extend(entries(value, budget))
        except BaseException as error:
            found.append(("…", Text(f"not read: {class_name(type(error))}"), None))
        return found

    def get_dictionary(self, value: object) -> dict[str, object]:
        """Rows by their names, for old clients of the debugger."""
        return {name: item for name, item, _ in self.get_contents_debug_adapter_protocol(value)}

    def resolve(self, value: object, name: str) -> object:
        return self.get_dictionary(value)[name]


_lines, _children = Lines(), Children()


def switch(on: bool) -> None:
    """Have the debugger's own views show our lines and rows, or its own again. An unknown debugger is left as it is."""
    try:
        if debugger_views.register_providers(_lines, _children) if on else debugger_views.unregister_providers():
            debugger.views_changed()
            debugger.views_changed()  # what is other than at the last asking is marked as changed by the program
    except Exception:  # a debugger that is not as we know it: what was asked is answered all the same
        return


def _line(value: object, budget: Budget) -> str | None:
    row = row_of(value)
    kind = as_kind(value if row is None else row.value, budget)
    claimed = claim(type(value))
    if claimed == "nothing" or (claimed == "line" and not kind.holds_tensors()):
        return None  # also of an object that lies about its class
    if row is not None and (row.start or row.stop is not None):
        return ""
    return one_line(kind.line())


def _printed(value: object, budget: Budget) -> str | None:
    """The line, and below it the first values, or the first rows of what has no values of its own."""
    line = _line(value, budget)
    if line is None or row_of(value) is not None:
        return line
    kind = as_kind(value, budget)
    try:
        below = kind.first_values()
        if below is None:
            below = "\n".join(_printed_rows(kind, budget))
    except Exception as error:
        below = f"not read: {class_name(type(error))}"
    return f"{line}\n{below}" if below else line


def _printed_rows(kind: Kind, budget: Budget) -> Iterator[str]:
    children = kind.console_rows(_PRINTED)
    for child in children[:_PRINTED]:
        yield f"{one_line(child.name, NAME)}  {one_line(as_kind(child.value, budget).line())}".rstrip()
    if len(children) > _PRINTED:
        yield "…"
