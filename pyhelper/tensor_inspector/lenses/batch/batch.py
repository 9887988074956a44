"""The lens `batch`: the parts of a batch, the columns of a table, or the settings of a dataset or loader."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ...kinds import Child, Rows, TextRow, as_kind
from ...kinds.python.objects import writes_out
from ...kinds.tables.tables import Table
from ...measure.unread import is_late
from ...safe.budget import Budget
from ...words.line import line_of
from ...words.text import listed
from ..lens import InvalidQuestion, Lens, Paused, wrong_type
from .columns import columns_of
from .data import data_of
from .held import held_by, opaque_items
from .part import DataPart
from .parts import DataParts
from .problems import Problem, problems, size_of
from .settings import data_role_of, settings, text_of
from .words import row_of

if TYPE_CHECKING:
    from ...protocol import BatchFound, Found

_COLUMNS = 500
_DATA = "tensors, arrays, numbers and texts"
_HOLDERS = ("sequence", "mapping")
_FINDING = 0.3  #: of the progress
_LEAST = 250  #: values that are measured in any time, and of each part one


def lens(values: Mapping[str, Child], options: Mapping[str, Any], budget: Budget, paused: Paused | None) -> Lens:
    asked = values["batch"]
    role = data_role_of(asked.value)
    return BatchLens(asked, budget) if role is None else SettingsLens(asked, role, budget)


class BatchLens(Lens):
    """Finds the parts, measures each, and looks at what fits."""

    def __init__(self, asked: Child, budget: Budget) -> None:
        super().__init__(budget)
        self._asked = asked
        table = as_kind(asked.value, Budget(reads=False))
        self._is_table = isinstance(table, Table)
        self.left_out = False
        self.parts: list[DataPart] = []
        self._lacking: dict[str, tuple[int, int]] = {}
        self._finding: DataParts | None = None
        self._waiting: deque[tuple[DataPart, int]] | None = None  #: once all are found: the next to be measured of each
        self._measured = self._total = 0
        self.size: int | None = None
        self.problems: list[Problem] = []
        if isinstance(table, Table):
            self.left_out = table.size()[1] > _COLUMNS
            self._take(columns_of(asked, table, _COLUMNS))

    def _find(self) -> bool:
        """Finds more of the parts. Whether all are found."""
        if self._finding is None:
            self._finding = DataParts(self._asked, limit=self.limit)
        found = self._finding
        if not found.go_on(self.budget if self.limit is None else Budget()):  # which keeps a limit by itself
            return False
        held, _ = held_by(self._asked.value, "")
        kind = as_kind(held, Budget(reads=False))
        holds = kind.kind in _HOLDERS
        if not found.found and holds:
            raise InvalidQuestion(f"{self._asked.name} holds nothing")
        is_plain = kind.kind == "object" and not writes_out(type(held))
        parts = [part for part in found.found.values() if not is_plain or _has_elements(part)]
        if all(map(_is_nothing, parts)):
            raise InvalidQuestion(
                self._why_nothing(parts) if holds else str(wrong_type(self._asked, f"a batch of {_DATA}"))
            )
        self.left_out, self.cut, self._lacking = found.left_out, found.is_late, found.lacking
        self._take(parts)
        return True

    def _why_nothing(self, parts: list[DataPart]) -> str:
        """Why a list or dict is no batch: what it holds are objects, or nothing with elements."""
        held = (as_kind(part.values[0].value, Budget(reads=False)) for part in parts if part.values)
        names = dict.fromkeys(kind.type_name() for kind in held if kind.kind == "object")
        if names:
            return f"{self._asked.name} holds objects ({listed(names, False, 40)}), no parts of a batch: ask about one"
        return f"{self._asked.name} holds no {_DATA.replace(' and ', ' or ')}"

    def _take(self, parts: Iterable[DataPart]) -> None:
        self.parts.extend(parts)
        self._waiting = deque((part, 0) for part in self.parts)
        self._total = sum(len(part.values) for part in self.parts)

    def go_on(self) -> bool:
        if self._waiting is None and not self._find():
            return False
        waiting, least = self._waiting or deque(), max(len(self.parts), _LEAST)
        before = self._measured
        while waiting:  # of all parts as much
            if self._measured >= least and self.budget.spent():
                return False
            part, at = waiting[0]
            kind = as_kind(part.values[at].value, self.budget)
            if self.limit is None and self._measured > before and is_late(kind.reading()):
                return False  # the next slice begins with it
            waiting.popleft()
            part.measure(kind)
            self._measured += 1
            if at + 1 < len(part.values):
                waiting.append((part, at + 1))
        self._settle()
        return True

    def stop(self) -> None:
        for part, at in self._waiting or ():
            part.note_unread(len(part.values) - at)
        self._settle()

    def _settle(self) -> None:
        for part in self.parts:
            part.settle()
        self.cut = self.cut or (self.limit is not None and any(part.is_late for part in self.parts))
        self.size = size_of(self.parts)
        for part in self.parts:
            part.unit = "sample" if part.amount() in (None, self.size) else "row"  # as in what is packed
        self.problems = [] if self._is_table else problems(self.parts, self.size, self._lacking)

    def progress(self) -> float:
        if self._waiting is None:
            return 0.0 if self._finding is None else _FINDING * self._finding.progress()
        return 1 - (1 - _FINDING) * (1 - self._measured / max(1, self._total))

    def found(self) -> Found:
        answer: BatchFound = {
            "lens": "batch",
            "of": "table" if self._is_table else "batch",
            "size": self.size,
            "parts": [data_of(part) for part in self.parts],
            "problems": [problem.data() for problem in self.problems],
            "settings": [],
            "complete": self._is_complete(),
        }
        return answer

    def _is_complete(self) -> bool:
        is_cut = self.left_out or any(part.is_long for part in self.parts)
        return not is_cut and self._waiting is not None and not self._waiting

    def row(self) -> Child:
        return row_of(f"data in {self._asked.name}", self.size, self.parts, self.problems, self.left_out)


class SettingsLens(Lens):
    """A dataset, loader or sampler."""

    def __init__(self, asked: Child, role: str, budget: Budget) -> None:
        super().__init__(budget)
        self._asked = asked
        self._role: Any = role
        self._settings = list(settings(asked.value, role))

    def go_on(self) -> bool:
        return True

    def progress(self) -> float:
        return 1.0

    def found(self) -> Found:
        texts = [[name, text_of(name, value, self.budget)] for name, value in self._settings]
        length = self._settings[0][1]
        answer: BatchFound = {
            "lens": "batch",
            "of": self._role,
            "size": length if type(length) is int else None,
            "parts": [],
            "problems": [],
            "settings": texts,
            "complete": True,
        }
        return answer

    def row(self) -> Child:
        rows = [Child(name, TextRow(text_of(name, value, self.budget)), "") for name, value in self._settings]
        line = line_of([*as_kind(self._asked.value, self.budget).parts()])
        return Child(f"{self._role} {self._asked.name}", Rows.of(line, rows), "")


def _has_elements(part: DataPart) -> bool:
    """Whether it is tensors or arrays."""
    quick = Budget(reads=False)
    kinds = (as_kind(one.value, quick) for one in part.values)
    return any(kind.kind in ("tensor", "array") or opaque_items(kind) is not None for kind in kinds)


def _is_nothing(part: DataPart) -> bool:
    """Whether it is None, a function, an object: nothing that batches are made of."""
    quick = Budget(reads=False)
    kinds = (as_kind(one.value, quick) for one in part.values)
    return not any(kind.kind in _PLAIN_KINDS or opaque_items(kind) is not None for kind in kinds)


_PLAIN_KINDS = ("tensor", "array", "number", "string", "sequence", "mapping")
