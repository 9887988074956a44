"""The watch that is on: it begins as soon as torch is there, counts steps, and passes each hit on."""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any, Callable, Literal

from ..safe.guard import module
from .hits import report_of
from .threads import run_on

if TYPE_CHECKING:
    from types import FrameType

    from .hits import FaultOrigin

What = Literal["nonfinite", "nan", "inf"]
_TORCH = "torch"


class ActiveWatch:
    """Watches one thread from `begin` to `end`: where it begins, or, before torch is there, where that is imported.

    ``hit`` is called with each report and the user's frame, None where no code of the user runs; it may raise. The
    first is the last, unless ``repeat``. ``is_wanted`` is asked at each step: once it says no, the watch ends.
    """

    current: ActiveWatch | None = None

    def __init__(
        self,
        what: What,
        hit: Callable[[dict[str, Any], FrameType | None], None],
        *,
        repeat: bool = False,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        self._what = what
        self._hit = hit
        self._repeat = repeat
        self._is_wanted = is_wanted
        self._exact: Any = None
        self._awaited: _TorchFinder | None = None
        self._step = 0

    def begin(self) -> None:
        """Raises ``RuntimeError`` where a watch is on."""
        if ActiveWatch.current is not None:
            raise RuntimeError("a watch is on already: end it first")
        if module(_TORCH) is None:
            self._awaited = _TorchFinder(self._torch_came)
            sys.meta_path.insert(0, self._awaited)
        else:
            self._look()
        ActiveWatch.current = self

    def end(self, *, is_told: bool = True) -> None:
        """Leaves nothing behind. What no line has used yet is told first, where ``is_told``."""
        ActiveWatch.current = None
        if self._awaited is not None:
            self._awaited.leave()
        exact, self._exact = self._exact, None
        if exact is None:
            return
        pending = exact.pending() if is_told else []
        exact.end()
        if exact.verdict.failures:
            said = "; ".join(exact.verdict.failures)
            print(f"tensor_inspector.watch could not look at everything: {said}", file=sys.stderr)
        for origin in pending:
            self._hit(report_of(origin, self._step, "at the end of the watch"), sys._getframe(2))
            if not self._repeat:
                break

    def end_soon(self) -> bool:
        """From any thread: looks at nothing more at once, and is gone when its thread runs next.

        False where that thread can't be reached: a mode that does nothing then stays on in it.
        """
        exact = self._exact
        if exact is None:
            self.end(is_told=False)
            return True
        exact.verdict.is_over = True
        return run_on(exact.thread, lambda: self.end(is_told=False))

    def _torch_came(self) -> None:
        if ActiveWatch.current is self:
            self._look()

    def _look(self) -> None:
        from .exact import Exact

        self._exact = Exact(self._what, self._found, self._stepped)
        self._exact.begin()

    def _stepped(self) -> None:
        self._step += 1
        if not self._is_wanted():
            self.end(is_told=False)

    def _found(self, origin: FaultOrigin, frame: FrameType | None, met: str) -> None:
        if not self._is_wanted():
            self.end(is_told=False)
            return
        self._exact.verdict.is_over = not self._repeat
        self._hit(report_of(origin, self._step, met), frame)


class _TorchFinder:
    """Calls back as soon as the program has imported torch."""

    def __init__(self, came: Callable[[], None]) -> None:
        self._came = came

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
            self._came()

        return run
