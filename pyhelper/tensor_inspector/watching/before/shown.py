"""What went before a hit, as it is shown: its numbers are texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...words.text import number

if TYPE_CHECKING:
    from ...protocol import Before, CheckBefore, StepBefore

_DIGITS = 3
_FEWER = 2  #: of a mean: its sum may have lost digits


def shown(before: dict[str, Any]) -> Before:
    """Of the facts in a report."""
    answer: Before = {"checks": [_check(one) for one in before["checks"]]}
    if before["step"] is not None:
        answer["step"] = _step(before["step"])
    return answer


def _check(check: dict[str, Any]) -> CheckBefore:
    answer: CheckBefore = {"role": check["role"]}
    if check["operation"] is not None:
        answer["operation"] = check["operation"]
    if check["module"] is not None:
        answer["module"] = check["module"]
    file, line = check["file"], check["line"]
    if file is not None and line is not None:
        answer["source"] = {"file": file, "line": line}
    if check["magnitude"] == "#nan":
        answer["nan"] = True
    elif check["magnitude"] is not None:
        answer["largest"] = _text(check["magnitude"])
    elif "mean" in check:
        answer["mean"] = f"≈{_text(check['mean'], _FEWER)}"
    return answer


def _step(step: dict[str, Any]) -> StepBefore:
    answer: StepBefore = {"step": step["step"], "learning_rates": [_text(one) for one in step["learning_rates"]]}
    if step["loss"] is not None:
        answer["loss"] = _text(step["loss"])
    if step["gradient_norm"] is not None:
        answer["gradient_norm"] = _text(step["gradient_norm"])
    return answer


def _text(value: Any, digits: int = _DIGITS) -> str:
    return number(float(value.lstrip("#")) if isinstance(value, str) else value, digits)
