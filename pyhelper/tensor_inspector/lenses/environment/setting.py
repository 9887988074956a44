"""`Setting`: one thing that a program runs with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...safe.record import Record

if TYPE_CHECKING:
    from typing import Literal

    from ...protocol import EnvironmentSetting

    Group = Literal["mode", "flag", "process", "variable", "version", "device"]


class Setting(Record):
    """By the name that one types or reads. ``default`` is what it is unless someone set it; None where it has none, as
    a version, or where that depends on the machine. A ``value`` of None is not known."""

    group: Group
    name: str
    value: str | None
    default: str | None = None

    def differs(self) -> bool:
        return self.default is not None and self.value is not None and self.value != self.default

    def data(self) -> EnvironmentSetting:
        return {
            "group": self.group,
            "name": self.name,
            "value": self.value,
            "default": self.default,
            "differs": self.differs(),
        }
