"""What a module and all below it hold: parameters, devices, gradients, modes; by metadata, each shared tensor once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from weakref import ref

from ...safe.budget import Budget, Steps
from ...safe.guard import ByClass, class_name, each, instance_dict, module, mro, plain_str
from .dispatch import known_bytes, known_count, known_device
from .metadata import (
    EXACT_TENSORS,
    device_of,
    dtype_of,
    element_count,
    grad_of,
    is_any_tensor,
    is_tensor,
    requires_grad,
)

if TYPE_CHECKING:
    from .finite import Named

torch: Any = module("torch")
_Module: Any = torch.nn.Module
_Scripted: Any = torch._C.ScriptModule
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
        self.computed = 0  #: and those of which only the code of their class could tell it
        self.shared = 0  #: parameters met again elsewhere
        self.without_grad = 0  #: of those that want one
        self.submodules = -1
        self.others = 0  #: modules in the other mode
        self.training: bool | None = None  #: its mode; of a wrapper that keeps none, that of what it wraps
        self.types: set[str] = set()  #: names of the classes of the first modules
        self.tensors: list[Named] = []
        self.values: list[Named] = []  #: the tensors, each followed by its gradient
        self.with_grad = 0  #: tensors that have one
        self._devices: dict[Any, None] = {}
        self._dtypes: dict[Any, None] = {}
        self._seen: set[int] = set()
        self._classes: set[int] = set()  #: of those modules
        counted, steps = budget.known.counted, Steps(budget)
        for prefix, below, attrs in walk(root, steps):
            self._add_module(below, attrs)
            for part, add in (("_parameters", self._add_parameter), ("_buffers", self._add)):
                tensors = _dict_of(attrs, part)
                for key, tensor in each(dict.items, tensors) if dict.__len__(tensors) else ():
                    if steps.end():
                        break
                    found = counted.get(id(tensor))
                    if (found is None or found.tensor() is not tensor) and is_any_tensor(tensor):
                        found = counted[id(tensor)] = _TensorCounts(tensor)
                    if found is not None:
                        add(prefix + plain_str(key), tensor, found)
        self.complete = not steps.over

    def _add_module(self, below: Any, attrs: dict[str, Any]) -> None:
        self.submodules += 1
        if id(type(below)) not in self._classes and self.submodules < _TYPES:
            self._classes.add(id(type(below)))
            self.types.add(class_name(type(below)))
        mode = attrs.get("training")
        if type(mode) is bool:
            self.training = mode if self.training is None else self.training
            self.others += mode is not self.training

    def _add(self, name: str, tensor: Any, found: _TensorCounts) -> bool:
        if id(tensor) in self._seen:
            return False
        self._seen.add(id(tensor))
        self.tensors.append((name, tensor))
        self.values.append((name, tensor))
        if found.device is not None:
            self._devices[found.device] = None
        return True

    def _add_parameter(self, name: str, tensor: Any, found: _TensorCounts) -> None:
        if not self._add(name, tensor, found):
            self.shared += 1
            return
        self.parameters += 1
        self.uninitialized += found.is_lazy
        self._dtypes[found.dtype] = None
        amount = found.elements or 0
        self.elements += amount
        if found.elements is None:
            self.symbolic += is_tensor(tensor)
            self.computed += not is_tensor(tensor)
        if not found.required:
            self.frozen += 1
            return
        self.wanting += 1
        self.trainable += amount
        gradient = None if found.gradient is None else found.gradient()
        if gradient is None:
            self.without_grad += 1
        else:
            self.with_grad += 1
            self.values.append((f"{name}.grad", gradient))

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


class _TensorCounts:
    """What is counted of a tensor. It is asked once for an answer, in which the modules around it are counted too."""

    __slots__ = ("device", "dtype", "elements", "gradient", "is_lazy", "required", "tensor")

    def __init__(self, tensor: Any) -> None:
        is_plain = type(tensor) in EXACT_TENSORS
        self.tensor = ref(tensor)
        self.dtype = dtype_of(tensor)
        self.device = device_of(tensor) if is_plain else known_device(tensor)
        self.is_lazy = not is_plain and is_lazy(type(tensor))
        self.elements = element_count(tensor) if is_plain else 0 if self.is_lazy else known_count(tensor)
        self.required = requires_grad(tensor)
        gradient = grad_of(tensor) if self.required else None
        self.gradient = None if gradient is None else ref(gradient)


def walk(root: Any, steps: Steps) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """The module and all below it, each once, without recursion: what its parts' names begin with, itself, its dict."""
    attrs = parts_of(root)
    yield "", root, attrs
    seen, levels = {id(root)}, [("", _below(attrs))]
    while levels:
        prefix, rest = levels[-1]
        for key, item in rest:
            if steps.end():
                return
            is_new = issubclass(type(item), _Module) and id(item) not in seen
            if is_new or issubclass(type(item), _Scripted):  # which is made anew each time it is asked for
                seen.add(id(item))
                name, attrs = f"{prefix}{plain_str(key)}.", parts_of(item)
                yield name, item, attrs
                levels.append((name, _below(attrs)))
                break
        else:
            levels.pop()


def _below(attrs: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    inside = _dict_of(attrs, "_modules")
    return each(dict.items, inside) if dict.__len__(inside) else iter(())


def parts_of(found: Any) -> dict[str, Any]:
    """The instance's dict; of a module in C++, what that would be."""
    attrs = instance_dict(found)
    if "_modules" in attrs and "_c" not in attrs:
        return attrs
    compiled = in_cpp(found)
    if compiled is None:
        return attrs
    c = torch._C
    dicts = (("_parameters", c.ParameterDict), ("_buffers", c.BufferDict), ("_modules", c.ModuleDict))
    parts: dict[str, Any] = {name: dict(read(compiled).items()) for name, read in dicts}
    return {**parts, "training": compiled.getattr("training")} if compiled.hasattr("training") else parts


def in_cpp(found: Any) -> Any:
    """What TorchScript keeps of a module in C++; None of any other module."""
    attrs = instance_dict(found)
    inner = attrs.get("_c", instance_dict(attrs.get("_actual_script_module")).get("_c"))
    return next((item for item in (found, inner) if issubclass(type(item), _Scripted)), None)


def _dict_of(attrs: dict[str, Any], name: str) -> dict[Any, Any]:
    found: Any = attrs.get(name)
    return found if type(found) is dict or issubclass(type(found), dict) else _NONE


_NONE: dict[Any, Any] = {}
is_lazy = ByClass(lambda cls: any(class_name(base) == "UninitializedTensorMixin" for base in mro(cls)))
