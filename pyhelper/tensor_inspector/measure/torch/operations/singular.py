"""Finite numbers of which an operation makes no finite one: a logarithm of 0, a division by 0, a deviation of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf, prod
from typing import TYPE_CHECKING, Any

from ....safe.guard import NUMBERS
from ..node import AutogradNode

if TYPE_CHECKING:
    from ....protocol import NanCause
    from ..flow import Counts, NodeInput

    #: A cause, the inputs that show it, by their positions, and where these have no finite result.
    Singular = tuple[NanCause, tuple[int, ...], Callable[..., Any]]

STDS = ("Std", "Var", "StdMean", "VarMean")
_LOG: tuple[Singular, ...] = (
    ("log_of_negative", (0,), lambda x: (x < 0) & (x > -inf)),
    ("log_of_zero", (0,), lambda x: x == 0),
)
_BEYOND_ONE: tuple[Singular, ...] = (("domain", (0,), lambda x: (abs(x) > 1) & (abs(x) < inf)),)
_FROM_ONE: tuple[Singular, ...] = (("domain", (0,), lambda x: (abs(x) >= 1) & (abs(x) < inf)),)
_POLES: tuple[Singular, ...] = (("domain", (0,), lambda x: (x <= 0) & (x % 1 == 0)),)
_ROOT: Singular = ("root_of_negative", (0,), lambda x: (x < 0) & (x > -inf))
_INVERSE: Singular = ("division_by_zero", (0,), lambda x: x == 0)
#: Finite numbers of which an operation makes no finite one, whatever the dtype.
_SINGULAR: dict[str, tuple[Singular, ...]] = {
    "Acos": _BEYOND_ONE,
    "Acosh": (("domain", (0,), lambda x: (x < 1) & (x > -inf)),),
    "Asin": _BEYOND_ONE,
    "Atanh": _FROM_ONE,
    "Digamma": _POLES,
    "Div": (
        ("zero_by_zero", (0, 1), lambda x, y: (x == 0) & (y == 0)),
        ("division_by_zero", (1,), lambda y: y == 0),
    ),
    "Erfinv": _FROM_ONE,
    "Lgamma": _POLES,
    "Log": _LOG,
    "Log10": _LOG,
    "Log1P": (
        ("log_of_negative", (0,), lambda x: (x < -1) & (x > -inf)),
        ("log_of_zero", (0,), lambda x: x == -1),
    ),
    "Log2": _LOG,
    "Logit": (("domain", (0,), lambda x: (x <= 0) & (x > -inf) | (x >= 1) & (x < inf)),),
    "Polygamma": _POLES,
    "Pow": (
        ("power", (0, 1), lambda x, y: (x < 0) & (x > -inf) & (abs(y) < inf) & (y % 1 != 0)),
        ("division_by_zero", (0, 1), lambda x, y: (x == 0) & (y < 0)),
    ),
    "Reciprocal": (_INVERSE,),
    "Rsqrt": (_ROOT, _INVERSE),
    "Sqrt": (_ROOT,),
    "Xlogy": (
        ("log_of_negative", (0, 1), lambda x, y: (x != 0) & (y < 0) & (y > -inf)),
        ("log_of_zero", (0, 1), lambda x, y: (x != 0) & (y == 0)),
    ),
}


def has_singular(op: str) -> bool:
    """Whether there are usual numbers for which an operation of torch has no finite result."""
    return op in _SINGULAR


def singular(node: AutogradNode, operands: list[NodeInput]) -> Iterator[NanCause]:
    """The causes that what an operation was given proves, whatever is not known of it."""
    rows = _SINGULAR.get(node.op, ())
    values = _computed_with(node, operands) if rows else []
    for cause, positions, are_so in rows:
        given = [values[at] if at < len(values) else None for at in positions]
        if any(value is None for value in given) or not bool(are_so(*given).any()):
            continue
        divisor = operands[1].node if node.op == "Div" else None
        yield "zero_variance" if divisor is not None and divisor.op in STDS else cause


def _computed_with(node: AutogradNode, operands: list[NodeInput]) -> list[Any]:
    """The real inputs of an operation in their order, of which one may be a number; None where one is not known."""
    values = [one.value for one in operands]
    base, exponent = (node.setting(name) if node.op == "Pow" else None for name in ("self", "exponent"))
    if base is not None:
        values = [base, *values]
    elif exponent is not None:
        values = [*values[:1], exponent]
    is_real = (type(value) in NUMBERS or (value is not None and not value.is_complex()) for value in values)
    return [value if real else None for value, real in zip(values, is_real)]


def proves_log_of_zero(node: AutogradNode, counts: Counts) -> bool:
    """Whether what a logarithm has made is proof enough: of numbers, only that of 0 is −inf."""
    return (
        node.op in ("Log", "Log10", "Log1P", "Log2")
        and bool(counts.negative)
        and not counts.nan
        and not counts.positive
    )


def is_std_of_one(node: AutogradNode, operands: list[NodeInput]) -> bool:
    """Whether it is an unbiased deviation over one element: n − 1 divides."""
    is_unbiased = node.op in STDS and node.setting("correction") in (None, 1, 1.0)
    return is_unbiased and taken_together(node, operands) == 1


def taken_together(node: AutogradNode, operands: list[NodeInput]) -> int | None:
    """How many elements a reduction makes each of its results of; None where that is not known."""
    below = operands[0] if operands else None
    if below is None:
        return None
    sizes = None if below.node is None else below.node.sizes()
    if below.value is not None:
        sizes = tuple(below.value.shape)
    return None if sizes is None else prod(sizes[dim] for dim in node.dims() or range(len(sizes)))
