"""A submodule took no part in the forward, or its result was dropped.

Why: It is registered and counted, but never learns.

Example:
    def forward(self, x):  # the module has the layers a and b
        return self.a(x)

Instead:
    def forward(self, x):
        return self.b(self.a(x).relu())

Silent when:
    - one of its parameters has a gradient, is reached by a loss, or none is trainable
    - not every loss of the step, or not the whole graph, is in sight
    - a method, a property, a function or a frame in sight names it, or goes through all parts
    - a dropped result: a hook may see it, or what takes it may keep it
    - the loss reaches nothing else of its model
"""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType
from typing import Any

from .....measure.torch.metadata import requires_grad
from .....measure.torch.modules import Member, is_module, is_of, members
from .....safe.budget import Budget, Steps
from .....safe.guard import class_dict, class_module, class_name, instance_dict, module, mro
from .....words.text import listed
from ....flow.dead_stores import dead_store_in_forward
from ....flow.lines import Line, line_of_assignment
from ....flow.module_entries import ALL_PARTS, computing_methods, entries_taken
from ....flow.reach.code_objects import codes_that_name
from ....step.classes import forward_of, functions_defined_by, is_library, undecorated
from ....step.roles import Parameter
from ....step.step import Step
from ...finding import Violation
from ...rule import rule

torch: Any = module("torch")
_HOOKS = ("_forward_hooks", "_forward_pre_hooks")


@rule(
    "warning",
    why="It is registered and counted, but never learns.",
    suggestion="call it in forward, or remove it",
    causes="missing-grad param-not-in-optimizer",
    needs="loss module source",
)
def unused_module(step: Step) -> Iterator[Violation]:
    reached = step.reached()
    if not step.loss_nodes() or not step.has_all_losses() or not step.graph.complete:
        return
    lost = [one for one in step.trainable() if id(one.tensor) not in reached and step.grad(one.tensor) is None]
    if not lost:
        return
    by_member = _by_member(step)
    roots = {id(one.root.value) for one in step.parameters.values() if id(one.tensor) in reached}
    for name, member in list(step.members.values()):
        below = by_member.get(id(member.module), [])
        if member.parent is None or not below:
            continue
        trainable = [one for one in below if requires_grad(one.tensor)]
        if not trainable or any(id(one.tensor) in reached or step.grad(one.tensor) is not None for one in trainable):
            continue
        if id(trainable[0].root.value) not in roots:
            continue
        left_out = _left_out(step, member, member.parent)
        if left_out is None:
            continue
        fact, line, is_dropped = left_out
        what = f"the result of {name} is dropped" if is_dropped else f"{name} took no part in the forward"
        yield Violation(
            (what, ": ", f"{listed((one.name for one in trainable), False, 60)} got no gradient"),
            (name, fact),
            *((one.name, "grad None") for one in trainable[:4]),
            line=line,
        )


def _left_out(step: Step, member: Member, parent: Member) -> tuple[str, Line | None, bool] | None:
    """How the source proves that a part is not used, the line that makes it, or drops what it gives, and which of both."""
    key = _last(member)
    if not is_library(type(parent.module)):
        cls = type(parent.module)
        forward = forward_of(cls)
        others = [source for source in step.sources if forward is None or source.tree is not forward.tree]
        if any(source.mentions(key) for source in others) or _is_named_elsewhere(step, cls, key):
            return None
        if not step.once(_is_named, cls, key):
            return f"no method of {class_name(cls)} but __init__ names it", line_of_assignment(cls, key), False
        return _dropped(step, member, parent, key)
    above = parent.parent
    if above is None or is_library(type(above.module)) or not is_of(parent.module, "ModuleList", "ModuleDict"):
        return None
    cls, attribute = type(above.module), _last(parent)
    keys = [name for name, _ in parent.items("_modules")]
    if any(source.mentions(attribute) for source in step.sources) or _is_named_elsewhere(step, cls, attribute):
        return None
    taken = entries_taken(cls, attribute, keys)
    if not taken or key in taken:
        return None
    fact = f"{class_name(cls)} takes only {listed(_shown(parent, taken), False, 60)} out of {attribute}"
    return fact, line_of_assignment(cls, attribute), False


def _dropped(step: Step, member: Member, parent: Member, key: str) -> tuple[str, Line | None, bool] | None:
    """That the ``forward``, which alone names a part, reads nothing of what it gives."""
    cls = type(parent.module)
    if _has_hooks(member.module):
        return None
    if step.once(_is_named_beside_forward, cls, key):
        return None
    found = step.once(dead_store_in_forward, cls, key, tuple(_silent(parent)))
    return None if found is None else (f"forward binds its result to {found[0]}, which nothing reads", found[1], True)


def _silent(parent: Member) -> list[str]:
    """The parts of a module that are torch's own, without a hook: they keep nothing of what they are given."""
    parts = [(name, part) for name, part in parent.items("_modules") if is_module(part) and not _has_hooks(part)]
    return [
        name
        for name, part in parts
        if all(class_module(type(below.module)).startswith("torch.") for below in _all_below(part))
    ]


def _all_below(part: Any) -> Iterator[Member]:
    return members(part, Steps(Budget()))


def _has_hooks(part: Any) -> bool:
    """Whether a hook of a module, of one below it or of all modules may see what it gives."""
    common = instance_dict(torch.nn.modules.module)
    tables = [common, *(below.attributes for below in _all_below(part))]
    return any(table.get(prefix + name) for table in tables for prefix in ("", "_global") for name in _HOOKS)


def _last(member: Member) -> str:
    return member.name.rpartition(".")[2]


def _shown(parent: Member, keys: list[str]) -> list[str]:
    return [f"[{key}]" if is_of(parent.module, "ModuleList") else f'["{key}"]' for key in keys]


def _by_member(step: Step) -> dict[int, list[Parameter]]:
    """The parameters in each module and below it."""
    found: dict[int, list[Parameter]] = {}
    for one in step.parameters.values():
        member: Member | None = one.member
        while member is not None:
            found.setdefault(id(member.module), []).append(one)
            member = member.parent
    return found


def _is_named(cls: type, attribute: str) -> bool:
    """Whether a method but ``__init__`` names an attribute, or goes through all of them."""
    methods = computing_methods(cls)
    if not methods or any(not source.is_known() for source in methods):
        return True
    return any(source.mentions(attribute, *ALL_PARTS) for source in methods)


def _is_named_beside_forward(cls: type, attribute: str) -> bool:
    others = [source for source in computing_methods(cls) if source.function != "forward"]
    return any(source.mentions(attribute, *ALL_PARTS) for source in others)


def _is_named_elsewhere(step: Step, cls: type, attribute: str) -> bool:
    """Whether anything but a plain method of the class names an attribute of it: a property, a function, another class."""
    plain = {id(method) for base in mro(cls) for method in class_dict(base).values() if type(method) is FunctionType}
    read = {id(undecorated(function).__code__) for function in functions_defined_by(cls) if id(function) in plain}
    return any(id(code) not in read for code in codes_that_name(step, attribute))
