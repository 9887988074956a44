"""What an optimizer holds: groups, tensors, settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...safe.guard import NUMBERS, dict_attribute, dict_get, each, instance_dict, module
from .metadata import EXACT_TENSORS, is_exact_tensor

torch: Any = module("torch")


class Group:
    """A group of an optimizer: its tensors, and its options by name."""

    __slots__ = ("_options", "tensors")

    def __init__(self, options: dict[Any, Any]) -> None:
        self._options = options
        found = dict_get(options, "params")
        params = list(found) if type(found) is list else []
        are_all = EXACT_TENSORS.include(map(type, params))  # which takes a fifth of the time
        self.tensors = params if are_all else [item for item in params if is_exact_tensor(item)]

    def option(self, name: str) -> Any:
        return dict_get(self._options, name)

    def number(self, name: str) -> float | None:
        """An option that is a number; None for all else, also for one that is kept in a tensor."""
        found = self.option(name)
        return found if type(found) in NUMBERS else None

    def flag(self, name: str) -> bool:
        return self.option(name) is True


def is_optimizer(value: object) -> bool:
    """Whether it is a ``torch.optim.Optimizer``, by its class."""
    return issubclass(type(value), torch.optim.Optimizer)


def wrapped(value: Any) -> Any:
    """The optimizer inside a wrapper such as accelerate's or Lightning's; None if there is none."""
    own = instance_dict(value)
    found = (own.get(name) for name in ("optimizer", "_optimizer"))
    return next((one for one in found if is_optimizer(one)), None)


def inner(value: Any) -> Any:
    """The optimizer itself, or the one around which it is wrapped."""
    own = wrapped(value) if "param_groups" not in instance_dict(value) else None
    return value if own is None else own


def is_readable(value: Any) -> bool:
    """Whether its groups are known without running code of the program, as a property would."""
    return type(instance_dict(inner(value)).get("param_groups")) is list


def groups(value: Any) -> list[Group]:
    """The parameter groups of an optimizer, or of the one that it wraps; none where only its code could tell."""
    return list(each_group(value))


def each_group(value: Any) -> Iterator[Group]:
    """The groups that `groups` lists, one after the other."""
    found = instance_dict(inner(value)).get("param_groups")
    return (Group(group) for group in list(found) if type(group) is dict) if type(found) is list else iter(())


def highest_rate(value: Any) -> float | None:
    """The highest ``lr`` of its groups; None where one is no plain number."""
    rates = [group.number("lr") for group in groups(value)]
    known = [rate for rate in rates if rate is not None]
    return max(known) if known and len(known) == len(rates) else None


def turns_of(scheduler: Any) -> int:
    """The number of steps of a scheduler; -1 where it is not known."""
    found = instance_dict(scheduler).get("last_epoch")
    return found if type(found) is int else -1


def tensors(value: Any) -> Iterator[Any]:
    """What an optimizer updates, group by group."""
    for group in groups(value):
        yield from group.tensors


def states(value: Any) -> dict[int, dict[Any, Any]]:
    """What it keeps of each tensor, as a momentum, by the tensor's id."""
    found = each(dict.items, dict_attribute(inner(value), "state"))
    return {id(tensor): kept for tensor, kept in found if type(kept) is dict}


def has_step_hooks(value: Any) -> bool:
    """Whether something of the program's runs before or after its steps."""
    held = instance_dict(inner(value))
    return any(held.get(name) for name in ("_optimizer_step_pre_hooks", "_optimizer_step_post_hooks"))
