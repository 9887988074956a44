"""Unwraps one of two values so that they can be compared: the model in a wrapper, the weights in a checkpoint, the
state of a model or optimizer beside a saved state."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from ...measure.torch.metadata import Base, is_exact_tensor
from ...measure.torch.modules import EXTRA_STATE, is_module, is_of
from ...measure.torch.optimizers import is_optimizer
from ...measure.torch.visits import in_cpp
from ...safe.guard import class_name, dict_attribute, dict_get, each
from .fsdp import Shard, gathered, is_managed, original_state, shards_of
from .names import WRAPPERS, in_common, is_weights, without_wrapper_names
from .optimizers import is_saved_optimizer, saved_state
from .pair import ELSEWHERE, OTHER_SHARDS, UNTOLD, Whole

_ENTRIES = 100  #: of a checkpoint that are looked at
_STATE = ".state_dict()"


def inside(a: Any, b: Any) -> tuple[list[Any], list[str], bool]:
    """The two that are compared, and what is typed after each to reach it: nothing where that is the value itself; and
    whether of whole parameters only those parts are that this process has of the other model's."""
    sides, steps, shards = [a, b], ["", ""], {**shards_of(a), **shards_of(b)}
    cut: list[dict[str, Shard]] = [{}, {}]
    for at in (0, 1):
        found = _entry(sides[at], sides[1 - at]) or _wrapped(sides[at], sides[1 - at])
        if found is not None:
            steps[at], sides[at] = found
    for at in (0, 1):
        live, saved = sides[at], sides[1 - at]
        if is_module(live) and is_weights(saved) and in_common(_names(live), _names(saved)):
            steps[at] += _STATE
            cut[at] = _cut(live, shards)
            sides[at], sides[1 - at] = _bare(original_state(live)), _bare(each(dict.items, saved))
        elif is_module(live) and is_module(saved) and (_is_rebuilt(live) > _is_rebuilt(saved) or _are_wrapped(a, b)):
            steps = [f"{step}{_STATE}" for step in steps]
            cut = [_cut(side, shards) for side in sides]
            sides[at], sides[1 - at] = _bare(original_state(live)), _bare(original_state(saved))
        elif is_saved_optimizer(saved):
            state = saved_state(live)
            if state is not None:
                steps[at], sides[at] = steps[at] + _STATE, state
    return sides, steps, _cut_alike(sides, cut)


def _cut(model: Any, shards: dict[int, Shard]) -> dict[str, Shard]:
    return {name: shards[id(item)] for name, item in original_state(model) if id(item) in shards} if shards else {}


def _cut_alike(sides: list[Any], cut: list[dict[str, Shard]]) -> bool:
    """Takes out of whole parameters what the other side has of them. Whether there were any."""
    for at in (0, 1):
        others = {without_wrapper_names(name): name for name in sides[1 - at]} if cut[at] else {}
        for name, shard in cut[at].items():
            other = others.get(without_wrapper_names(name), "")
            if not other:
                continue
            whole = cut[1 - at].get(other, sides[1 - at][other])
            if type(whole) is not Shard and not is_exact_tensor(whole):
                continue
            if tuple(whole.shape) != shard.shape:
                sides[at][name] = Whole(shard.shape, shard.count)
            elif type(whole) is not Shard:
                sides[1 - at][other] = shard.of(whole) if shard.count else ELSEWHERE
            elif (whole.first, whole.count) != (shard.first, shard.count) and sides[1 - at][other] is not OTHER_SHARDS:
                sides[at][name] = OTHER_SHARDS
    return bool(cut[0] or cut[1])


def _are_wrapped(a: Any, b: Any) -> bool:
    """Whether FSDP has wrapped both: its own state is of no interest."""
    return all(class_name(type(side)) == "FullyShardedDataParallel" for side in (a, b))


def _is_rebuilt(model: Any) -> bool:
    """Whether its modules are not those that the program wrote: they are in C++, or FSDP has changed them."""
    return in_cpp(model) is not None or is_managed(model)


def _wrapped(model: Any, other: Any) -> tuple[str, Any] | None:
    """What a wrapper around a model wraps, where the other is another model, or torch.compile has wrapped both."""
    name = class_name(type(model))
    is_alike = type(model) is type(other) and name != "OptimizedModule"
    if name not in WRAPPERS or is_alike or not (is_module(model) and is_module(other)):
        return None
    inner = dict_get(dict_attribute(model, "_modules"), WRAPPERS[name]) if is_of(model, name) else None
    return None if inner is None else (f".{WRAPPERS[name]}", inner)


def _entry(value: Any, other: Any) -> tuple[str, Any] | None:
    """The entry of a checkpoint that is what the other value is; of several the one with most names in common."""
    if not issubclass(type(value), dict):
        return None
    is_of_optimizer = is_saved_optimizer(other) or is_optimizer(other)
    if not (is_of_optimizer or is_module(other) or is_weights(other)):
        return None
    if is_weights(value) or is_saved_optimizer(value):
        return None
    entries = [(key, item) for key, item in islice(each(dict.items, value), _ENTRIES) if type(key) is str]
    if is_of_optimizer:
        known = [(f"[{key!r}]", item) for key, item in entries if is_saved_optimizer(item)]
        return known[0] if known else None
    models = [(key, item) for key, item in entries if is_module(item) or is_weights(item)]
    scores = [in_common(_names(item), _names(other)) for _, item in models]
    best = max(scores, default=0)
    if not best:
        return None
    key, item = models[scores.index(best)]
    return f"[{key!r}]", item


def _names(value: Any) -> list[str]:
    return [name for name, _ in original_state(value)] if is_module(value) else list(each(dict.keys, value))


def _bare(entries: Iterator[tuple[str, Any]] | Any) -> dict[str, Any]:
    """Without what belongs to a parameter and not to what is saved of it."""
    return {name: _saved(item) for name, item in entries}


def _saved(item: Any) -> Any:
    if item is EXTRA_STATE:
        return UNTOLD
    item = gathered(item)
    return Base.detach(item) if is_exact_tensor(item) else item
