"""Where containers of other libraries keep what they hold, by attributes alone: none of their code runs."""

from __future__ import annotations

from typing import Any

from ...kinds.summaries import declared_name, packages
from ...safe.attributes import slots
from ...safe.guard import class_name, instance_dict, library_of, mro

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
#: Arrays whose samples only their library's own code can tell apart, and what makes others of them.
_OPAQUE = {"awkward.Array": "ask about ak.to_numpy of it, or of one of its fields"}
_OPAQUE_BY_PACKAGE = packages(_OPAQUE)


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


def why_not_held(name: str, value: Any) -> str | None:
    """Why a library's array can't be described as a batch, in a sentence; None of all others."""
    known = _known_as(type(value), _OPAQUE_BY_PACKAGE)
    if known is None:
        return None
    called = f"an {library_of(type(value))} {class_name(type(value))}"
    return f"{name} is {called}, whose items only its library's own code tells apart: {_OPAQUE[known]}"


def _known_as(cls: type, names: dict[str, list[str]]) -> str | None:
    """The name in a table of a class or of the nearest of its bases."""
    found = (declared_name(base, names.get(library_of(base), [])) for base in mro(cls))
    return next((name for name in found if name is not None), None)


def _follow(value: Any, way: tuple[str, ...]) -> Any:
    for name in way:
        value = instance_dict(value).get(name, dict(slots(value)).get(name))
    return value
