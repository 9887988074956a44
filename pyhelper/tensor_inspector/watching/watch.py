"""Watches a run of the program, and stops it or reports where a value turns non-finite."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Callable, Literal

from .. import debugger
from .active import ActiveWatch, What
from .hits import NonFinite

if TYPE_CHECKING:
    from types import FrameType

Gear = Literal["exact"]
_WHAT: tuple[What, ...] = ("nonfinite", "nan", "inf")
_GEARS: tuple[Gear, ...] = ("exact",)


class watch:
    """Watches what this thread computes in a ``with`` block for values that turn NaN or Inf, and says where they arose.

    ``what`` is ``"nan"``: where NaN arises, also if a later line takes it away; ``"inf"``; or ``"nonfinite"``: NaN that
    the program computes with or reads, NaN or Inf in a loss, a gradient, a parameter or a running statistic. Numbers
    that the program writes down, masks of −Inf and what a GradScaler skips are no hits. The gear ``"exact"`` tests the
    result of each operation; what ``torch.compile`` has compiled runs eagerly meanwhile.

    The first hit ends the watch, unless ``repeat``. ``do`` is called with its report, a dict with ``reason``, ``kind``
    (``"nan"`` or ``"inf"``), ``phase`` (``"forward"``, ``"backward"``, ``"step"``, ``"input"`` or ``"buffer"``),
    ``operation``, ``module``, ``file`` and ``line`` of the origin, each None where it is not known, and ``step``: how
    many steps optimizers have taken. Without ``do`` the debugger stops in the user's line; where there is none,
    `NonFinite` is raised, with the report.

    It may begin before torch is imported. Raises ``ValueError`` for another ``what`` or ``gear``, ``TypeError`` where
    ``do`` can't be called, ``RuntimeError`` where a watch is on.
    """

    def __init__(
        self,
        what: What = "nonfinite",
        *,
        gear: Gear,
        do: Callable[[dict[str, Any]], object] | None = None,
        repeat: bool = False,
    ) -> None:
        _check("what", what, _WHAT)
        _check("gear", gear, _GEARS)
        if do is not None and not callable(do):
            raise TypeError(f"`do` is called with a report, and {type(do).__name__} can't be called")
        self._do = do
        self._watch = ActiveWatch(what, self._hit, repeat=repeat)

    def __enter__(self) -> watch:
        self._watch.begin()
        return self

    def __exit__(self, cls: type | None, error: BaseException | None, trace: object) -> None:
        self._watch.end(is_told=error is None)

    def _hit(self, report: dict[str, Any], frame: FrameType | None) -> None:
        if self._do is None:
            fault = NonFinite(report)
            if frame is None or not debugger.stop(frame, fault):
                raise fault
            return
        try:
            self._do(report)
        except Exception as error:
            print(f"tensor_inspector.watch: the callback raised {type(error).__name__}: {error}", file=sys.stderr)


def _check(name: str, given: object, known: tuple[str, ...]) -> None:
    if given not in known:
        raise ValueError(f"{name} is one of {', '.join(map(repr, known))}, not {given!r}")
