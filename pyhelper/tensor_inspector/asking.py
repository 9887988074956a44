"""Helpers of the public functions: they ask a lens, and print a row."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from .arguments import budget_of
from .kinds import Child, Rows
from .safe.budget import Budget
from .safe.guard import Classes
from .safe.modes import modes
from .safe.untouched import Untouched
from .stop.snapshot import PAGE, Snapshot

if TYPE_CHECKING:
    from .lenses.answer import Answer
    from .protocol import Node


_SHARED = Classes(type(None), bool, int)  #: Python may use one object of these in many places, under many names


def ask(lens: str, values: dict[str, object], options: dict[str, Any], depth: int, ms: float) -> Answer:
    """The answer of a lens about values, by the names that they have in the frame that asks."""
    from .lenses import registry
    from .lenses.answer import CUT, Answer
    from .lenses.lens import InvalidQuestion, Paused
    from .lenses.step import frames

    budget, thread_modes, raised = budget_of(ms), modes(), frames.handled()
    guard = Untouched()
    with guard:
        frame = frames.caller()
        visible = frames.nearest(frame)
        variables = [] if visible is None else reversed(list(visible.variables.items()))
        names = {id(value): name for name, value in variables if type(value) not in _SHARED}
        asked = {role: Child(names.get(id(value), role), value, names.get(id(value))) for role, value in values.items()}
        paused = None
        if frame is not None:
            about = None if raised is None else (type(raised), raised, None)
            grad_mode = thread_modes is None or thread_modes.grad
            paused = Paused(frame, about, grad_mode, None, lambda expression, frame: None, thread_modes)
        try:
            work = registry.lens(lens, asked, options, budget, paused)
            work.guard, work.limit = guard, budget if isfinite(budget.ms) else None
            done = work.go_on()
            while not done and work.limit is None:
                done = work.go_on()
        except InvalidQuestion as error:
            raise TypeError(str(error)) from None
        if not done:
            work.stop()
        found: dict[str, Any] = {"complete": True, **work.found()}
        text = work.text()
        if text is not None:
            found["text"] = text
        else:
            text = printed(work.summary(), depth, PAGE, budget)
        if not done or work.cut:
            found["complete"], text = False, f"{CUT}\n{text}"
        return Answer(found, text)


def parameters_in_sight(budget: Budget) -> dict[int, str]:
    """The names of the parameters that the frame that asks has in sight."""
    from .lenses.lens import Paused
    from .lenses.step import frames
    from .lenses.surroundings import names_of_parameters  # which needs torch

    frame = frames.caller()
    paused = None if frame is None else Paused(frame, None, True, None, lambda expression, frame: None)
    return names_of_parameters(paused, budget)


def inputs_of(inputs: tuple[object, ...], named: dict[str, object]) -> dict[str, object]:
    """Under the names that lenses have for them."""
    return {f"input{number}": value for number, value in enumerate((*inputs, *named.values()), 1)}


def printed(top: Child, depth: int, rows: int, budget: Budget) -> str:
    """A row and what is below it, as indented text."""
    lines: list[str] = []
    snapshot = Snapshot(Rows.of("", []))
    waiting = [(snapshot.describe(top, 0, budget), 0)]
    while waiting:
        node, level = waiting.pop()
        lines.append(_row(node, level))
        if level < depth and "children" in node and "lazy" not in node:
            page = snapshot.page(node["id"], 0, rows, budget)
            more = (page["total"] or 0) - len(page["nodes"])
            if more > 0:
                page["nodes"].append({"id": 0, "name": f"… {more:,} more", "kind": "group", "type": "", "line": ""})
            waiting.extend((below, level + 1) for below in reversed(page["nodes"]))
    return "\n".join(lines)


def _row(node: Node, level: int) -> str:
    mark: str | None = None
    if "mark" in node:
        mark = f"{'↻' if node['mark']['kind'] == 'cycle' else '≡'} {node['mark']['path']}"
    parts = [None if level == 0 else node["name"], node["line"], mark]
    return "  " * level + "  ".join(part for part in parts if part)
