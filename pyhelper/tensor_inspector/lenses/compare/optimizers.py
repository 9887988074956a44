"""The rows of two optimizers, or of what they save: parameters and what is kept of each by their names, if these are
known, wherever they stand in their groups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...kinds import Child, Kind, Rows
from ...kinds.python.mappings import Mapping
from ...measure.torch.optimizers import inner, is_optimizer
from ...safe.guard import dict_get, each, instance_dict, plain_str
from ...safe.record import Record
from .rows import KeyedRow

if TYPE_CHECKING:
    from collections.abc import Callable

    Known = Callable[[], dict[int, str]]

_KEPT = ("param_groups", "state")


class OptimizerParts(Record):
    """The groups of an optimizer, and what it keeps of each parameter."""

    groups: list[dict[Any, Any]]
    state: Any
    start: str  #: what is typed for its groups
    saved: bool  #: its parameters are numbers


def optimizer_rows(a: Kind, b: Kind, known: Known) -> tuple[list[KeyedRow], list[KeyedRow]] | None:
    """The rows of both, by names; None of what are no two optimizers whose parameters have names."""
    one, other = _held(a), _held(b)
    if one is None or other is None:
        return None
    found = {} if one.saved and other.saved else known()
    names = _names(one, found), _names(other, found)
    if names[0] is None or names[1] is None:
        return None
    return list(_rows(one, names[0])), list(_rows(other, names[1]))


def _held(kind: Kind) -> OptimizerParts | None:
    if isinstance(kind, Mapping):
        keys = list(kind.value) if type(kind.value) is dict and len(kind.value) == len(_KEPT) else []
        if any(type(key) is not str for key in keys) or sorted(keys) != list(_KEPT):
            return None
        groups, state, start = kind.value["param_groups"], kind.value["state"], "['param_groups']"
    elif is_optimizer(kind.value):
        own = instance_dict(inner(kind.value))
        groups, state, start = own.get("param_groups"), own.get("state"), ".param_groups"
    else:
        return None
    if type(groups) is not list or not issubclass(type(state), dict):
        return None
    if not all(type(group) is dict and type(group.get("params")) is list for group in groups):
        return None
    return OptimizerParts(groups, state, start, start[0] == "[")


def _names(held: OptimizerParts, known: dict[int, str]) -> list[list[str]] | None:
    """Those of the parameters of each group; None where one has none, or two have one."""
    found = []
    for group in held.groups:
        given = dict_get(group, "param_names")
        if type(given) is list and len(given) == len(group["params"]):
            found.append([plain_str(name) for name in given])
        elif held.saved:
            return None
        else:
            found.append([known.get(id(tensor), "") for tensor in group["params"]])
    every = [name for names in found for name in names]
    return found if all(every) and len(set(every)) == len(every) else None


def _rows(held: OptimizerParts, names: list[list[str]]) -> Iterator[KeyedRow]:
    states: list[Child] = []
    kept_of = {id(key): kept for key, kept in each(dict.items, held.state)}
    for at, (group, own) in enumerate(zip(held.groups, names)):
        options = [
            Child(repr(key), item, f"[{key!r}]")
            for key, item in each(dict.items, group)
            if type(key) is str and key not in ("params", "param_names")
        ]
        tensors = []
        for place, (name, parameter) in enumerate(zip(own, group["params"])):
            if not held.saved:
                tensors.append(Child(name, parameter, f"['params'][{place}]"))
            kept = dict_get(held.state, parameter) if held.saved else kept_of.get(id(parameter))
            if kept is not None:
                states.append(Child(name, kept, f"['state'][{parameter!r}]" if held.saved else None))
        below = [*options, *([Child("params", Rows.of("", tensors), "")] if tensors else [])]
        yield KeyedRow.named(Child(f"group {at}", Rows.of("", below), f"{held.start}[{at}]"))
    if states:
        yield KeyedRow.named(Child("state", Rows.of("", states), "" if held.saved else None))
