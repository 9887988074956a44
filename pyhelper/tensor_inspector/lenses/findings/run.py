"""Asks every rule, puts causes first, and folds under each what follows from it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ...safe.guard import class_name, plain_message
from ..step.step import Step
from .finding import Evidence, Finding, Findings, Found
from .rule import Rule, missing
from .rules import (
    backward,
    calls,
    data,
    gradients,
    graph,
    loss,
    model,
    numbers,
    optimizer,
    registration,
    splits,
    targets,
    updates,
    values,
)

_GROUPS = (
    data, splits, numbers, gradients, graph, registration, backward, loss, targets, optimizer, calls, updates, model, values,
)  # fmt: skip
RULES: list[Rule] = [rule for group in _GROUPS for rule in group.RULES]
_MOST = 8  #: findings of one rule

_NUMBERS = (
    "nan-origin",
    "log-of-zero",
    "masked-row",
    "fp16-overflow",
    "std-of-one",
    "nan-in-grad-only",
    "nan-in-params",
    "nan-in-buffers",
    "exploding-grad",
    "lr-too-high",
)
_NO_LEARNING = (
    "zero-grad-values",
    "vanishing-grad",
    "dead-relu",
    "constant-output",
    "missing-grad",
    "weights-unchanged",
    "no-nonlinearity",
    "step-without-grads",
)
#: A rule, and those that are folded under it where it has found something.
CAUSES: dict[str, tuple[str, ...]] = {
    "nan-in-input": _NUMBERS,
    "nan-in-params": ("nan-origin", "nan-in-buffers", "nan-in-grad-only", "exploding-grad"),
    "log-of-zero": _NUMBERS,
    "masked-row": _NUMBERS,
    "std-of-one": _NUMBERS,
    "fp16-overflow": _NUMBERS,
    "eps-underflow": _NUMBERS,
    "nan-origin": ("nan-in-params", "nan-in-buffers", "nan-in-grad-only", "exploding-grad", "lr-too-high"),
    "lr-too-high": ("exploding-grad", "nan-in-params", "nan-in-grad-only"),
    "frozen-params": ("loss-without-grad", "nondifferentiable", "grad-mode-off", "graph-cut", *_NO_LEARNING),
    "grad-mode-off": ("loss-without-grad", "nondifferentiable", "train-during-eval"),
    "nondifferentiable": ("loss-without-grad",),
    "loss-rewrapped": ("graph-cut", "loss-without-grad", "unused-module", *_NO_LEARNING),
    "loss-without-grad": ("graph-cut", "unused-module", *_NO_LEARNING),
    "graph-cut": ("missing-grad", "unused-module"),
    "unused-module": ("missing-grad", "param-not-in-optimizer"),
    "unregistered-params": ("param-not-in-optimizer",),
    "optimizer-stale-params": ("param-not-in-optimizer", "weights-unchanged"),
    "double-softmax": ("constant-output", "vanishing-grad"),
    "softmax-singleton": _NO_LEARNING,
    "dead-relu": _NO_LEARNING,
    "not-normalized": ("saturated", "exploding-grad", *_NO_LEARNING),
    "saturated": ("vanishing-grad", "zero-grad-values"),
    "lr-zero": ("weights-unchanged", "lr-too-low"),
    "clip-before-unscale": ("scaler-bypassed",),
    "graph-freed": ("graph-grows",),
    "scaler-bypassed": ("lr-too-high", "exploding-grad", "nan-in-params"),
    "target-requires-grad": ("param-not-in-optimizer",),
    "all-targets-ignored": _NUMBERS,
    "retained-graph": ("graph-grows",),
}


def find(step: Step, ignore: Collection[str] = ()) -> Findings:
    """What all rules find, but for those that are ignored. A rule that fails is skipped, with the reason."""
    found: list[Finding] = []
    checked: list[str] = []
    skipped: list[tuple[str, str]] = []
    for rule in RULES:
        if rule.id in ignore:
            skipped.append((rule.id, "ignored"))
            continue
        reason = missing(rule, step) or ("no time" if step.budget.spent() else None)
        if reason is not None:
            skipped.append((rule.id, reason))
            continue
        try:
            found.extend(told(rule, one) for one in _first(rule.check(step)))
            checked.append(rule.id)
        except Exception as error:
            skipped.append((rule.id, f"{class_name(type(error))}: {plain_message(error)}".rstrip(": ")))
    return Findings(folded(found), checked, skipped)


def _first(found: Iterable[Found]) -> list[Found]:
    kept: list[Found] = []
    for one in found:
        kept.append(one)
        if len(kept) == _MOST:
            break
    return kept


def told(rule: Rule, found: Found) -> Finding:
    """A finding as plain data."""
    evidence: list[Evidence] = [{"expression": expression, "fact": fact} for expression, fact in found.evidence]
    line = found.lineno
    return {
        "rule": rule.id,
        "severity": rule.severity,
        "certain": found.certain,
        "title": found.title,
        "evidence": evidence,
        "source": None if line is None else {"file": line[0], "line": line[1]},
        "why": rule.why,
        "suggestion": found.suggestion or rule.suggestion,
        "consequences": [],
    }


def folded(found: list[Finding]) -> list[Finding]:
    """Causes with their consequences; one rule's findings are told by the first, with the others below it."""
    top: list[Finding] = []
    for finding in sorted(found, key=_order):
        cause = next(
            (one for one in top if finding["rule"] in CAUSES.get(one["rule"], ()) or one["rule"] == finding["rule"]),
            None,
        )
        if cause is None:
            top.append(finding)
        else:
            cause["consequences"].append(finding)
    return top


def _order(finding: Finding) -> tuple[int, int, int]:
    """What causes others before them; then what is certain, and what is graver."""
    grave = ("error", "warning", "hint").index(finding["severity"])
    return -_depth(finding["rule"]), int(not finding["certain"]), grave


def _depth(rule: str, seen: tuple[str, ...] = ()) -> int:
    below = [name for name in CAUSES.get(rule, ()) if name not in seen and name != rule]
    return 1 + max((_depth(name, (*seen, rule)) for name in below), default=0) if below else 0
