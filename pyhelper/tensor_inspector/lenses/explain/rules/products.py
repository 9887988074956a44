"""Products of operands that do not fit: of matrices, einsum, convolutions."""

from __future__ import annotations

import ast
from typing import Any

from ....words.text import shape
from ...findings.finding import Violation
from .. import sizes as rules
from ..error_context import ErrorContext, unequal
from ..expected_input import ExpectedInput, suggestion_for
from ..operand import Operand
from ..operation import Operation

_PRODUCTS = frozenset("matmul mm bmm mv dot addmm baddbmm addmv __matmul__ scaled_dot_product_attention".split())


def of_product(context: ErrorContext, operation: Operation) -> Violation | None:
    first = 1 if operation.name in ("addmm", "addbmm", "baddbmm", "addmv") else 0
    if operation.name not in _PRODUCTS:
        return None
    a, b = operation.tensor(first, "input", "mat1", "query"), operation.tensor(first + 1, "other", "mat2", "vec", "key")
    if a is None or b is None:
        return None
    if a.sizes is None or b.sizes is None:
        return None
    if operation.name == "scaled_dot_product_attention":
        if a.sizes[-1:] == b.sizes[-1:]:
            return None
        ends = a.sizes[-1], b.sizes[-1]
        return context.pair(a, b, f"the last dimensions {ends[0]} and {ends[1]} must be equal", differ=ends)
    if not a.sizes or not b.sizes:
        return context.pair(a, b, "a product of matrices wants at least one dimension")
    inner, other = a.sizes[-1], b.sizes[-2 if len(b.sizes) > 1 else -1]
    if inner != other:
        where = "the first of the last two dimensions" if len(b.sizes) > 2 else "the first dimension"
        why = f"the last dimension of {a.name}, {inner}, must be {where} of {b.name}, {other}"
        return context.pair(a, b, why, _transposed(a, b), (inner, other))
    if operation.name == "bmm" and a.sizes[:1] != b.sizes[:1]:
        return context.pair(
            a, b, f"the batches {a.sizes[0]} and {b.sizes[0]} must be equal", differ=(a.sizes[0], b.sizes[0])
        )
    if rules.product(a.sizes, b.sizes) is None:
        return context.pair(a, b, "the dimensions before the last two do not broadcast")
    return None


def _transposed(a: Operand, b: Operand) -> str:
    """What to transpose so that the product is possible."""
    if a.sizes is None or b.sizes is None:
        return ""
    if len(b.sizes) > 1 and b.sizes[-1] == a.sizes[-1]:
        return f"{b.written}.T" if len(b.sizes) == 2 else f"{b.written}.transpose(-2, -1)"
    if len(a.sizes) == 2 and a.sizes[0] == b.sizes[-2 if len(b.sizes) > 1 else -1]:
        return f"{a.written}.T"
    return f"{b.written} with {a.sizes[-1]} there"


def of_linear(context: ErrorContext, operation: Operation) -> Violation | None:
    a, weight = operation.tensor(0, "input"), operation.tensor(1, "weight")
    if operation.name != "linear" or a is None or weight is None or not a.sizes or not weight.sizes:
        return None
    if a.sizes[-1] == weight.sizes[-1]:
        return None
    turned = len(weight.sizes) == 2 and weight.sizes[0] == a.sizes[-1]
    why = f"the last dimensions {a.sizes[-1]} and {weight.sizes[-1]} must be equal"
    return context.pair(a, weight, why, f"{weight.written}.T" if turned else "", (a.sizes[-1], weight.sizes[-1]))


def of_einsum(context: ErrorContext, operation: Operation) -> Violation | None:
    text = operation.argument(0, "equation")
    if operation.name != "einsum":
        return None
    if type(text) is not str and type(operation.named.get("args")) is not list:
        text = _equation(operation.node)
    if type(text) is not str:
        return None
    operands = operation.operands()
    given = operands if operation.node is None else _positional(operation)
    terms = [term.replace(" ", "") for term in text.partition("->")[0].split(",")]
    if len(terms) != len(given):
        is_known = all(type(one) is Operand for one in given)
        title = (f'einsum "{text}" wants {len(terms)} operands', ", ", f"not {len(given)}")
        return context.found(title, *operands) if is_known else None
    seen: dict[str, tuple[Operand, int]] = {}
    for term, one in zip(terms, given):
        if type(one) is not Operand or one.sizes is None or "." in term:
            continue
        if len(term) != len(one.sizes):
            return context.found(
                (
                    f"{one.name} is {shape(one.sizes)}",
                    ", ",
                    f'but "{term}" of einsum "{text}" has {len(term)} dimensions',
                ),
                one,
                *operands,
            )
        for letter, size in zip(term, one.sizes):
            other, known = seen.setdefault(letter, (one, size))
            if known != size and 1 not in (known, size):
                size_of = f'{letter} in einsum "{text}" is {known} in {other.name} {other.shape}'
                mismatch = f"but {size} in {one.name} {one.shape}"
                differs = unequal(known, size, f"{letter} of {other.name}, {one.name}")
                return context.found((size_of, ", ", mismatch), other, one, *operands, differs=differs)
    return None


def _positional(operation: Operation) -> list[Any]:
    """The operands of einsum, in their order; unknown ones keep their places."""
    found = operation.arguments[1:]
    return list(found[0]) if len(found) == 1 and issubclass(type(found[0]), (list, tuple)) else found


def _equation(node: ast.AST | None) -> str | None:
    first = node.args[0] if isinstance(node, ast.Call) and node.args else None
    return first.value if isinstance(first, ast.Constant) and type(first.value) is str else None


def of_convolution(context: ErrorContext, operation: Operation) -> Violation | None:
    a, weight = operation.tensor(0, "input"), operation.tensor(1, "weight")
    if not operation.name.startswith("conv") or a is None or weight is None or not a.sizes or not weight.sizes:
        return None
    groups = operation.argument(6, "groups")
    channels = weight.sizes[0 if "transpose" in operation.name else 1] * (groups if type(groups) is int else 1)
    spatial = len(weight.sizes) - 2
    wants = ExpectedInput("channels", channels, -spatial - 1, (spatial + 1, spatial + 2), spatial)
    if wants.is_met(a.sizes):
        return None
    why = f"{operation.name} wants {channels} channels before the last {spatial} dimensions"
    found = wants.found(a.sizes)
    differ = None if found is None or found == channels else (found, f"{channels} channels")
    return context.pair(a, weight, why, suggestion_for(a.sizes, wants, a.written), differ)
