"""Counts what a module and its submodules hold: parameters, devices, gradients, modes. Shared tensors count once."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress
from typing import TYPE_CHECKING, Any

from ...safe.budget import Budget, Steps
from ...safe.guard import class_name
from .dispatch import known_bytes, known_count, known_device
from .metadata import (
    EXACT_TENSORS,
    Base,
    computes_itself,
    device_of,
    dtype_of,
    element_count,
    grads_of,
    is_exact_tensor,
    requires_grad,
)
from .visits import Visit, is_lazy, visits

if TYPE_CHECKING:
    from weakref import ref

    from .finite import Named

_INT = frozenset((int,))
_TYPES = 1000  #: modules whose classes are named


class Digest:
    """A walk over a module, counted. Tensors and gradients are named as ``named_parameters`` names them.

    Where the time was over before its end it is not ``complete``, and all that it counted is a least.
    """

    def __init__(self, root: Any, budget: Budget) -> None:
        self.elements = 0  #: of all parameters
        self.trainable = 0  #: of those that want a gradient
        self.wanting = 0  #: tensors that do
        self.parameters = 0  #: tensors
        self.frozen = 0  #: of them, those that want no gradient
        self.uninitialized = 0
        self.symbolic = 0  #: of them, those whose number of elements is a symbol
        self.computed = 0  #: and those whose class computes it in Python
        self.shared = 0  #: parameters met again elsewhere
        self.without_grad = 0  #: of those that want one
        self.submodules = -1
        self.others = 0  #: modules in the other mode
        self.training: bool | None = None  #: its mode; of a wrapper that keeps none, that of what it wraps
        self.types: set[str] = set()  #: names of the classes of the first modules
        self.tensors: list[Named] = []
        self.values: list[Named] = []  #: the tensors, each followed by its gradient
        self.with_grad = 0  #: tensors that have one
        self._seen: set[int] = set()
        self._classes: set[int] = set()  #: of those modules
        parameters: list[Any] = []
        steps = Steps(budget)
        for prefix, visit in visits(root, budget.known, steps):
            self._add_module(visit)
            if visit.parameters:
                fresh = self._add(prefix, visit.parameters)
                parameters += fresh
                self.shared += len(visit.parameters) - len(fresh)
            if visit.buffers:
                self._add(prefix, visit.buffers)
        self.complete = not steps.over
        self._devices = _devices([tensor for _, tensor in self.tensors])
        self._dtypes = dict.fromkeys(map(dtype_of, parameters))
        gradients = self._count(parameters)
        self.values = _with_gradients(self.tensors, gradients) if gradients else self.tensors

    def _add_module(self, visit: Visit) -> None:
        self.submodules += 1
        if id(visit.cls) not in self._classes and self.submodules < _TYPES:
            self._classes.add(id(visit.cls))
            self.types.add(class_name(visit.cls))
        if visit.training is not None:
            self.training = visit.training if self.training is None else self.training
            self.others += visit.training is not self.training

    def _add(self, prefix: str, tensors: list[tuple[str, ref[Any]]]) -> list[Any]:
        """Those that were not met before."""
        fresh: list[Any] = []
        for key, found in tensors:
            tensor = found()
            if tensor is not None and id(tensor) not in self._seen:
                self._seen.add(id(tensor))
                self.tensors.append((prefix + key, tensor))
                fresh.append(tensor)
        return fresh

    def _count(self, parameters: list[Any]) -> dict[int, Any]:
        """Counts them all at once. Returns their gradients, by the ids of those that have one."""
        self.parameters = len(parameters)
        counts = [count or 0 for count in self._elements(parameters)]
        required = list(map(requires_grad, parameters))
        self.elements = sum(counts)
        self.frozen = required.count(False)
        self.wanting = self.parameters - self.frozen
        self.trainable = sum(compress(counts, required))
        wanting = list(compress(parameters, required))
        found = zip(wanting, grads_of(wanting))
        gradients = {id(tensor): gradient for tensor, gradient in found if gradient is not None}
        self.with_grad = len(gradients)
        self.without_grad = self.wanting - self.with_grad
        return gradients

    def _elements(self, parameters: list[Any]) -> Iterable[int | None]:
        """How many elements each has; None where that is a symbol, or only the code of its class could tell."""
        if EXACT_TENSORS.include(map(type, parameters)):
            counts: list[int | None] = list(map(Base.numel, parameters))
            if not _INT.issuperset(map(type, counts)):
                counts = list(map(element_count, parameters))
                self.symbolic = counts.count(None)
            return counts
        counts = []
        for tensor in parameters:
            cls, count = type(tensor), known_count(tensor)
            if is_lazy(cls):
                self.uninitialized += 1
                count = 0
            elif count is None and computes_itself(cls):
                self.computed += 1
            elif count is None:
                self.symbolic += 1
            counts.append(count)
        return counts

    def devices(self) -> list[str]:
        return list(dict.fromkeys(map(str, self._devices)))

    def dtypes(self) -> list[str]:
        return [str(dtype).replace("torch.", "") for dtype in self._dtypes]

    def bytes(self) -> int | None:
        """Of all its tensors; None where that is not known."""
        if not self.complete:
            return None
        total = 0
        for _, tensor in self.tensors:
            taken = known_bytes(tensor)
            if taken is None:
                return None
            total += taken
        return total

    def is_counted(self) -> bool:
        """Whether all its elements are counted."""
        return self.complete and not self.symbolic and not self.computed


def _devices(tensors: list[Any]) -> dict[Any, None]:
    """Those that are known, in the order in which they were met."""
    if EXACT_TENSORS.include(map(type, tensors)):
        one_of_each = tensors[:1] if all(map(Base.is_cpu.__get__, tensors)) else tensors
        return dict.fromkeys(map(device_of, one_of_each))
    found = dict.fromkeys(device_of(one) if is_exact_tensor(one) else known_device(one) for one in tensors)
    found.pop(None, None)
    return found


def _with_gradients(tensors: list[Named], gradients: dict[int, Any]) -> list[Named]:
    found: list[Named] = []
    for name, tensor in tensors:
        found.append((name, tensor))
        if id(tensor) in gradients:
            found.append((f"{name}.grad", gradients[id(tensor)]))
    return found
