"""Finds the modules that a call may run or change: its arguments, their attributes, and modules that its code names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...measure.torch.modules import Member, members
from ...safe.budget import Budget, Steps
from .code_references import CodeReferences
from .deep_copy import DeepCopy


class AffectedModules:
    """Iterates over the modules that a call may run or change, each once.

    The caller copies what each module holds with ``copies``, which may find further modules: these follow.
    """

    def __init__(self, copies: DeepCopy) -> None:
        self._copies = copies
        self.reached = CodeReferences()  #: what the code of these modules refers to; complete after the last module

    def __iter__(self) -> Iterator[Member]:
        seen: set[int] = set()
        while True:
            waiting = self._unseen(self._copies.modules, seen)
            if not waiting:
                self.reached.read(self._copies.functions)
                waiting = self._unseen(self.reached.modules, seen)
            if not waiting:
                return
            for root in waiting:
                for member in list(members(root, Steps(Budget()))):
                    if id(member.module) not in seen:
                        seen.add(id(member.module))
                        self._copies.note_class(type(member.module))
                        yield member

    def _unseen(self, modules: list[Any], seen: set[int]) -> list[Any]:
        return [one for one in modules if id(one) not in seen]
