"""Watches a run of the program, and stops it or reports where a value turns non-finite."""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any, Callable, Literal

from .. import debugger
from ..safe.guard import module
from .hits import FaultOrigin, NonFinite, report_of

if TYPE_CHECKING:
    from types import FrameType

What = Literal["nonfinite", "nan", "inf"]
Gear = Literal["exact"]
_WHAT: tuple[What, ...] = ("nonfinite", "nan", "inf")
_GEARS: tuple[Gear, ...] = ("exact",)
_TORCH = "torch"


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

    _active: watch | None = None

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
        self._what = what
        self._do = do
        self._repeat = repeat
        self._exact: Any = None
        self._awaited: _TorchFinder | None = None
        self._step = 0

    def __enter__(self) -> watch:
        if watch._active is not None:
            raise RuntimeError("a watch is on already: end it first")
        if module(_TORCH) is None:
            self._awaited = _TorchFinder(self._begin)
            sys.meta_path.insert(0, self._awaited)
        else:
            self._begin()
        watch._active = self
        return self

    def __exit__(self, cls: type | None, error: BaseException | None, trace: object) -> None:
        watch._active = None
        if self._awaited is not None:
            self._awaited.leave()
        exact, self._exact = self._exact, None
        if exact is None:
            return
        pending = exact.pending() if error is None else []
        exact.end()
        if exact.verdict.failures:
            said = "; ".join(exact.verdict.failures)
            print(f"tensor_inspector.watch could not look at everything: {said}", file=sys.stderr)
        for origin in pending:
            self._report(origin, sys._getframe(1), "at the end of the watch")
            if not self._repeat:
                break

    def _begin(self) -> None:
        from .exact import Exact

        self._exact = Exact(self._what, self._hit, self._stepped)
        self._exact.begin()

    def _stepped(self) -> None:
        self._step += 1

    def _hit(self, origin: FaultOrigin, frame: FrameType | None, met: str) -> None:
        self._exact.verdict.is_over = not self._repeat
        self._report(origin, frame, met)

    def _report(self, origin: FaultOrigin, frame: FrameType | None, met: str) -> None:
        report = report_of(origin, self._step, met)
        if self._do is None:
            error = NonFinite(report)
            if frame is None or not debugger.stop(frame, error):
                raise error
            return
        try:
            self._do(report)
        except Exception as error:
            print(f"tensor_inspector.watch: the callback raised {type(error).__name__}: {error}", file=sys.stderr)


class _TorchFinder:
    """Begins a watch as soon as the program has imported torch."""

    def __init__(self, begin: Callable[[], None]) -> None:
        self._begin = begin

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != _TORCH:
            return None
        self.leave()
        spec: Any = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module = self._running(spec.loader.exec_module)
        return spec

    def leave(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def _running(self, execute: Callable[[Any], None]) -> Callable[[Any], None]:
        def run(found: Any) -> None:
            execute(found)
            if watch._active is not None:
                self._begin()

        return run


def _check(name: str, given: object, known: tuple[str, ...]) -> None:
    if given not in known:
        raise ValueError(f"{name} is one of {', '.join(map(repr, known))}, not {given!r}")
