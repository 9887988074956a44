"""The watch that is on: it begins as soon as torch is there, counts steps, and passes each hit on."""

from __future__ import annotations

import sys
from math import isnan
from typing import TYPE_CHECKING, Any, Callable, Literal, Union

from ..safe.guard import module
from .boundaries.subjects import Subject
from .expression import NamedThing
from .hits import report_of
from .threads import retry_in_main_thread, run_on

if TYPE_CHECKING:
    from types import FrameType

    from .hits import FaultOrigin

What = Union[Literal["nonfinite", "nan", "inf", "zero", "changed", "unchanged", "metadata", "none"], tuple[str, float]]
Gear = Literal["light", "exact"]
_TORCH = "torch"
_BOUNDS = {"above": "bound", "norm": "bound", "rises": "factor"}


class ActiveWatch:
    """Watches one thread from `begin` to `end`: where it begins, or, before torch is there, where that is imported.

    ``hit`` is called with each report and the user's frame, None where no code of the user runs; it may raise. The
    first is the last, unless ``repeat``. ``of`` is held by weak reference, or is a `NamedThing` to be looked for.
    ``is_wanted`` is asked at each step: once it says no, the watch ends. ``failed`` is told where it can't begin once
    torch has come, ``unseen`` at the end, in words, what it could not look at.
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
        failed: Callable[[Exception], None] = lambda error: None,
        unseen: Callable[[str], None] = lambda said: None,
    ) -> None:
        self._what = what
        self._is_exact = gear == "exact"
        self._of = of if isinstance(of, NamedThing) else Subject(of)
        self._hit = hit
        self._repeat = repeat
        self._is_wanted = is_wanted
        self._failed = failed
        self._unseen = unseen
        self._gear: Any = None
        self._is_on = False
        self._awaited: _TorchFinder | None = None
        self._step = 0

    def begin(self) -> None:
        """Raises ``RuntimeError`` where another of the exact gear is on, or this one."""
        if self._is_on or (self._is_exact and ActiveWatch.current is not None):
            raise RuntimeError("a watch is on already: end it first")
        self._is_on = True
        if self._is_exact:
            ActiveWatch.current = self
        if module(_TORCH) is None:
            self._awaited = _TorchFinder(self._torch_came)
            sys.meta_path.insert(0, self._awaited)
        elif _is_coming():
            retry_in_main_thread(self._has_come)
        else:
            try:
                self._look()
            except BaseException:
                self.end(is_told=False)
                raise

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
            self._unseen(f"could not look at everything: {said}")
        for origin in pending:
            before = gear.verdict.went_before(None)
            self._hit(report_of(origin, self._step, "at the end of the watch", before), sys._getframe(2))
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
        if ActiveWatch.current is self:
            ActiveWatch.current = None  # another may begin
        if gear.thread in sys._current_frames():
            return run_on(gear.thread, lambda: self.end(is_told=False))
        self.end(is_told=False)  # the thread is gone, and its modes with it
        return True

    @property
    def is_on(self) -> bool:
        """Whether it has begun and not ended, also while it waits for torch."""
        return self._is_on

    @property
    def looks(self) -> Literal["object", "returns", "steps"] | None:
        """How a named thing is watched; None for anything else, and while it is looked for."""
        return getattr(self._gear, "looks", None)

    @property
    def lost(self) -> str | None:
        """A sentence where the thing that is watched is gone."""
        subject = getattr(self._gear, "subject", None)
        return None if subject is None else subject.lost()

    @property
    def is_returning(self) -> bool:
        """Whether the user's frame of a hit is one that returns."""
        return getattr(self._gear, "is_returning", False)

    @property
    def is_absent(self) -> bool:
        """Whether a named thing has not been found yet."""
        return isinstance(self._of, NamedThing) and self.looks is None

    def _torch_came(self) -> None:
        if not self._is_on:
            return
        try:
            self._look()
        except Exception as error:  # as of an old torch: the program's import goes on
            self.end(is_told=False)
            self._failed(error)

    def _has_come(self) -> bool:
        """Looks once the import of torch that is under way is over; tells whether it is, or nobody waits."""
        if self._is_on and _is_coming():
            return False
        self._torch_came()
        return True

    def _look(self) -> None:
        if self._is_exact:
            from .operators.exact import Exact

            self._gear = Exact(self._what, self._found, self._stepped)
        elif isinstance(self._of, NamedThing):
            from .named import NamedWatch

            self._gear = NamedWatch(self._what, self._of, self._found, self._stepped, self._is_wanted)
        else:
            from .light import Light

            self._gear = Light(self._what, self._of, self._found, self._stepped)
        self._gear.begin()

    def _stepped(self) -> None:
        self._step += 1
        if self._gear is not None:
            self._gear.verdict.before.step.taken = self._step
        if not self._is_wanted():
            self.end(is_told=False)

    def _found(self, origin: FaultOrigin, frame: FrameType | None, met: str) -> None:
        if not self._is_wanted():
            self.end(is_told=False)
            return
        self._gear.verdict.is_over = not self._repeat
        before = self._gear.verdict.went_before(frame)
        self._hit(report_of(origin, self._step, met, before), frame)


def is_bound(what: Any) -> bool:
    """Whether it is as ``("above", bound)``. Raises ``ValueError`` where the bound is no number."""
    if type(what) is not tuple or len(what) != 2 or what[0] not in _BOUNDS:
        return False
    name, bound = what
    if isinstance(bound, bool) or not isinstance(bound, (int, float)) or isnan(bound):
        raise ValueError(f'the {_BOUNDS[name]} of ("{name}", {_BOUNDS[name]}) is a number, not {bound!r}')
    return True


def _is_coming() -> bool:
    """Whether the program is importing torch just now."""
    return getattr(getattr(module(_TORCH), "__spec__", None), "_initializing", False) is True


class _TorchFinder:
    """Calls back once the program has imported torch."""

    def __init__(self, came: Callable[[], None]) -> None:
        self._came = came

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != _TORCH:
            return None
        others = sys.meta_path[sys.meta_path.index(self) + 1 :] if self in sys.meta_path else []
        found = (finder.find_spec(name, path, target) for finder in others if hasattr(finder, "find_spec"))
        spec: Any = next((one for one in found if one is not None), None)
        execute = getattr(getattr(spec, "loader", None), "exec_module", None)
        if execute is not None:  # it may only be asked whether there is a torch
            spec.loader.exec_module = self._running(execute)
        return spec

    def leave(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def _running(self, execute: Callable[[Any], None]) -> Callable[[Any], None]:
        def run(found: Any) -> None:
            execute(found)
            self.leave()
            self._came()

        return run
