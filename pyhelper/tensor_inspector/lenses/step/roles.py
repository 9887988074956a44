"""Sorts the values in sight by their role in a training step: models, optimizers, batches; names their parameters."""

from __future__ import annotations

from typing import Any

from ...measure.torch.elements import elements_key, memory_of
from ...measure.torch.metadata import EXACT_TENSORS, is_exact_tensor
from ...measure.torch.modules import Member, is_module, members
from ...measure.torch.optimizers import inner, wrapped
from ...safe.budget import Budget, Steps
from ...safe.guard import ByClass, Classes, class_module, class_name, module, mro
from .expressions import shown
from .frames import VisibleFrame
from .sight import VisibleVariable, visible_variables

torch: Any = module("torch")


CONTAINERS = Classes(list, tuple, dict)


class Parameter:
    """A parameter of a module in sight: by the name that one types, in which module."""

    __slots__ = ("member", "name", "root", "tensor")

    def __init__(self, name: str, tensor: Any, member: Member, root: VisibleVariable) -> None:
        self.name = name
        self.tensor = tensor
        self.member = member
        self.root = root


class Roles:
    """Each value in sight once, by what it is, with all the names that reach it.

    ``called`` are for each frame the names that its source calls, the nearest first: by these a model is named.
    """

    def __init__(self, visible_frames: list[VisibleFrame], budget: Budget, called: list[list[str]]) -> None:
        self.frames = visible_frames
        self._called = called
        self.budget = budget
        self.modules: list[VisibleVariable] = []  #: those that are not part of another one in sight
        self.optimizers: list[VisibleVariable] = []
        self.schedulers: list[VisibleVariable] = []
        self.scalers: list[VisibleVariable] = []
        self.loaders: list[VisibleVariable] = []
        self.tensors: list[VisibleVariable] = []
        self.arrays: list[VisibleVariable] = []
        self._lists = {
            "optimizers": self.optimizers,
            "schedulers": self.schedulers,
            "scalers": self.scalers,
            "loaders": self.loaders,
            "tensors": self.tensors,
            "arrays": self.arrays,
        }  #: by the role of what is in them
        self.names: dict[int, list[str]] = {}  #: by the ids of values
        self.members: dict[int, tuple[str, Member]] = {}
        self.parameters: dict[int, Parameter] = {}
        self.buffers: list[tuple[str, Any, Member]] = []
        self._values: dict[tuple[int, str], Any] = {}
        self._references: list[Any] = []
        self._members_by_name: dict[str, Member] = {}
        self._kept: list[tuple[str, Member, str, Any]] | None = None
        self._by_elements: dict[Any, str] | None = None
        self._by_memory: dict[int, str] = {}
        self._find()

    def _find(self) -> None:
        roots: list[VisibleVariable] = []
        others: dict[int, list[VisibleVariable]] = {}
        for variable in visible_variables(self.frames, self.budget):
            self._values.setdefault((variable.level, variable.key), variable.value)
            known = self.names.setdefault(id(variable.value), [])
            self._references.append(variable.value)
            if variable.name in known:
                continue
            known.append(variable.name)
            if len(known) == 1:
                self._sort(variable, roots)
            elif role_of(type(variable.value)) == "modules":
                others.setdefault(id(variable.value), []).append(variable)
        self._enter([self._as_called(variable, others.get(id(variable.value), [])) for variable in roots])
        self._leave_out_wrapped()

    def _leave_out_wrapped(self) -> None:
        """An optimizer stands once among them: by its wrapper, where no source calls it by a name of its own."""
        inside = {
            id(inner(variable.value)) for variable in self.optimizers if inner(variable.value) is not variable.value
        }
        self.optimizers[:] = [
            variable
            for variable in self.optimizers
            if id(variable.value) not in inside
            or any(callee.startswith(f"{variable.key}.") for callee in self._called[variable.level])
        ]

    def _as_called(self, first: VisibleVariable, others: list[VisibleVariable]) -> VisibleVariable:
        """A module by the name under which its frame calls it: ``self.model``, though ``net`` is the same."""
        called = self._called[first.level]
        same = [variable for variable in (first, *others) if variable.level == first.level and variable.key in called]
        found = min(same, key=lambda variable: called.index(variable.key), default=first)
        names = self.names[id(first.value)]
        names.sort(key=lambda name: name != found.name)
        return found

    def _sort(self, variable: VisibleVariable, roots: list[VisibleVariable]) -> None:
        role = role_of(type(variable.value))
        if role == "modules":
            roots.append(variable)
        elif role == "wrappers":
            if wrapped(variable.value) is not None:
                self.optimizers.append(variable)
        elif role:
            self._lists[role].append(variable)

    def _enter(self, found: list[VisibleVariable]) -> None:
        """Modules, the outermost first: what is a part of another one is named by it."""
        steps = Steps(self.budget)
        walked = {id(variable.value): list(members(variable.value, steps)) for variable in found}
        inside = {id(member.module) for parts in walked.values() for member in parts[1:]}
        self.modules = [variable for variable in found if id(variable.value) not in inside]
        for variable in self.modules or found[:1]:
            for member in walked[id(variable.value)]:
                name = variable.name + member.path
                self.members.setdefault(id(member.module), (name, member))
                self._members_by_name.setdefault(name, member)
                for suffix, tensor in member.part("_parameters"):
                    self.parameters.setdefault(id(tensor), Parameter(name + suffix, tensor, member, variable))
                    self._references.append(tensor)
                for suffix, tensor in member.part("_buffers"):
                    self.buffers.append((name + suffix, tensor, member))

    def kept_by_modules(self) -> list[tuple[str, Member, str, Any]]:
        """The tensors and containers that modules keep without registering them: the module's name, it, which attribute
        of it, the value."""
        if self._kept is None:
            self._kept = [
                (name, member, key, item)
                for name, member in self.members.values()
                for key, item in list(member.attributes.items())
                if key[:1] != "_" and (type(item) in CONTAINERS or type(item) in EXACT_TENSORS)
            ]
        return self._kept

    def named_values(self) -> list[tuple[tuple[int, str], Any]]:
        """The values in sight: by the level of the frame, and the expression there."""
        return list(self._values.items())

    def module_of(self, expression: str, level: int) -> VisibleVariable | None:
        """The module that an expression in the source means."""
        value = self._values.get((level, expression))
        if value is not None and is_module(value):
            return VisibleVariable(expression, value, level, 0)
        member = self._members_by_name.get(shown(expression))
        return None if member is None else VisibleVariable(expression, member.module, level, 0)

    def name_of(self, value: Any) -> str | None:
        """The name of a value that is in sight, of a parameter, or of a tensor over the same elements."""
        if id(value) in self.parameters:
            return self.parameters[id(value)].name
        if id(value) in self.names:
            return self.names[id(value)][0]
        if not is_exact_tensor(value):
            return None
        if self._by_elements is None:
            self._by_elements = {}
            named = [
                *((variable.name, variable.value) for variable in self.tensors),
                *((one.name, one.tensor) for one in self.parameters.values()),
            ]
            for name, tensor in named:
                elements, memory = elements_key(tensor), memory_of(tensor)
                if elements is not None and memory is not None:
                    self._by_elements.setdefault(elements, name)
                    self._by_memory.setdefault(memory, name)
        elements = elements_key(value)
        return None if elements is None else self._by_elements.get(elements)

    def owner_of(self, value: Any) -> str | None:
        """The name of a tensor whose memory a tensor shares."""
        exact = self.name_of(value)
        memory = None if exact is not None else memory_of(value)
        return exact if memory is None else self._by_memory.get(memory)


_SCHEDULERS = Classes(
    *(
        base
        for name in ("LRScheduler", "_LRScheduler", "ReduceLROnPlateau")
        if (base := getattr(torch.optim.lr_scheduler, name, None)) is not None
    )
)


_ROLES = {"GradScaler": "scalers", "DataLoader": "loaders", "ndarray": "arrays"}  #: by names of classes


def _find_role(cls: type) -> str:
    """What instances of a class are to a step, in the plural; empty for what no rule looks at."""
    if cls in EXACT_TENSORS:
        return "tensors"
    if issubclass(cls, torch.nn.Module):
        return "modules"
    if issubclass(cls, torch.optim.Optimizer):
        return "optimizers"
    if any(base in _SCHEDULERS for base in mro(cls)):
        return "schedulers"
    if class_name(cls).endswith("Optimizer") and not class_module(cls).startswith("torch.optim.lr_scheduler"):
        return "wrappers"  # which keep an optimizer and stand for it, as accelerate's and Lightning's do
    return next((_ROLES[name] for name in map(class_name, mro(cls)) if name in _ROLES), "")


role_of = ByClass(_find_role)
