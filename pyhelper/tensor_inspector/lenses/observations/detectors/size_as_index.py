"""Sizes: a tensor is indexed by a size, where a slice up to it is meant."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...findings.finding import Violation
from ...step.classes import is_library, methods_of
from ...step.expressions import text_of
from ...step.functions import sources_in_reach
from ...step.source import Source
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading


@detector(
    300,
    because="the place that a size names is one past the last of what has that size: few read it on purpose",
    why="One place is taken and broadcast, where a slice takes all places up to it.",
    suggestion="write a slice: positions[:, : x.shape[1]]",
)
def size_as_index(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``positions[:, x.shape[1], :]``"""
    told: set[tuple[str, int]] = set()
    for source in reading.each(_sources(step)):
        for node, size in _indexed_by_size(source):
            line = source.file, node.lineno
            if line not in told:
                told.add(line)
                yield Violation(
                    (f"{text_of(node.value)} is indexed by {size}", ", ", "which takes one place"),
                    (text_of(node), f"one place, not the first {size}"),
                    line=line,
                )


def _sources(step: Step) -> Iterator[Source]:
    """The sources in reach, and the methods of the user's modules in sight."""
    yield from sources_in_reach(step)
    classes = {id(cls): cls for _, member in step.members.values() if not is_library(cls := type(member.module))}
    for cls in classes.values():
        yield from (source for _, source in methods_of(cls))


def _indexed_by_size(source: Source) -> Iterator[tuple[ast.Subscript, str]]:
    """What is read at a size along one dimension, and at slices along others; with the size."""
    for node in source.nodes:
        if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
            continue
        if isinstance(node.slice, ast.Tuple) and any(isinstance(one, ast.Slice) for one in node.slice.elts):
            size = next((text_of(one) for one in node.slice.elts if _is_size(one)), None)
            if size is not None:
                yield node, size


def _is_size(node: ast.expr) -> bool:
    """``x.shape[1]``, ``x.size(1)``, ``len(x)``"""
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
    if not isinstance(node, ast.Call) or not node.args:
        return False
    return text_of(node.func) == "len" or (isinstance(node.func, ast.Attribute) and node.func.attr == "size")
