"""Rules about paths from a loss to its parameters that are cut."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import is_own
from .....measure.torch.graph import Node
from .....measure.torch.metadata import requires_grad
from .....measure.torch.modules import Member, is_module, parameters_of
from .....words.text import listed
from ....step.expressions import text_of
from ....step.roles import Parameter
from ....step.sight import Thing
from ....step.step import Step
from ...classes import is_library, methods_of
from ...finding import Found
from ...forward import Place, cuts_of
from ...made_of import cut_on, made_of, uses
from ...places import Line
from ...rule import Rule

#: what leaves autograd
CUTS = ("detach", "numpy", "item", "tolist", "data", "from_numpy", "as_tensor", "tensor", "array")
#: what has no gradient
STEPS = ("argmax", "argmin", "argsort", "round", "floor", "ceil", "sign", "long", "int", "bool", "eq", "ne", "gt", "lt", "ge", "le", "topk", "bincount", "one_hot", "multinomial", "sample", "trunc", "heaviside", "searchsorted")  # fmt: skip


def graph_cut(step: Step) -> Iterator[Found]:
    """From no loss a path leads to parameters that the optimizer of others holds, though they took part."""
    if not step.has_all_losses() or not step.graph.complete:
        return
    reached, nodes = reached_by_losses(step)
    missed = [one for one in step.trained() if id(one.tensor) not in reached]
    if not missed or not nodes:
        return
    gets = "gets" if any(loss.pending for loss in step.losses) else "got"
    for thing in step.tensors:
        node = step.node_of(thing.value)
        if node is None or thing.key == "_" or any(step.graph.reaches(root, node) for root in nodes):
            continue
        leads = {id(leaf) for leaf in step.graph.leaves(node)}
        cut = [one for one in missed if id(one.tensor) in leads]
        if cut and _share_an_optimizer(step, cut, reached) and not _is_old(step, node):
            place = _used_in(step, thing) or in_forward(step, {id(one.tensor) for one in cut})
            if place is None:
                continue  # an output that is not used, or not yet
            names = _grouped(step, cut)
            loss = step.losses[0]
            yield Found(
                f"{names} {gets} no gradient from {loss.name}: {thing.name} leads to them, but was cut off before the loss",
                (thing.name, "has a graph that the loss does not reach"),
                *((one.name, "trainable, in the optimizer" + _no_grad(step, one)) for one in cut[:4]),
                line=place,
            )
            return


def _used_in(step: Step, thing: Thing) -> Line | None:
    """Where a loss is made of a value: where that leaves autograd, as far as the source tells; else where it is used."""
    source, found = step.sources[thing.view], None
    for loss in step.losses:
        for made in made_of(source, loss.name):
            for path in uses(made.value, thing.key):
                if cut_on(path, (*CUTS, *STEPS)) is not None:
                    return source.file, path[-1].lineno  # type: ignore[attr-defined]
                found = found or (source.file, made.lineno)
    return found


def in_forward(step: Step, missing: set[int]) -> Line | None:
    """Where the ``forward`` of a module cuts off a part with trainable parameters, all of which are among these."""
    return next((place[:2] for _, _, place, _ in cuts_in_forwards(step, missing)), None)


def cuts_in_forwards(step: Step, missing: set[int]) -> Iterator[tuple[str, Member, Place, list[Any]]]:
    """The parts that a ``forward`` cuts off: the part's name, its module, the place, its trainable parameters."""
    for name, member in list(step.members.values()) if missing else ():
        if is_library(type(member.module)):
            continue
        gone = {key: own for key, own in parts_of(member) if own and missing.issuperset(map(id, own))}
        places = cuts_of(type(member.module)) if gone else {}
        for key, tensors in gone.items():
            if key in places:
                yield f"{name}.{key}", member, places[key], tensors


def parts_of(member: Member) -> Iterator[tuple[str, list[Any]]]:
    """The attributes of a module that hold parameters: each with these."""
    for part in ("_parameters", "_modules"):
        for key, item in member.items(part):
            if item is None:
                continue
            yield key, parameters_of(item) if is_module(item) else [item]


def _is_old(step: Step, node: Node) -> bool:
    """Whether its graph was freed by a backward that went through it."""
    return any(below.is_freed() for below in step.graph.below(node)[:50])


def _no_grad(step: Step, one: Parameter) -> str:
    return ", grad None" if step.grad(one.tensor) is None else ""


def reached_by_losses(step: Step) -> tuple[set[int], list[Node]]:
    nodes = [node for node in (step.node_of(loss.tensor) for loss in step.losses) if node is not None]
    return {id(leaf) for node in nodes for leaf in step.graph.leaves(node)}, nodes


def _share_an_optimizer(step: Step, cut: list[Parameter], reached: set[int]) -> bool:
    from .....measure.torch.optimizers import tensors

    for thing in step.optimizers:
        held = {id(tensor) for tensor in tensors(thing.value)}
        if held & reached and any(id(one.tensor) in held for one in cut):
            return True
    return False


def _grouped(step: Step, parameters: list[Parameter]) -> str:
    """``encoder.*`` for all of a module, else the names."""
    owners = list(dict.fromkeys(one.name.rpartition(".")[0] or one.name for one in parameters))
    return listed((f"{owner}.*" for owner in owners), False, 60)


def checkpoint_cut(step: Step) -> Iterator[Found]:
    """A reentrant checkpoint whose inputs need no gradient runs its part without one."""
    for call in step.here.calls_of("checkpoint"):
        reentrant = call.keywords.get("use_reentrant")
        if reentrant is None or text_of(reentrant) != "True":
            continue
        inputs = [step.operand(argument, 0, call.lineno) for argument in call.args[1:]]
        known = [thing for thing in inputs if thing is not None and is_own(thing.value)]
        called = step.module_of(text_of(call.args[0]), 0) if call.args else None
        if not known or len(known) < len(inputs) or any(requires_grad(thing.value) for thing in known):
            continue
        if called is not None and any(map(requires_grad, parameters_of(called.value))):
            yield Found(
                f"the reentrant checkpoint of {called.name} gets no input that needs a gradient: its parameters get none",
                (known[0].name, "requires_grad is False"),
                line=(step.here.file, call.lineno),
                suggestion="use_reentrant=False",
            )
    yield from _reentrant_in_modules(step)


def _reentrant_in_modules(step: Step) -> Iterator[Found]:
    """After a backward: a reentrant checkpoint in a method left no node in the graph, and its part no gradient."""
    if any(loss.pending for loss in step.losses) or not step.has_all_losses() or not step.graph.complete:
        return
    reached, nodes = reached_by_losses(step)
    held = [one.tensor for one in step.trained()]
    if not any(id(tensor) in reached and step.grad(tensor) is not None for tensor in held):
        return
    if any(node.op.startswith("Checkpoint") for root in nodes for node in step.graph.below(root)):
        return
    missing = {id(tensor) for tensor in held if id(tensor) not in reached and step.grad(tensor) is None}
    for name, member in list(step.members.values()) if missing else ():
        if is_library(type(member.module)):
            continue
        gone = {f"self.{key}" for key, own in parts_of(member) if own and missing.issuperset(map(id, own))}
        for _, source in methods_of(type(member.module)) if gone else ():
            for call in source.calls_of("checkpoint"):
                run, reentrant = text_of(call.args[0]) if call.args else "", call.keywords.get("use_reentrant")
                if run in gone and text_of(reentrant) == "True":
                    part = f"{name}.{run[len('self.') :]}"
                    yield Found(
                        f"the reentrant checkpoint of {part} got no input that needs a gradient: its parameters got none",
                        (part, "trainable, in the optimizer, grad None"),
                        line=(source.file, call.lineno),
                    )


RULES = [
    Rule(
        "graph-cut",
        graph_cut,
        "loss optimizer source",
        "error",
        "What gets no gradient does not learn.",
        "pass it on without detach()",
    ),
    Rule(
        "checkpoint-cut",
        checkpoint_cut,
        "source",
        "error",
        "A reentrant checkpoint records a graph only where an input needs a gradient.",
        "use_reentrant=False",
    ),
]
