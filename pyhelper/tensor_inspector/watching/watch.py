"""Watches a run of the program, and stops it or reports where a value turns non-finite."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Callable

from .. import debugger
from .active import ActiveWatch, Gear, What, is_bound
from .boundaries.subjects import check_subject
from .hits import NonFinite

if TYPE_CHECKING:
    from types import FrameType

_FAULTS = ("nonfinite", "nan", "inf")
_OF_ONE = ("zero", "changed", "unchanged", "metadata")  #: conditions of something in the program
_ABOVE = '("above", bound)'
_GEARS: tuple[Gear, ...] = ("light", "exact")


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
        of: Any = None,
        gear: Gear = "light",
        do: Callable[[dict[str, Any]], object] | None = None,
        repeat: bool = False,
    ) -> None:
        _check("gear", gear, _GEARS)
        _check_what(what, gear, of)
        check_subject(of)
        if do is not None and not callable(do):
            raise TypeError(f"`do` is called with a report, and {type(do).__name__} can't be called")
        self._do = do
        self._watch = ActiveWatch(what, self._hit, gear=gear, of=of, repeat=repeat)

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


def _check_what(what: object, gear: Gear, of: object) -> None:
    if not is_bound(what) and not (isinstance(what, str) and what in (*_FAULTS, *_OF_ONE)):
        raise ValueError(f"what is one of {', '.join(map(repr, (*_FAULTS, *_OF_ONE)))} or {_ABOVE}, not {what!r}")
    if gear == "exact" and of is not None:
        raise ValueError('gear="exact" looks at the whole program: `of` is for gear="light"')
    if what in _OF_ONE and gear == "exact":
        found = f"{', '.join(map(repr, _FAULTS))} and {_ABOVE}"
        raise ValueError(f'gear="exact" looks for {found}: use gear="light" for {what!r}')
    if what in _OF_ONE and of is None:
        named = "a module, a tensor, an optimizer, 'loss', 'gradients' or 'parameters'"
        raise ValueError(f"{what!r} is often right somewhere in a program: say by `of` where it is not, as {named}")


def _check(name: str, given: object, known: tuple[str, ...]) -> None:
    if given not in known:
        raise ValueError(f"{name} is one of {', '.join(map(repr, known))}, not {given!r}")
