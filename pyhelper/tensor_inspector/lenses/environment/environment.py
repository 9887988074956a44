"""The lens `environment`: everything that a program runs with, first what differs from the defaults."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...kinds import Child
from ...safe.budget import Budget
from ..lens import Lens, Paused
from .flags import flags, modes_of
from .installed import cuda, devices, versions
from .process import environment_variables, processes
from .setting import Setting
from .words import row_of, text_of

if TYPE_CHECKING:
    from ...protocol import EnvironmentFound, Found


def lens(values: Mapping[str, Child], options: Mapping[str, Any], budget: Budget, paused: Paused | None) -> Lens:
    return EnvironmentLens(budget, paused)


def settings(paused: Paused | None) -> list[Setting]:
    """What is not as by default, then all else by its group."""
    found = [
        *modes_of(None if paused is None else paused.modes),
        *flags(),
        *processes(),
        *environment_variables(),
        *versions(),
        *devices(),
    ]
    return sorted(found, key=lambda setting: not setting.differs())


class EnvironmentLens(Lens):
    def __init__(self, budget: Budget, paused: Paused | None) -> None:
        super().__init__(budget)
        self._paused = paused

    def go_on(self) -> bool:
        return bool(self._settings)

    def progress(self) -> float:
        return 0.0

    def found(self) -> Found:
        answer: EnvironmentFound = {
            "lens": "environment",
            "different": sum(setting.differs() for setting in self._settings),
            "cuda": cuda(),
            "settings": [setting.data() for setting in self._settings],
        }
        return answer

    def row(self) -> Child:
        return row_of(self._settings, cuda())

    def text(self) -> str:
        return text_of(self._settings)

    @cached_property
    def _settings(self) -> list[Setting]:
        return settings(self._paused)
