"""What torch runs with: dtypes, devices, storages, random generators, streams, events, hooks, process groups.

Nothing is waited for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from weakref import ReferenceType

from ...safe.guard import c_attribute, class_dict, class_name, dict_get, instance_dict, module, mro, plain_str
from ...safe.torch_name import torch_name
from ...words.text import fingerprint, integer, joined, number, quoted, size
from ..families import by_home
from ..python.objects import CppObject, WordedObject
from ..python.plain import Atom, Printed
from .distributed import mesh_text

torch: Any = module("torch")
_StorageBase: Any = torch._C.StorageBase


class TorchConstant(Printed):
    """A dtype, layout or memory format: by the name it is written with."""

    def brief(self) -> str:
        return torch_name(self.value)

    def line(self) -> str:
        return str(self.value)


class Device(Printed):
    def brief(self) -> str:
        return str(self.value)

    def line(self) -> str:
        return f"device {self.value}"


class DTypeLimits(Atom):
    """What a dtype can hold."""

    def line(self) -> str:
        limits, whole = self.value, type(self.value) is torch.iinfo
        least, most = (integer(end) if whole else number(end) for end in (limits.min, limits.max))
        eps = None if whole else f"eps {number(limits.eps)}"
        return joined([self.type_name(), limits.dtype, f"{least}…{most}".replace("-", "−"), eps])


class StorageBytes(WordedObject):
    """The bytes of tensors' storages, by how many they are and where; they are not read."""

    contains = True
    rank = 1

    def words(self) -> Iterable[str | None]:
        untyped = instance_dict(self.value).get("_untyped_storage", self.value)
        if not issubclass(type(untyped), _StorageBase):
            return ["no storage"]
        dtype, device = self.attr("dtype"), str(c_attribute(untyped, "device"))
        return [
            None if dtype is None else torch_name(dtype),
            _size_text(_StorageBase.nbytes(untyped)),
            _shared_text(untyped) if device == "cpu" else device,
        ]


def _size_text(bytes: Any) -> str:
    if type(bytes) is not int:
        return "symbolic size"
    return size(bytes) if bytes else "empty or freed"


def _shared_text(untyped: Any) -> str | None:
    """What else than this process reaches memory of the CPU: a file, or other processes."""
    file = _StorageBase._get_filename(untyped) if hasattr(_StorageBase, "_get_filename") else None
    if file:
        return f"over {quoted(file)}"
    return "shared memory" if _StorageBase.is_shared(untyped) else None


class Generator(WordedObject):
    """A random generator, by its seed; asking for that draws nothing."""

    def words(self) -> Iterable[str | None]:
        device = str(c_attribute(self.value, "device"))
        try:
            seed = f"seed {torch.Generator.initial_seed(self.value)}"
        except RuntimeError:  # in a CUDA graph it may not be asked for
            seed = None
        return [None if device == "cpu" else device, seed]

    def settings(self) -> dict[str, str]:
        try:
            state = torch.Generator.get_state(self.value)
        except RuntimeError:
            return {}
        return {"state": fingerprint(state.tolist())}

    def child_count(self) -> int | None:
        return 0

    def children(self, start: int, count: int) -> tuple[()]:
        return ()


class StreamOrEvent(WordedObject):
    """A stream or event of a device, and whether its work is done; the query does not wait."""

    def words(self) -> Iterable[str | None]:
        device, stream = c_attribute(self.value, "device"), c_attribute(self.value, "stream_id")
        if device is None:
            return ["not recorded"]
        name = "default" if stream == 0 else f"id {stream}"
        priority = c_attribute(self.value, "priority")
        raised = f"priority {number(priority)}" if type(priority) is int and priority else None
        return [str(device), None if stream is None else name, raised, self._progress()]

    def _progress(self) -> str | None:
        bases = (getattr(torch._C, name, None) for name in ("_CudaStreamBase", "_CudaEventBase"))
        base: Any = next((base for base in bases if base is not None and base in mro(type(self.value))), None)
        try:
            if base is None or torch.cuda.is_current_stream_capturing():  # which asking would end
                return None
            return "done" if base.query(self.value) else "at work"
        except Exception:  # after a fault on the device nothing can be asked
            return None


class DeviceProperties(CppObject):
    """What a GPU is."""

    def words(self) -> Iterable[str | None]:
        base = next(base for base in mro(type(self.value)) if class_name(base) == "_CudaDeviceProperties")
        asked = ("name", "total_memory", "major", "minor", "multi_processor_count")
        name, memory, major, minor, processors = (class_dict(base)[one].__get__(self.value) for one in asked)
        return [name, size(memory), f"sm_{major}{minor}", f"{processors} processors"]


class HookHandle(WordedObject):
    """The handle that removes a hook, and whether the hook is still registered."""

    def words(self) -> Iterable[str | None]:
        hooks, known = self.attr("hooks_dict_ref"), self.attr("id")
        registered: Any = ReferenceType.__call__(hooks) if issubclass(type(hooks), ReferenceType) else None
        stands = issubclass(type(registered), dict) and dict_get(registered, known) is not None
        return [f"id {known}" if type(known) is int else None, "registered" if stands else "removed"]


class ProcessGroup(CppObject):
    """A process group of torch.distributed, by this process's rank in it. Nothing is sent."""

    def words(self) -> Iterable[str | None]:
        base: Any = next(base for base in mro(type(self.value)) if class_name(base) == "ProcessGroup")
        return [f"rank {base.rank(self.value)} of {base.size(self.value)}"]


class DeviceMesh(WordedObject):
    """Devices in a grid, by its sizes and what its dimensions are called."""

    def words(self) -> Iterable[str | None]:
        return [plain_str(self.attr("device_type") or self.attr("_device_type")), mesh_text(self.value)]


class Autocast(WordedObject):
    def words(self) -> Iterable[str | None]:
        dtype = self.attr("fast_dtype")
        return [
            plain_str(self.attr("device")),
            None if dtype is None else torch_name(dtype),
            "disabled" if self.attr("_enabled") is False else None,
        ]


kind_for = by_home(
    {
        TorchConstant: ("dtype", "layout", "memory_format"),
        Device: ("device",),
        DTypeLimits: ("finfo", "iinfo"),
        StorageBytes: ("UntypedStorage", "TypedStorage"),
        Generator: ("Generator",),
        StreamOrEvent: ("Stream", "Event"),
        DeviceProperties: ("_CudaDeviceProperties",),
        HookHandle: ("RemovableHandle",),
        ProcessGroup: ("ProcessGroup",),
        DeviceMesh: ("DeviceMesh",),
        Autocast: ("autocast",),
    },
    "torch",
)
