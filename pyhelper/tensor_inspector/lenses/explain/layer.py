"""Finds the layer whose forward failed."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from ...measure.torch.metadata import is_tensor
from ...measure.torch.modules import Member, members
from ...safe.budget import Budget, Steps
from ...safe.guard import SEQUENCES, class_name
from ..step.expressions import is_name, shown_text
from ..step.step import Step
from .expected_input import layer_words
from .library_frames import LibraryFrames, module_of
from .names import OperandNames
from .operand import UNKNOWN, Operand, operand
from .operation import FailingLine
from .trace import TraceEntry


class Layer:
    """A module of torch that was running when its forward failed.

    ``name`` is how the user reaches it, None where it has no name; ``inside`` is its place in the whole model;
    ``argument`` is its first argument, whatever its type.
    """

    __slots__ = ("argument", "inputs", "inside", "module", "name", "words")

    def __init__(self, module: Any, name: str | None, inside: str | None, inputs: list[Operand], argument: Any) -> None:
        self.module = module
        self.argument = argument
        self.name = name
        self.inside = inside
        self.inputs = inputs
        self.words = layer_words(module)

    @property
    def title(self) -> str:
        return self.words if self.name is None else f"{self.name} ({self.words})"

    def fact(self) -> str:
        return self.words if self.inside is None else f"{self.words}, {self.inside}"

    def tensors(self) -> list[Operand]:
        """Its parameters and buffers."""
        member = Member(self.module)
        name = self.name or class_name(type(self.module))
        tensors = [*member.part("_parameters"), *member.part("_buffers")]
        return [found for suffix, tensor in tensors if (found := operand(name + suffix, tensor)) is not None]


def running_layer(
    library: LibraryFrames,
    trace: Iterable[TraceEntry],
    failing: FailingLine,
    names: OperandNames,
    step: Step,
    budget: Budget,
) -> Layer | None:
    """The innermost module whose forward was running; ``trace`` also has the frames outside the library."""
    if not library.in_modules:
        return None
    module, outermost = module_of(library.in_modules[-1]), module_of(library.in_modules[0])
    forward = next(
        (entry for entry in library.in_modules if module_of(entry) is module and entry.function == "forward"),
        library.in_modules[-1],
    )
    is_called = module_of(library.frames[0]) is outermost  # and no function that calls it, as `checkpoint`
    written = _written(outermost, library.call, failing) if is_called else None
    path = next((member.path for member in members(outermost, Steps(budget)) if member.module is module), None)
    name = None if written is None or path is None else written + path
    if name is None and id(module) in step.members:
        name = step.members[id(module)][0]
    values = {key: value for key, value in forward.arguments().items() if key != "self"}
    inputs = list(_inputs(values, name or class_name(type(module)), names))
    return Layer(module, name, _inside(module, name, trace, budget), inputs, next(iter(values.values()), UNKNOWN))


def _written(module: Any, call: ast.Call | None, failing: FailingLine) -> str | None:
    """How the failing line reaches a module whose method it calls."""
    reached: ast.AST | None = None if call is None else call.func
    if isinstance(reached, ast.Attribute) and failing.reader.value(reached.value) is module:
        reached = reached.value
    return shown_text(reached) if reached is not None and is_name(reached) else None


def _inputs(values: dict[str, Any], layer: str, names: OperandNames) -> Iterator[Operand]:
    for at, (parameter, value) in enumerate(values.items()):
        if is_tensor(value):
            what = "the input" if at == 0 else parameter
            name = names.of(value)
            found = operand(name or f"{what} of {layer}", value)
            if found is not None:
                found.is_written = name is not None
                yield found
        elif type(value) in SEQUENCES:
            below = {f"{parameter}[{index}]": item for index, item in enumerate(value[:8])}
            yield from _inputs({"": None, **below}, layer, names)


def _inside(module: Any, name: str | None, trace: Iterable[TraceEntry], budget: Budget) -> str | None:
    """The path of a module in the outermost model whose forward is running."""
    for entry in trace:
        root = module_of(entry, in_library=False)
        if root is None or root is module:
            continue
        for member in members(root, Steps(budget)):
            if member.module is module:
                return None if (name or "").endswith(member.path) else f"{member.name} of {class_name(type(root))}"
    return None
