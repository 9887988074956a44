"""What the helper keeps from one request to the next: the one owner of all that outlives a request.

No value of the program is among it: what is known of a stop is its snapshot's, and dies with that.
"""

from __future__ import annotations

from typing import Any

from .preferences import Preferred


class Session:
    """One debugged program, as the helper in it knows it."""

    __slots__ = ("cold", "preferred", "question", "running")

    def __init__(self) -> None:
        self.preferred = Preferred()  #: what the user prefers: the debugger's own views ask without saying
        self.cold = True  #: until the first frame is answered: it compiles modules, and torch starts threads
        self.question: Any = None  #: the last question of the debugger's own views, a `stock.clock.Question`
        self.running: dict[int, Any] = {}  #: what runs the program's code, by the number of its request

    def reset(self) -> None:
        """As it was before the first request."""
        self.__init__()  # type: ignore[misc]


session = Session()
