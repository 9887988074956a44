"""Modules that are to be trained, and that are run only where gradients are off."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType
from typing import Any

from ....step.called import functions_called
from ....step.expressions import text_of
from ....step.sight import Thing
from ....step.source import Source
from ....step.step import Step
from ...codes import codes_that_name
from ...finding import Found
from .cut import share_an_optimizer


def run_without_gradients(step: Step, missing: set[int], reached: set[int]) -> Iterator[Found]:
    """A whole module that is called, wherever it is, only where gradients are off."""
    for thing in step.modules:
        held = [one for one in step.trained() if one.root is thing]
        if not held or not missing.issuperset(id(one.tensor) for one in held):
            continue
        if not share_an_optimizer(step, [one.tensor for one in held], reached):
            continue
        sources = _calling(step, thing)
        blocks = [_off_in(source, line) for source, line in sources]
        known = {(source.file, source.function) for source, _ in sources}
        if not blocks or None in blocks:
            continue
        if any(is_elsewhere(code, known) for code in codes_that_name(step, thing.key.rpartition(".")[2])):
            continue
        where, (source, _) = blocks[0], sources[0]
        yield Found(
            f"{thing.name}.* got no gradient: {source.function} calls it where gradients are off",
            *((one.name, "trainable, in the optimizer, grad None") for one in held[:4]),
            line=None if where is None else (source.file, where),
        )


def _calling(step: Step, thing: Thing) -> list[tuple[Source, int]]:
    """Where a module is called: in the frames in sight, and in the functions that these call."""
    frames = [
        (source, call.lineno)
        for view, source in enumerate(step.sources)
        for call in source.calls
        if step.value(call.callee, view) is thing.value
    ]
    return frames + [
        (one.source, call.lineno)
        for one in functions_called(step)
        for call in one.source.calls
        if one.value(call.callee) is thing.value
    ]


def _off_in(source: Source, line: int) -> int | None:
    """The line that switches gradients off around another one: of a block, or of the function's decorator."""
    block = source.is_under(line, "no_grad", "inference_mode")
    decorators: Any = getattr(source.tree, "decorator_list", ())
    off = (one.lineno for one in decorators if text_of(one).partition("(")[0].endswith(("no_grad", "inference_mode")))
    return next(off, None) if block is None else block.lineno


def is_elsewhere(code: CodeType, known: set[tuple[str, str]]) -> bool:
    """Whether it is the code of another function of the program than these: what that does is not seen."""
    return code.co_name != "__init__" and (code.co_filename, code.co_name) not in known
