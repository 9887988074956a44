"""What a module and all below it hold: parameters, devices, gradients, modes; by metadata, each shared tensor once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..budget import Budget
from ..guard import ByClass, class_name, instance_dict, module, mro, plain_str
from ..text import listed
from ..words import Word
from .torch_finite import Look, Named, look_at
from .torch_metadata import byte_count, device_of, dtype_of, element_count, grad_of, is_tensor, requires_grad

torch: Any = module("torch")
_Module: Any = torch.nn.Module
_Scripted: Any = torch._C.ScriptModule
_TYPES = 1000  #: modules whose classes are named
_CHECKED = 64  #: modules between two looks at the clock


class Digest:
    """A walk over a module, counted. Tensors and gradients are named as ``named_parameters`` names them."""

    def __init__(self, root: Any, budget: Budget) -> None:
        self.elements = 0  #: of all parameters
        self.trainable = 0  #: of those that want a gradient
        self.wanting = 0  #: tensors that do
        self.parameters = 0  #: tensors
        self.frozen = 0  #: of them, those that want no gradient
        self.uninitialized = 0
        self.shared = 0  #: parameters met again elsewhere
        self.without_grad = 0  #: of those that want one
        self.submodules = -1
        self.others = 0  #: modules in the other mode
        self.complete = True
        self.training = mode_of(root)
        self.types: set[str] = set()  #: names of the classes of the first modules
        self.tensors: list[Named] = []
        self.values: list[Named] = []  #: the tensors, each followed by its gradient
        self.with_grad = 0  #: tensors that have one
        self._devices: dict[Any, None] = {}
        self._dtypes: dict[Any, None] = {}
        self._seen: set[int] = set()
        for prefix, below, own in walk(root):
            self.submodules += 1
            if self.submodules < _TYPES:
                self.types.add(class_name(type(below)))
            if self.submodules % _CHECKED == _CHECKED - 1 and budget.spent():
                self.complete = False
                break
            mode = own.get("training")
            self.others += type(mode) is bool and mode is not self.training
            for key, tensor in list(dict.items(_held(own, "_parameters"))):
                if is_tensor(tensor):
                    self._add_parameter(prefix + plain_str(key), tensor)
            for key, tensor in list(dict.items(_held(own, "_buffers"))):
                if is_tensor(tensor):
                    self._add(prefix + plain_str(key), tensor)

    def _add(self, name: str, tensor: Any) -> bool:
        if id(tensor) in self._seen:
            return False
        self._seen.add(id(tensor))
        self.tensors.append((name, tensor))
        self.values.append((name, tensor))
        self._devices.setdefault(device_of(tensor))
        return True

    def _add_parameter(self, name: str, tensor: Any) -> None:
        if not self._add(name, tensor):
            self.shared += 1
            return
        self.parameters += 1
        uninitialized = _is_lazy(type(tensor))
        self.uninitialized += uninitialized
        count = 0 if uninitialized else element_count(tensor)
        self._dtypes.setdefault(dtype_of(tensor))
        self.elements += count
        if not requires_grad(tensor):
            self.frozen += 1
            return
        self.wanting += 1
        self.trainable += count
        gradient = own_grad(tensor)
        if gradient is None:
            self.without_grad += 1
        else:
            self.with_grad += 1
            self.values.append((f"{name}.grad", gradient))

    def devices(self) -> list[str]:
        return list(dict.fromkeys(map(str, self._devices)))

    def dtypes(self) -> list[str]:
        return [str(dtype).replace("torch.", "") for dtype in self._dtypes]

    def bytes(self) -> int:
        return sum(byte_count(tensor) or 0 for _, tensor in self.tensors)

    def look(self, budget: Budget) -> Look:
        return look_at(self.values, budget)

    def mode_words(self) -> str | None:
        """``train``, or ``eval, 2 inside in train``; None of what keeps no mode."""
        if self.training is None:
            return None
        word, other = ("train", "eval") if self.training else ("eval", "train")
        return f"{word}, {self.others} inside in {other}" if self.others else word

    def frozen_words(self) -> str | None:
        if not self.frozen:
            return None
        return "frozen" if self.frozen == self.parameters else f"{self.frozen} of {self.parameters} frozen"

    def grad_words(self) -> str | None:
        if not self.wanting:
            return None
        if not self.with_grad:
            return "grads None"
        missing = f"{self.without_grad} of {self.wanting} grads None"
        return Word(missing, loud=True) if self.without_grad else "has grads"

    def device_words(self) -> str:
        devices = self.devices()
        return listed((device for device in devices if device != "cpu" or len(devices) > 1), False, 40)


def mode_of(root: Any) -> bool | None:
    """``training``; of a wrapper that keeps none, that of what it wraps."""
    for _, _, own in walk(root):
        mode = own.get("training")
        if type(mode) is bool:
            return mode
    return None


def walk(root: Any) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """The module and all below it, each once, without recursion: what its parts' names begin with, itself, its dict."""
    seen = {id(root)}
    waiting = [("", root)]
    while waiting:
        prefix, current = waiting.pop()
        own = parts_of(current)
        yield prefix, current, own
        below = _held(own, "_modules")
        for key, item in reversed(list(dict.items(below))) if dict.__len__(below) else ():
            is_new = issubclass(type(item), _Module) and id(item) not in seen
            if is_new or issubclass(type(item), _Scripted):  # which is made anew each time it is asked for
                seen.add(id(item))
                waiting.append((f"{prefix}{plain_str(key)}.", item))


def parts_of(found: Any) -> dict[str, Any]:
    """The instance's dict; of a module in C++, what that would be."""
    own = instance_dict(found)
    if "_modules" in own and "_c" not in own:
        return own
    compiled = in_cpp(found)
    if compiled is None:
        return own
    c = torch._C
    dicts = (("_parameters", c.ParameterDict), ("_buffers", c.BufferDict), ("_modules", c.ModuleDict))
    parts: dict[str, Any] = {name: dict(read(compiled).items()) for name, read in dicts}
    return {**parts, "training": compiled.getattr("training")} if compiled.hasattr("training") else parts


def in_cpp(found: Any) -> Any:
    """What TorchScript keeps of a module in C++; None of any other module."""
    own = instance_dict(found)
    inner = own.get("_c", instance_dict(own.get("_actual_script_module")).get("_c"))
    return next((item for item in (found, inner) if issubclass(type(item), _Scripted)), None)


def own_grad(tensor: Any) -> Any:
    """``.grad``, of which a view whose node is lost can't be asked."""
    try:
        return grad_of(tensor)
    except RuntimeError:
        return None


def _held(own: dict[str, Any], name: str) -> dict[Any, Any]:
    found: Any = own.get(name)
    return found if type(found) is dict or issubclass(type(found), dict) else _NONE


_NONE: dict[Any, Any] = {}
_is_lazy = ByClass(lambda cls: any(class_name(base) == "UninitializedTensorMixin" for base in mro(cls)))
