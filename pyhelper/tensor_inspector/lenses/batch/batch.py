"""The lens `batch`: the parts of a batch, the columns of a table, or the settings of a dataset or loader."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...kinds import Child, Rows, TextRow, as_kind
from ...kinds.tables.tables import Table
from ...safe.budget import Budget
from ...words.line import line_of
from ..lens import Lens, Paused
from .columns import columns_of
from .data import data_of
from .part import DataPart
from .parts import DataParts
from .problems import Problem, problems, size_of
from .settings import role_of, settings, text_of
from .words import row_of

if TYPE_CHECKING:
    from ...protocol import BatchFound, Found

_COLUMNS = 500
_LEAST = 250  #: values that are measured in any time, and of each part one


def lens(values: Mapping[str, Child], options: Mapping[str, Any], budget: Budget, paused: Paused | None) -> Lens:
    asked = values["batch"]
    role = role_of(asked.value)
    return BatchLens(asked, budget) if role is None else SettingsLens(asked, role, budget)


class BatchLens(Lens):
    """Finds the parts, measures each, and looks at what fits."""

    def __init__(self, asked: Child, budget: Budget) -> None:
        super().__init__(budget)
        self._asked = asked
        quick = Budget(reads=False)
        table = as_kind(asked.value, quick)
        self._is_table = isinstance(table, Table)
        self.left_out = False
        self.parts: list[DataPart] = []
        self._lacking: dict[str, tuple[int, int]] = {}
        if isinstance(table, Table):
            self.parts.extend(columns_of(asked, table, _COLUMNS))
            self.left_out = table.size()[1] > _COLUMNS
        else:
            found = DataParts(asked, budget)
            self.parts.extend(found.found.values())
            self.left_out, self.cut = found.left_out, found.is_late
            self._lacking = found.lacking
        if not self.parts and not self._is_table:
            raise TypeError(f"{asked.name} holds nothing")
        if all(_is_nothing(part) for part in self.parts) and not self._is_table:
            raise TypeError(f"{asked.name} holds no tensors, arrays, numbers or texts")
        by_number = sorted(
            ((at, part, one.value) for part in self.parts for at, one in enumerate(part.values)), key=lambda one: one[0]
        )
        self._waiting = deque((part, value) for _, part, value in by_number)  # of all parts as much
        self._measured = 0
        self._total = max(1, len(self._waiting))
        self._least = max(len(self.parts), _LEAST)
        self.size: int | None = None
        self.problems: list[Problem] = []

    def go_on(self) -> bool:
        while self._waiting:
            if self._measured >= self._least and self.budget.spent():
                return False
            part, value = self._waiting.popleft()
            part.measure(value, self.budget)
            self._measured += 1
        self._settle()
        return True

    def stop(self) -> None:
        for part, _ in self._waiting:
            part.note_unread()
        self._settle()

    def _settle(self) -> None:
        for part in self.parts:
            part.settle()
        self.size = size_of(self.parts)
        self.problems = [] if self._is_table else problems(self.parts, self.size, self._lacking)

    def progress(self) -> float:
        return 1 - len(self._waiting) / self._total

    def found(self) -> Found:
        answer: BatchFound = {
            "lens": "batch",
            "of": "table" if self._is_table else "batch",
            "size": self.size,
            "parts": [data_of(part) for part in self.parts],
            "problems": [problem.data() for problem in self.problems],
            "settings": [],
            "complete": not self.left_out and not self._waiting,
        }
        return answer

    def row(self) -> Child:
        return row_of(f"data in {self._asked.name}", self.size, self.parts, self.problems, self.left_out)


class SettingsLens(Lens):
    """A dataset, loader or sampler."""

    def __init__(self, asked: Child, role: str, budget: Budget) -> None:
        super().__init__(budget)
        self._asked = asked
        self._role: Any = role
        self._settings = list(settings(asked.value, role, budget))

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


def _is_nothing(part: DataPart) -> bool:
    """Whether it is None, a function, an object: nothing that batches are made of."""
    quick = Budget(reads=False)
    return all(as_kind(one.value, quick).kind not in _PLAIN_KINDS for one in part.values)


_PLAIN_KINDS = ("tensor", "array", "number", "string", "sequence", "mapping")
