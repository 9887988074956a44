"""Asks every rule, puts causes first, and folds consequences under them."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from itertools import islice
from typing import TYPE_CHECKING

from ...safe.guard import class_name, plain_message
from ...safe.installed import is_installed_file
from ...words.text import full_path
from ..step.step import Step
from .finding import Findings
from .rule import NotAsked, Rule, finding_of, missing
from .rules.registry import RULES, unknown_rules

if TYPE_CHECKING:
    from ...protocol import Finding

_MOST = 8  #: findings of one rule
NO_TIME = "no time"

#: A rule, and those that are folded under it where it has found something.
_CAUSES = {rule.id: rule.causes for rule in RULES}


class Asking:
    """The rules asked of a step one after another, for as long as each slice of time lasts.

    A rule that the end of its slice has cut short may have missed what speaks against a finding, so what it says is
    dropped: it is asked again at the beginning of the next slice, and skipped where that is too short as well.
    """

    def __init__(self, step: Step, ignore: Collection[str] = ()) -> None:
        self._step = step
        self._file = full_path(step.here.file)
        self._ignore = ignore
        self._missing = missing(step)
        self._waiting = deque(RULES)
        self._found: list[Finding] = []
        self._checked: list[str] = []
        self._is_complete = True
        self._skipped = [(id, "there is no such rule") for id in unknown_rules(ignore)]

    def go_on(self) -> bool:
        """Asks rules until the time is over. Returns whether all have been asked."""
        budget, asked = self._step.budget, 0
        while self._waiting and not (asked and budget.spent()):
            rule = self._waiting[0]
            reason = self._refusal(rule)
            if reason is None:
                reason, found = self._ask(rule)
                if budget.spent():
                    if asked:
                        break
                    reason, found = NO_TIME, []
                    self._is_complete = False
                self._found += found
                asked += 1
            self._waiting.popleft()
            if reason is None:
                self._checked.append(rule.id)
            else:
                self._skipped.append((rule.id, reason))
        return not self._waiting

    def progress(self) -> float:
        return 1 - len(self._waiting) / len(RULES)

    def findings(self) -> Findings:
        """What was found so far. What was not asked yet is skipped."""
        waiting = [(rule.id, NO_TIME) for rule in self._waiting]
        complete = self._is_complete and not waiting
        return Findings(folded(self._found), self._checked, [*self._skipped, *waiting], complete=complete)

    def _refusal(self, rule: Rule) -> str | None:
        """Why a rule is not asked."""
        if rule.id in self._ignore:
            return "ignored"
        return next((self._missing[need] for need in rule.needs if need in self._missing), None)

    def _ask(self, rule: Rule) -> tuple[str | None, list[Finding]]:
        """The findings of a rule, and the reason where it failed."""
        try:
            found = [finding_of(rule, one) for one in islice(rule.check(self._step), _MOST)]
        except NotAsked as why:
            return str(why), []
        except (Exception, SystemExit) as error:
            return f"{class_name(type(error))}: {plain_message(error)}".rstrip(": "), []
        return None, [self._at_lines_of_the_user(one) for one in found]

    def _at_lines_of_the_user(self, finding: Finding) -> Finding:
        """Without its line where that is a library's, unless it is of the very file in which the program is paused."""
        source = finding["source"]
        if source is not None and is_installed_file(source["file"]) and source["file"] != self._file:
            finding["source"] = None
        return finding


def folded(found: list[Finding]) -> list[Finding]:
    """Findings with their consequences below them; of one rule's findings, the first with the others below it."""
    top: list[Finding] = []
    for finding in sorted(found, key=_order):
        cause = next(
            (one for one in top if finding["rule"] in _CAUSES.get(one["rule"], ()) or one["rule"] == finding["rule"]),
            None,
        )
        if cause is None:
            top.append(finding)
        else:
            cause["consequences"].append(finding)
    return top


def _order(finding: Finding) -> tuple[int, int, int]:
    """The order of findings: causes before consequences, then sure ones, then by severity."""
    grave = ("error", "warning", "hint").index(finding["severity"])
    return -_depth(finding["rule"]), int(finding["tier"] != "sure"), grave


def _depth(rule: str, seen: tuple[str, ...] = ()) -> int:
    below = [name for name in _CAUSES.get(rule, ()) if name not in seen and name != rule]
    return 1 + max((_depth(name, (*seen, rule)) for name in below), default=0) if below else 0
