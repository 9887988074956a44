"""A node of the autograd graph as data: operation, settings, outputs, saved tensors."""

from __future__ import annotations

from collections.abc import Callable, Container
from types import GetSetDescriptorType
from typing import Any

from ...safe.guard import SEQUENCES, ByClass, c_attribute, class_dict, class_name, dict_get, instance_dict, module, mro
from ...safe.torch_name import torch_name
from .metadata import EXACT_TENSORS
from .saved import UNREAD, WAS_FREED, Readers, Saved, read_saved, state_of_saved

torch: Any = module("torch")

LEAF = "AccumulateGrad"  #: the op of a node that adds to a leaf's ``.grad``
_Method: Any = type(str.join)


class AutogradNode:
    """A node. ``op`` is its name without ``Backward0``; ``inputs`` are numbers of nodes (None: no gradient)."""

    __slots__ = ("_class", "_known", "function", "index", "inputs", "leaf", "op")

    def __init__(self, function: Any, index: int, inputs: list[int | None] | None = None) -> None:
        found = class_of(type(function))
        self.function = function  #: a reference, since its id is its identity only as long as it lives
        self.index = index
        self.op = found.op
        self.leaf = found.leaf(function)
        self.inputs = inputs or []
        self._class = found
        self._known: dict[str, Saved] | None = None

    @property
    def is_custom(self) -> bool:
        """Whether it is of a function that is written in Python."""
        return self._class.is_custom

    def order(self) -> int:
        """A number that is larger the later the node was made; −1 where it is not known."""
        number = self._class.order
        return -1 if number is None else int(number(self.function))

    def trace(self) -> list[str]:
        """Where the program made the node, as formatted lines, while torch's anomaly mode records that."""
        if not torch.is_anomaly_enabled():  # else asking would make the dict of metadata
            return []
        metadata = c_attribute(self.function, "metadata")
        lines = dict_get(metadata, "traceback_") if type(metadata) is dict else None
        return [line for line in lines if type(line) is str] if type(lines) is list else []

    def saves(self) -> list[str]:
        """Names of the tensors that it may have saved."""
        return self._class.saves

    def saved(self, name: str) -> Saved:
        if self._known is None:
            self._known = {}
        if name not in self._known:
            self._known[name] = self._read(name)
        return self._known[name]

    def tensor(self, name: str) -> Any:
        """A saved tensor; None where there is none that can be read."""
        return self.saved(name).value

    def setting(self, name: str) -> Any:
        """A saved number, flag or tuple of numbers; None where there is none."""
        getsets = self._class.getsets
        descriptor = getsets.get(f"_saved_{name}")
        if descriptor is None or f"_raw_saved_{name}" in getsets:
            return None
        try:
            return descriptor.__get__(self.function)
        except Exception:  # freed
            return None

    def settings(self, besides: Container[str] = ()) -> list[Any]:
        """All that it has saved beside tensors, but what has one of these names."""
        names = [name[len("_saved_") :] for name in self._class.getsets if name.startswith("_saved_")]
        return [self.setting(name) for name in names if name not in besides]

    def dims(self) -> tuple[int, ...]:
        """The dimensions that it works along, counted from the end where negative; torch keeps them unsigned."""
        found = self.setting("dim")
        some = found if type(found) in SEQUENCES else (found,)
        return tuple(dim - 2**64 if dim >= 2**63 else dim for dim in some if type(dim) is int)

    def dim(self) -> int | None:
        """The dimension, of what works along one."""
        return self.dims()[0] if type(self.setting("dim")) is int else None

    def sizes(self, output: int = 0) -> tuple[int, ...] | None:
        """The shape of an output; known also after the backward. None where it is not known."""
        found = _metadata(self.function, output)
        if found is None:
            return None
        try:
            sizes = tuple(found.shape)
        except Exception:
            return None
        return sizes if all(type(size) is int for size in sizes) else None

    def dtype(self, output: int = 0) -> Any:
        found = _metadata(self.function, output)
        return None if found is None else getattr(found, "dtype", None)

    def dtype_name(self) -> str:
        """``float32``; empty where it is not known."""
        dtype = self.dtype()
        return "" if dtype is None else torch_name(dtype)

    def state(self) -> str:
        """What has become of what it saved: freed, modified, hooked; tensor or custom: it is there; none: not known."""
        states: set[str | None] = {self.saved(name).state for name in self.saves()}
        if self.is_custom:
            states.add(self._custom_state())
        return next((state for state in ("freed", "modified", "hooked", "tensor", "custom") if state in states), "none")

    def ctx_tensors(self) -> list[Any]:
        """Tensors that a function written in Python holds for its backward: saved ones, and attributes of its ``ctx``.

        Saved tensors are unpacked only where none of them has a hook: a hook is code of the program.
        """
        getsets = self._class.getsets
        raw, unpacked = getsets.get("_raw_saved_tensors"), getsets.get("saved_tensors")
        found = [value for value in list(instance_dict(self.function).values()) if type(value) in EXACT_TENSORS]
        if not self.is_custom or raw is None or unpacked is None:
            return found
        try:
            saved = raw.__get__(self.function) or ()
            if all(hasattr(type(one), "unpack_hook") and one.unpack_hook is None for one in saved):
                found += [value for value in unpacked.__get__(self.function) if type(value) in EXACT_TENSORS]
        except RuntimeError:  # freed, or modified since
            pass
        return found

    def _custom_state(self) -> str | None:
        """Whether the tensors of a custom `autograd.Function` are freed, without unpacking them."""
        raw = self._class.getsets.get("_raw_saved_tensors")
        try:
            return "custom" if raw is not None and raw.__get__(self.function) else None
        except RuntimeError:
            return "freed"

    def is_freed(self) -> bool:
        """Whether an earlier backward has freed what it saved."""
        return bool(self._class.saved_state(self.function) & WAS_FREED)

    def modified(self) -> str | None:
        """The name of what was modified since it was saved; None where nothing was."""
        return next((name for name in self.saves() if self.saved(name).state == "modified"), None)

    def has_saved(self) -> bool:
        """Whether a tensor that it saved is still there."""
        return any(self.saved(name).state in ("tensor", "modified", "hooked") for name in self.saves())

    def _read(self, name: str) -> Saved:
        readers = self._class.readers.get(name)
        return UNREAD if readers is None else read_saved(readers, self.function)


class NodeClass:
    """What is the same of all nodes of a class: see `AutogradNode`. ``getsets`` are its attributes in C, by name;
    ``readers`` are two for what is saved under each name: as it is kept, and unpacked."""

    __slots__ = ("_raw", "_variable", "getsets", "is_custom", "next_functions", "op", "order", "readers", "saves")

    def __init__(self, cls: type) -> None:
        self.op = _find_op(cls)
        self.is_custom = any(class_name(base) == "_FunctionBase" for base in mro(cls))
        self.order = _find_order(cls)
        self.getsets = _find_getsets(cls)
        self.saves = [name[len("_raw_saved_") :] for name in self.getsets if name.startswith("_raw_saved_")]
        self.readers: dict[str, Readers] = {
            name: (self.getsets[f"_raw_saved_{name}"], self.getsets[f"_saved_{name}"])
            for name in self.saves
            if f"_saved_{name}" in self.getsets and not self.is_custom
        }
        self._raw = [self.getsets[f"_raw_saved_{name}"] for name in self.saves]
        self._variable = self.getsets.get("variable") if self.op == LEAF else None
        below = self.getsets.get("next_functions")
        #: what a node gives gradients to, each in a tuple with the number of its output; None for no one
        self.next_functions: Callable[[Any], Any] = _nothing if below is None else below.__get__

    def saved_state(self, function: Any) -> int:
        """What has become of what a node saved: `WAS_FREED`, `WAS_MODIFIED`. What is as it was made is not unpacked."""
        found = 0
        for readers in self.readers.values():
            found |= state_of_saved(readers, function)
        return found

    def saved_tensors(self, function: Any) -> tuple[list[Any], int]:
        """The tensors that a node keeps for its backward as they are kept, and of how many more that is not known.

        None is unpacked: what hooks have made of one is looked at only where that is a tensor, or a tuple with one.
        """
        found: list[Any] = []
        unknown = 0
        for descriptor in self._raw:
            try:
                raw = descriptor.__get__(function)
            except RuntimeError:  # freed
                continue
            for saved in raw if type(raw) is tuple else (raw,):
                data = getattr(saved, "data", UNREAD)
                if type(data) in EXACT_TENSORS:
                    found.append(data)
                    continue
                kept = [one for one in data if type(one) in EXACT_TENSORS] if type(data) is tuple else []
                found += kept
                unknown += data is not None and not kept
        if self.is_custom:
            found += [one for one in list(instance_dict(function).values()) if type(one) in EXACT_TENSORS]
        return found, unknown

    def leaf(self, function: Any) -> Any:
        """The tensor to whose ``.grad`` a node adds; None of all others."""
        return self._variable.__get__(function) if self._variable is not None else None


class_of = ByClass(NodeClass)


def _nothing(function: Any) -> tuple[()]:
    return ()


def _find_order(cls: type) -> Any:
    found = (class_dict(base).get("_sequence_nr") for base in mro(cls))
    return next((item for item in found if type(item) is _Method), None)


def _find_op(cls: type) -> str:
    name = class_name(cls)
    return name[: name.rindex("Backward")] if "Backward" in name else name


def _find_getsets(cls: type) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for base in mro(cls):
        for name, item in list(class_dict(base).items()):
            if type(item) is GetSetDescriptorType:
                found.setdefault(name, item)
    return found


def _metadata(function: Any, output: int) -> Any:
    found = c_attribute(function, "_input_metadata")
    return found[output] if type(found) is tuple and output < len(found) else None
