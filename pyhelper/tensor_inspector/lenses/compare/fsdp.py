"""What a model holds that FSDP has wrapped or sharded, by the names that it had before. No collective is started."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...measure.torch.dispatch import metadata_of
from ...measure.torch.metadata import is_exact_tensor
from ...measure.torch.modules import members, state_of
from ...safe.attributes import attribute
from ...safe.budget import Budget, Steps
from ...safe.guard import class_name, dict_get, instance_dict, module

_MANAGED = "_is_fsdp_managed_module"  #: set on each module whose parameters FSDP has taken
_FLAT = "_flat_param"  #: one parameter of FSDP's own that holds those of a module and of all below it


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
    """Of a distributed tensor that this process has all of, that; anything else as it is."""
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
