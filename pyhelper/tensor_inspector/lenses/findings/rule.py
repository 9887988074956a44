"""`Rule`: its check, severity, and why it matters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ...measure.torch.optimizers import is_readable
from ...words.text import full_path
from ..step.step import Step
from .finding import Violation
from .rules.loss.parts.absent_loss import why_no_loss

if TYPE_CHECKING:
    from ...protocol import Evidence, Finding, RuleNeed, Severity, Tier

    Check = Callable[[Step], Iterator[Violation]]


class NotAsked(Exception):
    """Raised by a rule that finds out only while it runs that it can't be asked; the message says why."""


class Unmet(str):
    """Why a rule is not asked: in sight there is not what it needs."""

    __slots__ = ("need",)
    need: RuleNeed

    def __new__(cls, reason: str, need: RuleNeed) -> Unmet:
        unmet = super().__new__(cls, reason)
        unmet.need = need
        return unmet


class Rule:
    """``needs`` are what it cannot do without: loss, optimizer, groups (those of each optimizer can be read), module,
    scaler, source, moments (numbers of earlier stops), thorough (extra reading), run (running the program's code)."""

    __slots__ = ("causes", "check", "id", "needs", "severity", "suggestion", "tier", "why")

    def __init__(
        self,
        id: str,
        check: Check,
        needs: str,
        severity: Severity,
        why: str,
        suggestion: str,
        tier: Tier = "sure",
        causes: str = "",
    ) -> None:
        self.id = id
        self.causes = tuple(causes.split())  #: the rules that are folded under it where it has found something
        self.tier: Tier = tier  #: the most that it claims
        self.check = check
        self.needs = tuple(needs.split())
        self.severity: Severity = severity
        self.why = why
        self.suggestion = suggestion


def rule(
    severity: Severity, *, why: str, suggestion: str, causes: str = "", needs: str = "", tier: Tier = "sure"
) -> Callable[[Check], Rule]:
    """A decorator that makes a `Rule` of a function; its id is the function's name. ``causes`` are the ids of rules whose
    findings follow from this one's, with blanks between them."""
    return lambda check: Rule(check.__name__.replace("_", "-"), check, needs, severity, why, suggestion, tier, causes)


def finding_of(rule: Rule, found: Violation) -> Finding:
    """What a rule has found, in plain data."""
    made = finding(rule.id, rule.severity, rule.why, rule.suggestion, found)
    if rule.tier == "likely":
        made["tier"] = "likely"
    return made


def finding(id: str, severity: Severity, why: str, suggestion: str, found: Violation) -> Finding:
    """A finding in plain data; ``suggestion`` stands where the violation has none of its own."""
    evidence: list[Evidence] = [{"expression": expression, "fact": fact} for expression, fact in found.evidence]
    line = found.line
    made: Finding = {
        "rule": id,
        "severity": severity,
        "tier": "sure" if found.certain else "likely",
        "title": found.title,
        "fact": found.fact,
        "more": found.more,
        "evidence": evidence,
        "source": None if line is None else {"file": full_path(line[0]), "line": line[1]},
        "why": why,
        "suggestion": found.suggestion or suggestion,
        "consequences": [],
    }
    if found.differs:
        made["differs"] = found.differs
    return made


def missing(step: Step) -> dict[str, Unmet]:
    """What rules may need and this step does not have, each with the reason for its user."""
    needs: dict[RuleNeed, tuple[bool, str]] = {
        "loss": (bool(step.losses), "" if step.losses else why_no_loss(step)),
        "optimizer": (bool(step.optimizers), "no optimizer in sight"),
        "groups": (
            all(is_readable(variable.value) for variable in step.optimizers),
            "an optimizer computes its groups",
        ),
        "module": (bool(step.modules), "no module in sight"),
        "scaler": (bool(step.scalers), "no gradient scaler in sight"),
        "source": (step.source.is_known(), "no source"),
        "moments": (bool(step.moments), "nothing remembered of earlier stops"),
        "thorough": (step.thorough, "reads more: asked for by thorough=True"),
        "run": (step.run, "runs the program's code: asked for by run=True"),
    }
    return {need: Unmet(reason, need) for need, (is_met, reason) in needs.items() if not is_met}
