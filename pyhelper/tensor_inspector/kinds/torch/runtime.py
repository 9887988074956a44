"""What torch runs with: dtypes and devices, storages, random generators, streams and events, hooks, process groups.

All by what is known already: nothing is waited for, and no device is asked.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from weakref import ReferenceType

from ...safe.attributes import is_made_in_cpp
from ...safe.guard import c_attribute, class_name, dict_get, instance_dict, module, mro, plain_str
from ...words.text import fingerprint, integer, joined, number, quoted, size
from ..families import by_home
from ..python.objects import WordedObject
from ..python.plain import Atom, Printed
from .distributed import mesh_text

torch: Any = module("torch")
_Bytes: Any = torch._C.StorageBase


class TorchConstant(Printed):
    """A dtype, layout or memory format: by the name it is written with."""

    def brief(self) -> str:
        return str(self.value).replace("torch.", "")

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
        if not issubclass(type(untyped), _Bytes):
            return ["no storage"]
        dtype, device = self.attr("dtype"), str(c_attribute(untyped, "device"))
        return [
            None if dtype is None else str(dtype).replace("torch.", ""),
            _size_text(_Bytes.nbytes(untyped)),
            _shared_text(untyped) if device == "cpu" else device,
        ]


def _size_text(bytes: Any) -> str:
    if type(bytes) is not int:
        return "symbolic size"
    return size(bytes) if bytes else "empty or freed"


def _shared_text(untyped: Any) -> str | None:
    """What else than this process reaches memory of the CPU: a file, or other processes."""
    file = _Bytes._get_filename(untyped) if hasattr(_Bytes, "_get_filename") else None
    if file:
        return f"over {quoted(file)}"
    return "shared memory" if _Bytes.is_shared(untyped) else None


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


class Queued(WordedObject):
    """A stream or event of a device."""

    def words(self) -> Iterable[str | None]:
        device, stream = str(c_attribute(self.value, "device")), c_attribute(self.value, "stream_id")
        if stream is None:
            return [device]
        return [device, "default" if stream == 0 else f"id {stream}"]


class Hook(WordedObject):
    """The handle that removes a hook, by whether it still stands."""

    def words(self) -> Iterable[str | None]:
        hooks, known = self.attr("hooks_dict_ref"), self.attr("id")
        registered: Any = ReferenceType.__call__(hooks) if issubclass(type(hooks), ReferenceType) else None
        stands = issubclass(type(registered), dict) and dict_get(registered, known) is not None
        return [f"id {known}" if type(known) is int else None, "registered" if stands else "removed"]


class ProcessGroup(WordedObject):
    """A process group of torch.distributed, by this process's rank in it. Nothing is sent."""

    @classmethod
    def is_made(cls, value: object) -> bool:
        return is_made_in_cpp(value)

    def words(self) -> Iterable[str | None]:
        base: Any = next(base for base in mro(type(self.value)) if class_name(base) == "ProcessGroup")
        return [f"rank {base.rank(self.value)} of {base.size(self.value)}"]


class Mesh(WordedObject):
    """Devices in a grid, by its sizes and what its dimensions are called."""

    def words(self) -> Iterable[str | None]:
        return [plain_str(self.attr("device_type") or self.attr("_device_type")), mesh_text(self.value)]


class Autocast(WordedObject):
    def words(self) -> Iterable[str | None]:
        dtype = self.attr("fast_dtype")
        return [
            plain_str(self.attr("device")),
            None if dtype is None else str(dtype).replace("torch.", ""),
            "disabled" if self.attr("_enabled") is False else None,
        ]


class Operator(WordedObject):
    """An operator of torch.ops, by its qualified name."""

    def words(self) -> Iterable[str | None]:
        return [plain_str(self.attr("_qualified_op_name") or self.attr("_name"))]


kind_for = by_home(
    {
        TorchConstant: ("dtype", "layout", "memory_format"),
        Device: ("device",),
        DTypeLimits: ("finfo", "iinfo"),
        StorageBytes: ("UntypedStorage", "TypedStorage"),
        Generator: ("Generator",),
        Queued: ("Stream", "Event"),
        Hook: ("RemovableHandle",),
        ProcessGroup: ("ProcessGroup",),
        Mesh: ("DeviceMesh",),
        Autocast: ("autocast",),
        Operator: ("OpOverload", "OpOverloadPacket"),
    },
    "torch",
)
