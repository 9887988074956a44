"""The gradient of one parameter: its norm, state, and share of the weight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...measure.torch.metadata import Base, element_count, grad_of, requires_grad
from ...measure.torch.norms import Norm

if TYPE_CHECKING:
    from typing import Literal

    from ...protocol import GradientRow

    State = Literal["nan", "inf", "none", "zero", "fine", "unread", "empty", "frozen"]

_ORDER = ("nan", "inf", "none", "zero", "fine", "unread", "empty", "frozen")


class ParameterRow:
    """A parameter by its name, the expression that reaches it, if one does, and its place in the model."""

    __slots__ = ("_norm", "depth", "gradient", "name", "path", "update_norm", "weight", "weight_norm")

    def __init__(self, name: str, path: str | None, weight: Any) -> None:
        self.name = name
        self.path = path
        self.depth = 0
        self.weight = weight
        self.gradient = grad_of(weight) if requires_grad(weight) else None
        self.weight_norm: float | None = None
        self.update_norm: float | None = None
        self._norm: Norm | None = None

    def note_gradient(self, norm: Norm | None) -> None:
        self._norm = norm

    @property
    def norm(self) -> float | None:
        return None if self._norm is None else self._norm.value

    @property
    def nan(self) -> int:
        return 0 if self._norm is None else self._norm.nan

    @property
    def inf(self) -> int:
        return 0 if self._norm is None else self._norm.inf

    def is_finite(self) -> bool:
        return self.norm is not None

    def state(self) -> State:
        if not requires_grad(self.weight):
            return "frozen"
        if self.gradient is None:
            return "empty" if element_count(self.weight) == 0 else "none"
        if self._norm is None or not self._norm.is_read:
            return "unread"
        if self._norm.nan:
            return "nan"
        if self._norm.inf:
            return "inf"
        return "fine" if self._norm.value else "zero"

    def share(self) -> float | None:
        """The gradient's norm as a share of the weight's."""
        return self.norm / self.weight_norm if self.norm is not None and self.weight_norm else None

    def update_share(self) -> float | None:
        """What the next step would change, as a share of the weight's norm."""
        return self.update_norm / self.weight_norm if self.update_norm is not None and self.weight_norm else None

    def order(self) -> tuple[int, float]:
        """The worst come first; of those that are fine, those of which most would change."""
        share = self.update_share()
        size = self.share() if share is None else share
        return _ORDER.index(self.state()), -(size or 0.0)

    def data(self) -> GradientRow:
        return {
            "name": self.name,
            "path": self.path,
            "depth": self.depth,
            "state": self.state(),
            "norm": self.norm,
            "weight_norm": self.weight_norm,
            "update_norm": self.update_norm,
            "nan": self.nan,
            "inf": self.inf,
        }

    def count(self) -> int | None:
        return element_count(self.weight)


def by_depth(rows: list[ParameterRow]) -> list[tuple[str, float]]:
    """The norms of the gradients of weights with two dimensions or more, in the order of the model."""
    return [(row.name, row.norm) for row in rows if row.norm is not None and Base.dim(row.weight) > 1]
