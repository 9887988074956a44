"""What a training loop turns: optimizers."""

from __future__ import annotations

from typing import Any

from ..guard import dict_get, instance_dict, module
from ..protocol import Facts
from ..text import joined, listed, number, plural
from .kind import Child, Kind, Rows, WithRows
from .objects import attributes

torch: Any = module("torch")
_TOLD = ("lr", "momentum", "betas", "eps", "alpha", "weight_decay")  #: what is told of a group, where it is not zero


class Optimizer(WithRows):
    """What a person asks first: the rates, and how many tensors it was given."""

    def line(self) -> str:
        groups = self._groups()
        tensors = sum(len(held) for held in (dict_get(group, "params") for group in groups) if type(held) is list)
        return joined(
            [
                self.type_name(),
                plural(len(groups), "group") if len(groups) != 1 else None,
                _rates(groups[0]) if len(groups) == 1 else _lrs(groups),
                plural(tensors, "tensor"),
            ]
        )

    def facts(self) -> Facts:
        facts = super().facts()
        facts["rows"] = [[f"group {index}", _rates(group)] for index, group in enumerate(self._groups())]
        return facts

    def _groups(self) -> list[dict[str, Any]]:
        held = instance_dict(self.value).get("param_groups")
        return [group for group in held if type(group) is dict] if type(held) is list else []

    def rows(self) -> list[Child]:
        own = list(attributes(self.value))
        first = [child for name in ("param_groups", "state") for child in own if child.name == name]
        rest = [child for child in own if child.name not in ("param_groups", "state")]
        return [*first, Child("other attributes", Rows.of(listed((child.name for child in rest), False, 60), rest), "")]


def _rates(group: dict[str, Any]) -> str:
    found = ((name, dict_get(group, name)) for name in _TOLD)
    return ", ".join(f"{name} {_rate(value)}" for name, value in found if _rate(value) not in ("", "0"))


def _lrs(groups: list[dict[str, Any]]) -> str:
    return "lr " + " and ".join(dict.fromkeys(_rate(dict_get(group, "lr")) or "tensor" for group in groups[:4]))


def _rate(value: object) -> str:
    if type(value) is tuple:
        return f"({', '.join(_rate(item) for item in value)})"
    return number(value) if type(value) is float or type(value) is int else ""


def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    return Optimizer if any(base is torch.optim.Optimizer for base in bases) else None
