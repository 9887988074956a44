"""Watches a run of the program, and stops it or reports where a value is not as it should be."""

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
_OF_STEPS = ("none", "norm", "rises")  #: of gradients and of the loss
_ABOVE = '("above", bound)'
_BOUNDED = f'{_ABOVE}, ("norm", bound) or ("rises", factor)'
_GEARS: tuple[Gear, ...] = ("light", "exact")


class watch:
    """Watches what this thread computes in a ``with`` block, and tells where the first NaN or Inf arose.

    ``what`` is ``"nonfinite"``, ``"nan"`` or ``"inf"``; ``("above", bound)``, a larger magnitude; ``"none"``, a
    parameter without a gradient as an optimizer steps; ``("norm", bound)``, a larger norm of all gradients;
    ``("rises", factor)``, a loss more than ``factor`` times the one before; or of something, ``"zero"`` (all of
    it), ``"changed"`` or ``"unchanged"`` (since the look before), ``"metadata"`` (another shape, dtype or device).
    Numbers that the program writes down, masks of −Inf and what a GradScaler skips are no hits.

    The gear ``"light"`` looks at boundaries: what modules return, losses, gradients as an optimizer steps, parameters
    after it, running statistics. What is taken away before one is not seen. On a hit it looks for the origin in the
    graph that still stands; where that is not proven, ``operation``, ``file`` and ``line`` are None. The gear
    ``"exact"`` tests the result of each operation: NaN that the program computes with or reads, Inf that comes into a
    loss, a gradient, a parameter or a running statistic; with ``"nan"`` where it arises, also if a later line takes it
    away. What ``torch.compile`` has compiled runs eagerly meanwhile.

    ``of`` is for the gear ``"light"``: None for the whole program, ``"loss"``, ``"gradients"``, ``"parameters"``, or a
    module (what it returns; its gradients and parameters as an optimizer steps), a tensor (its gradient and itself at
    steps), an optimizer (its gradients and parameters). It is held by weak reference. Of one of these ``"changed"`` and
    ``"unchanged"`` look at parameters alone, and of a module or optimizer ``"zero"`` does not. Values are compared by
    a copy if they are small, else by a checksum.

    The first hit ends the watch, unless ``repeat``. ``do`` is called with its report, a dict with ``reason``, ``kind``
    (``"nan"``, ``"inf"``, or the condition's name), ``phase`` (``"forward"``, ``"backward"``, ``"step"``, ``"input"``
    or ``"buffer"``), ``operation``, ``module``, ``file`` and ``line`` of the origin, of a condition those where it was
    noticed, each None where it is not known, ``step``: how many steps optimizers have taken, and ``before``: the latest
    ``checks``, the newest last, with the largest ``magnitude`` of each where it is known, and the loss, gradient norm
    and learning rates of the last good ``step``. Without ``do`` the debugger stops in the user's line; where there is
    none, `NonFinite` is raised, with the report.

    It may begin before torch is imported. Several light ones may be on at once, and one exact one. Raises
    ``ValueError`` or ``TypeError`` for what can't be watched, ``RuntimeError`` where an exact one is on already.
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
        check_what(what, gear, of)
        check_subject(of)
        if do is not None and not callable(do):
            raise TypeError(f"`do` is called with a report, and {type(do).__name__} can't be called")
        self._do = do
        self._watch = ActiveWatch(what, self._hit, gear=gear, of=of, repeat=repeat, failed=_failed, unseen=_say)

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


def _failed(error: Exception) -> None:
    """Tells of a watch that can't begin with the torch that has come: the program goes on without it."""
    _say(f"can't begin: {type(error).__name__}: {error}")


def _say(text: str) -> None:
    print(f"tensor_inspector.watch {text}", file=sys.stderr)


def check_what(what: object, gear: Gear, of: object) -> None:
    """Raises ``ValueError`` for a condition that is none, or that neither this gear nor what is watched has."""
    if not is_bound(what) and not (isinstance(what, str) and what in (*_FAULTS, *_OF_ONE, "none")):
        known = f"{', '.join(map(repr, (*_FAULTS, *_OF_ONE, 'none')))}, {_BOUNDED}"
        raise ValueError(f"what is one of {known}, not {what!r}")
    name = what[0] if isinstance(what, tuple) else what
    if gear == "exact" and of is not None:
        raise ValueError('gear="exact" looks at the whole program: `of` is for gear="light"')
    if name in (*_OF_ONE, *_OF_STEPS) and gear == "exact":
        found = f"{', '.join(map(repr, _FAULTS))} and {_ABOVE}"
        raise ValueError(f'gear="exact" looks for {found}: use gear="light" for {what!r}')
    if name in _OF_ONE and of is None:
        named = "a module, a tensor, an optimizer, 'loss', 'gradients' or 'parameters'"
        raise ValueError(f"{what!r} is often right somewhere in a program: say by `of` where it is not, as {named}")


def _check(name: str, given: object, known: tuple[str, ...]) -> None:
    if given not in known:
        raise ValueError(f"{name} is one of {', '.join(map(repr, known))}, not {given!r}")
