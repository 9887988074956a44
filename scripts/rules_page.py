"""Writes docs/rules.md and the pages in docs/rules/ from the rules' own sources.

PYTHONPATH=pyhelper python scripts/rules_page.py
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import torch  # noqa: F401  rules are there once the program has imported it

import tensor_inspector
from tensor_inspector.lenses.explain.explain import EXPLAINED
from tensor_inspector.lenses.findings.rule import Rule
from tensor_inspector.lenses.findings.rules.registry import RULES
from tensor_inspector.lenses.observations.detector import Detector
from tensor_inspector.lenses.observations.registry import DETECTORS

DOCS = Path(__file__).parents[1] / "docs"
HEAD = (
    "# Rules\n\n"
    "What [findings](guide.md#find-what-is-wrong-with-a-training-step) say is wrong with a training step, and what is\n"
    "worth a look. The code of a diagnostic is the name here, and leads to the rule's page. `npm run rules` writes\n"
    "these pages from the sources.\n\n"
    "- **sure**: the graph, the optimizer or an exception proves it. Elsewhere a finding says _may be_.\n"
    "- **likely**: it may be meant.\n"
    "- **look**: a fact that is unusual, and claims nothing. _Check This Step_ lists these, and here each is an\n"
    "  example of one.\n"
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
EXCEPTIONS = "Exceptions"
#: What some rules need before they are asked, with the bullet that says so.
_ASKED_BY = {
    "thorough": "neither _Check This Step_ nor `findings(thorough=True)` asks it: it reads more",
    "run": "neither _Check by Running the Model…_ nor `findings(run=True)` asks it: it runs the model",
}
_BRACKETS = r"\((?:[^()]|\([^()]*\))*\)|\[(?:[^\[\]]|\[[^\[\]]*\])*\]|\{[^{}]*\}"
#: A name with a low line, a dot or brackets, `key=value`, and what stands in brackets of its own but for round ones.
_CODE = re.compile(
    rf"(?<![\w.])(?:[A-Za-z_]\w*(?:\.\w+|{_BRACKETS})*(?:=[\w-]+(?:\.\w+)*)?|\[[^\[\]]*\]|\{{[^{{}}]*\}})"
)
#: The parts of the docstring of a rule's file, in their order, each with what stands before it there.
_PARTS = {"Why": "Why: ", "Example": "Example:\n", "Instead": "Instead:\n", "Silent when": "Silent when:\n"}


def pages() -> dict[Path, str]:
    """Each page as it must be now, by where it stands: the index, and one for every rule that a finding may be of."""
    sources = {one.id: one for one in (*RULES, *DETECTORS)}
    rules = tensor_inspector.rules()
    known = {rule["id"] for rule in rules}
    explained = {id: found for id, found in EXPLAINED.items() if id not in known}
    made = {DOCS / "rules.md": "".join(_index(rules, explained))}
    for rule in rules:
        made[_place(rule["id"])] = "\n".join(_page(rule, sources[rule["id"]]))
    for id, (why, suggestion) in explained.items():
        head = _head(id, "explains an exception", EXCEPTIONS)
        made[_place(id)] = "\n".join([*head, f"{_plain(why)}\n", _tip(suggestion)])
    return made


def parts_of(docstring: str) -> dict[str, str]:
    """The parts of the docstring of a rule's file by their names; the first sentence is its ``Summary``."""
    found, rest = {}, docstring
    for name, begin in reversed(_PARTS.items()):
        rest, _, part = rest.rpartition(f"\n\n{begin}")
        found[name] = textwrap.dedent(part).strip("\n")
    return {"Summary": rest, **dict(reversed(found.items()))}


def write() -> None:
    """Writes all pages, and takes away those of rules that are gone."""
    made = pages()
    for stale in {*(DOCS / "rules").glob("*.md")} - made.keys():
        stale.unlink()
    for path, text in made.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _place(id: str) -> Path:
    return DOCS / "rules" / f"{id}.md"


def _index(rules: list[dict[str, str]], explained: dict[str, tuple[str, str]]) -> Iterator[str]:
    yield HEAD
    for subject, title in SUBJECTS.items():
        yield f"\n## {title}\n\n"
        for rule in rules:
            if rule["subject"] == subject:
                yield f"- [{rule['id']}](rules/{rule['id']}.md) ({_claim(rule)}): {_plain(rule['summary'])}\n"
    yield f"\n## {EXCEPTIONS}\n\nWhat an exception is explained by, besides the rules above.\n\n"
    for id, (why, _) in explained.items():
        yield f"- [{id}](rules/{id}.md): {_plain(why)}\n"


def _page(rule: dict[str, str], source: Rule | Detector) -> Iterator[str]:
    yield from _head(rule["id"], _claim(rule), SUBJECTS[rule["subject"]])
    yield from _page_of_rule(rule, source) if isinstance(source, Rule) else _page_of_detector(rule, source)


def _page_of_rule(rule: dict[str, str], source: Rule) -> Iterator[str]:
    parts = parts_of(source.check.__globals__["__doc__"])
    yield f"{_plain(rule['summary'])}\n"
    yield f"**Why**: {_plain(' '.join(parts['Why'].split()))}\n"
    yield f"## Example\n\n{_fenced(parts['Example'])}\n"
    yield f"## Instead\n\n{_fenced(parts['Instead'])}\n"
    yield _tip(rule["suggestion"])
    asked = [f"- {_ASKED_BY[need]}" for need in source.needs if need in _ASKED_BY]
    silent = _plain(re.sub(r"\n +", " ", parts["Silent when"]))
    yield "## Silent when\n\n" + "\n".join([*asked, silent]) + "\n"


def _page_of_detector(rule: dict[str, str], source: Detector) -> Iterator[str]:
    """What the file says is the fact; what the function says is an example, often code and nothing else."""
    example = _plain(rule["summary"])
    code = re.fullmatch("`([^`]*)`", example)
    yield f"{_plain(source.look.__globals__['__doc__'])}\n"
    yield f"**Why**: {_plain(rule['why'])}\n"
    shown = example if code is None else _fenced(code[1].replace("; ", "\n"))  # a statement a line
    yield f"## Example\n\n{shown}\n"
    yield _tip(rule["suggestion"])
    rare = f"About one in {source.one_in} healthy programs has it, by an estimate: {source.because}."
    yield f"## How rare\n\n{_plain(rare)}\n"


def _fenced(code: str) -> str:
    return f"```python\n{code}\n```"


def _head(id: str, claim: str, subject: str) -> Iterator[str]:
    """A page's title, and the line below it that says of what it is, and leads to the index."""
    anchor = re.sub(r"[^\w -]", "", subject.lower()).replace(" ", "-")
    yield f"# {id}\n\n{claim} · [{subject}](../rules.md#{anchor})\n"


def _claim(rule: dict[str, str]) -> str:
    """``sure, error``; what is only worth a look claims nothing."""
    return rule["tier"] if rule["tier"] == "look" else f"{rule['tier']}, {rule['severity']}"


def _tip(suggestion: str) -> str:
    return f"Try: {_plain(suggestion)}\n"


def _plain(text: str) -> str:
    """As Markdown: what stands between graves or can only be a name of the program is code, nothing else is markup."""
    parts = re.split("(`[^`]*`)", text.replace("``", "`"))
    return "".join(part if part.startswith("`") else _prose(part) for part in parts)


def _prose(text: str) -> str:
    """What stands outside of graves, with names and calls as code."""
    made, end = "", 0
    for found in _CODE.finditer(text):
        if re.search(r"[_.=()\[\]{}]", found[0]):
            made += f"{_escaped(text[end : found.start()])}`{found[0]}`"
            end = found.end()
    return made + _escaped(text[end:])


def _escaped(text: str) -> str:
    return re.sub("([*_])", r"\\\1", text.replace("<", "&lt;"))


if __name__ == "__main__":
    write()
