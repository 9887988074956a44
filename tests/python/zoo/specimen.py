"""A row of the zoo: one kind of value, how to make it, and what must be said of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Show = Callable[[Any], None]


@dataclass(frozen=True)
class Specimen:
    """``make()`` returns the value. Where it lives only inside something (a transform, a mode, a trace), ``inside(show)``
    makes it there and calls ``show(value)`` there instead.

    ``make`` and ``inside`` run in a child process of their own, and each of ``needs`` must be there for it: a module that
    can be imported (``"pandas"``), or an attribute of one (``"torch.uint64"``).
    """

    make: Callable[[], Any] | None = None
    inside: Callable[[Show], None] | None = None
    says: tuple[str, ...] = ()  #: the summary line contains each of these
    silent: tuple[str, ...] = ()  #: and none of these
    facts: Mapping[str, Any] = field(default_factory=dict)  #: of `facts`, by dotted name: ``{"stats.real.nan": 1}``
    rows: tuple[str, ...] = ()  #: the tree's text contains each of these
    numbers: Callable[[Any], list[Any]] | None = None  #: the numbers that `stats` must be of, found in another way
    needs: tuple[str, ...] = ()
    changed: Callable[[], Any] | None = (
        None  #: the value with one thing changed; `compare` never says that the two are the same
    )
    readable: bool = True  #: False where its memory is gone, and reading it would crash
    garbage: int = 0  #: objects in cycles that a library's own text leaves to the collector
    memory: int = 16  #: MB that looking may take beyond what the value itself takes


Zoo = dict[str, Specimen]
