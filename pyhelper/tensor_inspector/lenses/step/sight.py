"""The values in sight of a stop: variables, what they hold, and what the code names, each with its expression."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from ...measure.torch.metadata import is_exact_tensor
from ...measure.torch.modules import is_module
from ...safe.attributes import slots
from ...safe.budget import Budget, Steps
from ...safe.guard import ByClass, Classes, class_attribute, class_dict, each, instance_dict, library_of, mro, plain_str
from .expressions import shown
from .frames import VisibleFrame
from .trainers.getters import kept

_DEPTH = 3
_ITEMS = 64  #: of one container
_MOST = 3000
_SKIPPED = Classes(
    ModuleType, FunctionType, MethodType, BuiltinFunctionType, str, bytes, bool, type(None), range, slice
)
#: Packages whose objects are not looked into: the attributes are no values of the step.
CLOSED_PACKAGES = frozenset(
    "_io abc argparse ast asyncio builtins collections datetime enum functools io itertools logging"
    " matplotlib numpy pandas pathlib queue random re socket subprocess tempfile threading time torch"
    " tqdm types typing weakref wandb".split()
)


class VisibleVariable:
    """A value in sight, and the expression for it in the frame at ``level``: a local, or `model.weight`."""

    __slots__ = ("depth", "key", "level", "name", "value")

    def __init__(self, key: str, value: Any, level: int, depth: int) -> None:
        self.key = key  #: as `ast.unparse` writes it
        self.name = shown(key)
        self.value = value
        self.level = level
        self.depth = depth


def visible_variables(visible_frames: list[VisibleFrame], budget: Budget) -> Iterator[VisibleVariable]:
    """Every value in sight, what is nearest first; the same one under several names as often as it has names."""
    steps, given = Steps(budget), 0
    waiting = deque(variable for level, visible in enumerate(visible_frames) for variable in _variables(visible, level))
    opened: set[int] = set()
    while waiting and given < _MOST and not steps.end():
        variable = waiting.popleft()
        if type(variable.value) in _SKIPPED or issubclass(type(variable.value), type):
            continue
        given += 1
        yield variable
        if variable.depth >= _DEPTH or is_exact_tensor(variable.value) or id(variable.value) in opened:
            continue
        opened.add(id(variable.value))
        waiting.extend(
            VisibleVariable(variable.key + suffix, value, variable.level, variable.depth + 1)
            for suffix, value in _inside(variable.value)
        )


def _variables(visible: VisibleFrame, level: int) -> Iterator[VisibleVariable]:
    for name, value in visible.variables.items():
        if name.isidentifier() and not name.startswith("__"):
            yield VisibleVariable(name, value, level, 0)
    if visible.frame.f_code.co_name == "<module>":
        return
    names, globals = visible.frame.f_code.co_names, visible.frame.f_globals
    for name in names:
        if dict.__contains__(globals, name) and name not in visible.variables and not name.startswith("__"):
            yield VisibleVariable(name, dict.__getitem__(globals, name), level, 0)


def _inside(value: Any) -> Iterator[tuple[str, Any]]:
    cls = type(value)
    if issubclass(cls, dict):
        for index, (key, item) in enumerate(each(dict.items, value)):
            if index == _ITEMS:
                break
            if type(key) is str or type(key) is int:
                yield f"[{key!r}]", item
    elif issubclass(cls, (list, tuple)):
        names = _fields(cls)
        for index, item in enumerate(each(list.__iter__ if issubclass(cls, list) else tuple.__iter__, value)):
            if index == _ITEMS:
                break
            yield f".{names[index]}" if index < len(names) else f"[{index}]", item
    if cls in _CONTAINERS:
        return
    if is_module(value) or library_of(cls) not in CLOSED_PACKAGES:
        for name, item in each(dict.items, instance_dict(value)):
            if not name.startswith("_") and name.isidentifier():
                yield f".{name}", item
        for name, item in slots(value):
            if not name.startswith("_"):
                yield f".{name}", item
        for name in _of_trainers(cls):
            yield f".{name}", kept(value, name)


#: What objects that run a step keep, and give by a property: Lightning's trainers and modules do.
_TRAINERS_NAMES = ("trainer", "optimizers", "optimizer", "model")
_of_trainers = ByClass(
    lambda cls: tuple(name for name in _TRAINERS_NAMES if type(class_attribute(cls, name)) is property)
)


def _fields(cls: type) -> tuple[str, ...]:
    """The names of a named tuple's items."""
    for base in mro(cls):
        found = class_dict(base).get("_fields")
        if type(found) is tuple and all(type(name) is str for name in found):
            return tuple(map(plain_str, found))
    return ()


_CONTAINERS = Classes(dict, list, tuple, set, frozenset)
