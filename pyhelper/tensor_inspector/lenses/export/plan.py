"""`Plan`: how a value becomes a file of a format, before anything is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...safe.record import Record

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from ...safe.untouched import Untouched
    from .exported import Exported

    Steps = Iterator[tuple[bytes, int]]
    #: Its steps look at a tensor each. They raise `TypeError` and `ValueError` for what a format does not hold.
    Planning = Generator[None, None, "Plan"]


class FileOfRun(Record):
    """A file of a folder, by its name from there on. Its steps are as those of a `Plan`."""

    name: str
    steps: Callable[[Untouched | None], Steps]


class Plan(Record):
    """``steps`` makes the bytes of the file, each with how much of ``total`` it is. It is called as the first slice of
    time begins, with the guard that is held then. ``bytes`` is the size of the file, None where that is not known
    before. ``notes`` say what the format does not hold, each once. What becomes a folder has its ``files`` instead,
    which are made in their order."""

    steps: Callable[[Untouched | None], Steps] | None
    total: int
    bytes: int | None
    notes: list[str]
    files: tuple[FileOfRun, ...] = ()

    def parts(self) -> tuple[FileOfRun, ...]:
        """The files that it makes: one without a name, or those of a folder."""
        return self.files if self.steps is None else (FileOfRun("", self.steps),)


def of_bytes(header: bytes, parts: list[Exported], notes: list[str], *, little_endian: bool = False) -> Plan:
    """A header, and then the bytes of all elements."""

    def steps(guard: Untouched | None) -> Steps:
        yield header, 0
        for part in parts:
            for piece in part.read(little_endian=little_endian):
                yield piece, len(piece)
        for part in parts:  # else one could be from before a change, and another from after it
            part.check()
            yield b"", 0

    total = sum(part.nbytes() for part in parts)
    return Plan(steps, total, len(header) + total, notes_with(notes, parts))


def notes_with(notes: list[str], parts: list[Exported]) -> list[str]:
    """Those of a format and those of what it holds, each once."""
    return list(dict.fromkeys([*notes, *(note for part in parts for note in part.notes)]))
