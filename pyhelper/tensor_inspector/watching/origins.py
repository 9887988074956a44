"""Where NaN and Inf arose, for each tensor that holds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any
from weakref import ref

from ..kinds import as_kind
from ..safe.budget import Budget
from ..safe.guard import module
from ..safe.untouched import Untouched
from .finite import Found, find, is_readable, plain
from .hits import FaultOrigin, Phase
from .modules import CalledModules, dotted_name
from .places import CodePlace, place_of, user_frame

if TYPE_CHECKING:
    from types import FrameType

torch: Any = module("torch")

_task: Any = getattr(torch._C, "_current_graph_task_id", None)
_NO_TASK = -1
_STORED = 512  #: storages from which on those that are gone are left out
_StorageWeakRef: Any = module("torch.multiprocessing.reductions").StorageWeakRef


class Origins:
    """The origins of what tensors hold, by weak references, and the modules that are being called."""

    def __init__(self) -> None:
        self.called = CalledModules()
        self._holders: dict[int, tuple[ref[Any], FaultOrigin]] = {}  #: by the tensor's id
        self._stored: dict[int, tuple[Any, FaultOrigin]] = {}  #: by the storage's, which views and `.data` share

    def __bool__(self) -> bool:
        return bool(self._holders)

    def of(self, tensor: Any) -> FaultOrigin | None:
        """The origin of what a tensor holds; of another with its storage only if there is something in this one."""
        held = self._holders.get(id(tensor))
        if held is not None and held[0]() is tensor:
            return held[1]
        if not self._stored or not is_readable(tensor):
            return None
        stored = self._stored.get(plain(tensor).untyped_storage()._cdata)
        return stored[1] if stored is not None and find(tensor) is not None else None

    def hold(self, tensor: Any, origin: FaultOrigin) -> None:
        holders, key = self._holders, id(tensor)
        holders[key] = (ref(tensor, lambda _: holders.pop(key, None)), origin)
        storage = plain(tensor).untyped_storage()
        self._stored[storage._cdata] = (_StorageWeakRef(storage), origin)
        if len(self._stored) > _STORED:
            self._stored = {key: one for key, one in self._stored.items() if not one[0].expired()}

    def forget(self, tensor: Any) -> None:
        """What a tensor held was overwritten."""
        self._holders.pop(id(tensor), None)

    def pending(self) -> Iterator[FaultOrigin]:
        """NaN that nothing has taken away or computed with, in tensors that live."""
        for tensor, origin in list(self._holders.values()):
            held = tensor()
            is_over = origin.is_given or origin.is_reported or held is None
            if origin.kind == "nan" and not is_over and find(held) is not None:
                yield origin

    def here(self, frame: FrameType) -> tuple[CodePlace, str | None]:
        """The user's line that runs, and the module."""
        called = self.called.innermost()
        return place_of(frame, called), dotted_name(called)

    def new(self, operation: str | None, found: Found, frame: FrameType, inputs: Iterable[Any]) -> FaultOrigin:
        """What arises in the operation that runs."""
        place, module = self.here(frame)
        return FaultOrigin("nan" if found.nan else "inf", _phase(), operation, place, module, words(inputs))

    def written(self, operation: str, place: CodePlace) -> FaultOrigin:
        """An Inf that the program writes down, as in each mask: it is never told, so no words are made."""
        return FaultOrigin("inf", _phase(), operation, place, None, is_meant=True, is_given=True)


def _phase() -> Phase:
    return "forward" if _task is None or _task() == _NO_TASK else "backward"


def words(values: Iterable[Any]) -> str:
    """The summary lines of what an operation was given."""
    there = [value for value in values if value is not None]
    if not there:
        return ""
    with Untouched():
        return ", ".join(as_kind(value, Budget()).line() for value in there)


def noticed(origin: FaultOrigin, frame: FrameType, where: str = "") -> str:
    """Where it is noticed, if that is another line than the one in which it arose."""
    found = user_frame(frame)
    line = None if found is None else found.f_lineno
    at = f"in line {line}" if line is not None and line != origin.place.lineno() else ""
    return " ".join(filter(None, (where, at)))


def is_given_mask(tensor: Any, origin: FaultOrigin | None) -> bool:
    """Whether its infinities came in from before the watch, as those of a mask; a loss is a single number."""
    return origin is not None and origin.is_given and tensor.numel() > 1
