"""Helpers of the public functions: they check arguments, ask a lens, and print a row."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import TYPE_CHECKING, Any

from .kinds import Child, Rows
from .measure.stats.tally import MOST
from .safe.budget import Budget
from .safe.guard import class_name
from .safe.modes import modes
from .safe.untouched import Untouched
from .stop.snapshot import PAGE, Snapshot

if TYPE_CHECKING:
    from .lenses.answer import Answer
    from .protocol import Node


def ask(lens: str, values: dict[str, object], options: dict[str, Any], depth: int, ms: float) -> Answer:
    """The answer of a lens about values, by the names that they have in the frame that asks."""
    from .lenses import registry
    from .lenses.answer import CUT, Answer
    from .lenses.lens import InvalidQuestion, Paused
    from .lenses.step import frames

    budget, thread, raised = budget_of(ms), modes(), frames.handled()
    guard = Untouched()
    with guard:
        frame = frames.caller()
        view = frames.nearest(frame)
        names = {} if view is None else {id(value): name for name, value in reversed(list(view.variables.items()))}
        asked = {role: Child(names.get(id(value), role), value, names.get(id(value))) for role, value in values.items()}
        paused = None
        if frame is not None:
            about = None if raised is None else (type(raised), raised, None)
            grad_mode = thread is None or thread.grad
            paused = Paused(frame, about, grad_mode, None, lambda expression, frame: None, thread)
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


def budget_of(ms: float) -> Budget:
    if isinstance(ms, (bool, str)) or not hasattr(type(ms), "__float__"):
        raise TypeError("budget_ms is a number of milliseconds, as in 40")
    if not float(ms) >= 0:
        raise ValueError(f"budget_ms must be at least 0, not {ms}")
    return Budget(float(ms))


def shares_of(quantiles: Iterable[float]) -> list[float]:
    try:
        shares = [float(share) for share in quantiles]
    except (TypeError, ValueError):
        raise TypeError("quantiles are shares between 0 and 1, as in [0.25, 0.5]") from None
    if not all(0.0 <= share <= 1.0 for share in shares):
        raise ValueError("quantiles lie between 0 and 1")
    if len(shares) > MOST:
        raise ValueError(f"at most {MOST} quantiles can be asked for")
    return shares


def is_set(name: str, value: bool) -> bool:
    """An option that is True or False; what may mean either is refused."""
    if type(value) is not bool:
        raise TypeError(f"{name} is True or False, not {class_name(type(value))}")
    return value


def whole(name: str, value: int, most: float = float("inf")) -> int:
    """An option that is a whole number from 0 up, also one of numpy's."""
    try:
        found = range(None if isinstance(value, bool) else value).stop  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} is a whole number, as in 16") from None
    if found < 0:
        raise ValueError(f"{name} must be at least 0, not {found}")
    if found > most:
        raise ValueError(f"at most {most} {name} can be asked for")
    return found


def _row(node: Node, level: int) -> str:
    mark: str | None = None
    if "mark" in node:
        mark = f"{'↻' if node['mark']['kind'] == 'cycle' else '≡'} {node['mark']['path']}"
    parts = [node["line"] if level == 0 else node["name"], None if level == 0 else node["line"], mark]
    return "  " * level + "  ".join(part for part in parts if part)
