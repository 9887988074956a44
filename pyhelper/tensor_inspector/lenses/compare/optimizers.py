"""Rows of two optimizers, or of their saved states, paired by the names of parameters where these are known, wherever
they stand in their groups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...kinds import Child, Kind, Rows
from ...measure.torch.optimizers import inner, is_optimizer
from ...safe.guard import dict_get, each, instance_dict, plain_str
from ...safe.record import Record
from ...words.text import plural
from .rows import KeyedRow

if TYPE_CHECKING:
    from .names import ParameterNames

_KEPT = ("param_groups", "state")


class OptimizerParts(Record):
    """The groups of an optimizer, and what it keeps of each parameter."""

    groups: list[dict[Any, Any]]
    state: Any
    start: str  #: what is typed for its groups
    saved: bool  #: its parameters are numbers


def optimizer_rows(a: Kind, b: Kind, known: ParameterNames) -> tuple[list[KeyedRow], list[KeyedRow]] | None:
    """The rows of both, by names; None of what are no two optimizers whose parameters have names."""
    one, other = _parts_of(a.value), _parts_of(b.value)
    if one is None or other is None:
        return None
    found = {} if one.saved and other.saved else known()
    names = _names(one, found), _names(other, found)
    if names[0] is None or names[1] is None:
        return None
    return list(_rows(one, names[0])), list(_rows(other, names[1]))


def is_saved_optimizer(value: Any) -> bool:
    """Whether it is what ``state_dict()`` of an optimizer gives."""
    parts = _parts_of(value)
    return parts is not None and parts.saved


def saved_state(value: Any) -> dict[str, Any] | None:
    """What ``state_dict()`` of an optimizer gives, without its code; None of what is none."""
    parts = _parts_of(value)
    if parts is None or parts.saved:
        return None
    numbers: dict[int, int] = {}
    for group in parts.groups:
        for parameter in group["params"]:
            numbers.setdefault(id(parameter), len(numbers))
    entry = {numbers.get(id(key), key): item for key, item in each(dict.items, parts.state)}
    groups = [{**group, "params": [numbers[id(one)] for one in group["params"]]} for group in parts.groups]
    return {"state": entry, "param_groups": groups}


def _parts_of(value: Any) -> OptimizerParts | None:
    if type(value) is dict:
        keys = list(value) if len(value) == len(_KEPT) else []
        if any(type(key) is not str for key in keys) or sorted(keys) != list(_KEPT):
            return None
        groups, state, start = value["param_groups"], value["state"], "['param_groups']"
    elif is_optimizer(value):
        own_names = instance_dict(inner(value))
        groups, state, start = own_names.get("param_groups"), own_names.get("state"), ".param_groups"
    else:
        return None
    if type(groups) is not list or not issubclass(type(state), dict):
        return None
    if not all(type(group) is dict and type(group.get("params")) is list for group in groups):
        return None
    return OptimizerParts(groups, state, start, start[0] == "[")


def _names(parts: OptimizerParts, known: dict[int, str]) -> list[list[str]] | None:
    """Those of the parameters of each group; None where one has none, or two have one."""
    found = []
    for group in parts.groups:
        given = dict_get(group, "param_names")
        if type(given) is list and len(given) == len(group["params"]):
            found.append([plain_str(name) for name in given])
        elif parts.saved:
            return None
        else:
            found.append([known.get(id(tensor), "") for tensor in group["params"]])
    every = [name for names in found for name in names]
    return found if all(every) and len(set(every)) == len(every) else None


def _rows(parts: OptimizerParts, names: list[list[str]]) -> Iterator[KeyedRow]:
    states: list[Child] = []
    state_of: dict[int, Any] = {}
    for key, entry in each(dict.items, parts.state):
        if type(key) is str:  # of no parameter
            states.append(Child(repr(key), entry, f"['state'][{key!r}]"))
        else:
            state_of[_identity_of(key)] = entry
    for at, (group, own_names) in enumerate(zip(parts.groups, names)):
        options = [
            Child(repr(key), item, f"[{key!r}]")
            for key, item in each(dict.items, group)
            if type(key) is str and key not in ("params", "param_names")
        ]
        tensors = []
        for place, (name, parameter) in enumerate(zip(own_names, group["params"])):
            if not parts.saved:
                tensors.append(Child(name, parameter, f"['params'][{place}]"))
            entry = state_of.get(_identity_of(parameter))
            if entry is not None:
                states.append(Child(name, entry, f"['state'][{parameter!r}]" if parts.saved else None))
        below = [*options, *([Child("params", Rows.of("", tensors), "")] if tensors else [])]
        yield KeyedRow.named(
            Child(f"group {at}", Rows.of(plural(len(own_names), "parameter"), below), f"{parts.start}[{at}]")
        )
    if states:
        yield KeyedRow.named(
            Child("state", Rows.of(f"of {plural(len(states), 'parameter')}", states), "" if parts.saved else None)
        )


def _identity_of(parameter: Any) -> int:
    """A parameter of what is saved is a number."""
    return parameter if type(parameter) is int else id(parameter)
