"""Counts what a module and its submodules hold: parameters, devices, gradients, modes. Shared tensors count once."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress
from typing import TYPE_CHECKING, Any

from ...safe.budget import Budget, Steps
from ...safe.guard import class_name
from ...safe.torch_name import torch_name
from .codes import known_elements
from .dispatch import known_bytes, known_device
from .finite import BufferName, GradientName
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
        self._coded: dict[int, tuple[int, ...]] = {}  #: by the ids of tensors in layers of codes
        self.values: list[Named] = []  #: the tensors, each followed by its gradient
        self.with_grad = 0  #: tensors that have one
        steps = Steps(budget)
        visited = list(visits(root, budget.known, steps))
        self.complete = not steps.over
        self._note_modules([visit for _, visit in visited])
        parameters = self._note_tensors(visited)
        self._devices = _devices([tensor for _, tensor in self.tensors])
        self._dtypes = dict.fromkeys(map(dtype_of, parameters))
        gradients = self._count(parameters)
        self.values = _with_gradients(self.tensors, gradients) if gradients else self.tensors

    def _note_modules(self, visited: list[Visit]) -> None:
        self.submodules = len(visited) - 1
        self.types = set(map(class_name, {id(visit.cls): visit.cls for visit in visited[:_TYPES]}.values()))
        modes = [visit.training for visit in visited if visit.training is not None]
        if modes:
            self.training = modes[0]
            self.others = modes.count(not modes[0])

    def _note_tensors(self, visited: list[tuple[str, Visit]]) -> list[Any]:
        """Names all tensors, each once. Returns the parameters among them."""
        parameters: list[Any] = []
        met: set[int] = set()
        for prefix, visit in visited:
            for registered in filter(None, (visit.parameters, visit.buffers)):
                are_parameters = registered is visit.parameters
                for key, found in registered:
                    tensor = found()
                    if tensor is not None and id(tensor) not in met:
                        met.add(id(tensor))
                        name = prefix + key
                        self.tensors.append((name if are_parameters else BufferName(name, visit.cls), tensor))
                        if are_parameters:
                            parameters.append(tensor)
                            if visit.coded is not None:
                                self._coded[id(tensor)] = visit.coded
        self.shared = sum(len(visit.parameters) for _, visit in visited) - len(parameters)
        return parameters

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
        if EXACT_TENSORS.include(map(type, parameters)) and not self._coded:
            counts: list[int | None] = list(map(Base.numel, parameters))
            if not _INT.issuperset(map(type, counts)):
                counts = list(map(element_count, parameters))
                self.symbolic = counts.count(None)
            return counts
        counts = []
        for tensor in parameters:
            cls, count = type(tensor), known_elements(tensor, self._coded.get(id(tensor)))
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
        return [torch_name(dtype) for dtype in self._dtypes]

    def bytes(self) -> int | None:
        """The bytes of all its tensors; None where that is not known."""
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
            found.append((GradientName(f"{name}.grad"), gradients[id(tensor)]))
    return found
