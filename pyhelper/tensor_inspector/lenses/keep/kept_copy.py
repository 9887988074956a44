"""Copies a value with all that it holds onto the CPU: its modules too, and the gradients of its tensors."""

from __future__ import annotations

from types import FunctionType
from typing import Any, Callable

from ...kinds import as_kind, kind_of
from ...kinds.python.objects import PlainObject
from ...measure.stats import unreadable_array
from ...measure.torch.elements import is_plain
from ...measure.torch.metadata import (
    Base,
    device_name,
    dtype_of,
    grad_hooks_of,
    grad_of,
    hooks_of,
    is_exact_tensor,
    plain,
    requires_grad,
    shape_of,
)
from ...measure.torch.modules import is_module
from ...safe.budget import Budget
from ...safe.guard import class_name, library_of, module, plain_message, raw_dict
from ...words.text import one_line
from ..compare.kept import NotHere, TensorChecksum, pieces, without_repetition
from ..running.deep_copy import CannotCopy, DeepCopy
from ..running.generators import is_generator
from ..running.immutable import is_immutable
from ..running.lazy import is_uninitialized

torch: Any = module("torch")
_READING = 20  #: milliseconds for the statistics of one tensor


class KeptCopy(DeepCopy):
    """A copy of the structure at once; the elements of its plain tensors are copied by `go_on`, in slices.

    What can't be copied is a `NotHere` in it, which `compare` says. With ``only_checksums`` there is a `TensorChecksum`
    in the place of each plain tensor.
    """

    most_values = 40_000

    def __init__(self, *, only_checksums: bool = False) -> None:
        super().__init__(keep_uncopied=True, lazy=True)
        self.bytes = 0  #: of the elements
        self.tensors = 0
        self.devices: dict[int, str] = {}  #: where tensors were that are on the CPU now, by the ids of their copies
        self.originals: list[tuple[Any, int]] = []  #: copies of what requires a gradient, with the ids of that
        self.missing: list[str] = []  #: why values are not copied, each once
        self._only_checksums = only_checksums
        self._unread: list[Callable[[], bool]] = []
        self._done = 0

    def go_on(self, budget: Budget) -> bool:
        """Copies elements until all are, or the time is over. Whether all are. Raises `CannotCopy` where the memory of
        one went away meanwhile."""
        while self._unread:
            if self._unread[-1]():
                self._unread.pop()
                self._done += 1
            if budget.spent():
                break
        return not self._unread

    def progress(self) -> float:
        return self._done / max(1, self._done + len(self._unread))

    def _until_made(self, value: Any) -> Any:
        return NotHere("not kept: it holds itself through a tuple or a method")

    def _instead_of(self, value: Any, error: CannotCopy) -> Any:
        reason = str(error).removeprefix("holds ")
        if reason not in self.missing:
            self.missing.append(reason)
        return NotHere(f"not kept: {reason}")

    def _copied(self, value: Any, cls: type, depth: int) -> Any:
        if cls is FunctionType and not _is_of_torch(value) and _has_state(value):
            raise CannotCopy("a function with a state of its own")
        if library_of(cls) == "logging":
            raise CannotCopy(f"a {class_name(cls)}, which can't be copied")
        if is_generator(value):
            raise CannotCopy(f"a {class_name(cls)}, whose state goes on")
        try:
            return super()._copied(value, cls, depth)
        except CannotCopy:
            raise
        except Exception as error:
            why = one_line(plain_message(error)) or class_name(type(error))
            raise CannotCopy(f"a {class_name(cls)}: {why}") from None

    def _items(self, items: Any, count: int, depth: int) -> list[Any]:
        return [self.of(item, depth) for item in items]

    def _module(self, value: Any, cls: type, depth: int) -> Any:
        return self._container(value, cls, depth)

    def _key(self, key: Any, mapping: Any) -> Any:
        if not is_exact_tensor(key):
            return super()._key(key, mapping)
        is_of_optimizer = self._names[-1:] == ["state"]  # whose parameters are paired by name
        if self._only_checksums and not is_of_optimizer:
            raise CannotCopy("a dict with tensors as keys, of which only a checksum would be kept")
        return self.of(key)

    def _count(self, elements: int) -> None:
        return

    def _tensor(self, value: Any) -> Any:
        if not is_exact_tensor(value) and not is_uninitialized(value):
            raise CannotCopy(f"a {class_name(type(value))}, which is no class of torch's own")
        made = self._of_elements(value)
        if requires_grad(value):
            self.originals.append((made, id(value)))
        if is_uninitialized(value):
            return made
        gradient = grad_of(value)
        kept = None if gradient is None else self.of(gradient)
        if type(made) is TensorChecksum:
            made.gradient = kept
            return made
        if is_exact_tensor(kept):
            made.grad = kept
        if hooks_of(value):
            made._backward_hooks = self.of(hooks_of(value))
        if grad_hooks_of(value):
            made._post_accumulate_grad_hooks = self.of(grad_hooks_of(value))
        return made

    def _of_elements(self, value: Any) -> Any:
        if is_uninitialized(value) or not is_plain(plain(value)):
            return super()._tensor(value)
        source = Base.detach(plain(value))
        self.tensors += 1
        if self._only_checksums and not (hooks_of(value) or grad_hooks_of(value) or raw_dict(value)):
            return self._checksum(value, source)
        first = without_repetition(source)
        copy = torch.empty(shape_of(first), dtype=dtype_of(first), device="cpu")
        self.bytes += copy.numel() * copy.element_size()
        self._fill(zip(pieces(copy), pieces(first)), lambda: is_plain(first))
        made = self._cloned(value, copy.expand(shape_of(source)) if first.shape != source.shape else copy)
        if device_name(value) != "cpu":
            self.devices[id(made)] = device_name(value)
        return made

    def _cloned(self, value: Any, copied: Any) -> Any:
        if type(value) is torch.nn.Parameter:
            made = torch.nn.Parameter(copied, bool(requires_grad(value)))
        else:
            made = copied.requires_grad_(bool(requires_grad(value)))
        for name, item in list(raw_dict(value).items()):
            raw_dict(made)[name] = self.of(item)
        return made

    def _array(self, value: Any) -> Any:
        if value.dtype.hasobject:
            raise CannotCopy("an array of objects")
        self.tensors += 1
        self.bytes += without_repetition(value).nbytes
        unread = unreadable_array(value)
        if unread is not None:
            raise CannotCopy(f"an array that can't be read: {unread.text}")
        if not (value.flags.c_contiguous or value.flags.f_contiguous):
            made = super()._array(value)  # it may be expanded
            made.flags.writeable = value.flags.writeable
            return made
        made = module("numpy").empty_like(value)
        self._fill(zip(pieces(made), pieces(value)), lambda: unreadable_array(value) is None)
        self._unread.insert(-1, lambda: made.setflags(write=value.flags.writeable) is None)  # once it is filled
        return made

    def _object(self, value: Any, cls: type, depth: int) -> Any:
        """Objects of a kind of their own may hold more than attributes."""
        kind = kind_of(cls)
        if not (kind is PlainObject or is_module(value) or library_of(cls) == "torch"):
            raise CannotCopy(f"a {class_name(cls)}, which can't be copied")
        return super()._object(value, cls, depth)

    def _checksum(self, value: Any, elements: Any) -> TensorChecksum:
        made = TensorChecksum(as_kind(value, Budget(_READING)), elements)
        self.bytes += len(made.text) + len(made.checksum)

        def read() -> bool:
            if not is_plain(elements):
                raise CannotCopy("its memory went away while it was read")
            piece = next(made.unread, None)
            if piece is not None:
                made.add(piece)
            return piece is None

        self._unread.append(read)
        return made

    def _fill(self, parts: Any, is_there: Callable[[], bool]) -> None:
        def copy() -> bool:
            if not is_there():
                raise CannotCopy("its memory went away while it was copied")
            pair = next(parts, None)
            if pair is not None:
                pair[0][...] = pair[1]
            return pair is None

        self._unread.append(copy)


def _has_state(function: FunctionType) -> bool:
    defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    return bool(function.__closure__ or raw_dict(function)) or not all(map(is_immutable, defaults))


def _is_of_torch(function: FunctionType) -> bool:
    """Whether it is torch's own, as the step that a scheduler counts."""
    name = function.__module__
    return type(name) is str and name.split(".")[0] == "torch"
