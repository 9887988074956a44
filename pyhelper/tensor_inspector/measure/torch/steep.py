"""Operations with an infinite slope somewhere, which make gradients of finite values infinite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...safe.guard import NUMBERS
from .flow import Flow
from .node import AutogradNode


def may_be_steep(node: AutogradNode) -> bool:
    """Whether an operation has an infinite slope somewhere, or divides by what may be 0."""
    return _is_root(node) if node.op == "Pow" else node.op in _STEEP or node.op in _DIVIDING


def only_divides(node: AutogradNode) -> bool:
    """Whether what may be steep of an operation is that it divides: that is as often harmless."""
    return node.op in _DIVIDING


def steep(flow: Flow, nodes: Iterable[AutogradNode]) -> Iterator[AutogradNode]:
    """Operations with a finite result whose slope at their inputs is not finite."""
    for node in nodes:
        operands = flow.operands(node) if node.op in _STEEP and node.leaf is None else []
        value = operands[0].value if operands else None
        if value is not None and value.is_floating_point() and _STEEP[node.op](node, value):
            yield node


def _is_root(node: AutogradNode) -> bool:
    """Whether the exponent of a power lies between 0 and 1, or is not known."""
    exponent = node.setting("exponent")
    return type(exponent) not in NUMBERS or 0 < exponent < 1


def _is_steep_power(node: AutogradNode, value: Any) -> bool:
    return type(node.setting("exponent")) is float and _is_root(node) and bool((value == 0).any())


def _zero(node: AutogradNode, value: Any) -> bool:
    return bool((value == 0).any())


def _at_one(node: AutogradNode, value: Any) -> bool:
    return bool((value.abs() == 1).any())


def _near_the_origin(node: AutogradNode, value: Any) -> bool:
    """Whether an angle is of so small sides that 1 by their squares is infinite; at 0 itself torch takes 0."""
    other = node.tensor("other")
    squares = None if other is None else value * value + other * other
    return squares is not None and bool(((squares > 0) & squares.reciprocal().isinf()).any())


_DIVIDING = ("Norm", "LinalgVectorNorm", "Div", "Where", "Std", "Cdist", "Rsqrt")
_STEEP = {
    "Sqrt": _zero,
    "Pow": _is_steep_power,
    "Acos": _at_one,
    "Asin": _at_one,
    "Log": _zero,
    "Atan2": _near_the_origin,
}
MAYBE_STEEP = (*_STEEP, *_DIVIDING)  #: operations that `may_be_steep`
