"""Where containers of other libraries keep what they hold, by attributes alone: none of their code runs."""

from __future__ import annotations

from typing import Any, cast

from ...kinds import Kind
from ...kinds.arrays.awkward_arrays import AwkwardArray
from ...kinds.summaries import declared_name, packages
from ...safe.attributes import slots
from ...safe.guard import instance_dict, library_of, mro

#: The attributes that lead from an object to what it holds; several ways are to mappings, which are taken together.
_WAYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "astropy.table.Table": (("columns",),),
    "tensordict.LazyStackedTensorDict": (("tensordicts",),),
    "torch_geometric.data.Data": (("_store", "_mapping"),),
    "torch_geometric.data.HeteroData": (("_node_store_dict",), ("_edge_store_dict",)),
    "torch_geometric.data.storage.BaseStorage": (("_mapping",),),
    "xarray.DataArray": (("_variable", "_data"),),
    "xarray.Dataset": (("_variables",),),
    "xarray.Variable": (("_data",),),
}
_BY_PACKAGE = packages(dict.fromkeys(_WAYS, ""))


def held_by(value: Any, suffix: str | None) -> tuple[Any, str | None]:
    """What a container of a library holds, and the suffix that reaches it; other values as they are."""
    name = _known_as(type(value), _BY_PACKAGE)
    while name is not None:
        ways = [_follow(value, way) for way in _WAYS[name]]
        if any(one is None for one in ways) or _follow(value, ("stack_dim",)) not in (None, 0):
            break
        if len(ways) > 1:
            return {key: item for one in ways if type(one) is dict for key, item in one.items()}, None
        value, suffix = ways[0], None if suffix is None else f"{suffix}.{'.'.join(_WAYS[name][0])}"
        name = _known_as(type(value), _BY_PACKAGE)
    return value, suffix


def opaque_items(kind: Kind) -> tuple[int | None, str] | None:
    """Of an array whose items only its library's own code tells apart, how many there are, and why no more is told."""
    return cast("AwkwardArray", kind).opaque_items() if issubclass(type(kind), AwkwardArray) else None


def _known_as(cls: type, names: dict[str, list[str]]) -> str | None:
    """The name in a table of a class or of the nearest of its bases."""
    found = (declared_name(base, names.get(library_of(base), [])) for base in mro(cls))
    return next((name for name in found if name is not None), None)


def _follow(value: Any, way: tuple[str, ...]) -> Any:
    for name in way:
        value = instance_dict(value).get(name, dict(slots(value)).get(name))
    return value
