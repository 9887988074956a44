"""The base of kinds that hold other values: their row warns of NaN and Inf inside, and tells the memory of tensors."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ..words.held import graph_word, size_word
from .alarms import Alarms, alarms_in
from .held import HeldValues
from .held_memory import HeldMemory
from .kind import Kind

if TYPE_CHECKING:
    from ..protocol import Badge, Facts, HeldFacts
    from .held import Entries


class HolderKind(Kind):
    """The base of kinds that hold other values."""

    def all_entries(self) -> Entries:
        """All that it holds, as pairs of key and value."""
        return self.entries() or ()

    @cached_property
    def _alarms_and_memory(self) -> tuple[Alarms, HeldFacts | None]:
        """Both in one walk. What was walked through is not kept: it refers back to this kind."""
        held = HeldValues(self, self.all_entries(), self.budget.share())
        memory = None if self.entries() is None else HeldMemory(held, self.budget)
        return alarms_in(self, held), memory.data() if memory is not None and memory.tensors else None

    @property
    def alarms(self) -> Alarms:
        return self._alarms_and_memory[0]

    @property
    def memory(self) -> HeldFacts | None:
        """The memory of the tensors in it; None where there are none, and for an object whose parts have rows of their
        own."""
        return self._alarms_and_memory[1]

    def badges(self) -> list[Badge]:
        return self.alarms.badges()

    def facts(self) -> Facts:
        facts, memory = super().facts(), self.memory
        if memory is not None:
            facts["held"] = memory
        return facts

    def warnings(self) -> list[str]:
        """What stands first in its line: NaN, Inf, autograd graphs of several steps."""
        graphs = None if self.memory is None else graph_word(self.memory)
        return [*self.alarms.words(), *([graphs] if graphs else [])]

    def memory_word(self) -> str | None:
        """The memory of its tensors, where that is much."""
        return None if self.memory is None else size_word(self.memory)
