"""One training step as it stands at a stop: what is in sight, the graph behind it, and what the source says."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ...measure.torch.elements import is_own, memory_of, number_of, place_of, stats_of
from ...measure.torch.graph import Graph, Node
from ...measure.torch.metadata import element_count, grad_of, gradient_of, requires_grad
from ...measure.torch.modules import Member, is_module, members
from ...measure.torch.optimizers import is_optimizer, wrapped
from ...measure.torch.optimizers import tensors as tensors_of
from ...safe.budget import Budget, Steps
from ...safe.guard import Classes, class_module, class_name, module, mro
from .frames import View
from .sight import Thing, things
from .source import Backward, Call, Source, is_name, text_of

torch: Any = module("torch")
_QUICK = 1 << 18  #: elements of one tensor that are read where nobody asked for a thorough look


class Parameter:
    """A parameter of a module in sight: by the name that one types, in which module."""

    __slots__ = ("member", "name", "root", "tensor")

    def __init__(self, name: str, tensor: Any, member: Member, root: Thing) -> None:
        self.name = name
        self.tensor = tensor
        self.member = member
        self.root = root


class Loss:
    """A tensor on which a backward is called: still to come (``pending``), or done."""

    __slots__ = ("backward", "name", "pending", "tensor")

    def __init__(self, name: str, tensor: Any, backward: Backward, pending: bool) -> None:
        self.name = name
        self.tensor = tensor
        self.backward = backward
        self.pending = pending


class Step:
    """What rules ask. ``here`` is the active frame's source, ``source`` that of the frame with the backward.

    ``grad_mode`` is whether gradients were on at the stop, ``run`` whether rules may run the program's code.
    """

    def __init__(
        self, views: list[View], budget: Budget, *, thorough: bool, grad_mode: bool, run: bool = False
    ) -> None:
        self.views = views
        self.budget = budget
        self.thorough = thorough
        self.run = run
        self.grad_mode = grad_mode
        self.moments: list[Any] = []  #: numbers of earlier stops in this step, the oldest first
        self.modules: list[Thing] = []  #: those that are not part of another one in sight
        self.optimizers: list[Thing] = []
        self.schedulers: list[Thing] = []
        self.scalers: list[Thing] = []
        self.loaders: list[Thing] = []
        self.tensors: list[Thing] = []
        self.arrays: list[Thing] = []
        self.names: dict[int, list[str]] = {}  #: by the ids of values
        self.members: dict[int, tuple[str, Member]] = {}
        self.parameters: dict[int, Parameter] = {}
        self.buffers: list[tuple[str, Any, Member]] = []
        self._values: dict[tuple[int, str], Any] = {}
        self._held: list[Any] = []
        self._stats: dict[int, Any] = {}
        self._look()
        sources = [Source(view.frame.f_code, view.lineno) for view in views]
        self.sources = sources
        self.here = sources[0]
        self.at = next((at for at, source in enumerate(sources) if source.backwards), 0)
        self.source = sources[self.at]
        self.losses = list(self._losses())
        self.held = {id(tensor) for thing in self.optimizers for tensor in tensors_of(thing.value)}
        self.graph = self._graph()
        self._settle()
        self._by_place: dict[Any, str] | None = None
        self._by_memory: dict[int, str] = {}

    # What is in sight

    def _look(self) -> None:
        roots: list[Thing] = []
        for thing in things(self.views, self.budget):
            self._values.setdefault((thing.view, thing.key), thing.value)
            known = self.names.setdefault(id(thing.value), [])
            self._held.append(thing.value)
            if thing.name in known:
                continue
            known.append(thing.name)
            if len(known) == 1:
                self._sort(thing, roots)
        self._enter(roots)

    def _sort(self, thing: Thing, roots: list[Thing]) -> None:
        value, cls = thing.value, type(thing.value)
        if is_own(value):
            self.tensors.append(thing)
        elif is_module(value):
            roots.append(thing)
        elif is_optimizer(value) or (_looks_wrapped(cls) and wrapped(value) is not None):
            self.optimizers.append(thing)
        elif _is_scheduler(value):
            self.schedulers.append(thing)
        elif _is_a(cls, "GradScaler"):
            self.scalers.append(thing)
        elif _is_a(cls, "DataLoader"):
            self.loaders.append(thing)
        elif _is_a(cls, "ndarray"):
            self.arrays.append(thing)

    def _enter(self, found: list[Thing]) -> None:
        """Modules, the outermost first: what is a part of another one is named by it."""
        steps = Steps(self.budget)
        walked = {id(thing.value): list(members(thing.value, steps)) for thing in found}
        inside = {id(member.module) for parts in walked.values() for member in parts[1:]}
        self.modules = [thing for thing in found if id(thing.value) not in inside]
        for thing in self.modules or found[:1]:
            for member in walked[id(thing.value)]:
                name = thing.name + member.path
                self.members.setdefault(id(member.module), (name, member))
                for suffix, tensor in member.part("_parameters"):
                    self.parameters.setdefault(id(tensor), Parameter(name + suffix, tensor, member, thing))
                    self._held.append(tensor)
                for suffix, tensor in member.part("_buffers"):
                    self.buffers.append((name + suffix, tensor, member))

    def value(self, key: str, view: int | None = None) -> Any:
        """What an expression in the source means in the frame of that source; None where it is not in sight."""
        return self._values.get((self.at if view is None else view, key))

    def named_values(self) -> list[tuple[tuple[int, str], Any]]:
        """The values in sight: by the number of the frame, and the expression there."""
        return list(self._values.items())

    def module_of(self, expression: str, view: int) -> Thing | None:
        """The module that an expression in the source means."""
        value = self._values.get((view, expression))
        if value is not None and is_module(value):
            return Thing(expression, value, view, 0)
        name = expression.replace("'", '"')
        for known, member in self.members.values():
            if known == name:
                return Thing(expression, member.module, view, 0)
        return None

    def name_of(self, value: Any) -> str | None:
        """The name of a value that is in sight, of a parameter, or of a tensor over the same elements."""
        if id(value) in self.parameters:
            return self.parameters[id(value)].name
        if id(value) in self.names:
            return self.names[id(value)][0]
        if not is_own(value):
            return None
        if self._by_place is None:
            self._by_place = {}
            named = [
                *((thing.name, thing.value) for thing in self.tensors),
                *((one.name, one.tensor) for one in self.parameters.values()),
            ]
            for name, tensor in named:
                place, memory = place_of(tensor), memory_of(tensor)
                if place is not None and memory is not None:
                    self._by_place.setdefault(place, name)
                    self._by_memory.setdefault(memory, name)
        place = place_of(value)
        return None if place is None else self._by_place.get(place)

    def owner_of(self, value: Any) -> str | None:
        """The name of a tensor whose memory a tensor shares."""
        exact = self.name_of(value)
        memory = None if exact is not None else memory_of(value)
        return exact if memory is None else self._by_memory.get(memory)

    # The graph

    def _graph(self) -> Graph:
        functions = []
        for tensor in [*(thing.value for thing in self.tensors), *(loss.tensor for loss in self.losses)]:
            function = gradient_of(tensor).function if requires_grad(tensor) else None
            if function is not None:
                functions.append(function)
        return Graph(functions, self.budget)

    def node_of(self, tensor: Any) -> Node | None:
        return self.graph.of(gradient_of(tensor).function) if requires_grad(tensor) else None

    def tensor_at(self, node: Node) -> Thing | None:
        """The tensor in sight that a node has made."""
        return next((thing for thing in self.tensors if self.node_of(thing.value) is node), None)

    def title_of(self, node: Node | None) -> str | None:
        """The name of what a node has made, or of the parameter that it leads to."""
        if node is None:
            return None
        if node.leaf is not None:
            return self.name_of(node.leaf)
        found = self.tensor_at(node)
        return None if found is None else found.name

    # The step

    def _losses(self) -> Iterator[Loss]:
        for backward in self.source.backwards:
            found, is_all = self._operands(backward)
            alive = [loss for loss in found if gradient_of(loss.tensor).function is not None]
            if backward.is_name or (is_all and not any(requires_grad(loss.tensor) for loss in found)):
                yield from found
                continue
            yield from alive  # what it is multiplied by, or the mask of it, is no loss
        yield from self._returned()

    def _operands(self, backward: Backward) -> tuple[list[Loss], bool]:
        """The tensors in sight of which a backward is called, and whether nothing else is in it."""
        found: list[Loss] = []
        is_all = backward.is_whole
        pending = backward.lineno >= self.source.lineno
        for name in backward.names:
            value = self.value(name) if self.source.is_current(name, backward.lineno) else None
            shown = name.replace("'", '"')
            if is_own(value):
                found.append(Loss(shown, value, backward, pending))
            elif value is not None and type(value) in (list, tuple):
                items = [(index, item) for index, item in enumerate(value[:64]) if is_own(item)]
                found.extend(Loss(f"{shown}[{index}]", item, backward, pending) for index, item in items)
            elif type(value) not in (int, float):
                is_all = False
        return found, is_all

    def _returned(self) -> Iterator[Loss]:
        """What this function is about to return, and its caller to begin a backward from."""
        if self.at != 1 or not self.here.is_known():
            return
        caller = self.source
        begun = [call for call in caller.calls if call.lineno == caller.lineno and self._has_begun(call)]
        targets = {call.target for call in begun}
        for backward in caller.backwards:
            if backward.lineno < caller.lineno or not targets & set(backward.names):
                continue
            for answer in self.here.returns:
                name = text_of(answer.value)
                if is_name(answer.value) and self.here.is_current(name, answer.lineno):
                    value = self.value(name, 0)
                    known = is_own(value) and (backward.is_name or requires_grad(value))
                    if known and answer.lineno >= self.here.lineno:
                        yield Loss(name.replace("'", '"'), value, backward, True)

    def _has_begun(self, call: Call) -> bool:
        """Whether a call of the caller is the one that the active frame works at."""
        if self.here.function == "forward":
            called = self.module_of(call.callee, self.at)
            return called is not None and called.value is self.value("self", 0)
        return call.name == self.here.function

    def _settle(self) -> None:
        """A backward in the very line that runs is done where it has freed its graph."""
        for loss in self.losses:
            node = self.node_of(loss.tensor)
            if node is not None and loss.pending and loss.backward.lineno == self.source.lineno:
                loss.pending = not any(below.is_freed() for below in self.graph.below(node)[:20])

    def pending(self) -> list[Loss]:
        return [loss for loss in self.losses if loss.pending]

    def has_all_losses(self) -> bool:
        """Whether all that the source calls backward on is known as it was, or will be, then."""
        known = {id(loss.backward) for loss in self.losses}
        return bool(self.losses) and all(
            id(backward) in known and (backward.is_name or self._operands(backward)[1])
            for backward in self.source.backwards
        )

    def trained(self) -> list[Parameter]:
        """Trainable parameters of modules in sight that an optimizer in sight holds."""
        return [one for one in self.parameters.values() if id(one.tensor) in self.held and requires_grad(one.tensor)]

    def calls_of_modules(self) -> Iterator[tuple[Call, Thing, int]]:
        """The calls of modules in the source of the frames in sight, with the module, and the frame's number."""
        for view in dict.fromkeys((0, self.at)):
            for call in self.sources[view].calls:
                found = self.module_of(call.callee, view)
                if found is not None:
                    yield call, found, view

    def operand(self, node: ast.expr | None, view: int, line: int) -> Thing | None:
        """The value in sight that an argument in the source is, if it is a name that still means the same."""
        if node is None or not is_name(node):
            return None
        key = text_of(node)
        if not self.sources[view].is_current(key, line):
            return None
        value = self._values.get((view, key))
        return None if value is None else Thing(key, value, view, 0)

    # Numbers

    def stats(self, tensor: Any) -> dict[str, Any] | None:
        """Statistics of a tensor, read once; of a large one only where a thorough look was asked for."""
        if id(tensor) not in self._stats:
            count = element_count(tensor)
            small = count is not None and (count <= _QUICK or self.thorough)
            self._held.append(tensor)
            self._stats[id(tensor)] = stats_of(tensor, self.budget.share()) if small else None
        return self._stats[id(tensor)]  # type: ignore[no-any-return]

    def number(self, tensor: Any) -> float | None:
        return number_of(tensor)

    def grad(self, tensor: Any) -> Any:
        try:
            return grad_of(tensor)
        except RuntimeError:
            return None


def _is_a(cls: type, name: str) -> bool:
    return any(class_name(base) == name for base in mro(cls))


_SCHEDULERS = Classes(
    *(
        base
        for name in ("LRScheduler", "_LRScheduler", "ReduceLROnPlateau")
        if isinstance(base := getattr(torch.optim.lr_scheduler, name, None), type)
    )
)


def _is_scheduler(value: Any) -> bool:
    return any(base in _SCHEDULERS for base in mro(type(value)))


def _looks_wrapped(cls: type) -> bool:
    """Whether a class that keeps an optimizer stands for it, as accelerate's and Lightning's do."""
    return class_name(cls).endswith("Optimizer") and not class_module(cls).startswith("torch.optim.lr_scheduler")
