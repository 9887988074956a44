"""Parameters of an optimizer took part, but the loss does not lead to them.

Why: What gets no gradient does not learn.

Example:
    h = encoder(x)
    loss = F.cross_entropy(head(h.detach()), y)

Instead:
    h = encoder(x)
    loss = F.cross_entropy(head(h), y)

Silent when:
    - not every loss of the step, or not the whole graph, is in sight
    - no optimizer holds them together with parameters that the loss reaches
    - the source shows no place where they are cut off, or may choose another way in other rounds
    - their graph is of an earlier step
    - another function or loop may train them, they are moved by hand (as an average), or gradients are set by hand
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .....measure.torch.metadata import element_count
from .....measure.torch.node import AutogradNode
from ....flow.definitions import detached_by, is_choice, sure_definitions, uses
from ....flow.effects import REACHING_VARIABLES
from ....flow.gradient.detached_in_call import detached_in_call
from ....flow.gradient.detached_parts import detached_in_forwards, share_an_optimizer
from ....flow.gradient.summands import detached_summands
from ....flow.lines import Line
from ....flow.ops import DETACHING, NON_DIFFERENTIABLE
from ....flow.reach.trained_elsewhere import may_train_elsewhere, untrained_modules
from ....step.expressions import parent_of, text_of
from ....step.functions import calls_module, functions_called
from ....step.roles import Parameter
from ....step.sight import VisibleVariable
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.parameter_groups import grouped

#: slopes of a value: what is only added to it has no influence on them
_SLOPES = ("grad", "jacobian", "hessian", "jvp", "vjp")


@rule(
    "error",
    why="What gets no gradient does not learn.",
    suggestion="pass it on without detach()",
    causes="missing-grad unused-module",
    needs="loss optimizer source",
)
def graph_cut(step: Step) -> Iterator[Violation]:
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
                _used_in(step, variable) or _in_forward(step, {id(one.tensor) for one in cut}),
                "was cut off before",
            )
            if line is None:
                line, how = _left_out(step, variable), "nothing adds it to"
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
        found = detached_in_call(step, variable)
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
        for term in detached_summands(step, loss):
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
    return any(may_train_elsewhere(step, held, known) for held in untrained_modules(step, cut, missed))


def _used_in(step: Step, variable: VisibleVariable) -> Line | None:
    """Where a loss is made of a value: where that leaves autograd, as far as the source tells; else where it is used."""
    source, found = step.sources[variable.level], None

    def is_chosen(node: ast.AST) -> bool:
        return is_choice(node, lambda name: step.value(name, variable.level))

    def is_module_call(node: ast.AST) -> bool:
        return calls_module(step, node, variable.level)

    for loss in step.losses:
        for made in sure_definitions(source, loss.name, is_chosen):
            at = _cut_one_by_one(made.value, variable.key)
            if at is not None:
                return source.file, at
            for path in uses(made.value, variable.key):
                if any(map(is_chosen, path)):
                    return None  # in other rounds the loss may lead to it
                if detached_by(path, _SLOPES, is_module_call) is not None:
                    continue
                if detached_by(path, (*DETACHING, *NON_DIFFERENTIABLE), is_module_call) is not None:
                    return source.file, path[-1].lineno  # type: ignore[attr-defined]
                if any(isinstance(node, ast.Call) for node in path):  # else the loss would lead to it
                    found = found or (source.file, made.lineno)
    return found


def _in_forward(step: Step, missing: set[int]) -> Line | None:
    """Where the ``forward`` of a module cuts off a part with trainable parameters, all of which are among these."""
    return next((cut[:2] for _, _, cut, _ in detached_in_forwards(step, missing)), None)


def _is_old(step: Step, node: AutogradNode, roots: list[AutogradNode]) -> bool:
    """Whether its graph was freed by the backward of another loss than these: of an earlier step."""
    own = step.graph.below(node, most=50)
    return any(one.is_freed() for one in own if not any(step.graph.reaches(root, one) for root in roots))


def _no_grad(step: Step, one: Parameter) -> str:
    return ", grad None" if step.grad(one.tensor) is None else ""


def _cut_one_by_one(value: ast.expr, key: str) -> int | None:
    """The line in which an expression cuts off each item of a list: ``[f.detach() for f in features]``."""
    container = parent_of(key) if key.endswith("]") else None
    for node in ast.walk(value) if container is not None else ():
        if not isinstance(node, (ast.ListComp, ast.GeneratorExp)) or len(node.generators) != 1:
            continue
        over = node.generators[0]
        if text_of(over.iter) != container or not isinstance(over.target, ast.Name):
            continue
        paths = list(uses(node.elt, over.target.id))
        if paths and all(detached_by(path, DETACHING) is not None for path in paths):
            return node.elt.lineno
    return None


def _left_out(step: Step, variable: VisibleVariable) -> Line | None:
    """The line that computes a single number which nothing in its function reads: a loss that no sum has."""
    source = step.sources[variable.level]
    if not variable.key.isidentifier() or element_count(variable.value) != 1:
        return None
    if source.function == "<module>" and not dict.__contains__(step.frames[variable.level].frame.f_globals, "__file__"):
        return None  # a cell of a notebook: another one may read it
    made = source.binding_of(variable.key)
    nodes = source.nodes
    is_read = any(isinstance(node, ast.Name) and node.id == variable.key for node in nodes if not _is_bound(node))
    is_open = any(isinstance(node, (ast.Global, ast.Nonlocal)) for node in nodes) or source.mentions(
        *REACHING_VARIABLES, "globals"
    )
    if made is None or is_read or is_open or not _computes(made[1], variable.key):
        return None
    return source.file, made[0]


def _is_bound(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _computes(node: ast.AST, key: str) -> bool:
    """Whether an assignment computes a value for a name alone: it is none of several that a call gives."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return False
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return any(text_of(one) == key for one in target.elts)
    return isinstance(target, ast.Name)
