"""`Submodule`: one module of a model, with its own tensors and the totals of everything below it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

from ...kinds.torch.compiled import module_words
from ...measure.torch.modules import Member
from ...safe.budget import Budget
from ...safe.guard import class_name, each
from .module_tensor import ModuleTensor

if TYPE_CHECKING:
    from ...protocol import ModuleRow

_HOOKS = {
    "_forward_pre_hooks": "before forward",
    "_forward_hooks": "after forward",
    "_backward_pre_hooks": "before backward",
    "_backward_hooks": "after backward",
}


class Total:
    """Numbers of elements and bytes, added up. ``lazy`` counts tensors that are not initialized, ``unknown`` those of
    which the number of elements or bytes is not known, and what is packed in C++."""

    __slots__ = ("buffers", "bytes", "lazy", "parameters", "tensors", "trainable", "unknown")

    def __init__(self) -> None:
        self.parameters = self.trainable = self.buffers = 0  #: elements
        self.tensors = 0  #: parameters
        self.bytes = self.lazy = self.unknown = 0

    def add(self, one: ModuleTensor, is_parameter: bool) -> None:
        elements = one.elements or 0
        if is_parameter:
            self.tensors += 1
            self.parameters += elements
            self.trainable += elements if one.requires_grad else 0
        else:
            self.buffers += elements
        self.lazy += one.is_lazy
        self.unknown += one.elements is None or one.bytes is None


class Submodule:
    """A module in its place in the tree. ``parent`` is the place of the one above in the list of all, −1 of the root.

    ``same`` is the name of the place where it stood before, if it stands in several: what is below it is told there.
    """

    def __init__(self, member: Member, key: str, parent: int, path: str | None, budget: Budget) -> None:
        self.key = key
        self.name = member.name
        self.path = path
        self.parent = parent
        self.module = member.module
        self.training = member.training
        self.words = module_words(member.module, budget)
        self.same: str | None = None
        self.below: list[Submodule] = []
        self.parameters: list[ModuleTensor] = []
        self.buffers: list[ModuleTensor] = []
        self.packed = 0  #: objects made in C++, as the weights of a quantized layer
        self.hooks = [(when, hook) for part, when in _HOOKS.items() for hook in _values(member.attributes.get(part))]
        self.total = Total()
        self.devices: dict[str, None] = {}
        self._dtypes: tuple[dict[str, None], dict[str, None]] = {}, {}  #: of parameters, of buffers
        self.alike = 0  #: the same number for modules that look the same, and so does all below them

    def own_tensors(self) -> Iterable[tuple[ModuleTensor, bool]]:
        """Its own tensors, and whether each is a parameter."""
        yield from ((one, True) for one in self.parameters)
        yield from ((one, False) for one in self.buffers)

    @property
    def dtypes(self) -> dict[str, None]:
        """The dtypes of its parameters; of its buffers where it has no parameters."""
        return self._dtypes[0] or self._dtypes[1]

    def note(self, one: ModuleTensor, is_parameter: bool) -> None:
        """Where a tensor of its own stands, and what its elements are."""
        self._dtypes[not is_parameter][one.dtype] = None
        if one.device:
            self.devices[one.device] = None

    def note_below(self, below: Submodule) -> None:
        for own, others in zip((*self._dtypes, self.devices), (*below._dtypes, below.devices)):
            own.update(others)
        if self.training is None and len(self.below) == 1:  # a wrapper that keeps none
            self.training = below.training

    def signature(self) -> Hashable:
        """All that a table shows of the module; modules with equal signatures share a line."""
        tensors = tuple((one.key, one.shape, one.dtype, one.device, one.requires_grad) for one, _ in self.own_tensors())
        below = tuple((one.key, one.alike) for one in self.below)
        return id(type(self.module)), self.words, self.training, self.same, len(self.hooks), tensors, below

    def data(self) -> ModuleRow:
        total = self.total
        return {
            "name": self.name,
            "type": class_name(type(self.module)),
            "parameters": total.parameters,
            "trainable": total.trainable,
            "buffers": total.buffers,
            "bytes": total.bytes,
            "dtypes": list(self.dtypes),
            "devices": list(self.devices),
            "training": self.training,
            "hooks": len(self.hooks),
            "same_as": self.same,
        }


def _values(found: Any) -> list[Any]:
    return list(each(dict.values, found)) if issubclass(type(found), dict) and dict.__len__(found) else []
