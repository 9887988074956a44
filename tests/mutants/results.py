"""What became of the mutants that were tried, in a file that the next run goes on from."""

from __future__ import annotations

import json
from pathlib import Path

from sample import Mutant


class Results:
    """A line of JSON for each trial: the mutant, and the test that failed on it, null where none did. The last counts."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._killers: dict[tuple[str, str, str, str], str | None] = {}
        if file is not None and file.exists():
            for line in file.read_text("utf-8").splitlines():
                *mutant, killer = json.loads(line)
                self._killers[tuple(mutant)] = killer

    def killed(self, mutant: Mutant) -> bool:
        return self._killers.get(mutant.key) is not None

    def add(self, mutant: Mutant, killer: str | None) -> None:
        self._killers[mutant.key] = killer
        if self._file is not None:
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps([*mutant.key, killer], ensure_ascii=False) + "\n")
