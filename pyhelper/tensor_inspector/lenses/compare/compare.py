"""`compare`: tensors and arrays element by element, everything that holds others name by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...safe.budget import Budget
from .atoms import Tolerance, amount
from .comparison import Comparison
from .pair import PairDifference
from .relations import Relations
from .walk import PairWalk

if TYPE_CHECKING:
    from .comparison import Difference
    from .names import ParameterNames

__all__ = ["Comparison", "Difference", "amount", "compare"]


def compare(
    a: object, b: object, budget: Budget, *, rtol: float = 0.0, atol: float = 0.0, known: ParameterNames | None = None
) -> Comparison:
    """Every difference between two values; elements are equal within ``atol + rtol·|b|``, as ``torch.isclose`` says.

    Values are compared, not who shares them: tied parameters are the same as equal copies. The caller holds the guard.
    ``known`` tells the names of parameters in sight, by which optimizers are compared.
    """
    found = Comparison()
    noted: list[PairDifference] = []
    if not PairWalk(a, b, found, budget, Tolerance(rtol, atol), noted=noted, known=known).go_on():
        found.complete = False
    Relations(noted).go_on(budget)
    found.sort()
    return found
