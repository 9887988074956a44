"""Rules about paths from a loss to its parameters that are cut."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from .....measure.torch import optimizers
from .....measure.torch.modules import Member, is_module, parameters_of
from .....measure.torch.node import AutogradNode
from .....words.text import listed
from ....step.classes import is_library
from ....step.functions import functions_called
from ....step.roles import Parameter
from ....step.sight import VisibleVariable
from ....step.step import Step
from ...finding import Violation
from ...forward import CutLine, cuts_of
from ...lines import Line
from ...made_of import CUTS, STEP_FUNCTIONS, cut_on, is_choice, surely_made_of, uses
from ...rule import rule
from .cut_in_call import cut_in_call
from .learns_elsewhere import held_by, is_moved, may_learn_elsewhere
from .looped import cut_terms
from .not_in_loss import cut_one_by_one, left_out

#: slopes of a value: what is only added to it has no influence on them
_SLOPES = ("grad", "jacobian", "hessian", "jvp", "vjp")


@rule(
    "error",
    why="What gets no gradient does not learn.",
    suggestion="pass it on without detach()",
    needs="loss optimizer source",
)
def graph_cut(step: Step) -> Iterator[Violation]:
    """From no loss a path leads to parameters that the optimizer of others holds, though they took part."""
    if not step.has_all_losses() or not step.graph.complete:
        return
    reached, nodes = step.reached(), step.loss_nodes()
    missed = [one for one in step.trained() if id(one.tensor) not in reached]
    if not missed or not nodes:
        return
    gets = "gets" if any(loss.pending for loss in step.losses) else "got"
    for variable in step.tensors:
        node = step.node_of(variable.value)
        if node is None or variable.key == "_" or any(step.graph.reaches(root, node) for root in nodes):
            continue
        leads = {id(leaf) for leaf in step.graph.leaves(node)}
        cut = [one for one in missed if id(one.tensor) in leads]
        if cut and share_an_optimizer(step, [one.tensor for one in cut], reached) and not _is_old(step, node, nodes):
            line, how = (
                _used_in(step, variable) or in_forward(step, {id(one.tensor) for one in cut}),
                "was cut off before",
            )
            if line is None:
                line, how = left_out(step, variable), "nothing adds it to"
            if line is None or _learn_elsewhere(step, cut, missed):
                continue  # an output that is not used, or not yet
            names = grouped(cut)
            loss = step.losses[0]
            yield Violation(
                (
                    f"{names} {gets} no gradient from {loss.name}",
                    ": ",
                    f"{variable.name} leads to them, but {how} the loss",
                ),
                (variable.name, "has a graph that the loss does not reach"),
                *((one.name, "trainable, in the optimizer" + _no_grad(step, one)) for one in cut[:4]),
                line=line,
            )
            return
    yield from _cut_terms(step, missed, reached, gets)
    yield from _cut_in_calls(step, missed, reached, gets)


def _cut_in_calls(step: Step, missed: list[Parameter], reached: set[int], gets: str) -> Iterator[Violation]:
    """Whole modules of which a function that the step calls makes what has no graph."""
    for variable in step.modules:
        cut = [one for one in missed if one.root is variable]
        is_whole = bool(cut) and len(cut) == sum(one.root is variable for one in step.trained())
        if not is_whole or any(step.grad(one.tensor) is not None for one in cut):
            continue
        if not share_an_optimizer(step, [one.tensor for one in cut], reached):
            continue
        found = cut_in_call(step, variable)
        if found is not None:
            yield Violation(
                (
                    f"{variable.name}.* {gets} no gradient from {step.losses[0].name}",
                    ": ",
                    f"{found.how} cuts it off in {found.source.function}",
                ),
                *((one.name, "trainable, in the optimizer, grad None") for one in cut[:4]),
                line=found.line,
            )


def _cut_terms(step: Step, missed: list[Parameter], reached: set[int], gets: str) -> Iterator[Violation]:
    """Terms that a loop or a list adds to the loss as numbers: what made them is not trained by them."""
    for loss in step.losses:
        for term in cut_terms(step, loss):
            cut = [one for one in missed if id(one.tensor) in term.leaves]
            if not cut or not share_an_optimizer(step, [one.tensor for one in cut], reached):
                continue
            if _learn_elsewhere(step, cut, missed):
                continue
            yield Violation(
                (
                    f"{grouped(cut)} {gets} no gradient from {loss.name}",
                    ": ",
                    f"{term.call} cuts off their terms",
                ),
                *((one.name, "trainable, in the optimizer" + _no_grad(step, one)) for one in cut[:4]),
                line=term.line,
            )
            return


def _learn_elsewhere(step: Step, cut: list[Parameter], missed: list[Parameter]) -> bool:
    known = [called.source for called in functions_called(step, [step.level])]
    return any(may_learn_elsewhere(step, held, known) for held in held_by(step, cut, missed))


def _used_in(step: Step, variable: VisibleVariable) -> Line | None:
    """Where a loss is made of a value: where that leaves autograd, as far as the source tells; else where it is used."""
    source, found = step.sources[variable.level], None

    def is_chosen(node: ast.AST) -> bool:
        return is_choice(node, lambda name: step.value(name, variable.level))

    for loss in step.losses:
        for made in surely_made_of(source, loss.name, is_chosen):
            at = cut_one_by_one(made.value, variable.key)
            if at is not None:
                return source.file, at
            for path in uses(made.value, variable.key):
                if any(map(is_chosen, path)):
                    return None  # in other rounds the loss may lead to it
                if cut_on(path, _SLOPES) is not None:
                    continue
                if cut_on(path, (*CUTS, *STEP_FUNCTIONS)) is not None:
                    return source.file, path[-1].lineno  # type: ignore[attr-defined]
                if any(isinstance(node, ast.Call) for node in path):  # else the loss would lead to it
                    found = found or (source.file, made.lineno)
    return found


def in_forward(step: Step, missing: set[int]) -> Line | None:
    """Where the ``forward`` of a module cuts off a part with trainable parameters, all of which are among these."""
    return next((cut[:2] for _, _, cut, _ in cuts_in_forwards(step, missing)), None)


def cuts_in_forwards(step: Step, missing: set[int]) -> Iterator[tuple[str, Member, CutLine, list[Any]]]:
    """The parts that a ``forward`` cuts off: the part's name, its module, where, its trainable parameters."""
    for name, member in list(step.members.values()) if missing else ():
        if is_library(type(member.module)):
            continue
        gone = {key: tensors for key, tensors in parts_of(member) if tensors and missing.issuperset(map(id, tensors))}
        cuts = step.once(cuts_of, type(member.module)) if gone else {}
        for key, tensors in gone.items():
            if key in cuts and not is_moved(step, key):
                yield f"{name}.{key}", member, cuts[key], tensors


def parts_of(member: Member) -> Iterator[tuple[str, list[Any]]]:
    """The attributes of a module that hold parameters: each with these."""
    for part in ("_parameters", "_modules"):
        for key, item in member.items(part):
            if item is None:
                continue
            yield key, parameters_of(item) if is_module(item) else [item]


def _is_old(step: Step, node: AutogradNode, roots: list[AutogradNode]) -> bool:
    """Whether its graph was freed by the backward of another loss than these: of an earlier step."""
    own = step.graph.below(node, most=50)
    return any(one.is_freed() for one in own if not any(step.graph.reaches(root, one) for root in roots))


def _no_grad(step: Step, one: Parameter) -> str:
    return ", grad None" if step.grad(one.tensor) is None else ""


def share_an_optimizer(step: Step, some: Iterable[Any], reached: set[int]) -> bool:
    """Whether an optimizer holds some of these tensors, and some that the losses reach."""
    wanted = set(map(id, some))
    held = ({id(tensor) for tensor in optimizers.tensors(variable.value)} for variable in step.optimizers)
    return any(own & reached and own & wanted for own in held)


def grouped(parameters: list[Parameter]) -> str:
    """``encoder.*`` for all of a module, else the names."""
    owners = list(dict.fromkeys(one.name.rpartition(".")[0] or one.name for one in parameters))
    return listed((f"{owner}.*" for owner in owners), False, 60)
