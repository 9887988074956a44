"""What a training loop turns: optimizers, by their rates, how many tensors they were given, and how far they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from ...measure.stats.layout import unreadable
from ...measure.torch.digest import own_grad
from ...measure.torch.finite import NotFinite
from ...measure.torch.metadata import device_name, element_count, is_tensor, plain, why_unread
from ...protocol import Badge, Facts
from ...safe.budget import Budget, Steps
from ...safe.guard import dict_attribute, dict_get, each, instance_dict, module, mro, plain_str, traits
from ...words.line import Word, is_loud, named
from ...words.text import joined, listed, number, plural
from ..families import by_base
from ..kind import Child, Rows, WithRows
from ..python.objects import attributes, brief, other_rows, property_rows
from .finite import finite_badges, finite_rows, finite_words, look_at

torch: Any = module("torch")
_TOLD = ("lr", "momentum", "betas", "eps", "alpha", "weight_decay")  #: what is told of a group, where it is not zero
_FLAGS = ("nesterov", "amsgrad", "maximize", "fused", "foreach", "capturable")  #: and where it is True
_STEPPED = 5  #: states looked at for the number of steps
_RATES = 24  #: characters of the rates in short


class Optimizer(WithRows):
    """What a person asks first: the rates, how many tensors, after how many steps."""

    def __init__(self, value: Any, budget: Budget) -> None:
        super().__init__(value, budget)
        self._keeper = _keeper(value)
        self._look: NotFinite | None = None

    @classmethod
    def is_made(cls, value: object) -> bool:
        known = "param_groups" in instance_dict(_keeper(value))
        return known or "param_groups" in traits(type(value)).properties  # of a wrapper that asks another one for them

    def parts(self) -> Iterable[str | None]:
        groups, step = self._groups(), self._step()
        tensors = sum(1 for _ in self._parameters())
        return [
            self.type_name(),
            plural(len(groups), "group") if len(groups) != 1 else None,
            _rates(groups[0]) if len(groups) == 1 else _lrs(groups),
            plural(tensors, "tensor"),
            *finite_words(self.look()),
            step and " ".join(step if step[0] == "step" else reversed(step)),
        ]

    def inline(self) -> str | None:
        loud = filter(is_loud, finite_words(self.look()))
        return " ".join(filter(None, (*loud, named(self.type_name()).short, _lrs(self._groups()))))

    def badges(self) -> list[Badge]:
        return finite_badges(self.look())

    def facts(self) -> Facts:
        facts = super().facts()
        groups = self._groups()
        facts["rows"] = [
            [f"group {index}", f"{_rates(group)} · {plural(len(_params(group)), 'tensor')}"]
            for index, group in enumerate(groups)
        ]
        step, tensors, state = self._step(), list(self._parameters()), dict_attribute(self._keeper, "state")
        with_grad = sum(own_grad(tensor) is not None for _, _, tensor in tensors)
        facts["rows"] += [
            *([list(step)] if step is not None else []),
            ["gradients", f"{with_grad} of {plural(len(tensors), 'tensor')}"],
            ["state", f"of {plural(dict.__len__(state), 'tensor')}" if dict.__len__(state) else "none yet"],
            *finite_rows(self.look()),
        ]
        return facts

    def look(self) -> NotFinite:
        """Whether its tensors, their gradients or what it keeps of them hold NaN or Inf."""
        if self._look is None:
            steps, tensors = Steps(self.budget.share()), []
            for name, item in self._values():
                if steps.end():
                    break
                if is_tensor(item):
                    tensors.append((name, item))
            self._look = look_at(tensors, self.budget.share(), not steps.over)
        return self._look

    def _values(self) -> Iterator[tuple[str, Any]]:
        """What it was given, each followed by its gradient, then what it keeps of them."""
        for index, (name, _, tensor) in enumerate(self._parameters()):
            label = name or f"#{index}"
            yield label, tensor
            yield f"{label}.grad", own_grad(tensor) if is_tensor(tensor) else None
        for index, kept in enumerate(each(dict.values, dict_attribute(self._keeper, "state"))):
            for name, item in each(dict.items, kept) if issubclass(type(kept), dict) else ():
                yield f"state #{index} {plain_str(name)}", item

    def rows(self) -> list[Child]:
        own = list(attributes(self.value))
        first = [child for child in own if child.name == "param_groups"]
        rest = [child.name for child in own if child.name not in ("param_groups", "state")]
        return [*first, *self._state_row(own), *other_rows(self.value, rest), *property_rows(self.value)]

    def _state_row(self, own: list[Child]) -> Iterator[Child]:
        """What is kept of each tensor. It is a dict with tensors as keys; its rows say which tensor that is."""
        state = dict_attribute(self._keeper, "state")
        for child in own:
            if child.name == "state":
                known = dict.__len__(state)
                line = f"of {plural(known, 'tensor')}" if known else "none yet"
                yield Child("state", Rows(line, known, self._states, "mapping"), child.suffix)

    def _states(self, start: int, count: int) -> Iterable[Child]:
        places = {id(tensor): (index, name, group) for index, (name, group, tensor) in enumerate(self._parameters())}
        several = len(self._groups()) > 1
        for key, kept in islice(each(dict.items, dict_attribute(self._keeper, "state"), start), count):
            index, name, group = places.get(id(key), (None, "", 0))
            where = "in no group" if index is None else f"#{index}"
            in_group = f"group {group}" if several and index is not None else None
            yield Child(joined([f"‹{brief(key, self)}› {where}", name, in_group]), kept)

    def _groups(self) -> list[dict[str, Any]]:
        found = instance_dict(self._keeper).get("param_groups")
        return [group for group in found if type(group) is dict] if type(found) is list else []

    def _parameters(self) -> Iterator[tuple[str, int, Any]]:
        """Each tensor, with its name where the optimizer was given names, and the number of its group."""
        for place, group in enumerate(self._groups()):
            names = dict_get(group, "param_names")
            for index, tensor in enumerate(_params(group)):
                named = type(names) is list and index < len(names)
                yield plain_str(names[index]) if named else "", place, tensor

    def _step(self) -> tuple[str, str] | None:
        """How many steps it has made, as the states count them; LBFGS counts what it does within its steps."""
        for label, name in (("step", "step"), ("iterations", "n_iter")):
            states = islice(each(dict.values, dict_attribute(self._keeper, "state")), _STEPPED)
            found = [scalar(dict_get(kept, name)) for kept in states if issubclass(type(kept), dict)]
            known = [step for step in found if step is not None]
            if known:
                return label, number(max(known))
        return None


def _keeper(value: Any) -> Any:
    """The optimizer that has the groups: itself, or the one around which it is wrapped, as accelerate's are."""
    inner = instance_dict(value).get("optimizer")
    wraps = "param_groups" not in instance_dict(value) and torch.optim.Optimizer in mro(type(inner))
    return inner if wraps else value


def scalar(value: Any) -> int | float | None:
    """A number, also out of a tensor of one element where that is at hand; None for all else."""
    if type(value) is int or type(value) is float:
        return value
    if not is_tensor(value) or element_count(value) != 1:
        return None
    if device_name(value) != "cpu" or why_unread(value) is not None:
        return None
    known = None if unreadable(plain(value)) is not None else plain(value).item()
    return known if type(known) is int or type(known) is float else None


def rate(value: object) -> str:
    """A rate as text; empty for what is none."""
    if type(value) is tuple:
        return f"({', '.join('None' if item is None else rate(item) for item in value)})"
    known = scalar(value)
    if known is not None:
        is_whole = known - known == 0 and known == int(known) and abs(known) < 10_000_000
        return number(int(known) if is_whole else known)
    return f"on {device_name(value)}" if is_tensor(value) else ""


def _rates(group: dict[str, Any]) -> Word:
    """What a group is trained by; in short as much of it as stands beside the class's name and an alarm."""
    given = {name: dict_get(group, name) for name in _TOLD}
    told = [f"{name} {rate(value)}" for name, value in given.items() if rate(value) and scalar(value) != 0]
    told += [name for name in _FLAGS if dict_get(group, name) is True]
    return Word(", ".join(told), listed(told, False, _RATES))


def _lrs(groups: list[dict[str, Any]]) -> str:
    rates = list(dict.fromkeys(rate(dict_get(group, "lr")) for group in groups))
    shown = " and ".join(rates) if len(rates) < 4 else f"{', '.join(rates[:3])}, …"
    return f"lr {shown}" if rates else ""


def _params(group: dict[str, Any]) -> list[Any]:
    found = dict_get(group, "params")
    return found if type(found) is list else []


kind_for = by_base({Optimizer: (torch.optim.Optimizer,)})
