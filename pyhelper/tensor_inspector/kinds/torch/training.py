"""Optimizers: their rates, the number of their tensors, and how many steps they have made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from ...measure.torch.finite import GradientName, NotFinite, StateName
from ...measure.torch.metadata import device_name, element_count, grad_of, is_any_tensor, is_tensor, plain
from ...measure.torch.readable import why_unread
from ...safe.attributes import traits
from ...safe.budget import Budget, Steps
from ...safe.guard import dict_attribute, dict_get, each, instance_dict, module, mro, plain_str
from ...words.line import Word, class_word, is_loud
from ...words.text import exact_number, joined, listed, plural
from ..families import by_base
from ..kind import Child, WithRows
from ..python.objects import attributes, brief, other_rows, property_rows
from ..rows import Rows
from .finite import find_not_finite, finite_badges, finite_rows, finite_words

if TYPE_CHECKING:
    from ...protocol import Badge

torch: Any = module("torch")
_RATES_SHOWN = ("lr", "momentum", "betas", "eps", "alpha", "weight_decay")  #: shown of a group where they are not zero
_FLAGS = ("nesterov", "amsgrad", "maximize", "fused", "foreach", "capturable")  #: and where it is True
_STEPPED = 5  #: states looked at for the number of steps
_GROUPS = 100  #: groups whose rates are read
_COUNTED = 10_000  #: groups whose tensors are counted
_RATES = 24  #: characters of the rates in short


class Optimizer(WithRows):
    """What a person asks first: the rates, how many tensors, after how many steps."""

    watched_as = "optimizer"

    def __init__(self, value: Any, budget: Budget) -> None:
        super().__init__(value, budget)
        self._unwrapped = _unwrapped(value)
        self._first_groups: list[dict[str, Any]] | None = None
        self._other_groups = 0  #: how many come after these

    @classmethod
    def is_made(cls, value: object) -> bool:
        known = "param_groups" in instance_dict(_unwrapped(value))
        return known or "param_groups" in traits(type(value)).properties  # of a wrapper that asks another one for them

    def parts(self) -> Iterable[str | None]:
        groups, step = self._groups(), self._step()
        return [
            self.type_name(),
            plural(len(groups) + self._other_groups, "group") if len(groups) != 1 else None,
            _rates(groups[0]) if len(groups) == 1 else _lrs(groups),
            self._tensor_count(),
            *finite_words(self.not_finite),
            step and " ".join(step if step[0] == "step" else reversed(step)),
        ]

    def inline(self) -> str | None:
        loud = filter(is_loud, finite_words(self.not_finite))
        return " ".join(filter(None, (*loud, class_word(self.type_name()).short, _lrs(self._groups()))))

    def badges(self) -> list[Badge]:
        return finite_badges(self.not_finite)

    def lenses(self) -> list[str]:
        return ["gradients"]

    def fact_rows(self) -> list[list[str]]:
        groups = self._groups()
        rows = [
            [f"group {index}", f"{_rates(group)} · {plural(len(_params(group)), 'tensor')}"]
            for index, group in enumerate(groups[:_GROUPS])
        ]
        if len(groups) > _GROUPS:
            rows.append(["…", f"{plural(len(groups) + self._other_groups - _GROUPS, 'more group')}"])
        step, state = self._step(), dict_attribute(self._unwrapped, "state")
        return [
            *rows,
            *([list(step)] if step is not None else []),
            ["gradients", self._gradients()],
            ["state", f"of {plural(dict.__len__(state), 'tensor')}" if dict.__len__(state) else "none yet"],
            *finite_rows(self.not_finite),
        ]

    def _tensor_count(self) -> str:
        """How many tensors it was given; at least, where there are more groups than are counted."""
        known = plural(sum(len(_params(group)) for group in self._groups()), "tensor")
        return f"≥{known}" if self._other_groups else known

    def _gradients(self) -> str:
        """How many of its tensors have a gradient, as far as there is time to ask them."""
        steps, asked, with_grad = Steps(self.budget.share()), 0, 0
        for _, _, tensor in self._parameters():
            if steps.end():
                break
            asked += 1
            with_grad += is_any_tensor(tensor) and grad_of(tensor) is not None
        given = self._tensor_count()
        return (
            f"{with_grad} of the first {asked:,} of {given}: time budget" if steps.over else f"{with_grad} of {given}"
        )

    @cached_property
    def not_finite(self) -> NotFinite:
        """Whether its tensors, their gradients or what it keeps of them hold NaN or Inf."""
        steps, tensors = Steps(self.budget.share()), []
        for name, item in self._values():
            if steps.end():
                break
            if is_any_tensor(item):
                tensors.append((name, item))
        return find_not_finite(tensors, self.budget.share(), not steps.over and not self._other_groups)

    def _values(self) -> Iterator[tuple[str, Any]]:
        """What it was given, each followed by its gradient, then what it keeps of them."""
        for index, (name, _, tensor) in enumerate(self._parameters()):
            label = name or f"#{index}"
            yield label, tensor
            yield GradientName(f"{label}.grad"), grad_of(tensor) if is_any_tensor(tensor) else None
        for index, state in enumerate(each(dict.values, dict_attribute(self._unwrapped, "state"))):
            for name, item in each(dict.items, state) if issubclass(type(state), dict) else ():
                yield StateName(f"state #{index} {plain_str(name)}"), item

    def rows(self) -> list[Child]:
        found = list(attributes(self.value))
        first = [child for child in found if child.name == "param_groups"]
        rest = [child.name for child in found if child.name not in ("param_groups", "state")]
        return [*first, *self._state_row(found), *other_rows(self.value, rest), *property_rows(self.value)]

    def _state_row(self, found: list[Child]) -> Iterator[Child]:
        """What is kept of each tensor. It is a dict with tensors as keys; its rows say which tensor that is."""
        state = dict_attribute(self._unwrapped, "state")
        for child in found:
            if child.name == "state":
                known = dict.__len__(state)
                line = f"of {plural(known, 'tensor')}" if known else "none yet"
                yield Child("state", Rows(line, known, self._states, "mapping"), child.suffix)

    def _states(self, start: int, count: int) -> Iterable[Child]:
        shown = list(islice(each(dict.items, dict_attribute(self._unwrapped, "state"), start), count))
        steps = Steps(self.budget.share())
        positions = self._positions({id(key) for key, _ in shown}, steps)
        nowhere = (None if steps.over else "in no group", "", None)
        for key, state in shown:
            where, name, group = positions.get(id(key), nowhere)
            yield Child(joined([" ".join(filter(None, (f"‹{brief(key, self)}›", where))), name, group]), state)

    def _positions(self, wanted: set[int], steps: Steps) -> dict[int, tuple[str, str, str | None]]:
        """Number, name and group of the tensors with these ids, as far as there is time to find them."""
        positions: dict[int, tuple[str, str, str | None]] = {}
        several = len(self._groups()) > 1
        for index, (name, group, tensor) in enumerate(self._parameters()):
            if len(positions) == len(wanted) or steps.end():
                break
            if id(tensor) in wanted:
                positions[id(tensor)] = (f"#{index}", name, f"group {group}" if several else None)
        return positions

    def _groups(self) -> list[dict[str, Any]]:
        if self._first_groups is None:
            found = instance_dict(self._unwrapped).get("param_groups")
            first = found[:_COUNTED] if type(found) is list else []
            self._first_groups = [group for group in first if type(group) is dict]
            self._other_groups = len(found) - len(first) if type(found) is list else 0
        return self._first_groups

    def _parameters(self) -> Iterator[tuple[str, int, Any]]:
        """Each tensor, with its name where the optimizer was given names, and the number of its group."""
        for group_number, group in enumerate(self._groups()):
            names = dict_get(group, "param_names")
            for index, tensor in enumerate(_params(group)):
                named = type(names) is list and index < len(names)
                yield plain_str(names[index]) if named else "", group_number, tensor

    def _step(self) -> tuple[str, str] | None:
        """The number of steps, from the optimizer's state; LBFGS counts its inner iterations."""
        for label, name in (("step", "step"), ("iterations", "n_iter")):
            states = islice(each(dict.values, dict_attribute(self._unwrapped, "state")), _STEPPED)
            found = [scalar(dict_get(state, name)) for state in states if issubclass(type(state), dict)]
            known = [step for step in found if step is not None]
            if known:
                return label, exact_number(max(known))
        return None


def _unwrapped(value: Any) -> Any:
    """The optimizer that has the groups: itself, or the one around which it is wrapped, as accelerate's are."""
    inner = instance_dict(value).get("optimizer")
    wraps = "param_groups" not in instance_dict(value) and torch.optim.Optimizer in mro(type(inner))
    return inner if wraps else value


def scalar(value: Any) -> int | float | None:
    """A number, also out of a tensor of one element that can be read; None for all else."""
    if type(value) is int or type(value) is float:
        return value
    if not is_tensor(value) or element_count(value) != 1:
        return None
    if why_unread(plain(value)) is not None:
        return None
    known = plain(value).item()
    return known if type(known) is int or type(known) is float else None


def rate(value: object) -> str:
    """A rate as text; empty for what is none."""
    if type(value) is tuple:
        return f"({', '.join('None' if item is None else rate(item) for item in value)})"
    known = scalar(value)
    if known is not None:
        is_whole = known - known == 0 and known == int(known) and abs(known) < 10_000_000
        return exact_number(int(known) if is_whole else known)
    return f"on {device_name(value)}" if is_tensor(value) else ""


def _rates(group: dict[str, Any]) -> Word:
    """The settings of a group in words; their short form fits beside the class's name and an alarm."""
    given = {name: dict_get(group, name) for name in _RATES_SHOWN}
    texts = [f"{name} {rate(value)}" for name, value in given.items() if rate(value) and scalar(value) != 0]
    texts += [name for name in _FLAGS if dict_get(group, name) is True]
    return Word(", ".join(texts), listed(texts, False, _RATES))


def _lrs(groups: list[dict[str, Any]]) -> str:
    rates = list(dict.fromkeys(rate(dict_get(group, "lr")) for group in groups[:_GROUPS]))
    is_cut = len(rates) > 3 or len(groups) > _GROUPS
    shown = f"{', '.join(rates[:3])}, …" if is_cut else " and ".join(rates)
    return f"lr {shown}" if rates else ""


def _params(group: dict[str, Any]) -> list[Any]:
    found = dict_get(group, "params")
    return found if type(found) is list else []


kind_for = by_base({Optimizer: (torch.optim.Optimizer,)})
