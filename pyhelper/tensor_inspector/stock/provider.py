"""What the debugger's own views show of a value: its line and its rows, by the same kinds as in ours.

Variables, Watch, the debug hover and the console ask `Lines` for the text of a value and `Children` for what is below
it, each by class first. No answer of theirs raises: one fault would switch a provider off for its class.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import islice
from time import perf_counter
from typing import Literal, cast

from .. import debugger, preferences
from ..kinds import LIBRARIES, Child, Elements, Kind, Property, Rows, Said, kind_of, look
from ..kinds.python.containers import Container
from ..kinds.python.objects import PlainObject, writes_out
from ..kinds.python.plain import Atom
from ..safe.budget import Budget
from ..safe.guard import ByClass, Classes, class_module, class_name, mro
from ..safe.untouched import Untouched
from ..stop.snapshot import PAGE
from ..words.text import one_line

Entry = tuple[
    str, object, "Callable[[str], str | None] | None"
]  #: name, value, and what makes its expression of its parent's
Claim = Literal["nothing", "line", "whole"]  #: how much of a value is presented by us

_PAUSE = 0.05  #: seconds without being asked, after which it is another question
_NAME = 200  #: characters of a row's name
_PRINTED = 10  #: rows of a container that the console prints
_BUILT_IN = Classes(list, tuple, dict, set, frozenset, deque)
_ATOM = re.compile(r"[\w.]+(\[[\w'\".-]*\]|\.\w+|\(\))*", re.ASCII)


class Text(str):
    """What a row of ours says; as a string it has nothing below it."""

    __slots__ = ()


Text.__name__ = ""  # the views show it as the type


class Group(str):
    """What the debugger keeps as the expression of a group. It is empty, so that the views offer none, yet the rows
    below, which it makes from this, have theirs: to the debugger it counts as one."""

    __slots__ = ("whole",)
    whole: str  #: the expression of what the group is a part of

    def __bool__(self) -> bool:
        return True


class Copied(str):
    """The expression of a copy. Its parts have none: the debugger would set them by it, and nothing would change."""

    __slots__ = ()


class Row:
    """A row that stands for no object of the program: a group, a part of a tensor, a range of rows."""

    __slots__ = ("start", "stop", "value")

    def __init__(self, value: object, start: int = 0, stop: int | None = None) -> None:
        self.value = value
        self.start = start
        self.stop = stop  #: None: to the end


class Lines:
    """The texts of values, for the debugger's ``StrPresentationProvider``."""

    def __init__(self, question: Question | None = None) -> None:
        self._question = question or Question()

    def can_provide(self, cls: type, name: str) -> bool:
        return _claim_safely(cls) != "nothing"

    def get_str(self, value: object) -> str | None:
        """The line of a value; None leaves it to the debugger."""
        return self._text(value, _line)

    def get_str_in_context(self, value: object, context: str) -> str | None:
        """The same; in the console the first values too, and all of it where it is copied."""
        if context == "clipboard" and type(value) is not Text:
            return None
        return self._text(value, _printed if context == "repl" else _line)

    def _text(self, value: object, said: Callable[[object, Budget], str | None]) -> str | None:
        if type(value) is Text:
            return str.__str__(value)
        try:
            if not debugger.has_client(self):
                debugger.retract()
                return None
            with Answering(self._question) as budget:
                return said(value, budget)
        except BaseException as error:
            return f"not read: {class_name(type(error))}" if _claim_safely(type(value)) == "whole" else None


class Children:
    """What is below values, for the debugger's ``TypeResolveProvider``."""

    def __init__(self, question: Question | None = None) -> None:
        self._question = question or Question()

    def can_provide(self, cls: type, name: str) -> bool:
        return _claim_safely(cls) == "whole"

    def get_contents_debug_adapter_protocol(self, value: object, fmt: object = None) -> list[Entry]:
        """Rows in their order. More than a page of them ends in ranges, which open in turn."""
        entries: list[Entry] = []
        try:
            if _claim_safely(type(value)) != "whole":  # it says that it is of another class
                return cast("list[Entry]", debugger.stock_rows(value, fmt))
            with Answering(self._question) as budget:
                entries.extend(_entries(value, budget))
        except BaseException as error:
            entries.append(("…", Text(f"not read: {class_name(type(error))}"), None))
        return entries

    def get_dictionary(self, value: object) -> dict[str, object]:
        """The same for old clients of the debugger."""
        return {name: item for name, item, _ in self.get_contents_debug_adapter_protocol(value)}

    def resolve(self, value: object, name: str) -> object:
        return self.get_dictionary(value)[name]


class Question:
    """A budget for one question of the debugger, which asks for many values in turn and does not say when it begins.

    Its clock runs only while we answer: what the debugger describes itself in between takes its own time.
    """

    def __init__(self) -> None:
        self._worked = 0.0
        self._stop: tuple[int, ...] = ()
        self._entered: float | None = None
        self._left = -_PAUSE
        self._budget = Budget(preferences.now.budget_ms)

    def begin(self) -> Budget:
        """One value is asked for, or the rows of one."""
        now, stop = perf_counter(), debugger.stop()
        if now - self._left >= _PAUSE or stop != self._stop:
            self._stop = stop
            self._worked, self._entered = 0.0, None
            self._budget = Budget(preferences.now.budget_ms, reads=preferences.now.reads, clock=self._clock)
        self._entered = now
        return self._budget

    def end(self) -> None:
        self._left = perf_counter()
        self._worked += 0.0 if self._entered is None else self._left - self._entered
        self._entered = None

    def _clock(self) -> float:
        return self._worked + (0.0 if self._entered is None else perf_counter() - self._entered)


class Answering:
    """A context in which one value of a question is read, with torch left as it was.

    Not by `contextlib`, which would call built-in functions that the program may have replaced.
    """

    __slots__ = ("_compiling", "_question", "_untouched")

    def __init__(self, question: Question) -> None:
        self._question = question

    def __enter__(self) -> Budget:
        budget, self._untouched = self._question.begin(), Untouched()
        self._compiling = debugger.stop_dynamo()
        try:
            self._untouched.__enter__()
        except BaseException:
            self._leave()
            raise
        return budget

    def __exit__(self, *error: object) -> None:
        try:
            self._untouched.__exit__(*error)
        finally:
            self._leave()

    def _leave(self) -> None:
        debugger.resume_dynamo(self._compiling)
        self._question.end()


_question = Question()
_lines, _children = Lines(_question), Children(_question)


def switch(on: bool) -> None:
    """Have the debugger's own views show our lines and rows, or again its own; or nothing, where it can't be had."""
    try:
        if debugger.present(_lines, _children) if on else debugger.retract():
            debugger.views_changed()
            debugger.views_changed()  # what is other than at the last asking is marked as changed by the program
    except Exception:  # a debugger that is not as we know it: what was asked is answered all the same
        return


def _row(value: object) -> Row | None:
    return cast("Row", value) if issubclass(type(value), Row) else None


def _line(value: object, budget: Budget) -> str | None:
    row = _row(value)
    kind = look(value if row is None else row.value, budget)
    claim = _claim(type(value))
    if claim == "nothing" or (claim == "line" and not kind.holds_tensors()):
        return None  # also of an object that lies about its class
    if row is not None and (row.start or row.stop is not None):
        return ""
    return one_line(kind.line())


def _printed(value: object, budget: Budget) -> str | None:
    """The line, and below it the first values, or the first rows of what has no values of its own."""
    line = _line(value, budget)
    if line is None or _row(value) is not None:
        return line
    kind = look(value, budget)
    try:
        below = kind.first_values()
        if below is None:
            below = "\n".join(_printed_rows(kind, budget))
    except Exception as error:
        below = f"not read: {class_name(type(error))}"
    return f"{line}\n{below}" if below else line


def _printed_rows(kind: Kind, budget: Budget) -> Iterator[str]:
    children = kind.printed(_PRINTED)
    for child in children[:_PRINTED]:
        yield f"{one_line(child.name, _NAME)}  {one_line(look(child.value, budget).line())}".rstrip()
    if len(children) > _PRINTED:
        yield "…"


def _entries(value: object, budget: Budget) -> Iterator[Entry]:
    """One page of rows, then ranges of at most a page of pages each, a range of those, and so on."""
    row = _row(value) or Row(value)
    kind = look(row.value, budget)
    total = kind.child_count() if row.stop is None else row.stop
    names: set[str] = set()
    shown = PAGE if total is None else min(PAGE, total - row.start)
    for index, child in enumerate(islice(kind.children(row.start, shown), shown), row.start):
        if child.name in names:
            child.name = f"{child.name} #{index}"
        names.add(child.name)
        yield _entry(child)
    start = row.start + shown
    if total is None:
        if next(iter(kind.children(start, 1)), None) is not None:
            yield _entry(Child(f"[{start}…]", Row(row.value, start), ""))
        return
    width = PAGE
    while (total - start) > width * PAGE:
        width *= PAGE
    while start < total:
        stop = min(total, start + width)
        yield _entry(Child(f"[{start}…{stop - 1}]", Row(row.value, start, stop), ""))
        start = stop


def _entry(child: Child) -> Entry:
    value, suffix = child.value, child.suffix
    if type(value) is Said:
        value = Text(one_line(value.text))
    elif type(value) is Property:  # not to be opened: VS Code opens at each stop what was open at the last
        value = Text("property · not read")
    elif issubclass(type(value), (Rows, Elements)):
        value = _row_class(look(value, Budget(0.0)).type_name())(value)
    return (
        one_line(child.name, _NAME),
        value,
        None if suffix is None else partial(_reached, suffix, copied=child.copied),
    )


def _reached(suffix: str, parent: str, copied: bool = False) -> str | None:
    """The expression of a child: what is no atom of an expression is put in parentheses."""
    whole = parent.whole if type(parent) is Group else parent
    if not suffix:
        group = Group()
        group.whole = whole
        return group
    if type(whole) is Copied:
        return None
    expression = f"{whole if _ATOM.fullmatch(whole) else f'({whole})'}{suffix}"
    return Copied(expression) if copied else expression


@lru_cache(256)
def _row_class(name: str) -> type[Row]:
    """A class of rows that the debugger shows under the name of a type."""
    return type(name, (Row,), {"__slots__": ()})


def _claims(cls: type) -> Claim:
    if issubclass(cls, (Row, Text)):
        return "whole" if issubclass(cls, Row) else "line"
    kind, bases = kind_of(cls), mro(cls)
    libraries = {class_module(base).partition(".")[0] for base in bases}
    if any(base in _BUILT_IN for base in bases) or (issubclass(kind, Container) and libraries.isdisjoint(LIBRARIES)):
        return "line"
    known = kind.kind == "graph" or not libraries.isdisjoint(LIBRARIES)
    if known and kind is not PlainObject and not issubclass(kind, Atom):
        return "whole"  # what an object of the program's own writes out is left to the program, but for tensors in it
    return "line" if issubclass(kind, PlainObject) and writes_out(cls) else "nothing"


_claim = ByClass(_claims)


def _claim_safely(cls: type) -> Claim:
    try:
        return _claim(cls)
    except BaseException:  # a class that is none: its object says so of itself
        return "nothing"
