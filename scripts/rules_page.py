"""Writes docs/rules.md from the rules' own sources.

PYTHONPATH=pyhelper python scripts/rules_page.py
"""

from __future__ import annotations

from pathlib import Path

import torch  # noqa: F401  rules are there once the program has imported it

import tensor_inspector

PAGE = Path(__file__).parents[1] / "docs" / "rules.md"
HEAD = (
    "# Rules\n\n"
    "What [findings](guide.md#find-what-is-wrong-with-a-training-step) say is wrong with a training step, and what is\n"
    "worth a look. The code of a diagnostic is the name here. `npm run rules` writes this page from the sources.\n\n"
    "- **sure**: the graph, the optimizer or an exception proves it. Elsewhere a finding says _may be_.\n"
    "- **likely**: it may be meant.\n"
    "- **look**: a fact that is unusual, and claims nothing. _Check This Step_ lists these.\n"
)
SUBJECTS = {
    "call": "Calls that fail, or will",
    "data": "Data",
    "numbers": "NaN, Inf and other numbers",
    "graph": "The graph and gradients",
    "loss": "The loss",
    "optimizer": "The optimizer",
    "model": "The model",
    "look": "Worth a look",
}


def page() -> str:
    """The page as it must be now."""
    parts = [HEAD]
    for subject, title in SUBJECTS.items():
        parts.append(f"\n## {title}\n")
        parts += [_section(rule) for rule in tensor_inspector.rules() if rule["subject"] == subject]
    return "".join(parts)


def _section(rule: dict[str, str]) -> str:
    grave = "" if rule["tier"] == "look" else f", {rule['severity']}"
    lines = [
        f"\n### {rule['id']}\n",
        f"{_plain(rule['summary'])} ({rule['tier']}{grave})\n",
        f"- Why: {_plain(rule['why'])}",
        f"- Try: {_plain(rule['suggestion'])}\n",
    ]
    return "\n".join(lines)


def _plain(text: str) -> str:
    """As Markdown: names of docstrings are code, nothing else is markup."""
    if "`" in text:
        return text.replace("``", "`")
    return text.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
