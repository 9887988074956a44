"""The variables of a paused frame as rows: tensors first, functions, classes and modules in groups."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from keyword import iskeyword
from types import BuiltinFunctionType, FrameType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from .. import debugger
from ..debugger import EXCEPTION, RETURN_VALUES
from ..kinds import Child, Rows, as_kind
from ..safe.budget import Budget
from ..safe.guard import Classes, copied_locals, each, plain_str
from ..session import session
from ..words.line import INLINE
from ..words.text import full_path, listed, one_line
from .expression import resolve

if TYPE_CHECKING:
    from ..protocol import Filter, FrameFile, InlineValue

_FUNCTIONS = Classes(FunctionType, MethodType, BuiltinFunctionType)
_WITHOUT_ROW = 200  #: variables that are inline values only
_CALLERS = 30  #: frames whose files are sent
_GROUPS = ("special variables", "class variables", "function variables", "module variables")


def rows(frame: FrameType, filter: Filter, budget: Budget) -> Rows:
    """The frame's locals; below a function also its globals, as one row. Names with a space can be no variable's."""
    local, globals = variables(frame), frame.f_globals
    children = _variables(local, filter, budget, hidden=frozenset())
    raised = None if EXCEPTION in local else debugger.raised_in(frame)
    if raised is not None:
        children.insert(0, Child("(exception)", raised[1]))
    if local is not globals and not _is_module(frame):
        shadowed = frozenset(local)
        children.append(Child("global variables", _globals(globals, filter, budget, shadowed), ""))
    return Rows.of("", children)


def group_count(rows: Rows) -> int:
    """How many of a frame's rows stand for several variables."""
    return sum(type(child.value) is Rows for child in rows.children(0, rows.total or 0))


def inline(frame: FrameType, shown: Collection[str], budget: Budget) -> list[InlineValue]:
    """The inline values of variables that have no row among those ``shown``, as far as the time goes."""
    found: list[InlineValue] = []
    for name, value in each(dict.items, variables(frame)):
        if budget.spent() or len(found) == _WITHOUT_ROW:
            break
        if type(name) is not str or name in shown or name in _DEBUGGERS or _group(name, value) is not None:
            continue
        try:
            kind = as_kind(value, budget)
            text = kind.inline()
        except Exception:
            continue
        if text is not None:
            found.append({"name": name, "kind": kind.kind, "text": one_line(text, INLINE)})
    return found


def variables(frame: FrameType) -> dict[str, Any]:
    """The frame's locals as a dict: that of the frame itself, where it has one."""
    local = frame.f_locals
    return local if type(local) is dict else copied_locals(local)


def resolved(frame: FrameType, expression: str, budget: Budget) -> object:
    """The value that an expression reaches in a frame without running anything; see `resolve`."""
    return resolve(expression, variables(frame), frame.f_globals, budget)


def raised(frame: FrameType) -> tuple[Any, Any, Any] | None:
    """The exception at which the program has stopped, with its class and traceback, if it came through this frame."""
    known = variables(frame).get(EXCEPTION)
    return known if type(known) is tuple and len(known) == 3 else debugger.raised_in(frame)


def function_name(frame: FrameType) -> str:
    code = frame.f_code
    return plain_str(getattr(code, "co_qualname", code.co_name))


def files(frame: FrameType) -> list[FrameFile]:
    """The files of a frame and its callers, each with the nearest frame in it."""
    found: dict[str, FrameFile] = {}
    caller: FrameType | None = frame
    for _ in range(_CALLERS):
        number = None if caller is None else debugger.dap_id_of(caller)
        if caller is None or number is None:
            break
        file = full_path(caller.f_code.co_filename)
        found.setdefault(file, {"file": file, "line": caller.f_lineno, "frame": number})
        caller = caller.f_back
    return list(found.values())


def _is_module(frame: FrameType) -> bool:
    return frame.f_code.co_name == "<module>"


def _globals(globals: dict[str, Any], filter: Filter, budget: Budget, shadowed: frozenset[str]) -> Rows:
    debuggers, ungrouped, groups = _sorted_out(globals, shadowed)
    # Which of them hold tensors takes time to tell: that is done for the page that is asked for.
    total = None if filter == "tensors" else len(debuggers) + len(ungrouped) + len(groups)
    shown = ungrouped or groups
    return Rows(
        listed([child.name for child in shown[:8]], len(shown) > 8, 60),
        total,
        lambda start, count: _variables(globals, filter, budget, shadowed)[start : start + count],
    )


def _variables(found: dict[str, Any], filter: Filter, budget: Budget, hidden: frozenset[str]) -> list[Child]:
    """Variables: tensors, what holds tensors, all else, if so preferred; then groups. ``hidden`` names have no path."""
    debuggers, ungrouped, groups = _sorted_out(found, hidden)
    ordered = session.preferred.tensors_first or filter == "tensors"
    ranked: tuple[list[Child], list[Child], list[Child]] = ([], [], [])
    for child in ungrouped:
        ranked[_rank(child.value, budget) if ordered else 2].append(child)
    if filter == "tensors":
        return [*debuggers, *ranked[0], *ranked[1]]
    return [*debuggers, *ranked[0], *ranked[1], *ranked[2], *groups]


def _sorted_out(found: dict[str, Any], hidden: frozenset[str]) -> tuple[list[Child], list[Child], list[Child]]:
    """The debugger's own rows, the variables that a person looks for first, and a row for each group of the others."""
    debuggers: list[Child] = []
    ungrouped: list[Child] = []
    grouped: dict[str, list[Child]] = {group: [] for group in _GROUPS}
    for name, value in each(dict.items, found):
        if type(name) is not str:
            continue
        if name in _DEBUGGERS:
            debuggers.extend(_DEBUGGERS[name](value))
            continue
        is_expression = name.isidentifier() and not iskeyword(name)  # unlike `.0`, what a comprehension goes through
        child = Child(name, value, name if is_expression and name not in hidden else None)
        group = _group(name, value)
        (ungrouped if group is None else grouped[group]).append(child)
    return debuggers, ungrouped, list(_group_rows(grouped))


def _returned(values: Any) -> Iterator[Child]:
    if issubclass(type(values), dict):
        for name, value in each(dict.items, values):
            suffix = f"{RETURN_VALUES}[{name!r}]" if type(name) is str else None
            yield Child(f"(return) {name}", value, suffix)


def _raised(value: Any) -> Iterator[Child]:
    if type(value) is tuple and len(value) == 3:
        yield Child("(exception)", value[1], f"{EXCEPTION}[1]")


_DEBUGGERS = {RETURN_VALUES: _returned, EXCEPTION: _raised}  #: what the debugger itself puts among the locals


def _group_rows(grouped: dict[str, list[Child]]) -> Iterator[Child]:
    for group, children in grouped.items():
        if children:
            yield Child(group, Rows.of(listed((child.name for child in children), False, 60), children), "")


def _group(name: str, value: object) -> str | None:
    """The group that a variable belongs to; None for what a person looks for first."""
    if name.startswith("__") and name.endswith("__"):
        return _GROUPS[0]
    cls = type(value)
    if issubclass(cls, type):
        return _GROUPS[1]
    if cls in _FUNCTIONS:
        return _GROUPS[2]
    return _GROUPS[3] if issubclass(cls, ModuleType) else None


def _rank(value: object, budget: Budget) -> int:
    try:
        kind = as_kind(value, budget)
        if kind.rank < 2:
            return kind.rank
        return 1 if not budget.spent() and kind.holds_tensors() else 2
    except Exception:
        return 2
