"""Why a backward failed: no graph, a freed graph, a tensor changed in place, more than one element."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, Any

from ....measure.torch.graph import Graph
from ....measure.torch.metadata import element_count, gradient_of, requires_grad
from ....measure.torch.node import LEAF, AutogradNode
from ....safe.guard import SEQUENCES
from ....words.text import shape
from ...findings.finding import Violation
from ...findings.rule import Rule
from ...flow.loop_carried import State, carried_states
from ..error_context import ErrorContext
from ..operand import Operand, needs_grad, operand
from ..values import value_words

if TYPE_CHECKING:
    from ...findings.rules.graph.parts.lost_graph import LossCut


def loss_not_scalar(context: ErrorContext) -> Violation:
    root = next((one for one in roots(context) if one.value is None or element_count(one.value) != 1), None)
    if root is None:
        return context.quoted([])
    sizes = root.sizes or ()
    count = "more than one" if root.sizes is None else str(prod(sizes))
    title = (f"{root.name} is {shape(sizes)}, {count} elements", ": ", "backward needs a single number")
    return context.found(title, root, suggestion=f"{root.written}.mean().backward()")


def loss_without_grad(context: ErrorContext) -> Violation:
    """What backward is called on has no graph: where the source in sight has cut it off, if that is known."""
    root = next((one for one in roots(context) if not needs_grad(one)), None)
    if root is None:
        return context.found("what backward is called on has no grad_fn")
    fact, cut = (root.name, f"{root.fact} without grad_fn"), _cut(context, root)
    if cut is None:
        fit = "look for detach(), item(), no_grad, an argmax or a new tensor on its way"
        return context.found(f"{root.name} has no grad_fn", fact, suggestion=fit)
    title = (f"{root.name} has no grad_fn", ": ", cut.words)
    file, line = cut.line
    is_sure = not any(
        source.file == file and source.is_conditional(line, seen_from=source.lineno) for source in context.step.sources
    )
    found = context.found(title, fact, cut.fact, suggestion=cut.suggestion or _CUT_FIT, certain=is_sure)
    found.line = cut.line
    return found


_CUT_FIT = "keep the computation in torch, without detach, numpy or item"


def _cut(context: ErrorContext, root: Operand) -> LossCut | None:
    from ...findings.rules.graph.parts.lost_graph import cut_of, cut_of_name

    step = context.step
    loss = next((one for one in step.losses if one.tensor is root.value), None)
    return cut_of(step, loss) if loss is not None else cut_of_name(step, root.name, 0)


def input_without_grad(context: ErrorContext) -> Violation:
    """An input of ``torch.autograd.grad`` that the outputs do not depend on."""
    given: list[Any] = [entry.variables.get("inputs") for entry in context.library.frames]
    values = next(
        (list(each) if issubclass(type(each), (tuple, list)) else [each] for each in given if each is not None), []
    )
    inputs = [one for value in values if (one := operand(context.names.of(value) or "an input", value)) is not None]
    frozen = next((one for one in inputs if not needs_grad(one)), None)
    if frozen is not None:
        title = (f"{frozen.name} does not require a gradient", ": ", "nothing is differentiated by it")
        return context.found(title, frozen, suggestion=f"{frozen.written}.requires_grad_() before it is used")
    fit = "leave it out, or allow_unused=True, which gives None for it"
    graph = Graph((gradient_of(root.value).function for root in roots(context)), context.budget.share())
    unused = next((one for one in inputs if not _leads_to(graph, one.value)), None)
    if unused is None or not graph.complete:
        return context.found("one of the inputs is not used in what is differentiated", *inputs, suggestion=fit)
    return context.found(f"{unused.name} is not used in what is differentiated", unused, suggestion=fit)


def _leads_to(graph: Graph, tensor: Any) -> bool:
    """Whether the graph goes back to a tensor: to what made it, or to it itself where it is a leaf."""
    made = gradient_of(tensor).function
    return graph.of(made) is not None or any(node.leaf is tensor for node in graph.by(LEAF))


def graph_freed(context: ErrorContext) -> Violation:
    carried = _carried(context)
    if carried is not None:
        name = carried.name
        title = (
            f"{name} goes from step to step with the graph of the step before",
            ", ",
            "which its backward has freed",
        )
        fact = (name, value_words(carried.value))
        return context.found(title, fact, suggestion=carried.detaching, certain=False)
    for root in roots(context):
        node = context.step.node_of(root.value)
        freed = None if node is None else _freed(context, node)
        if node is None or freed is None:
            continue
        shared = context.step.title_of(freed) or _named_on_the_way(context, node, freed, root)
        shared = None if shared == root.name else shared
        if shared is None:
            break
        what = f"{shared}, made by {freed.op}Backward0," if shared else f"{freed.op}Backward0,"
        again = f"{root.name} goes back through {what} whose graph an earlier backward has freed"
        fact = (root.name, f"{freed.op}Backward0 below it has nothing saved any more")
        return context.found(
            again, fact, (shared, "its graph is freed") if shared else None, suggestion=_once(context, shared)
        )
    known = next(iter(roots(context)), None)
    name = "the graph" if known is None else f"what {known.name} goes back through"
    return context.found(f"{name} was freed by an earlier backward", known, suggestion=_once(context, None))


def _carried(context: ErrorContext) -> State | None:
    """A state that carries its graph from step to step: ``out, h = rnn(x, h)``. The loss shares that graph."""
    step = context.step
    if len(step.source.backwards) != 1:
        return None
    nodes = [node for root in roots(context) if (node := step.node_of(root.value)) is not None]
    shared = {id(node.function) for root in nodes for node in step.graph.below(root) if node.leaf is None}
    for state in carried_states(step):
        own = Graph([gradient_of(tensor).function for tensor in state.tensors], step.budget.share()).nodes
        if any(id(node.function) in shared for node in own):
            return state
    return None


def inplace_modified(context: ErrorContext) -> Violation:
    """A leaf that is changed in place, or a tensor that was changed after the graph saved it."""
    for changed in (one for operation in context.operations for one in operation.operands()):
        leaf = changed.parts[0] if changed.parts else changed
        if "leaf Variable" not in context.message or not needs_grad(leaf):
            continue
        what = "a leaf" if leaf is changed else f"a view of {leaf.name}, a leaf"
        title = (f"{changed.name} is {what} that requires a gradient", ": ", "it can't be changed in place")
        return context.found(
            title, changed, leaf, suggestion=f"change {leaf.name} under torch.no_grad(), or make a new tensor"
        )
    fit = "write it out of place: h = h * 2, not h.mul_(2)"
    return context.quoted(roots(context)[:2], fit)


def roots(context: ErrorContext) -> list[Operand]:
    """The tensors that a backward is called on."""
    for entry in reversed(context.library.frames):
        given: Any = (
            entry.arguments().get("tensors") or entry.arguments().get("outputs") or entry.arguments().get("self")
        )
        found = [
            known
            for value in (given if type(given) in SEQUENCES else (given,))
            if (known := operand(context.names.of(value) or "the loss", value)) is not None
        ]
        if found:
            return found
    called = [operation for operation in context.operations if operation.name == "backward"]
    return [one for operation in called for one in operation.operands()] or context.failing.tensors()


def _asked(context: ErrorContext, rules: list[Rule], names: tuple[str, ...]) -> Iterator[tuple[Rule, Violation]]:
    for name in names:
        for rule in rules:
            if rule.id == name:
                yield from ((rule, found) for found in rule.check(context.step))


def found_by_rules(context: ErrorContext, rules: list[Rule], *names: str) -> list[tuple[Rule, Violation]]:
    """What these rules find in the step, as if the failed backward were still to come; nothing where a rule fails.

    What is about no other line is about the failing one.
    """
    for loss in context.step.losses:
        loss.pending = loss.pending or loss.backward.lineno == context.step.source.lineno
    try:
        found = list(_asked(context, rules, names))
    except Exception:
        return []
    for _, one in found:
        one.line = one.line or context.line
    return found


def _freed(context: ErrorContext, node: AutogradNode) -> AutogradNode | None:
    return context.step.graph.freed_below(node)


def _named_on_the_way(context: ErrorContext, root: AutogradNode, freed: AutogradNode, loss: Operand) -> str | None:
    """The nearest variable between the loss and what was freed."""
    graph = context.step.graph
    for variable in context.step.tensors:
        node = context.step.node_of(variable.value) if requires_grad(variable.value) else None
        if node is None or node is root or variable.value is loss.value:
            continue
        if graph.reaches(root, node) and (graph.reaches(node, freed) or node is freed):
            return variable.name
    return None


def _once(context: ErrorContext, shared: str | None) -> str:
    if shared is not None and context.step.source.loop_of(context.here.lineno):
        return f"{shared}.detach() if an earlier step made it; else add the losses and call backward once"
    return "add the losses and call backward once, or retain_graph=True at the first"
