"""The source of the frames in sight, and what its expressions mean there."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from ...measure.torch.metadata import element_count, is_exact_tensor
from ...safe.budget import Budget
from .calls import Backward, Call
from .expressions import is_name, root_of, text_of
from .frames import VisibleFrame
from .roles import Roles
from .sight import VisibleVariable
from .source import Source
from .trainers.handed import handed_back, level_of_step, returned_losses

_Found = TypeVar("_Found")
_NOTHING: Any = object()


class Sources(Roles):
    """Frames in sight are told by their level: 0 is the active one, 1 its caller, and so on.

    ``here`` is the active frame's source, ``source`` that of the frame at ``level``: the first whose source begins a
    backward, or returns what a library begins one from; 0 where none does. ``levels`` are the active one and that one,
    once where they are the same. ``is_handed_back`` is whether a library begins a backward from what the step returns.
    """

    def __init__(self, visible_frames: list[VisibleFrame], budget: Budget) -> None:
        self.sources = [Source(visible.frame.f_code, visible.lineno, *visible.columns()) for visible in visible_frames]
        super().__init__(visible_frames, budget, [source.called() for source in self.sources])
        self._of_classes: dict[tuple[Any, ...], Any] = {}
        self.here = self.sources[0]
        self.level, self.is_handed_back = level_of_step(self.sources)
        self.levels = (0, self.level) if self.level else (0,)
        self.source = self.sources[self.level]
        if self.is_handed_back:
            self.source.backwards = list(self._handed_back())

    def _handed_back(self) -> Iterator[Backward]:
        """The backwards that a library begins from what the step returns: single numbers, where they are known yet."""
        for answer, node in returned_losses(self.source):
            loss = node
            if is_name(node) and self.value(f"{text_of(node)}['loss']") is not None:  # of a dict that has it
                loss = ast.copy_location(ast.Subscript(node, ast.Constant("loss"), ast.Load()), node)
            value = self.value(text_of(loss)) if is_name(loss) else None
            if value is None or not is_exact_tensor(value) or element_count(value) == 1:
                yield handed_back(answer, loss)

    def value(self, key: str, level: int | None = None) -> Any:
        """What an expression in the source means in the frame of that source; None where it is not in sight."""
        return self._values.get((self.level if level is None else level, key))

    def line_of(self, name: str | None) -> tuple[str, int] | None:
        """The file and line in which a name got what it means in the nearest frame that has it."""
        found = (source.line_of(name) for source in self.sources_of(name)) if name is not None else iter(())
        return next(filter(None, found), None)

    def sources_of(self, name: str) -> Iterator[Source]:
        """The sources in sight, nearest first, but for those of callers in which the name stands for another value."""
        root, nearest = root_of(name), _NOTHING
        for visible, source in zip(self.frames, self.sources):
            value = visible.variables.get(root, _NOTHING)
            nearest = value if nearest is _NOTHING else nearest
            if value is nearest:
                yield source

    def once(self, find: Callable[..., _Found], cls: type, *more: Any) -> _Found:
        """What a function finds in the source of a class: looked for once, however many modules in sight are of it."""
        key = (find, id(cls), *more)  # hashing a class may run code of its metaclass
        if key not in self._of_classes:
            self._of_classes[key] = find(cls, *more)
        found: _Found = self._of_classes[key]
        return found

    def calls_of_modules(self) -> Iterator[tuple[Call, VisibleVariable, int]]:
        """The calls of modules in the source of the frames in sight, with the module, and the frame's level."""
        for level in self.levels:
            for call in self.sources[level].calls:
                found = self.module_of(call.callee, level)
                if found is not None:
                    yield call, found, level

    def operand(self, node: ast.expr | None, level: int, line: int) -> VisibleVariable | None:
        """The value in sight that an argument in the source is, if it is a name that still means the same."""
        if node is None or not is_name(node):
            return None
        key = text_of(node)
        source, column = self.sources[level], node.col_offset if node.lineno == line else 0
        if not source.is_current(key, line, column) or source.will_change(key, line):
            return None
        value = self._values.get((level, key))
        return None if value is None else VisibleVariable(key, value, level, 0)
