"""`Violation`, what a rule yields, and `Findings`, all findings of a stop."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Union, cast

from ...words.text import plural
from ..answer import CUT, plain

if TYPE_CHECKING:
    from ...protocol import Finding

#: What is wrong, as one text; or as three: the fact, a mark (", ", ": " or "; "), and more about it.
Title = Union[str, tuple[str, str, str]]


class Violation:
    """What a rule yields for each thing that is wrong: the parts of a finding that the rule does not fix.

    ``fact`` is the first part of the title, which is shown alone where there is little room; ``more`` is the last part.
    One that is not ``certain`` is likely: it may be meant. ``differs`` is shown in its place where two sizes or types do not agree: ``96 ≠ 48 · self.fc``.
    """

    __slots__ = ("certain", "differs", "evidence", "fact", "line", "more", "suggestion", "title")

    def __init__(
        self,
        title: Title,
        *evidence: tuple[str | None, str],
        line: tuple[str, int] | None = None,
        certain: bool = True,
        suggestion: str = "",
        differs: str = "",
    ) -> None:
        self.title = "".join(title)
        parts = (title, "", "") if type(title) is str else cast("tuple[str, str, str]", title)
        self.fact, _, self.more = parts
        self.evidence = evidence
        self.line = line  #: file and line
        self.certain = certain
        self.suggestion = suggestion
        self.differs = differs


class Findings(list):  # type: ignore[type-arg]
    """The findings of a stop, causes first: a list of plain data, true where there is one. Prints one line a finding.

    ``checked`` names the rules that were asked, ``skipped`` those that were not, each with the reason. ``complete`` is
    False where there was no time for some.
    """

    def __init__(
        self,
        found: Iterable[Finding] = (),
        checked: Iterable[str] = (),
        skipped: Iterable[tuple[str, str]] = (),
        *,
        complete: bool = True,
    ) -> None:
        super().__init__(found)
        self.checked = list(checked)
        self.skipped = list(skipped)
        self.complete = complete

    def __repr__(self) -> str:
        lines = [_line(finding) for finding in self] or [self.silence()]
        return "\n".join(lines if self.complete else [CUT, *lines])

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data, for ``json.dumps``; NaN and infinities are texts."""
        return {
            "findings": plain(list(self)),
            "checked": list(self.checked),
            "skipped": [{"rule": rule, "reason": reason} for rule, reason in self.skipped],
            "complete": self.complete,
        }

    def silence(self) -> str:
        """``61 rules, nothing found, 4 not checked: no optimizer in sight``"""
        return f"{len(self.checked)} rules, nothing found{_not_checked(self.skipped)}"


def _line(finding: Finding) -> str:
    source = finding["source"]
    line = "" if source is None else f"  line {source['line']}"
    more = f" · {plural(len(finding['consequences']), 'consequence')}" if finding["consequences"] else ""
    return f"{finding['severity']}  {finding['rule']}  {title_of(finding)}{more}{line}"


def title_of(finding: Finding) -> str:
    """The title; it begins with ``may be:`` where the finding is only likely."""
    return f"may be: {finding['title']}" if finding["tier"] == "likely" else finding["title"]


def _not_checked(skipped: list[tuple[str, str]]) -> str:
    reasons: dict[str, int] = {}
    for _, reason in skipped:
        reasons[reason] = reasons.get(reason, 0) + 1
    counts = ", ".join(f"{count} not checked: {reason}" for reason, count in list(reasons.items())[:4])
    return f", {counts}" if counts else ""
