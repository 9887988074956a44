"""What can be found: every rule and every detector, by what stands in its source."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .findings.rules.registry import RULES
from .observations.registry import DETECTORS

if TYPE_CHECKING:
    from ..protocol import Severity, Tier


class Described(dict[str, Any]):
    """A rule or detector in plain data, which prints as a line."""

    def __repr__(self) -> str:
        return f"{self['id']} ({self['tier']}, {self['severity']}): {self['summary']}"


def described() -> list[Described]:
    """All of them: the rules in the order in which they are asked, then the detectors, whose tier is "look"."""
    rules = [_of(one.id, one.check, one.tier, one.severity, one.why, one.suggestion) for one in RULES]
    looks = [_of(one.id, one.look, "look", "hint", one.why, one.suggestion) for one in DETECTORS]
    return rules + looks


def _of(id: str, ask: Callable[..., Any], tier: Tier, severity: Severity, why: str, suggestion: str) -> Described:
    return Described(
        id=id,
        subject=_subject(ask.__module__),
        tier=tier,
        severity=severity,
        summary=_first_sentence(ask.__doc__ or _doc_of_file(ask)),
        why=why,
        suggestion=suggestion,
    )


def _doc_of_file(ask: Any) -> str:
    """What the file of a rule says of it."""
    return ask.__globals__["__doc__"] or ""


def _subject(module: str) -> str:
    """The folder of a rule; of a detector ``look``."""
    folders = module.split(".")
    return folders[folders.index("rules") + 1] if "rules" in folders else "look"


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.])\s", " ".join(text.split()), maxsplit=1)[0]
