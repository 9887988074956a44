"""The environment as rows of a tree, and as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...kinds import Child, Rows, TextRow
from ...words.line import Word, line_of
from ...words.text import LINE, listed
from .process import PUBLIC
from .setting import Setting

if TYPE_CHECKING:
    from .installed import Cuda

_GROUPS = {
    "version": "versions",
    "device": "devices",
    "mode": "modes",
    "flag": "flags",
    "process": "process",
}
_CUDA: dict[Cuda, str] = {
    "initialized": "CUDA initialized",
    "not_initialized": "CUDA not initialized",
    "no_driver": "no CUDA: no driver",
    "not_built": "no CUDA",
    "no_torch": "",
}
_NAMED = 40  #: characters of what a line lists
_NAMED_VERSIONS = ("Python", "torch")  #: whose versions the line says


def row_of(settings: list[Setting], cuda: Cuda) -> Child:
    """What is not as by default, then a row for each group of the others."""
    rows = [Child(setting.name, TextRow(_value(setting)), "") for setting in settings if setting.differs()]
    for group, name in _GROUPS.items():
        below = _of(group, settings)
        if below:
            children = [Child(setting.name, TextRow(_value(setting)), "") for setting in below]
            line = listed((f"{setting.name} {_value(setting)}" for setting in below), False, LINE)
            rows.append(Child(name, Rows.of(line, children), ""))
    return Child("environment", Rows.of(line_of(_parts(settings, cuda)), rows), "")


def text_of(settings: list[Setting]) -> str:
    """All of it as text to be copied: what is not as by default first."""
    groups = {"not as by default": [setting for setting in settings if setting.differs()]}
    groups.update({name: _of(group, settings) for group, name in _GROUPS.items()})
    width = max(len(setting.name) for setting in settings)
    lines = []
    for name, below in groups.items():
        lines += [name, *(f"  {setting.name:{width}}  {_value(setting)}" for setting in below)] if below else []
    return "\n".join(lines)


def report_lines(settings: list[Setting], *, values: bool) -> list[str]:
    """The lines of a report: versions, devices, and settings that differ from their defaults."""
    settings = settings if values else [_public(setting) for setting in settings]
    first = [setting for setting in settings if setting.group in ("version", "device")]
    different = [setting for setting in settings if setting.differs()]
    lines = [f"{setting.name}: {_value(setting)}" for setting in first]
    return [
        *lines,
        *(["", "not as by default:"] if different else []),
        *(f"  {one.name}: {_value(one)}" for one in different),
    ]


def _public(setting: Setting) -> Setting:
    """The setting without a value that may be data."""
    is_open = setting.group != "variable" or setting.name in PUBLIC
    return setting if is_open else Setting(setting.group, setting.name, "set", setting.default)


def _of(group: str, settings: list[Setting]) -> list[Setting]:
    return [setting for setting in settings if setting.group == group and not setting.differs()]


def _value(setting: Setting) -> str:
    if setting.value is None:
        return "not known"
    return f"{setting.value} · default {setting.default}" if setting.differs() else setting.value


def _parts(settings: list[Setting], cuda: Cuda) -> list[str]:
    different = [setting for setting in settings if setting.differs()]
    names = listed((f"{setting.name} {setting.value}" for setting in different), False, _NAMED)
    versions = {setting.name: setting.value for setting in settings if setting.group == "version"}
    return [
        Word(f"not as by default: {names}", f"differs: {names}") if different else "all as by default",
        *(f"{name} {versions[name]}" for name in _NAMED_VERSIONS if versions.get(name)),
        _CUDA[cuda],
    ]
