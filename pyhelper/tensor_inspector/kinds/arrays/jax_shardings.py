"""jax: how arrays are laid over devices: meshes, specifications of partitions, shardings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...safe.attributes import attribute, slots
from ...safe.guard import c_attribute, class_attribute, instance_dict, library_of, owner_of
from ...words.text import plural
from ..families import by_name
from ..kind import Child, WithRows
from ..python.objects import WordedObject


class Partitions(WordedObject):
    """A ``PartitionSpec``: for each dimension the axes of the mesh that divide it."""

    def words(self) -> Iterable[str | None]:
        return [spec_text(self.value), *self._reductions()]

    def brief(self) -> str:
        return f"{self.type_name()}({spec_text(self.value)})"

    def _reductions(self) -> Iterable[str]:
        held = dict(slots(self.value))
        found = ((name, held.get(name)) for name in ("unreduced", "reduced"))
        return [
            f"{name} {', '.join(sorted(map(str, axes)))}" for name, axes in found if type(axes) is frozenset and axes
        ]


class Mesh(WordedObject):
    """A mesh of devices, or one without: its axes and their lengths."""

    def words(self) -> Iterable[str | None]:
        devices = self.attr("devices")
        return [mesh_text(self.value), "abstract" if devices is None else plural(devices.size, "device")]

    def brief(self) -> str:
        return f"{self.type_name()} {mesh_text(self.value)}"


class Sharding(WithRows):
    """A sharding, by its mesh and what it divides over that, or by its device."""

    def parts(self) -> Iterable[str | None]:
        mesh, spec, device = (_of_library(self.value, name) for name in ("mesh", "spec", "_device"))
        shown = None if device is None else str(device)
        return [
            self.type_name(),
            shown if spec is None else f"{spec_text(spec) or 'replicated'} over {mesh_text(mesh)}",
        ]

    def rows(self) -> list[Child]:
        found = ((name, _of_library(self.value, name)) for name in ("mesh", "spec", "memory_kind"))
        return [Child(name, item, f".{name}") for name, item in found if item is not None]


def spec_text(spec: Any) -> str:
    """What divides each dimension, as in ``'data', None, ('model', 'x')``."""
    parts = tuple.__iter__(spec) if issubclass(type(spec), tuple) else iter(attribute(spec, "_partitions"))
    return ", ".join(map(_axes_text, parts))


def mesh_text(mesh: Any) -> str:
    """The axes of a mesh with their lengths, as in ``data 2 × model 4``."""
    held = {**instance_dict(mesh), **dict(slots(mesh))}
    lengths = held.get("axis_sizes") or c_attribute(held.get("devices"), "shape") or ()
    return " × ".join(f"{name} {length}" for name, length in zip(held.get("axis_names") or (), lengths)) or "no axes"


def _axes_text(axes: Any) -> str:
    if type(axes) is tuple:
        return f"({', '.join(map(_axes_text, axes))})"
    return repr(axes) if type(axes) is str or axes is None else "unconstrained"


def _of_library(value: Any, name: str) -> Any:
    """A property that jax itself defines, read; None where the class of the program defines it, or nobody."""
    owner = owner_of(type(value), name)
    found = class_attribute(type(value), name)
    if owner is None or library_of(owner) not in ("jax", "jaxlib") or not hasattr(type(found), "__get__"):
        return None
    return found.__get__(value)


kind_for = by_name(
    {
        Partitions: ("PartitionSpec", "P"),
        Mesh: ("Mesh", "AbstractMesh"),
        Sharding: ("NamedSharding", "SingleDeviceSharding"),
    },
    "jax",
    "jaxlib",
)
