"""Shapes that can't be joined, viewed, expanded, split or assigned."""

from __future__ import annotations

import ast
from math import prod

from ....safe.guard import SEQUENCES
from ....words.text import shape
from ...findings.finding import Violation
from .. import sizes as rules
from ..error_context import ErrorContext, unequal
from ..errors import short_message, sizes_in
from ..operand import Operand, in_title
from ..operation import Operation


def of_joined(context: ErrorContext, operation: Operation) -> Violation | None:
    """cat and stack: the first that differs from the one before it."""
    if (
        operation.name not in ("cat", "concat", "concatenate", "stack", "vstack", "hstack")
        and "collate" not in operation.name
    ):
        return None
    items = [one for one in operation.operands() if one.sizes is not None]
    dim: int | None = None  # of a stack, all dimensions must agree
    if operation.name in ("cat", "concat", "concatenate"):
        given = operation.argument(1, "dim", "axis")
        dim = given if type(given) is int else 0
    for first, other in zip(items[:1] * len(items), items[1:]):
        a, b = first.sizes or (), other.sizes or ()
        if len(a) != len(b):
            word = f"{len(a)} and {len(b)} dimensions"
            fit = (
                f"{other.written}.unsqueeze({dim or 0})"
                if len(b) < len(a)
                else f"{first.written}.unsqueeze({dim or 0})"
            )
            return context.pair(first, other, word, fit, (len(a), f"{len(b)} dimensions"))
        at = None if dim is None or not a else dim % len(a)
        wrong = next((axis for axis in range(len(a)) if axis != at and a[axis] != b[axis]), None)
        if wrong is None:
            continue
        if at is None:
            return context.pair(
                first,
                other,
                f"to stack them all must have one shape, they differ in dimension {wrong}",
                "pad or crop them to one size",
                (a[wrong], b[wrong]),
            )
        elsewhere = [axis for axis in range(len(a)) if a[:axis] + a[axis + 1 :] == b[:axis] + b[axis + 1 :]]
        fit = f"dim={elsewhere[0]}" if elsewhere else ""
        return context.pair(
            first,
            other,
            f"joined along dimension {at} they must agree in dimension {wrong}: {a[wrong]} and {b[wrong]}",
            fit,
            (a[wrong], b[wrong]),
        )
    return None


def of_view(context: ErrorContext, operation: Operation) -> Violation | None:
    given = operation.tensor(0, "input")
    if operation.name not in ("view", "reshape", "unflatten", "expand", "resize") or given is None:
        return None
    asked = (
        operation.arguments[1]
        if len(operation.arguments) == 2 and type(operation.arguments[1]) in SEQUENCES
        else operation.arguments[1:]
    )
    numbers = tuple(number for number in asked if type(number) is int)
    in_message = sizes_in(context.message)
    if len(numbers) != len(asked) and in_message:
        numbers = in_message[0]
    if given.sizes is None:
        return (
            context.found(
                (
                    f"{given.name} can't be {operation.name}ed to {shape(numbers)}",
                    ": ",
                    f"{short_message(context.message)}",
                ),
                given,
            )
            if numbers
            else None
        )
    if operation.name == "expand":
        at = rules.broadcast_conflict(given.sizes, tuple(max(number, 1) if number != -1 else 1 for number in numbers))
        where = (
            ""
            if at is None
            else f": dimension {len(given.sizes) + at} is {given.sizes[at]}, and only 1 can be expanded"
        )
        return context.found(
            (f"{given.name} is {shape(given.sizes)}", ", ", f"which does not expand to {shape(numbers)}{where}"), given
        )
    fixed = prod(number for number in numbers if number != -1)
    if operation.name == "view" and rules.viewed(given.sizes, numbers) is not None and "stride" in context.message:
        title = (
            f"{given.name} is {shape(given.sizes)} in another order than memory",
            ": ",
            f"view can't make {shape(numbers)} of it",
        )
        return context.found(title, given, suggestion=f"{given.written}.reshape({', '.join(map(str, numbers))})")
    count = prod(given.sizes)
    word = f"a multiple of {fixed}" if -1 in numbers else f"{fixed}"
    fit = _fitting_view(given.sizes, numbers, given.written, operation.name)
    return context.found(
        (f"{given.name} is {shape(given.sizes)}, {count} elements", ", ", f"but {shape(numbers)} wants {word}"),
        given,
        suggestion=fit,
        differs=unequal(count, word, given.name),
    )


def _fitting_view(sizes: tuple[int, ...], numbers: tuple[int, ...], name: str, method: str) -> str:
    for at in range(len(numbers)):
        wanted = (*numbers[:at], -1, *numbers[at + 1 :])
        tried = rules.viewed(sizes, wanted) if -1 not in numbers else None
        if tried is not None:
            return f"{name}.{method}({', '.join(map(str, wanted))}), which is {shape(tried)}"
    rest = prod(sizes[1:])
    return f"{name}.flatten(1), which is {shape((sizes[0], rest))}" if len(sizes) > 1 and len(numbers) == 2 else ""


def of_mask(context: ErrorContext, operation: Operation) -> Violation | None:
    """A boolean mask that is not of the shape of what it picks from."""
    whole, mask = operation.tensor(0), operation.tensor(1)
    if (
        operation.name not in ("getitem", "setitem")
        or whole is None
        or mask is None
        or mask.dtype not in ("bool", "uint8")
    ):
        return None
    a, b = whole.sizes, mask.sizes
    if a is None or b is None or a[: len(b)] == b:
        return None
    dim = next((dim for dim in range(min(len(a), len(b))) if a[dim] != b[dim]), None)
    if dim is None:
        fit = f"{mask.written}.squeeze(-1)" if b[-1:] == (1,) else ""
        return context.pair(whole, mask, f"the mask has {len(b)} dimensions, more than what it picks from", fit)
    where = f"in dimension {dim} there are {a[dim]} to pick from, and {b[dim]} in the mask"
    fit = f"{mask.written}.T" if b[::-1] == a[: len(b)] and len(b) == 2 else ""
    return context.pair(whole, mask, where, fit, (a[dim], b[dim]))


def of_ragged(context: ErrorContext, operation: Operation) -> Violation | None:
    """``torch.tensor`` of rows that are not of one length."""
    node = operation.node
    if operation.name not in ("tensor", "as_tensor", "LongTensor", "FloatTensor") or not isinstance(node, ast.Call):
        return None
    rows = operation.argument(0, "data")
    lengths = [len(row) for row in rows if type(row) in SEQUENCES] if type(rows) in SEQUENCES else []
    if len(set(lengths)) < 2:
        return None
    name = in_title(node.args[0]) if node.args else "data"
    other = next(at for at, length in enumerate(lengths) if length != lengths[0])
    title = (
        f"the rows of {name} are of different lengths",
        ": ",
        f"{name}[0] has {lengths[0]}, {name}[{other}] has {lengths[other]}",
    )
    differs = unequal(lengths[0], lengths[other], f"{name}[0], {name}[{other}]")
    facts = [(f"{name}[{at}]", f"{lengths[at]} items") for at in (0, other)]
    fit = f"pad them: torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in {name}], batch_first=True)"
    return context.found(title, *facts, suggestion=fit, differs=differs)


def of_assigned(context: ErrorContext, operation: Operation) -> Violation | None:
    """``x[i] = y``"""
    target, given = operation.tensor(0), operation.given
    if (
        operation.name != "setitem"
        or target is None
        or type(given) is not Operand
        or target.sizes is None
        or given.sizes is None
    ):
        return None
    part = rules.subscript(target.sizes, operation.argument(1))
    if part is None:
        in_message = [sizes for sizes in sizes_in(context.message) if len(sizes) <= len(target.sizes)]
        part = in_message[-1] if in_message else None
    written = in_title(operation.node)
    title = (
        (f"{given.name} is {shape(given.sizes)}", ", ", f"but {written} is {shape(part)}")
        if part is not None
        else (f"{given.name} is {shape(given.sizes)}", ", ", f"which does not fit into {written}")
    )
    differs = "" if part is None else unequal(shape(given.sizes), shape(part), written)
    return context.found(title, given, target, differs=differs)


def of_dimension(context: ErrorContext, operation: Operation) -> Violation | None:
    """A dimension that the tensor does not have."""
    given = operation.tensor(0, "input")
    if (
        given is None
        or given.sizes is None
        or ("Dimension out of range" not in context.message and "number of dimensions" not in context.message)
    ):
        return None
    numbers = [number for number in (*operation.arguments[1:], *operation.named.values()) if type(number) is int]
    count = len(given.sizes)
    wrong = next((number for number in numbers if not -count <= number < count), None)
    index = operation.tensor(2, "index")
    if index is not None and index.sizes is not None and len(index.sizes) != count:
        title = f"{given.name} is {shape(given.sizes)} and {index.name} is {shape(index.sizes)}"
        dim = operation.argument(1, "dim")
        fit = f"{index.written}.unsqueeze({dim})" if type(dim) is int and len(index.sizes) == count - 1 else ""
        why = f"{operation.name} wants an index with as many dimensions"
        return context.found((title, ": ", why), index, given, suggestion=fit)
    if "number of dimensions" in context.message:
        return context.found(
            (
                f"{given.name} is {shape(given.sizes)}, {count} dimensions",
                ", ",
                f"but {operation.name} names {len(numbers)}",
            ),
            given,
        )
    if wrong is None:
        return None
    return context.found(
        (f"{given.name} is {shape(given.sizes)}", ": ", f"it has no dimension {wrong}, only {-count}…{count - 1}"),
        given,
    )


def of_split(context: ErrorContext, operation: Operation) -> Violation | None:
    given, parts = operation.tensor(0, "tensor", "self"), operation.argument(1, "split_size", "split_size_or_sections")
    if (
        operation.name not in ("split", "split_with_sizes")
        or given is None
        or not given.sizes
        or type(parts) not in SEQUENCES
    ):
        return None
    total = sum(part for part in parts if type(part) is int)
    title = (f"{given.name} is {shape(given.sizes)}", ", ", f"but the parts {shape(parts)} add up to {total}")
    dim = operation.argument(2, "dim")
    size = given.sizes[dim if type(dim) is int and -len(given.sizes) <= dim < len(given.sizes) else 0]
    return context.found(title, given, differs=unequal(size, total, given.name))
