"""The lens `no_gradient`: why a parameter, or the parameters of a module, have no gradient."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...kinds import Child, Rows
from ...measure.torch.elements import bare
from ...measure.torch.metadata import (
    dtype_name,
    dtype_of,
    element_count,
    grad_of,
    gradient_of,
    is_parameter,
    is_tensor,
    requires_grad,
)
from ...measure.torch.modules import is_module, members
from ...safe.budget import Budget, Steps
from ...safe.record import Record
from ...words.text import full_path, plural
from ..findings.rules.loss.parts.absent_loss import loss_without_graph
from ..lens import Lens, Paused, wrong_type
from ..step.expressions import key_of
from ..step.roles import Parameter
from ..step.step import Step
from ..surroundings import Names, step_around
from .cuts import cut_in_frames, cut_in_modules, unused_in_modules
from .reasons import Reason, Target, row_of, text_of

if TYPE_CHECKING:
    from ...protocol import Found, NoGradientFound, NoGradientReason

_NAMED = 100  #: parameters of one reason that are named


def lens(values: Mapping[str, Child], options: Mapping[str, Any], budget: Budget, paused: Paused | None) -> Lens:
    """About ``values["parameter"]``: any tensor, or a module and all its parameters. Else it raises ``TypeError``."""
    asked, step = values["parameter"], step_around(paused, budget)
    names = Names(step, asked.suffix, asked.value)
    if is_module(asked.value):
        return NoGradientLens(asked, _of_module(asked, names), step, budget)
    if not is_tensor(asked.value):
        raise wrong_type(asked, "a parameter or a torch.nn.Module")
    known = names.parameter(asked.value)
    target = Target(asked.name, asked.suffix, asked.value, None, "") if known is None else target_of(known)
    return NoGradientLens(asked, iter([target]), step, budget)


def target_of(known: Parameter) -> Target:
    """A parameter of a module in sight."""
    return Target(known.name, known.name, known.tensor, known.member, _last(known.name))


def _of_module(asked: Child, names: Names) -> Iterator[Target]:
    for member in members(asked.value, Steps(Budget())):
        for suffix, tensor in member.parameters():
            known, path = names.parameter(tensor), f"{asked.suffix or ''}{member.path}{suffix}"
            yield Target(
                path, path if asked.suffix else None, tensor, member if known is None else known.member, suffix
            )


class BackwardCall(Record):
    """A tensor that backward is called on; ``done`` where that has run."""

    name: str
    tensor: Any
    done: bool


def _losses(step: Step) -> list[BackwardCall]:
    """The losses that the source calls backward on; where it calls none, single numbers in sight that have a graph."""
    found = [BackwardCall(loss.name, loss.tensor, loss.done) for loss in step.losses if element_count(loss.tensor) == 1]
    single = (
        variable for variable in step.tensors if not variable.value.dim() and step.node_of(variable.value) is not None
    )
    return found or [BackwardCall(variable.name, variable.value, False) for variable in single]


def _why_not_required(tensor: Any, is_trained: bool) -> Reason:
    """Why a tensor requires no gradient: a parameter was frozen; others have none, or never had one."""
    if is_trained:
        return Reason("frozen")
    kind = dtype_of(tensor)
    has_none = kind is not None and not kind.is_floating_point and not kind.is_complex
    return Reason("integer", at=dtype_name(tensor)) if has_none else Reason("constant")


def told(reason: Reason) -> NoGradientReason:
    """A reason as data."""
    return {
        "code": reason.code,
        "certain": reason.certain,
        "count": len(reason.targets),
        "parameters": [target.name for target in reason.targets[:_NAMED]],
        "at": reason.at,
        "file": None if reason.location is None else full_path(reason.location[0]),
        "line": None if reason.location is None else reason.location[1],
    }


def _last(name: str) -> str:
    return f".{name.rpartition('.')[2]}"


class NoGradientLens(Lens):
    """``losses`` are what the parameters are to be reached from; without it, those in sight."""

    def __init__(
        self,
        asked: Child,
        targets: Iterator[Target],
        step: Step | None,
        budget: Budget,
        losses: list[BackwardCall] | None = None,
    ) -> None:
        super().__init__(budget)
        self._asked = asked
        self._to_find = targets
        self._targets: list[Target] = []
        self._is_found = False
        self._explained = 0
        self._step = step
        self._reasons: dict[tuple[Any, ...], Reason] = {}
        self._losses = losses if losses is not None else [] if step is None else _losses(step)
        self._reached = [self._leaves(loss) for loss in self._losses]

    def go_on(self) -> bool:
        if not self._is_found and not self._find():
            return False
        while self._explained < len(self._targets):
            target = self._targets[self._explained]
            reason = self._why(target)
            self._reasons.setdefault(reason.key(), reason).targets.append(target)
            self._explained += 1
            if self.budget.spent():
                break
        return self._explained == len(self._targets)

    def progress(self) -> float:
        return self._explained / max(1, len(self._targets))

    def found(self) -> Found:
        answer: NoGradientFound = {
            "lens": "no_gradient",
            "asked": len(self._targets),
            "loss": self._losses[0].name if self._losses else None,
            "reasons": [told(reason) for reason in self.reasons()],
        }
        return answer

    def row(self) -> Child:
        reasons = self.reasons()
        name = f"why {self._asked.name} has no gradient"
        if len(reasons) == 1:
            rows = [Child(target.name, target.tensor, target.path) for target in reasons[0].targets]
            return Child(name, Rows.of(text_of(reasons[0]), rows if len(self._targets) > 1 else []), "")
        if not reasons:
            line = "it has no parameters" if self._is_found and not self._targets else "not read"
            return Child(name, Rows.of(line, []), "")
        return Child(name, Rows.of(plural(len(reasons), "reason"), [row_of(reason) for reason in reasons]), "")

    def _find(self) -> bool:
        """Whether all parameters are found."""
        steps = Steps(self.budget)
        for target in self._to_find:
            self._targets.append(target)
            if steps.end():
                return False
        self._is_found = True
        return True

    def reasons(self) -> list[Reason]:
        """The reasons, that of the most parameters first; parameters with a gradient come last."""
        last = ("has_gradient",)
        return sorted(self._reasons.values(), key=lambda reason: (reason.code in last, -len(reason.targets)))

    def _leaves(self, loss: BackwardCall) -> set[int]:
        node = None if self._step is None else self._step.node_of(loss.tensor)
        return set() if node is None or self._step is None else {id(leaf) for leaf in self._step.graph.leaves(node)}

    def _why(self, target: Target) -> Reason:
        tensor = target.tensor
        if not requires_grad(tensor):
            return _why_not_required(tensor, target.member is not None or is_parameter(tensor))
        gradient = gradient_of(tensor)
        if not gradient.is_leaf:
            return Reason("not_leaf", at=gradient.origin)
        grad = grad_of(tensor)
        if grad is not None:
            values = bare(grad)
            return Reason("zero_gradient" if values is not None and not bool(values.any()) else "has_gradient")
        if self._step is None or not self._losses:
            dead = None if self._step is None else loss_without_graph(self._step)
            return Reason("no_loss") if dead is None else Reason("loss_without_graph", at=dead)
        for loss, leaves in zip(self._losses, self._reached):
            if id(tensor) in leaves:
                return self._reached_by(loss)
        if not self._step.graph.complete:
            return Reason("not_known", certain=False)
        return self._cut(target, self._step)

    def _reached_by(self, loss: BackwardCall) -> Reason:
        """The loss leads here: a backward has run, or not."""
        step = self._step
        node = None if step is None else step.node_of(loss.tensor)
        freed = step is not None and node is not None and step.graph.freed_below(node) is not None
        if freed:
            return Reason("cleared", at=loss.name)
        return Reason("cleared", at=loss.name, certain=False) if loss.done else Reason("not_yet", at=loss.name)

    def _cut(self, target: Target, step: Step) -> Reason:
        """Where the way from a parameter to the loss ends."""
        near = self._last_variables(target, step)
        cut = cut_in_frames(step, near) if near else None
        if cut is None and target.member is not None:
            cut = cut_in_modules(target.member, target.suffix)
        if cut is None:
            cut = cut_in_frames(step, self._holders(target, step))
        if cut is None and target.member is not None and not near:
            cut = unused_in_modules(target.member, target.suffix, step)
        if cut is not None:
            return Reason(cut.code, cut)
        loss = self._losses[0]
        if not requires_grad(loss.tensor):
            return Reason("loss_without_graph", at=loss.name)
        if gradient_of(loss.tensor).is_leaf:
            return Reason("loss_is_leaf", at=loss.name)
        return Reason("not_reached", at=near[0] if near else None)

    def _last_variables(self, target: Target, step: Step) -> list[str]:
        """Variables whose graph reaches the parameter, the latest first: after them the path to the loss ends."""
        found: list[tuple[int, str]] = []
        for variable in step.tensors:
            node = step.node_of(variable.value)
            if node is not None and any(leaf is target.tensor for leaf in step.graph.leaves(node)):
                found.append((node.order(), key_of(variable.name)))
        return [name for _, name in sorted(found, reverse=True)]

    def _holders(self, target: Target, step: Step) -> list[str]:
        """The modules in sight that have the parameter, as the source calls them."""
        found: list[str] = []
        member = target.member
        while member is not None:
            found.extend(key_of(name) for name in step.names.get(id(member.module), ()))
            member = member.parent
        return found
