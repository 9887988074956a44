"""What a watch reports: what turned non-finite, and where that began."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

from ..safe.record import Record

if TYPE_CHECKING:
    from .places import CodePlace

#: The names of conditions stand for themselves.
FaultKind = Literal["nan", "inf", "zero", "changed", "unchanged", "metadata", "above", "none", "norm", "rises"]
Phase = Literal["forward", "backward", "step", "input", "buffer"]
_WORDS: dict[FaultKind, str] = {
    "nan": "NaN",
    "inf": "Inf",
    "zero": "all zero",
    "changed": "changed",
    "unchanged": "unchanged",
    "metadata": "another shape, dtype or device",
    "above": "too large",
    "none": "no gradient",
    "norm": "large gradients",
    "rises": "risen",
}
_WHERE: dict[Phase, str] = {
    "forward": "in forward",
    "backward": "in backward",
    "step": "in the optimizer's step",
    "input": "came in as an input",
    "buffer": "in a buffer",
}


class FaultOrigin(Record):
    """Where NaN or Inf arose. ``module`` is the dotted name, ``went_in`` says what the operation was given, ``untold``
    why the operation is not known, ``found`` what a condition has found."""

    kind: FaultKind
    phase: Phase
    operation: str | None
    place: CodePlace
    module: str | None
    went_in: str = ""
    is_meant: bool = False  #: an infinity that the program wrote down
    is_given: bool = False  #: it only matters in a loss: it came in, was taken away, or the program asks for it itself
    is_used: bool = False  #: what came in was computed with
    is_reported: bool = False
    untold: str = ""
    found: str = ""
    was_inf: bool = False  #: what arose was an Inf, of which NaN came

    def turned_to_nan(self) -> FaultOrigin:
        """The same place, of NaN that came of its Inf."""
        return FaultOrigin(**{**self.__dict__, "kind": "nan", "was_inf": True})


class NonFinite(Exception):
    """A value turned into NaN or Inf while `watch` looked. ``report`` has the facts; of a worker it is the text."""

    def __init__(self, report: dict[str, Any] | str) -> None:
        super().__init__(report if isinstance(report, str) else report["reason"])
        self.report: dict[str, Any] = {"reason": report} if isinstance(report, str) else report


def report_of(origin: FaultOrigin, step: int, met: str, before: dict[str, Any]) -> dict[str, Any]:
    """The facts of a hit. ``met`` says where it was noticed, if not where it arose; ``before`` what went before."""
    line, file = origin.place.lineno(), origin.place.file()
    return {
        "reason": _reason(origin, step, met, file, line),
        "kind": origin.kind,
        "phase": origin.phase,
        "operation": origin.operation,
        "module": origin.module,
        "file": file,
        "line": line,
        "step": step,
        "before": before,
    }


def _reason(origin: FaultOrigin, step: int, met: str, file: str | None, line: int | None) -> str:
    by = f" of {origin.operation}" if origin.operation else ""
    inside = f" in {origin.module}" if origin.module else ""
    at = f" · {os.path.basename(file)}:{line}" if file and line else ""
    given = f" · went in: {origin.went_in}" if origin.went_in else ""
    noticed = f" · noticed {met}" if met else ""
    untold = f" · {origin.untold}" if origin.untold else ""
    found = f": {origin.found}" if origin.found else ""
    became = ", which became NaN" if origin.was_inf else ""
    what = _WORDS["inf" if origin.was_inf else origin.kind]
    return f"{what}{by}{inside}{found}{became}, {_WHERE[origin.phase]}, step {step}{at}{given}{noticed}{untold}"
