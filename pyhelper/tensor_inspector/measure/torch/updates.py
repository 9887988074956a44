"""What the next step of an optimizer would change of a parameter."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import Any

from ...safe.guard import NUMBERS, SEQUENCES, class_name, dict_attribute, dict_get, each, library_of, module
from ...safe.record import Record
from .elements import bare, number_of
from .metadata import is_exact_tensor
from .optimizers import Group, each_group, inner

torch: Any = module("torch")
_PIECE = 1 << 17  #: elements worked on at once
_COPIED = 1 << 22  #: elements of a tensor that is copied to have them in a row


class Update(Record):
    """A parameter with what its optimizer has for it: the options of its group, its state by name."""

    rule: str
    group: Group
    state: Any
    weight: Any
    gradient: Any

    def norm(self) -> float | None:
        """The norm of the next step's change; None where that is not known."""
        work = {
            "SGD": self._sgd,
            "Adam": self._adam,
            "AdamW": self._adam,
            "NAdam": self._nadam,
            "RAdam": self._radam,
            "Adamax": self._adamax,
            "RMSprop": self._rmsprop,
            "Adagrad": self._adagrad,
            "Adadelta": self._adadelta,
        }.get(self.rule)
        try:
            return None if work is None else sqrt(sum(float(part.norm()) ** 2 for part in work()))
        except _NotKnown:
            return None

    # Each rule yields the change piece by piece, or raises `_NotKnown`. What it keeps is zero before its first step.

    def _sgd(self) -> Iterator[Any]:
        rate, momentum, dampening = self._numbers("lr", "momentum", "dampening")
        if not momentum:
            yield from (change * rate for _, change in self._kept())
            return
        taken = 1.0 if self._state_of("momentum_buffer") is None else 1 - dampening  # all of the first gradient
        for _, change, buffer in self._kept("momentum_buffer"):
            moved = buffer.mul(momentum).add_(change, alpha=taken)
            yield (change.add(moved, alpha=momentum) if self.group.flag("nesterov") else moved) * rate

    def _adam(self) -> Iterator[Any]:
        rate, first, second, eps = self._numbers("lr", "beta1", "beta2", "eps")
        steps = self._next_step()
        scale, rooted = rate / (1 - first**steps), sqrt(1 - second**steps)
        names = ("exp_avg", "exp_avg_sq", *(["max_exp_avg_sq"] if self.group.flag("amsgrad") else []))
        if len({self._state_of(name) is None for name in names}) > 1:
            raise _NotKnown
        for weight, change, mean, square, *largest in self._kept(*names):
            mean = mean.mul(first).add_(change, alpha=1 - first)
            square = square.mul(second).addcmul_(change, change, value=1 - second)
            if largest:
                square = torch.maximum(square, largest[0])
            yield self._decayed(mean.mul_(scale).div_(square.sqrt_().div_(rooted).add_(eps)), weight, rate)

    def _nadam(self) -> Iterator[Any]:
        rate, first, second, eps, slowing = self._numbers("lr", "beta1", "beta2", "eps", "momentum_decay")
        steps = self._next_step()
        now, then = (first * (1 - 0.5 * 0.96 ** (at * slowing)) for at in (steps, steps + 1))
        product = now * (self._kept_number("mu_product") or 1.0)
        for weight, change, mean, square in self._kept("exp_avg", "exp_avg_sq"):
            mean = mean * first + change * (1 - first)
            square = square * second + change * change * (1 - second)
            moved = change * ((1 - now) / (1 - product)) + mean * (then / (1 - product * then))
            yield self._decayed(moved * rate / ((square / (1 - second**steps)).sqrt() + eps), weight, rate)

    def _radam(self) -> Iterator[Any]:
        rate, first, second, eps = self._numbers("lr", "beta1", "beta2", "eps")
        steps, most = self._next_step(), 2 / (1 - second) - 1
        length = most - 2 * steps * second**steps / (1 - second**steps)
        for weight, change, mean, square in self._kept("exp_avg", "exp_avg_sq"):
            moved = (mean * first + change * (1 - first)) * (rate / (1 - first**steps))
            if length > 5:
                rectified = (length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)
                square = square * second + change * change * (1 - second)
                moved = moved * sqrt(rectified * (1 - second**steps)) / (square.sqrt() + eps)
            yield self._decayed(moved, weight, rate)

    def _adamax(self) -> Iterator[Any]:
        rate, first, second, eps = self._numbers("lr", "beta1", "beta2", "eps")
        scale = rate / (1 - first ** self._next_step())
        for _, change, mean, largest in self._kept("exp_avg", "exp_inf"):
            yield scale * (mean * first + change * (1 - first)) / torch.maximum(largest * second, change.abs() + eps)

    def _rmsprop(self) -> Iterator[Any]:
        rate, alpha, eps, momentum = self._numbers("lr", "alpha", "eps", "momentum")
        for _, change, square, mean, buffer in self._kept("square_avg", "grad_avg", "momentum_buffer"):
            spread = square * alpha + change * change * (1 - alpha)
            if self.group.flag("centered"):
                spread = spread - (mean * alpha + change * (1 - alpha)).square()
            yield rate * (buffer * momentum + change / (spread.sqrt() + eps))

    def _adagrad(self) -> Iterator[Any]:
        rate, slowing, eps = self._numbers("lr", "lr_decay", "eps")
        slowed = rate / (1 + (self._next_step() - 1) * slowing)
        for _, change, total in self._kept("sum"):
            yield slowed * change / ((total + change * change).sqrt() + eps)

    def _adadelta(self) -> Iterator[Any]:
        rate, rho, eps = self._numbers("lr", "rho", "eps")
        for _, change, square, moved in self._kept("square_avg", "acc_delta"):
            square = square * rho + change * change * (1 - rho)
            yield rate * change * ((moved + eps) / (square + eps)).sqrt()

    def _number(self, name: str) -> float | None:
        """An option that is a number, or a tensor of one."""
        return _as_number(self.group.option(name))

    def _state_of(self, name: str) -> Any:
        return dict_get(self.state, name) if type(self.state) is dict else None

    def _numbers(self, *names: str) -> list[float]:
        """Options that must be numbers; ``beta1`` and ``beta2`` are those of ``betas``."""
        betas = self.group.option("betas")
        if type(betas) in SEQUENCES and len(betas) == 2:
            options = dict(zip(("beta1", "beta2"), map(_as_number, betas)))
        else:
            options = {}
        found = [options[name] if name in options else self._number(name) for name in names]
        known = [number for number in found if number is not None]
        if len(known) < len(names):
            raise _NotKnown
        return known

    def _kept_number(self, name: str) -> float | None:
        return _as_number(self._state_of(name))

    def _next_step(self) -> int:
        """The number of the step that is next, from 1 on."""
        steps = self._kept_number("step")
        if steps is None and type(self.state) is dict and self.state:
            raise _NotKnown
        return int(steps or 0) + 1

    def _kept(self, *names: str) -> Iterator[tuple[Any, ...]]:
        """Piece by piece: weights, what their gradients change, decay included, and what is kept under these names."""
        (decay,) = self._numbers("weight_decay")
        kept = [self._state_of(name) for name in names]
        rows = _in_rows(self.weight, self.gradient, *(one for one in kept if one is not None))
        if rows is None:
            raise _NotKnown
        sign = -1.0 if self.group.flag("maximize") else 1.0
        zeros: Any = None
        for weight, gradient, *known in _pieces(rows):
            change = gradient * sign
            if decay and not self._is_decoupled():
                change.add_(weight, alpha=decay)
            if zeros is None:
                zeros = torch.zeros_like(change)  # no later piece is longer
            yield weight, change, *(zeros[: len(change)] if one is None else known.pop(0) for one in kept)

    def _decayed(self, moved: Any, weight: Any, rate: float) -> Any:
        """A change with the decay that is apart from the gradient."""
        (decay,) = self._numbers("weight_decay")
        return moved.add_(weight, alpha=rate * decay) if decay and self._is_decoupled() else moved

    def _is_decoupled(self) -> bool:
        """Whether the decay is no part of the gradient. Before torch 2.9 no option of AdamW says so."""
        return self.rule == "AdamW" or self.group.flag("decoupled_weight_decay")


class _NotKnown(Exception):
    """An option or a state is not what the rule needs."""


class UpdateRules:
    """The rules of optimizers for the tensors that they hold."""

    def __init__(self, optimizers: list[Any]) -> None:
        self._found: dict[int, tuple[str, Group, Any]] = {}
        self._groups: list[Group] = []  #: since the ids of their tensors are identities only as long as these live
        for optimizer in map(inner, optimizers):
            state = {id(key): item for key, item in each(dict.items, dict_attribute(optimizer, "state"))}
            for group in each_group(optimizer):
                self._groups.append(group)
                for tensor in group.tensors:
                    self._found[id(tensor)] = _rule(type(optimizer)), group, state.get(id(tensor))

    def of(self, weight: Any, gradient: Any) -> Update | None:
        """What would happen to a tensor; None where no optimizer holds it."""
        found = self._found.get(id(weight))
        return None if found is None else Update(*found, weight, gradient)


def _rule(cls: type) -> str:
    """An optimizer's class where it is one of torch's own; what is derived from it may have another rule."""
    return class_name(cls) if library_of(cls) == "torch" else ""


def _as_number(value: Any) -> float | None:
    if type(value) in NUMBERS:
        return float(value)
    return number_of(value) if is_exact_tensor(value) else None


def _in_rows(*tensors: Any) -> list[Any] | None:
    """The elements of tensors of one shape, each in one row; None where one can't be read."""
    found = [bare(tensor) for tensor in tensors]
    if any(one is None or one.shape != found[0].shape or not one.is_floating_point() for one in found):
        return None
    if not all(one.is_contiguous() for one in found) and found[0].numel() > _COPIED:
        return None
    return [one.reshape(-1) for one in found]


def _pieces(rows: list[Any]) -> Iterator[tuple[Any, ...]]:
    """A piece of each, in float32 at least."""
    for parts in zip(*(row.split(_PIECE) for row in rows)):
        yield tuple(part if part.element_size() > 2 else part.float() for part in parts)
