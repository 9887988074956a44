"""Rules about paths from a loss to its parameters that are cut."""

from __future__ import annotations

from collections.abc import Iterator

from .....measure.torch.elements import is_own
from .....measure.torch.graph import Node
from .....measure.torch.metadata import requires_grad
from .....measure.torch.modules import parameters_of
from .....words.text import listed
from ....step.expressions import text_of
from ....step.roles import Parameter
from ....step.source import Source
from ....step.step import Step
from ...finding import Found
from ...rule import Rule

#: what leaves autograd
CUTS = ("detach", "numpy", "item", "tolist", "data", "from_numpy", "as_tensor", "tensor", "array")


def graph_cut(step: Step) -> Iterator[Found]:
    """From no loss a path leads to parameters that the optimizer of others holds, though they took part."""
    if not step.has_all_losses() or not step.graph.complete:
        return
    reached, nodes = reached_by_losses(step)
    missed = [one for one in step.trained() if id(one.tensor) not in reached]
    if not missed or not nodes:
        return
    for thing in step.tensors:
        node = step.node_of(thing.value)
        if node is None or any(step.graph.reaches(root, node) for root in nodes):
            continue
        leads = {id(leaf) for leaf in step.graph.leaves(node)}
        cut = [one for one in missed if id(one.tensor) in leads]
        if cut and _share_an_optimizer(step, cut, reached) and not _is_old(step, node):
            line = _detached_in(step.source, thing.key)
            names = _grouped(step, cut)
            loss = step.losses[0]
            yield Found(
                f"{names} got no gradient from {loss.name}: {thing.name} leads to them, but was cut off before the loss",
                (thing.name, "has a graph that the loss does not reach"),
                *((one.name, "trainable, in the optimizer" + _no_grad(step, one)) for one in cut[:4]),
                line=None if line is None else (step.source.file, line),
            )
            return


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


def _detached_in(source: Source, name: str) -> int | None:
    for call in source.calls:
        if call.name in CUTS and call.receiver is not None and text_of(call.receiver) == name:
            return call.lineno
    return None


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
