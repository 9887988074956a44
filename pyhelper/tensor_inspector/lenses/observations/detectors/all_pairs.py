"""All pairs: ``[N]`` meets ``[N, 1]`` in a comparison or a difference that the source writes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ....measure.torch.elements import memory_of
from ....measure.torch.metadata import is_exact_tensor, shape_of
from ....words.text import shape
from ...findings.finding import Violation
from ...step.expressions import last_name, root_of, shown_text, text_of
from ...step.sight import VisibleVariable
from ...step.source import Source
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading

_COMPARING = frozenset("eq ge gt isclose le lt ne not_equal sub subtract".split())


@detector(
    100,
    because="who compares all pairs writes so, by [:, None] or unsqueeze in the very expression",
    why="Broadcasting compares each with each: the result has N × N entries, and its mean is that of all pairs.",
    suggestion="give both one shape: labels.squeeze(1)",
)
def all_pairs(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``guesses == labels`` of 64 and of 64 × 1 is 64 × 64."""
    for level, source in enumerate(step.sources):
        for node, sides in reading.each(_met(source)):
            values = [step.operand(side, level, node.lineno) for side in sides]
            shapes = [_shape(None if one is None else one.value) for one in values]
            count = _pairs(*shapes)
            if count is None or _is_made_of_other(source, sides) or _are_of_one_memory(values):
                continue
            known = [shown_text(side) for side in sides]
            yield Violation(
                (
                    f"{known[0]} meets {known[1]} as {shape(shapes[0])} and {shape(shapes[1])}",
                    ": ",
                    f"{count} x {count} pairs",
                ),
                *((name, f"shape {shape(sizes)}") for name, sizes in zip(known, shapes)),
                line=(source.file, node.lineno),
            )


def _met(source: Source) -> Iterator[tuple[Any, tuple[ast.expr, ast.expr]]]:
    """The comparisons and differences of two expressions."""
    for node in source.nodes:
        if isinstance(node, ast.Compare) and len(node.comparators) == 1:
            yield node, (node.left, node.comparators[0])
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
            yield node, (node.left, node.right)
        elif isinstance(node, ast.Call) and last_name(node.func) in _COMPARING:
            is_method = isinstance(node.func, ast.Attribute) and len(node.args) == 1
            given = [node.func.value, *node.args] if is_method else node.args  # type: ignore[attr-defined]
            if len(given) == 2:
                yield node, (given[0], given[1])


def _is_made_of_other(source: Source, sides: tuple[ast.expr, ast.expr]) -> bool:
    """Whether one side was made of the other: who writes ``labels.unsqueeze(1)`` wants each met with each."""
    one, other = (root_of(text_of(side)) for side in sides)
    return one == other or other in source.bindings_behind(one) or one in source.bindings_behind(other)


def _are_of_one_memory(values: list[VisibleVariable | None]) -> bool:
    one, other = (None if known is None else memory_of(known.value) for known in values)
    return one is not None and one == other


def _shape(value: Any) -> tuple[int, ...]:
    return tuple(shape_of(value)) if is_exact_tensor(value) else ()


def _pairs(one: tuple[int, ...], other: tuple[int, ...]) -> int | None:
    """N where one shape is (N,) and the other (N, 1)."""
    short, long = sorted((one, other), key=len)
    return short[0] if len(short) == 1 and long == (*short, 1) and short[0] > 1 else None
