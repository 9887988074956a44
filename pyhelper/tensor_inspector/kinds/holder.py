"""The base of kinds that hold other values: their row warns of NaN and Inf inside, and shows the memory of tensors."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ..words.contained_memory import graph_word, size_word
from .alarms import Alarms, alarms_in
from .contained import ContainedValues
from .contained_memory import ContainedMemory
from .kind import Kind

if TYPE_CHECKING:
    from ..protocol import Badge, Facts, HeldFacts
    from .contained import Entries


class HolderKind(Kind):
    """The base of kinds that hold other values."""

    def all_entries(self) -> Entries:
        """All that it holds, as pairs of key and value."""
        return self.entries() or ()

    @cached_property
    def _alarms_and_memory(self) -> tuple[Alarms, HeldFacts | None]:
        """Both from one walk. The walk is not stored: it refers back to this kind."""
        contained = ContainedValues(self, self.all_entries(), self.budget.share())
        memory = None if self.entries() is None else ContainedMemory(contained, self.budget)
        return alarms_in(self, contained), memory.data() if memory is not None and memory.tensors else None

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
        """The first parts of its line: NaN, Inf, autograd graphs of several steps."""
        graphs = None if self.memory is None else graph_word(self.memory)
        return [*self.alarms.words(), *([graphs] if graphs else [])]

    def memory_word(self) -> str | None:
        """The memory of its tensors, where that is much; else None."""
        return None if self.memory is None else size_word(self.memory)
