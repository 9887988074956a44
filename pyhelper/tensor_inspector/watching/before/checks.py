"""What went before a hit: a ring of the last checks, in numbers, and the last good step."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal
from weakref import ref

from ...safe.guard import class_name, module
from ...safe.untouched import Untouched
from ...wire import tagged
from ..boundaries.calls_of_modules import running_calls
from ..finite import is_readable
from ..modules import dotted_name
from ..places import CodePlace, user_frame
from .good_step import GoodStep

if TYPE_CHECKING:
    from types import FrameType

    from ..finite import Seen

_CHECKS = 16
_OUTER = 8
_NONE = float("nan")
_READ = 1 << 27  #: elements whose magnitudes are looked for on a hit
CheckRole = Literal["result", "output", "loss", "gradient", "parameter"]
#: A tensor by weak reference, with its version, where its largest magnitude is not known; the number that is, and
#: whether it is the largest magnitude; else it is the sum of so many elements.
Kept = tuple["ref[Any] | None", "int | None", float, bool, int]


class Before:
    """Keeps numbers and weak references alone: each check costs next to nothing, and no tensor lives longer for it."""

    def __init__(self) -> None:
        self.step = GoodStep()
        self._outer: deque[ref[Any]] = deque(maxlen=_OUTER)  #: modules that returned what one in them did
        self._checks: deque[tuple[CheckRole, str | None, CodePlace, list[Kept]]] = deque(maxlen=_CHECKS)

    def add(
        self,
        role: CheckRole,
        operation: str | None,
        place: CodePlace,
        tensors: Sequence[Any],
        seen: Sequence[Seen] | None = None,
    ) -> None:
        """Of what was looked at together. ``seen`` says what was seen of each, where that is known."""
        if seen is None:
            kept = _kept_all(tensors)
        else:
            kept = [_kept(tensors[0], seen[0])] if len(tensors) == 1 else list(map(_kept, tensors, seen))
        self._checks.append((role, operation, place, kept))

    def returned(self, called: Any, tensors: list[Any], seen: Sequence[Seen] | None, frame: FrameType) -> None:
        """A module has returned these."""
        if tensors:
            self.add("output", None, CodePlace(user_frame(frame), ref(called)), tensors, seen)

    def returned_too(self, called: Any) -> None:
        """A module has returned what the last one in it did."""
        self._outer.append(ref(called))

    def losing(self, roots: list[Any], factors: list[Any], is_looked_at: bool, frame: FrameType) -> None:
        """A backward begins from these, which were multiplied by single numbers last."""
        loss = self.step.begun(roots, factors)
        if is_looked_at and roots:
            seen = [(None, abs(loss), True)] if isinstance(loss, float) else None
            self.add("loss", None, CodePlace(user_frame(frame), None), roots, seen)

    def stepping(self, gradients: list[Any], frame: FrameType) -> None:
        """An optimizer is about to step by these gradients, some of which may be None."""
        there = [one for one in gradients if one is not None]
        if there:
            self.add("gradient", None, CodePlace(user_frame(frame), None), there)

    def report(self, frame: FrameType | None) -> dict[str, Any]:
        """The facts for the report of a hit in this frame, as JSON can carry them; the newest check comes last."""
        with Untouched():
            called = [place.module for _, _, place, _ in self._checks]
            names = _ModuleNames([*self._outer, *called], frame)
            reading = _Reading()
            checks = [_told(*one, names, reading) for one in reversed(self._checks)]
            return {"checks": checks[::-1], "step": self.step.report()}


class _Reading:
    """Reads the largest magnitudes of tensors that live, the newest first, as long as these are not too many."""

    def __init__(self) -> None:
        self._left = _READ

    def largest(self, kept: Kept) -> float | None:
        held, version, number, is_largest, _ = kept
        if is_largest:
            return number
        tensor = None if held is None else held()
        if tensor is None or not is_readable(tensor) or tensor.numel() > self._left or version_of(tensor) != version:
            return None
        self._left -= tensor.numel()
        return largest(tensor)


class _ModuleNames:
    """The names of modules in a larger one that was called too."""

    def __init__(self, called: Iterable[Any], frame: FrameType | None) -> None:
        modules = [one() for one in called if type(one) is ref] + [one.module for one in running_calls(frame)]
        self._named: dict[int, str] = {}
        for outer in {id(one): one for one in modules if one is not None}.values():
            for name, inner in module("torch").nn.Module.named_modules(outer):
                if len(name) > len(self._named.get(id(inner), "")):
                    self._named[id(inner)] = name

    def of(self, called: Any) -> str | None:
        """Of a module that was called, by weak reference, or with the outermost one that was."""
        if type(called) is not ref:
            return dotted_name(called)
        held = called()
        return None if held is None else self._named.get(id(held)) or class_name(type(held))


def largest(tensor: Any) -> float | None:
    """The largest magnitude in a tensor; None where it can't be read."""
    if not tensor.numel():
        return None
    try:
        if not tensor.is_complex():
            low, high = tensor.detach().aminmax()
            return float(abs(max(-low.item(), high.item()))) if low == low else float("nan")
        return float(tensor.detach().abs().max().item())
    except RuntimeError:
        return None


def _kept_all(tensors: Sequence[Any]) -> list[Kept]:
    """Of those of which nothing was seen."""
    try:
        return [(ref(one), one._version, _NONE, False, 0) for one in tensors]
    except RuntimeError:  # of inference mode
        return [(ref(one), version_of(one), _NONE, False, 0) for one in tensors]


def _kept(tensor: Any, seen: Seen) -> Kept:
    _, number, is_largest = seen
    if is_largest:
        return None, None, number, True, 0
    try:
        version = tensor._version
    except RuntimeError:  # of inference mode
        version = None
    return ref(tensor), version, number, False, tensor.numel()


def version_of(tensor: Any) -> int | None:
    try:
        return tensor._version  # type: ignore[no-any-return]
    except RuntimeError:  # of inference mode
        return None


def _told(
    role: CheckRole,
    operation: str | None,
    place: CodePlace,
    kept: list[Kept],
    names: _ModuleNames,
    reading: _Reading,
) -> dict[str, Any]:
    found = [reading.largest(one) for one in kept]
    known = [one for one in found if one is not None]
    told: dict[str, Any] = {
        "role": role,
        "operation": operation,
        "module": names.of(place.module),
        "file": place.file(),
        "line": place.lineno(),
        "magnitude": tagged(_maximum(known)) if known and len(known) == len(kept) else None,
    }
    if told["magnitude"] is None and len(kept) == 1 and kept[0][4] and isfinite(kept[0][2]):
        told["mean"] = kept[0][2] / kept[0][4]
    return told


def _maximum(numbers: list[float]) -> float:
    return next((one for one in numbers if one != one), max(numbers))
