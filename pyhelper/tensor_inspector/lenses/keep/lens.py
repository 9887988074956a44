"""The lens `keep`: copies a value as it is now. What it keeps is compared at a later stop by the lens `compare`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...kinds import Child, Rows
from ...safe.budget import Budget
from ...safe.record import Record
from ...session import session
from ...words.text import plural, size
from ..compare.kept import NotHere
from ..lens import InvalidQuestion, Lens, Paused
from ..running.deep_copy import CannotCopy
from ..surroundings import names_of_parameters
from .kept_copy import KeptCopy

if TYPE_CHECKING:
    from ...protocol import Found, KeepFound


class Kept(Record):
    """A copy of a value.

    ``names`` are those that parameters had, by the ids of their copies, ``originals`` the ids of what copies are of,
    ``devices`` where tensors were that are on the CPU now.
    """

    name: str
    value: Any
    names: dict[int, str]
    originals: list[tuple[Any, int]]
    devices: dict[int, str]

    def add_names(self, known: dict[int, str]) -> None:
        """Adds names of the kept parameters to those in sight. One without gets one, and so does its original."""
        for copy, original in self.originals:
            name = known.get(original) or self.names.get(id(copy)) or f"parameter {original}"
            known[id(copy)] = known[original] = name


def lens(values: Mapping[str, Child], options: Mapping[str, Any], budget: Budget, paused: Paused | None) -> Lens:
    """About ``values["value"]``. The option ``as`` is the number under which it is kept; without it nothing is kept,
    but what that would take is told. ``checksums``: of tensors only a line and a checksum are kept.

    Raises ``TypeError`` for what can't be copied, ``ValueError`` where ``as`` is no whole number.
    """
    number = options.get("as")
    if number is not None and type(number) is not int:
        raise ValueError("as is a whole number, as in 1")
    return KeepLens(values["value"], number, options.get("checksums") is True, budget, paused)


class KeepLens(Lens):
    def __init__(
        self, asked: Child, number: int | None, only_checksums: bool, budget: Budget, paused: Paused | None
    ) -> None:
        super().__init__(budget)
        self._asked = asked
        self._number = number
        self._copy = KeptCopy(only_checksums=only_checksums)
        self._value = self._copy.of(asked.value)
        if type(self._value) is NotHere:
            raise TypeError(f"{asked.name} can't be kept: {self._copy.missing[0]}")
        names = {} if number is None else names_of_parameters(paused, budget)
        parameters = ((copy, names.get(original)) for copy, original in self._copy.originals)
        self._names = {id(copy): name for copy, name in parameters if name}

    def go_on(self) -> bool:
        if self._number is None:
            return True
        try:
            if not self._copy.go_on(self.budget):
                return False
        except CannotCopy as error:
            raise InvalidQuestion(f"{self._asked.name} is not kept: {error}") from None
        copy = self._copy
        kept = Kept(self._asked.name, self._value, self._names, copy.originals, copy.devices)
        session.kept[self._number] = kept
        return True

    def progress(self) -> float:
        return self._copy.progress()

    def found(self) -> Found:
        copy = self._copy
        found: KeepFound = {"lens": "keep", "bytes": copy.bytes, "tensors": copy.tensors, "missing": copy.missing}
        return found

    def row(self) -> Child:
        copy = self._copy
        return Child(self._asked.name, Rows.of(f"{plural(copy.tensors, 'tensor')} · {size(copy.bytes)}", []), None)
