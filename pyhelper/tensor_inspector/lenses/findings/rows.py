"""Findings as rows of a tree: each with its evidence, why it matters, and what to try."""

from __future__ import annotations

from collections.abc import Iterable
from types import FrameType
from typing import TYPE_CHECKING

from ...kinds import Child, Rows
from ...words.text import plural
from ..lens import Paused
from .finding import Findings, title_of

if TYPE_CHECKING:
    from ...protocol import Badge, Evidence, Finding

#: The gravest first, with the badges of its rows. What is only likely has none.
_LOUD: dict[str, list[Badge]] = {"error": ["wrong"], "warning": ["doubtful"], "hint": []}


def row_of(found: Findings, paused: Paused, frames: list[FrameType]) -> Child:
    """``frames`` are those in which a value is looked for by its expression, the nearest first."""
    rows = [finding_row(finding, paused, frames) for finding in found]
    line = plural(len(rows), "finding") if rows else found.silence()
    return Child("findings", _rows(line, rows, found), "")


def _rows(line: str, rows: list[Child], findings: Iterable[Finding]) -> Rows:
    """A row with the badge of the most severe of these findings that are sure."""
    severities = {finding["severity"] for finding in findings if finding["tier"] == "sure"}
    badges = next((loud for severity, loud in _LOUD.items() if severity in severities), [])
    return Rows.of(line, rows, "finding", badges)


def finding_row(finding: Finding, paused: Paused, frames: list[FrameType]) -> Child:
    rows = [_evidence(one, paused, frames) for one in finding["evidence"]]
    rows.append(Child("why", Rows.of(finding["why"], [], "advice"), ""))
    rows.append(Child("try", Rows.of(finding["suggestion"], [], "advice"), ""))
    below = [finding_row(one, paused, frames) for one in finding["consequences"]]
    if below:
        rows.append(Child("consequences", _rows(plural(len(below), "finding"), below, finding["consequences"]), ""))
    source = finding["source"]
    line = "" if source is None else f"line {source['line']}"
    return Child(title_of(finding), _rows(line, rows, [finding]), "")


def _evidence(evidence: Evidence, paused: Paused, frames: list[FrameType]) -> Child:
    """The evidence as rows: its expression, the fact, and the value below."""
    expression, fact = evidence["expression"], evidence["fact"]
    if expression is None:
        return Child("seen", Rows.of(fact, [], "evidence"))
    for frame in frames:
        try:
            value = paused.reach(expression, frame)
        except Exception:  # an expression may stand for what no name reaches
            continue
        below = Child(expression, value, expression if frame is paused.frame else None)
        return Child(expression, Rows.of(fact, [below], "evidence"), "")
    return Child(expression, Rows.of(fact, [], "evidence"))
