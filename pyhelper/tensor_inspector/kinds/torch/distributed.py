"""Distributed tensors: mesh, placements, local shard. No collective is started or waited for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...measure.stats import Reading, Unread
from ...safe.guard import class_dict, class_name, instance_dict, is_found_in, mro
from ...words.text import listed
from ..kind import Child
from ..rows import TextRow
from .form import Form
from .subclass import PythonSubclass


class Distributed(PythonSubclass):
    """A DTensor with the statistics of the shard that this process holds."""

    composed = True
    repeating = ("stats",)
    is_shard = True
    is_closed = True

    def words(self) -> Iterator[str]:
        yield f"{self._placements() or 'unknown placements'} on {self._mesh()}"
        local = self._local()
        if local is not None:
            yield f"local {local.sizes()}"

    def notes(self) -> list[str]:
        return ["statistics are of the local shard"]

    def fact_rows(self) -> list[list[str]]:
        return [["placements", self._placements() or "unknown"], ["mesh", self._mesh()]]

    def read(self) -> Reading:
        local = self._local()
        return Unread("no_values", "no local shard") if local is None else local.reading()

    def rows(self) -> list[Child]:
        spec = instance_dict(self.attr("_spec"))
        rows = [Child("local", self.attr("_local_tensor"), "._local_tensor")]
        rows += [Child(name, spec[name], f"._spec.{name}") for name in ("placements", "mesh") if name in spec]
        return rows

    def _local(self) -> Form | None:
        return self.part("_local_tensor")

    def _placements(self) -> str:
        placements = instance_dict(self.attr("_spec")).get("placements")
        return listed(map(_placement, placements if type(placements) is tuple else ()), False, 60)

    def _mesh(self) -> str:
        return mesh_text(instance_dict(self.attr("_spec")).get("mesh"))


class Collective(PythonSubclass):
    """The result of a collective that may not have arrived yet; waiting for it is the program's."""

    unread = Unread("disturbing", "values not read: its collective is not waited for")

    def read(self) -> Reading:
        arrived = self._arrived()
        return super().read() if arrived is None else arrived.reading()

    def rows(self) -> list[Child]:
        """Before it has arrived, its elements are none of ours to read."""
        elem = self.part("elem")
        if elem is None:
            return []
        if self._arrived() is None:
            return [Child("elem", TextRow(f"{elem.head()}, which may not have arrived"))]
        return [Child("elem", elem.value, ".elem")]

    def _arrived(self) -> Form | None:
        return self.part("elem") if self.attr("completed") is True else None


def _placement(placement: Any) -> str:
    """``Shard(0)``, ``Replicate``; one of the program's own classes by its name."""
    cls = type(placement)
    return repr(placement).replace("dim=", "").replace("()", "") if is_found_in(cls, "torch") else class_name(cls)


def mesh_text(mesh: Any) -> str:
    """``dp=2, tp=4``, or ``mesh 2×4`` without names, by the properties of torch's own class."""
    cls = next(
        (base for base in mro(type(mesh)) if class_name(base) == "DeviceMesh" and is_found_in(base, "torch")), None
    )
    sizes, names = (None if cls is None else _property(cls, name, mesh) for name in ("shape", "mesh_dim_names"))
    names = names or instance_dict(mesh).get("mesh_dim_names")  # before torch 2.9 a plain attribute
    if sizes is None:
        return "a mesh"
    return (
        ", ".join(f"{name}={size}" for name, size in zip(names, sizes))
        if names
        else f"mesh {'×'.join(map(str, sizes))}"
    )


def _property(cls: type, name: str, value: Any) -> Any:
    found: Any = class_dict(cls).get(name)
    try:
        return found.fget(value)
    except Exception:  # of another version of torch
        return None
