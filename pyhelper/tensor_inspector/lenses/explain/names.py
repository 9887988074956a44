"""Names the tensors of a failing line as the user wrote them; samples of a loader by their number in the dataset."""

from __future__ import annotations

import ast
from typing import Any

from ...measure.torch.metadata import is_tensor
from ...safe.guard import SEQUENCES
from ..step.expressions import is_name
from ..step.step import Step
from .library_frames import LibraryFrames
from .operand import in_title
from .operation import FailingLine
from .samples import parts_of, samples

_ITEMS = 200  #: of one list of tensors


class OperandNames:
    """Names of tensors by their ids: in the failing line, in the call into the library, else anywhere in the step."""

    def __init__(self, failing: FailingLine, library: LibraryFrames, step: Step) -> None:
        self._failing = failing
        self._step = step
        self._names = {id(known.value): known.name for known in failing.tensors()}
        if library.frames and library.call is not None:
            self._name_arguments(library, library.call)
        self._name_samples(library)

    def of(self, value: Any) -> str | None:
        return self._names.get(id(value)) or self._step.name_of(value)

    def all(self) -> dict[int, str]:
        return {**self._of_step(), **self._names}

    def _of_step(self) -> dict[int, str]:
        return {key: names[0] for key, names in self._step.names.items()}

    def _name_arguments(self, library: LibraryFrames, call: ast.Call) -> None:
        """Names the arguments inside the library as the user wrote them in the call."""
        values, written = library.arguments(), [*call.args]
        if "self" in values and isinstance(call.func, ast.Attribute):
            written.insert(0, call.func.value)
        if not any(isinstance(node, ast.Starred) for node in written):
            for value, node in zip(values.values(), written):
                self._name(value, node)
        for keyword in call.keywords:
            if keyword.arg in values:
                self._name(values[keyword.arg], keyword.value)

    def _name_samples(self, library: LibraryFrames) -> None:
        """Names the samples that a loader was collating by their indices in the dataset."""
        fetch = library.function("fetch")
        if fetch is None:
            return
        known = self._of_step()
        for name, sample in samples(fetch):
            for part, value in parts_of(name, sample):
                if is_tensor(value) and id(value) not in known:
                    self._names.setdefault(id(value), part)

    def _name(self, value: Any, node: ast.AST) -> None:
        known = self._failing.reader.value(node)
        if is_tensor(value) and (known is None or known is value):  # a library may use the name for something else
            self._names.setdefault(id(value), in_title(node))
        elif type(value) in SEQUENCES:
            items = node.elts if isinstance(node, (ast.List, ast.Tuple)) else []
            for index, item in enumerate(value[:_ITEMS]):
                if index < len(items):
                    self._name(item, items[index])
                elif is_tensor(item) and is_name(node):
                    self._names.setdefault(id(item), f"{in_title(node)}[{index}]")
