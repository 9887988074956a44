"""The lens `report`: a bug report as text. Without the option ``values`` it holds none of the program's data.

It has versions, devices, settings that differ from the defaults, the exception, the findings, and the variables in
sight.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...kinds import Child
from ...safe.budget import Budget
from ...safe.guard import module
from ...words.text import full_path, plural
from ..environment.environment import settings
from ..environment.installed import cuda
from ..environment.words import report_lines
from ..findings.finding import title_of
from ..lens import Lens, Paused
from ..step.frames import in_sight, nearest
from .raised import frame_text, raised, raised_in
from .section import Section
from .variables import frame_section
from .words import row_of, text_of

if TYPE_CHECKING:
    from ...protocol import Finding, Found, ReportFound


def lens(values: Mapping[str, Child], options: Mapping[str, Any], budget: Budget, paused: Paused | None) -> Lens:
    """About the paused frame. With the option ``values`` it holds data of the program; ``stop`` is the number of the
    stop."""
    if paused is None:
        raise ValueError("'report' is asked where the program is paused")
    return ReportLens(budget, paused, values=options.get("values") is True, stop=options.get("stop"))


class _Recalled:
    """Numbers of earlier stops; not added to. Without this stop's number none are recalled: some may be its own."""

    def __init__(self, history: Any, stop: Any) -> None:
        self._history = None if type(stop) is not int else history

    def recall(self, *step: Any) -> Any:
        return [] if self._history is None else self._history.recall(*step)

    def remember(self, *step: Any) -> None:
        pass


def _findings(paused: Paused, stop: Any, budget: Budget) -> Lens | None:
    """What is wrong here, and what the exception was about; None without torch, which these questions need."""
    if module("torch") is None:
        return None
    from ..findings.lens import lens as findings

    asked = Paused(**{**vars(paused), "history": _Recalled(paused.history, stop)})
    return findings({}, {"stop": stop} if type(stop) is int else {}, budget, asked)


class ReportLens(Lens):
    def __init__(self, budget: Budget, paused: Paused, *, values: bool, stop: Any) -> None:
        super().__init__(budget)
        self._paused = paused
        self._values = values
        self._findings = _findings(paused, stop, budget)
        self._sections: list[Section] = []

    def go_on(self) -> bool:
        if self._findings is not None and not self._findings.go_on():
            return False
        self._sections = list(self._all())
        return True

    def progress(self) -> float:
        return 0.0 if self._findings is None else self._findings.progress()

    def found(self) -> Found:
        exception = next((section.summary for section in self._sections if section.title == "Exception"), None)
        answer: ReportFound = {
            "lens": "report",
            "exception": exception,
            "findings": len(self._found()),
            "cuda": cuda(),
            "values": self._values,
        }
        return answer

    def row(self) -> Child:
        return row_of(self._sections)

    def text(self) -> str:
        return text_of(self._sections)

    def _found(self) -> list[Finding]:
        found: Any = {"findings": []} if self._findings is None else self._findings.found()
        return found["findings"]  # type: ignore[no-any-return]

    def _all(self) -> list[Section]:
        visible, inside = nearest(self._paused.frame), raised_in(self._paused)
        visible_frames = {} if visible is None else {"Frame": visible}
        if inside is not None and (visible is None or inside.frame is not visible.frame):
            visible_frames = {"Frame that raised": inside, **visible_frames}
        every = settings(self._paused)
        different = sum(setting.differs() for setting in every)
        sections = [
            raised(self._paused, values=self._values),
            None if visible is None or self._paused.raised is not None else _stack(visible),
            self._findings_section(),
            *(frame_section(title, one, self.budget, values=self._values) for title, one in visible_frames.items()),
            Section("Environment", f"{different} not as by default", report_lines(every, values=self._values)),
        ]
        return [section for section in sections if section is not None]

    def _findings_section(self) -> Section:
        found, lines = self._found(), []
        for finding in found:
            source = finding["source"]
            where = "" if source is None else f" ({full_path(source['file'])}:{source['line']})"
            text = title_of(finding) if self._values else finding["why"]
            lines.append(f"{finding['severity']} {finding['rule']}{where}: {text}")
        return Section("Findings", plural(len(found), "finding"), lines or ["none"])


def _stack(level: Any) -> Section:
    lines = [frame_text(one.frame.f_code.co_filename, one.lineno, one.frame.f_code.co_name) for one in in_sight(level)]
    return Section("Stopped at", lines[0], lines)
