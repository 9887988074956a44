"""What a model holds that FSDP has wrapped or sharded, by the names that it had before. No collective is started."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from ...measure.torch.dispatch import metadata_of
from ...measure.torch.metadata import Base, is_exact_tensor
from ...measure.torch.modules import is_module, members, state_of
from ...safe.attributes import attribute
from ...safe.budget import Budget, Steps
from ...safe.guard import class_name, dict_get, instance_dict, module
from ...safe.record import Record

_MANAGED = "_is_fsdp_managed_module"  #: set on each module whose parameters FSDP has taken
_FLAT = "_flat_param"  #: one parameter of FSDP's own that holds those of a module and of all below it


class Shard(Record):
    """What a rank has of a parameter: so many elements from the first on, in their order."""

    shape: tuple[int, ...]  #: of the whole
    first: int
    count: int

    def of(self, whole: Any) -> Any:
        """The same elements of another one of that shape."""
        return Base.reshape(Base.detach(whole), (-1,))[self.first : self.first + self.count]


def shards_of(model: Any) -> dict[int, Shard]:
    """By the ids of parameters that FSDP has cut up, and left under their names, what this rank has of each."""
    found: dict[int, Shard] = {}
    if module("torch.distributed.fsdp") is None or not is_module(model):
        return found
    for member in members(model, Steps(Budget())):
        flat = instance_dict(instance_dict(member.setting("_handle")).get("flat_param"))
        lists = (flat.get(name) or () for name in ("_params", "_shapes", "_shard_param_infos"))
        for tensor, shape, info in zip(*lists):
            shard = Shard(tuple(shape), info.intra_param_start_idx or 0, info.numel_in_shard or 0)
            is_cut = is_exact_tensor(tensor) and tensor.numel() == shard.count
            if is_cut and (tuple(tensor.shape) != shard.shape or shard.count < prod(shard.shape)):
                found[id(tensor)] = shard
    return found


def is_managed(model: Any) -> bool:
    """Whether FSDP manages parameters of a model."""
    return module("torch.distributed.fsdp") is not None and any(
        member.setting(_MANAGED) is True for member in members(model, Steps(Budget()))
    )


def original_state(model: Any) -> Iterator[tuple[str, Any]]:
    """Parameters and buffers as `state_of` names them, and in place of each flat parameter those that it holds."""
    named = dict(state_of(model))
    for name, item in named.items():
        if name.rpartition(".")[2] != _FLAT:
            yield name, item
            continue
        prefix = name[: -len(_FLAT)]
        for original, tensor in _unflattened(item):
            if prefix + original not in named:
                yield prefix + original, tensor


def _unflattened(flat: Any) -> Iterator[tuple[str, Any]]:
    """Views of a flat parameter: FSDP keeps them as attributes of the modules, under the names that they had."""
    attrs = instance_dict(flat)
    for which in ("_param_infos", "_shared_param_infos"):
        for info in attrs.get(which) or ():
            tensor = dict_get(instance_dict(info.module), info.param_name)
            if is_exact_tensor(tensor):
                yield f"{info.module_name}.{info.param_name}".lstrip("."), tensor


def gathered(item: Any) -> Any:
    """The whole of a distributed tensor, where this process has it; anything else as it is."""
    if class_name(type(item)) != "DTensor":
        return item
    local, spec = (_attribute(item, name) for name in ("_local_tensor", "_spec"))
    placements = instance_dict(spec).get("placements")
    if not is_exact_tensor(local) or type(placements) is not tuple:
        return item
    is_sum = any(class_name(type(placement)) not in ("Shard", "Replicate") for placement in placements)
    return item if is_sum or tuple(local.shape) != tuple(metadata_of(item).shape or ()) else local


def _attribute(item: Any, name: str) -> Any:
    try:
        return attribute(item, name)
    except AttributeError:
        return None
