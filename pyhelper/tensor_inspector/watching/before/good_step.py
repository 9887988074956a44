"""The last step of an optimizer before which all was well: its loss, the norm of its gradients, its learning rates."""

from __future__ import annotations

from math import isfinite
from typing import Any

from ...safe.guard import instance_dict, module
from ..boundaries.living import scales
from ..finite import is_readable
from .gradient_norm import gradients_of, norm_of

torch: Any = module("torch")

_GROUPS = 8  #: whose learning rates are kept


class GoodStep:
    """Is told of each backward and step; numbers on a GPU stay there until a hit, so that nothing waits for it."""

    def __init__(self) -> None:
        self.taken = 0  #: steps so far
        self.is_spoiled = False  #: there was NaN or Inf since the step before
        self._norm: Any = None  #: of the gradients of the step that is being taken, where it is known before
        self._loss: Any = None
        self._factors: list[Any] = []
        self._known: tuple[int, Any, list[Any], Any, list[Any]] | None = None

    def begun(self, roots: list[Any], factors: list[Any]) -> Any:
        """A backward begins from these, which were multiplied by single numbers last. Returns the loss."""
        self._loss = _number(roots[0]) if len(roots) == 1 and roots[0].numel() == 1 else None
        self._factors = factors
        return self._loss

    def proves_finite(self, gradients: list[Any]) -> bool:
        """Whether the norm of the gradients of a step that is about to be taken proves that all of them are finite."""
        self._norm = norm = norm_of(gradients)
        return norm is not None and isfinite(norm)

    def stepped(self, optimizer: Any, parameters: list[Any]) -> None:
        """An optimizer has taken a step, and its gradients stand still."""
        loss, self._loss = self._loss, None
        was_spoiled, self.is_spoiled = self.is_spoiled, False
        norm, self._norm = self._norm, None
        if norm is None and not (was_spoiled or _is_scaled(optimizer)):
            norm = norm_of(gradients_of(parameters))
        if was_spoiled or not (_may_be_finite(loss) and _may_be_finite(norm)):
            return
        groups = instance_dict(optimizer).get("param_groups") or ()
        rates = [_number(rate) for rate in (group.get("lr") for group in groups[:_GROUPS]) if rate is not None]
        self._known = self.taken, loss, self._factors, norm, rates

    def report(self) -> dict[str, Any] | None:
        """The facts, as JSON can carry them; None where there was no such step."""
        if self._known is None:
            return None
        step, loss, factors, norm, rates = self._known
        numbers = [_read(loss), _read(norm), *map(_read, rates)]
        if not all(map(_may_be_finite, numbers)):
            return None
        return {
            "step": step,
            "loss": _unscaled(numbers[0], factors),
            "gradient_norm": numbers[1],
            "learning_rates": numbers[2:],
        }


def _number(value: Any) -> Any:
    """A number, or a copy of the tensor that holds it where reading it would wait for a device."""
    if not isinstance(value, torch.Tensor):
        return float(value) if isinstance(value, (int, float)) else None
    if not is_readable(value):
        return None
    value = value.detach()
    return value.item() if value.device.type == "cpu" and not value.is_complex() else value.clone()


def _read(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return None if value.is_complex() or not is_readable(value) else value.item()
    return value


def _may_be_finite(number: Any) -> bool:
    return not isinstance(number, float) or isfinite(number)


def _is_scaled(optimizer: Any) -> bool:
    """Whether a GradScaler leaves it to the optimizer to divide the gradients by its scale."""
    return instance_dict(optimizer).get("grad_scale") is not None


def _unscaled(loss: float | None, factors: list[Any]) -> float | None:
    """The loss without the scale of a GradScaler; None where it can't be told whether there is one in it."""
    if loss is None or not factors:
        return loss
    known = scales()
    if known is None:
        return None
    scale = next((one for one in map(_read, factors) if one in known), None)
    if scale is None:  # it may have chosen another scale meanwhile
        return None if known else loss
    return float(loss / scale)
