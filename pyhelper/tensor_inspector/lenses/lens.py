"""What a lens is: one question about values, with an answer of its own type, worked at in slices of time."""

from __future__ import annotations

from ..kinds import Child
from ..protocol import Found
from ..safe.budget import Budget


class Misasked(Exception):
    """The question itself is wrong: there is no such lens, value or option. The message is a sentence."""


class Lens:
    """A question on its way to its answer. Whoever asks holds the guard, and asks for the answer once it is done.

    Its module has ``lens(values, options, budget) -> Lens``, which only begins. Each of ``values`` is a `Child`: the
    value, what people call it, and the expression that reaches it. An option that makes no sense raises ``TypeError``
    or ``ValueError`` there. No lens holds a snapshot: a snapshot holds it while it is worked at.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget  #: renewed for each slice

    def go_on(self) -> bool:
        """Work until all is done, or the time is over. Whether all is done."""
        raise NotImplementedError

    def progress(self) -> float:
        """How much is done, from 0 to 1, as far as can be told."""
        raise NotImplementedError

    def found(self) -> Found:
        """The answer, as data that JSON can carry."""
        raise NotImplementedError

    def row(self) -> Child:
        """The answer as a row of a tree, with what there is to see below it."""
        raise NotImplementedError
