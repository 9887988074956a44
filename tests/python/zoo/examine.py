"""One specimen under the magnifying glass: what we say of it, whether that is true, and whether it is as before."""

from __future__ import annotations

import importlib
import json
import re
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import gpu
from stats_reference import check
from untouched import Watch, lasting, left_behind, outlives, peak_memory

from tensor_inspector import compare, facts, summarize, tree
from tensor_inspector.kinds import Child, Rows
from tensor_inspector.lenses import registry
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.guard import full_name
from tensor_inspector.safe.untouched import Untouched
from tensor_inspector.stop.snapshot import Snapshot
from tensor_inspector.wire import tagged
from tensor_inspector.words.line import SHORT

from . import zoo
from .changes import NoChange, changed
from .paths import failing, misleading
from .specimen import Specimen

_NODES = 1000  #: nodes of a full expansion
_COMPARED = 5000  #: ms, after which a comparison says that it is not complete
_ALONE = "there is one of it only"
_ALARMS = {
    "nan": "NaN|NaT|nan|null|NA|missing",
    "inf": "Inf|inf",
    "zeros": r"all |\] \[",
    "constant": r"all |\] \[",
    "no_grad": "None",
    "freed": "freed|deleted",
    "error": "not read|failed|raised",
}  # fmt: skip  what says in short that a badge is there
_OURS = ("__init__", "__main__", "cage", "changed_data", "changes", "examine", "paths", "specimen", "unchanged")
_HERE = Path(__file__).parent
_PROGRAM = (
    *(file for file in _HERE.glob("*.py") if file.stem not in _OURS),
    _HERE.parent / "hostile.py",
)  #: what specimens are made of


def examine(name: str) -> dict[str, Any]:
    """What was found: ``line``, ``tree``, ``change``, ``complaints``; or ``missing``: what this specimen needs and is not there."""
    return examined(zoo[name])


def examined(specimen: Specimen) -> dict[str, Any]:
    missing = [need for need in specimen.needs if not _is_there(need)]
    if missing:
        return {"missing": ", ".join(missing)}
    if "gpu.GPU" in specimen.needs:
        gpu.show()
    found: dict[str, Any] = {"complaints": ["never shown"]}

    def show(look: Callable[[Any], object]) -> None:
        if specimen.make is not None:
            look(specimen.make())
        else:
            assert specimen.inside is not None
            specimen.inside(look)

    show(lambda value: found.update(_looked_at(specimen, value)))
    if outlives(show, _said):
        found["complaints"].append("the value outlives the look")
    return found


def expand(value: object, budget_ms: float = float("inf")) -> list[dict[str, Any]]:
    """Every node below a value, breadth first: two pages of each, up to `_NODES`."""
    budget = Budget(budget_ms)
    nodes: list[Any] = []
    with Untouched():
        snapshot = Snapshot(Rows.of("", []))
        nodes.append(snapshot.describe(Child("value", value, "value"), 0, budget, facts=True))
        for node in nodes:
            if len(nodes) >= _NODES:
                break
            if "children" in node and "lazy" not in node:
                for start in (0, 100):
                    page = snapshot.page(node["id"], start, 100, budget)
                    nodes += page["nodes"]
                    if page["total"] is None or page["total"] <= start + 100:
                        break
    return nodes


def _looks() -> tuple[Callable[[Any], Any], ...]:
    return summarize, facts, lambda value: tree(value, depth=3, rows=20), expand, detailed


def detailed(value: Any) -> Any:
    """What the details page shows of it."""
    with Untouched():
        options = {"parts": "facts distribution picture values", "robust": True}
        lens = registry.lens("details", {"value": Child("x", value, "x")}, options, Budget(200), None)
        assert lens.go_on()
        return lens.found()


def _said(value: Any) -> list[Any]:
    return [look(value) for look in _looks()]


def _keep(said: list[Any], look: Callable[[Any], Any], value: Any) -> None:
    said.append(look(value))


def _looked_at(specimen: Specimen, value: Any) -> dict[str, Any]:
    first: list[Any] = []
    with Watch(value, _PROGRAM, readable=specimen.readable) as watch:
        # One by one: what a look has given back, the allocator may keep while the next one takes new memory.
        taken = max(peak_memory(partial(_keep, first, look, value)) for look in _looks())
    complaints = watch.changes()
    line, known, text, nodes, _ = first
    others: set[str] = set()

    def again() -> None:
        said = _said(value)
        if (said[0], said[2]) != (line, text):  # facts have digits that the order of a sum decides
            others.add(said[0])

    kept = lasting(again)
    if others:
        complaints.append(f"said something else later: {', '.join(others)}")
    if kept > specimen.garbage:
        complaints.append(f"{kept} objects outlive the look: {left_behind(again)}")
    if taken > specimen.memory:
        complaints.append(f"{taken:.0f} MB were taken")
    complaints += _falsehoods(specimen, value, {"line": line, "tree": text, "facts": known}, nodes)
    change, unseen = _change_of(specimen, value)
    complaints += unseen
    complaints += [*misleading(value, _PROGRAM), *failing(value)] if specimen.readable else []
    return {"line": line, "tree": text, "facts": known, "change": change, "complaints": complaints}


def _falsehoods(specimen: Specimen, value: Any, said: dict[str, Any], nodes: list[dict[str, Any]]) -> list[str]:
    line, text, known = said["line"], said["tree"], said["facts"]
    found = [f"not said: {part!r}" for part in specimen.says if part not in line]
    found += [f"said: {part!r}" for part in specimen.silent if part in line]
    found += [f"no row says {part!r}" for part in specimen.rows if part not in text]
    if len(line) > 120:
        found.append("the line is too long")
    found += [f"{node['name']}: {node['line']}" for node in nodes if node["line"].startswith("not read: ")]
    found += [f"{node['name']}: an empty line" for node in nodes if not node["line"]]
    found += [complaint for node in nodes for complaint in _wrong_in_short(node)]
    json.dumps(tagged(known), allow_nan=False)  # raises where JSON could not carry it
    for name, wanted in specimen.facts.items():
        got: Any = known
        for part in name.split("."):
            got = got.get(part, "absent") if isinstance(got, dict) else "absent"
        if got != wanted:
            found.append(f"{name} is {got!r}, not {wanted!r}")
    if specimen.numbers is not None:
        found += _wrong_numbers(known, specimen.numbers(value))
    return found


def _change_of(specimen: Specimen, value: Any) -> tuple[str, list[str]]:
    """How the value was changed, or why it can't be; and what `compare` makes of that.

    A changed value differs, or is not compared; another one that is made alike does not differ.
    """
    found: list[str] = []
    if specimen.changed is not None:
        if compare(value, specimen.changed()).same:
            found.append("compared with the changed value: the same")
        differences = compare(value, specimen.make()).differences if specimen.make is not None else []
        if differences:
            found.append(f"compared with another one that is made alike: {differences}")
        return "its own", found
    if not specimen.readable:
        return "none: its memory is gone", found
    try:
        found += _alike_for_another(specimen, value)
    except NoChange as reason:
        if str(reason):
            return f"none: {reason}", found
        return "none", [f"{full_name(type(value))} is neither changed nor said to be unchangeable: zoo/unchanged.py"]
    return "that of its type", found


def _alike_for_another(specimen: Specimen, value: Any) -> list[str]:
    """What is wrong where another one, made alike and then changed, is compared."""
    if specimen.make is None:
        raise NoChange("it is made in a mode or a trace, and another one would be made in the midst of that")
    other = specimen.make()
    try:
        new = changed(other)
    except NoChange as reason:
        raise NoChange(str(reason) or _ALONE) if other is value else reason from None
    if new is value:
        raise NoChange(_ALONE)
    if compare(value, new, budget_ms=_COMPARED).same:
        return ["compared with another one that was changed: the same"]
    return []


def _wrong_in_short(node: dict[str, Any]) -> Iterator[str]:
    """Little room takes no more from a line than what is of less weight than its badges."""
    short = node.get("short", node["line"])
    if not 0 < len(short) <= SHORT:
        yield f"{node['name']}: {len(short)} characters in short"
    for badge in node.get("badges", ()):
        if badge in _ALARMS and not re.search(_ALARMS[badge], short):
            yield f"{node['name']}: {badge} is not told in short: {short}"


def _wrong_numbers(known: dict[str, Any], numbers: list[Any]) -> list[str]:
    stats = known.get("stats")
    if stats is None:
        return [f"no statistics: {known.get('unread')}"]
    if "abs" in stats:
        parts = {"real": [z.real for z in numbers], "imag": [z.imag for z in numbers]}
    else:
        parts, stats = {"": numbers}, {"": stats}
    found = []
    for part, of in parts.items():
        try:
            check(stats[part], of)
        except AssertionError as error:
            found.append(
                f"statistics {part}: {traceback.format_exception_only(type(error), error)[-1].strip()} of {stats[part]}"
            )
    return found


def _is_there(need: str) -> bool:
    parts = need.split(".")
    try:
        found: Any = importlib.import_module(parts[0])
    except ImportError:
        return False
    for index, part in enumerate(parts[1:], 1):
        if not hasattr(found, part):
            try:
                importlib.import_module(".".join(parts[: index + 1]))
            except ImportError:
                return False
        found = getattr(found, part)
    return True
