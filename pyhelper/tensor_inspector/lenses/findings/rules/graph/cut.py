"""Rules about paths from a loss to its parameters that are cut."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from .....measure.torch import optimizers
from .....measure.torch.metadata import is_exact_tensor, requires_grad
from .....measure.torch.modules import Member, is_module, parameters_of
from .....measure.torch.node import AutogradNode
from .....words.text import listed
from ....step.classes import is_library, methods_of
from ....step.expressions import bound_in, text_of
from ....step.roles import Parameter
from ....step.sight import VisibleVariable
from ....step.source import Source
from ....step.step import Step
from ...finding import Violation
from ...forward import CutLine, cuts_of
from ...lines import Line
from ...made_of import CUTS, STEPS, cut_on, made_of, uses
from ...rule import rule
from .beside import cut_one_by_one, left_out
from .looped import cut_terms

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
            if line is None:
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


def _cut_terms(step: Step, missed: list[Parameter], reached: set[int], gets: str) -> Iterator[Violation]:
    """Terms that a loop or a list adds to the loss as numbers: what made them is not trained by them."""
    for loss in step.losses:
        for term in cut_terms(step, loss):
            cut = [one for one in missed if id(one.tensor) in term.leaves]
            if not cut or not share_an_optimizer(step, [one.tensor for one in cut], reached):
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


def _used_in(step: Step, variable: VisibleVariable) -> Line | None:
    """Where a loss is made of a value: where that leaves autograd, as far as the source tells; else where it is used."""
    source, found = step.sources[variable.view], None
    for loss in step.losses:
        for made in made_of(source, loss.name):
            at = cut_one_by_one(made.value, variable.key)
            if at is not None:
                return source.file, at
            if source.is_conditional(made.lineno, seen_from=source.lineno):
                continue  # it may not have run
            for path in uses(made.value, variable.key):
                if cut_on(path, _SLOPES) is not None or any(isinstance(node, ast.IfExp) for node in path):
                    continue
                if cut_on(path, (*CUTS, *STEPS)) is not None:
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
        cuts = cuts_of(type(member.module)) if gone else {}
        for key, tensors in gone.items():
            if key in cuts:
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


@rule(
    "error",
    why="A reentrant checkpoint records a graph only where an input needs a gradient.",
    suggestion="use_reentrant=False",
    needs="source",
)
def checkpoint_cut(step: Step) -> Iterator[Violation]:
    """A reentrant checkpoint whose inputs need no gradient runs its part without one."""
    for call in step.here.calls_of("checkpoint"):
        reentrant = call.keywords.get("use_reentrant")
        if reentrant is None or text_of(reentrant) != "True":
            continue
        inputs = [step.operand(argument, 0, call.lineno) for argument in call.args[1:]]
        known = [variable for variable in inputs if variable is not None and is_exact_tensor(variable.value)]
        called = step.module_of(text_of(call.args[0]), 0) if call.args else None
        if not known or len(known) < len(inputs) or any(requires_grad(variable.value) for variable in known):
            continue
        if called is not None and any(map(requires_grad, parameters_of(called.value))):
            yield Violation(
                (
                    f"the reentrant checkpoint of {called.name} gets no input that needs a gradient",
                    ": ",
                    "its parameters get none",
                ),
                (known[0].name, "requires_grad is False"),
                line=(step.here.file, call.lineno),
                suggestion="use_reentrant=False",
            )
    yield from _reentrant_in_modules(step)


def _reentrant_in_modules(step: Step) -> Iterator[Violation]:
    """A reentrant checkpoint in a method left no node in the graph, and what it runs no gradient."""
    if not step.has_all_losses() or not step.graph.complete:
        return
    reached, nodes = step.reached(), step.loss_nodes()
    is_pending = any(loss.pending for loss in step.losses)
    held = [one.tensor for one in step.trained()]
    if not any(id(tensor) in reached and (is_pending or step.grad(tensor) is not None) for tensor in held):
        return
    checkpoints = [op for op in step.graph.ops() if op.startswith("Checkpoint")]
    if any(step.graph.below(root, *checkpoints) for root in nodes if checkpoints):
        return
    missing = {id(tensor) for tensor in held if id(tensor) not in reached and step.grad(tensor) is None}
    for name, member in list(step.members.values()) if missing else ():
        if is_library(type(member.module)):
            continue
        methods = dict(methods_of(type(member.module)))
        for source in methods.values():
            for call in source.calls_of("checkpoint", "checkpoint_sequential"):
                named = _parts_named(source, call.args[0], methods) if call.args else set[str]()
                gone = _gone(name, member, named, missing)
                if gone and text_of(call.keywords.get("use_reentrant")) in ("True", ""):
                    what = "gets" if is_pending else "got"
                    yield Violation(
                        (
                            f"the reentrant checkpoint of {listed(gone, False, 60)} {what} no input that needs a gradient",
                            ": ",
                            f"its parameters {'get' if is_pending else 'got'} none",
                        ),
                        (gone[0], "trainable, in the optimizer, grad None"),
                        line=(source.file, call.lineno),
                    )


def _gone(name: str, member: Member, attributes: set[str], missing: set[int]) -> list[str]:
    """Of some attributes of a module those whose parameters are all missing, or else the entries of which that is so."""
    found = []
    for part in ("_parameters", "_modules"):
        for key, item in member.items(part):
            if key not in attributes or not is_module(item):
                continue
            whole = Member(item, "", key, member)
            inside = [("", parameters_of(item)), *((f"[{at}]", tensors) for at, tensors in parts_of(whole))]
            gone = [suffix for suffix, tensors in inside if tensors and missing.issuperset(map(id, tensors))]
            found += [f"{name}.{key}{suffix}" for suffix in (gone[:1] if "" in gone else gone)]
    return found


def _parts_named(source: Source, run: ast.expr, methods: dict[str, Source]) -> set[str]:
    """The attributes of ``self`` that what is run names: by itself, by loops and functions around it, by other methods."""
    found, waiting, seen = set[str](), list[ast.AST]([run]), set[str]()
    loops = [node for node in ast.walk(source.tree or ast.Pass()) if isinstance(node, ast.comprehension)]
    while waiting:
        for node in ast.walk(waiting.pop()):
            if isinstance(node, ast.Attribute) and text_of(node.value) == source.self_name and node.attr not in found:
                found.add(node.attr)
                waiting += methods[node.attr].body if node.attr in methods else []
            elif isinstance(node, ast.Name) and node.id not in seen:
                seen.add(node.id)
                for _, bound in source.bindings.get(node.id, ()):
                    is_function = isinstance(bound, ast.FunctionDef)
                    value = bound if is_function else getattr(bound, "iter", getattr(bound, "value", None))
                    waiting += [value] if isinstance(value, ast.AST) else []
                waiting += [loop.iter for loop in loops if node.id in bound_in(loop.target)]
    return found
