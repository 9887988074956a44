"""A report as Markdown, and as rows of a tree."""

from __future__ import annotations

from ...kinds import Child, Rows, TextRow
from ...words.line import Word, line_of
from ...words.text import one_line
from .section import Section, without_home


def text_of(sections: list[Section]) -> str:
    """Each part in a block of its own, in which nothing has a meaning for Markdown."""
    blocks = ("\n".join(section.lines).replace("```", "'''") for section in sections)
    parts = (f"### {section.title}\n\n```text\n{block}\n```\n" for section, block in zip(sections, blocks))
    return without_home("\n".join(parts))


def row_of(sections: list[Section]) -> Child:
    rows = []
    for section in sections:
        lines = [line for text in section.lines for line in text.splitlines()]
        below = [Child("", TextRow(without_home(one_line(line))), "") for line in lines]
        rows.append(Child(section.title, Rows.of(without_home(section.summary), below), ""))
    summaries = [Word(without_home(section.summary)) for section in sections]
    return Child("bug report", Rows.of(line_of(summaries), rows), "")
