"""The watch that is on: it begins as soon as torch is there, counts steps, and passes each hit on."""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from math import isnan
from typing import TYPE_CHECKING, Any, Callable, Literal, Union

from ..safe.guard import module
from .boundaries.subjects import Subject
from .hits import report_of
from .threads import run_on

if TYPE_CHECKING:
    from types import FrameType

    from .hits import FaultOrigin

What = Union[Literal["nonfinite", "nan", "inf", "zero", "changed", "unchanged", "metadata"], tuple[str, float]]
Gear = Literal["light", "exact"]
_TORCH = "torch"


class ActiveWatch:
    """Watches one thread from `begin` to `end`: where it begins, or, before torch is there, where that is imported.

    ``hit`` is called with each report and the user's frame, None where no code of the user runs; it may raise. The
    first is the last, unless ``repeat``. ``of`` is held by weak reference. ``is_wanted`` is asked at each step: once it
    says no, the watch ends.
    """

    current: ActiveWatch | None = None  #: the one of the exact gear

    def __init__(
        self,
        what: What,
        hit: Callable[[dict[str, Any], FrameType | None], None],
        *,
        gear: Gear = "exact",
        of: Any = None,
        repeat: bool = False,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        self._what = what
        self._is_exact = gear == "exact"
        self._subject = Subject(of)
        self._hit = hit
        self._repeat = repeat
        self._is_wanted = is_wanted
        self._gear: Any = None
        self._is_on = False
        self._awaited: _TorchFinder | None = None
        self._step = 0

    def begin(self) -> None:
        """Raises ``RuntimeError`` where another of the exact gear is on, or this one."""
        if self._is_on or (self._is_exact and ActiveWatch.current is not None):
            raise RuntimeError("a watch is on already: end it first")
        if module(_TORCH) is None:
            self._awaited = _TorchFinder(self._torch_came)
            sys.meta_path.insert(0, self._awaited)
        else:
            self._look()
        self._is_on = True
        if self._is_exact:
            ActiveWatch.current = self

    def end(self, *, is_told: bool = True) -> None:
        """Leaves nothing behind. What no line has used yet is told first, where ``is_told``."""
        self._is_on = False
        if ActiveWatch.current is self:
            ActiveWatch.current = None
        if self._awaited is not None:
            self._awaited.leave()
        gear, self._gear = self._gear, None
        if gear is None:
            return
        pending = gear.pending() if is_told else []
        gear.end()
        if gear.verdict.failures:
            said = "; ".join(gear.verdict.failures)
            print(f"tensor_inspector.watch could not look at everything: {said}", file=sys.stderr)
        for origin in pending:
            self._hit(report_of(origin, self._step, "at the end of the watch"), sys._getframe(2))
            if not self._repeat:
                break

    def end_soon(self) -> bool:
        """From any thread: looks at nothing more at once, and is gone when its thread runs next.

        False where that thread can't be reached: a mode that does nothing then stays on in it.
        """
        gear = self._gear
        if gear is None:
            self.end(is_told=False)
            return True
        gear.verdict.is_over = True
        return run_on(gear.thread, lambda: self.end(is_told=False))

    def _torch_came(self) -> None:
        if self._is_on:
            self._look()

    def _look(self) -> None:
        if self._is_exact:
            from .exact import Exact

            self._gear = Exact(self._what, self._found, self._stepped)
        else:
            from .light import Light

            self._gear = Light(self._what, self._subject, self._found, self._stepped)
        self._gear.begin()

    def _stepped(self) -> None:
        self._step += 1
        if not self._is_wanted():
            self.end(is_told=False)

    def _found(self, origin: FaultOrigin, frame: FrameType | None, met: str) -> None:
        if not self._is_wanted():
            self.end(is_told=False)
            return
        self._gear.verdict.is_over = not self._repeat
        self._hit(report_of(origin, self._step, met), frame)


def is_bound(what: Any) -> bool:
    """Whether it is ``("above", bound)``. Raises ``ValueError`` where the bound is no number."""
    if type(what) is not tuple or len(what) != 2 or what[0] != "above":
        return False
    bound = what[1]
    if isinstance(bound, bool) or not isinstance(bound, (int, float)) or isnan(bound):
        raise ValueError(f'the bound of ("above", bound) is a number, not {bound!r}')
    return True


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
