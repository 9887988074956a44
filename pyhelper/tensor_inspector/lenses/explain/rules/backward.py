"""Why a backward failed: no graph, a freed graph, a tensor changed in place, more than one element."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from ....measure.torch.graph import Graph
from ....measure.torch.metadata import element_count, gradient_of, requires_grad
from ....measure.torch.node import AutogradNode
from ....safe.guard import SEQUENCES
from ....words.text import shape
from ...findings.carried import State, states
from ...findings.finding import Found
from ...findings.rule import Rule
from ..errors import number_after
from ..operand import Operand, needs_grad, operand
from ..scene import Scene
from ..values import value_words


def loss_not_scalar(scene: Scene) -> Found:
    root = next((one for one in roots(scene) if one.value is None or element_count(one.value) != 1), None)
    if root is None:
        return scene.quoted([])
    sizes = root.sizes or ()
    count = "more than one" if root.sizes is None else str(prod(sizes))
    title = (f"{root.name} is {shape(sizes)}, {count} elements", ": ", "backward needs a single number")
    return scene.found(title, root, suggestion=f"{root.written}.mean().backward()")


def loss_without_grad(scene: Scene) -> Found:
    root = next((one for one in roots(scene) if not needs_grad(one)), None)
    name = "what backward is called on" if root is None else root.name
    title = (f"{name} has no grad_fn", ": ", "nothing that requires a gradient led to it")
    fact = None if root is None else (root.name, f"{root.fact} without grad_fn")
    return scene.found(
        title, fact, suggestion="look for detach(), item(), no_grad, an argmax or a new tensor on its way"
    )


def input_without_grad(scene: Scene) -> Found:
    """What ``torch.autograd.grad`` was to differentiate by, of which nothing leads to the outputs."""
    given: list[Any] = [entry.variables.get("inputs") for entry in scene.running.library]
    values = next(
        (list(each) if issubclass(type(each), (tuple, list)) else [each] for each in given if each is not None), []
    )
    inputs = [one for value in values if (one := operand(scene.names.of(value) or "an input", value)) is not None]
    frozen = next((one for one in inputs if not needs_grad(one)), None)
    if frozen is not None:
        title = (f"{frozen.name} does not require a gradient", ": ", "nothing is differentiated by it")
        return scene.found(title, frozen, suggestion=f"{frozen.written}.requires_grad_() before it is used")
    at = number_after(scene.message, "at index")
    fit = "leave it out, or allow_unused=True, which gives None for it"
    if at is None or not 0 <= at < len(inputs) or len(inputs) != len(values):
        return scene.found("one of the inputs is not used in what is differentiated", *inputs, suggestion=fit)
    return scene.found(f"{inputs[at].name} is not used in what is differentiated", inputs[at], suggestion=fit)


def graph_freed(scene: Scene) -> Found:
    carried = _carried(scene)
    if carried is not None:
        name = carried.name
        title = (
            f"{name} goes from step to step with the graph of the step before",
            ", ",
            "which its backward has freed",
        )
        fact = (name, value_words(carried.value))
        return scene.found(title, fact, suggestion=carried.detached, certain=False)
    for root in roots(scene):
        node = scene.step.node_of(root.value)
        freed = None if node is None else _freed(scene, node)
        if node is None or freed is None:
            continue
        shared = scene.step.title_of(freed) or _named_on_the_way(scene, node, freed, root)
        shared = None if shared == root.name else shared
        if shared is None:
            break
        what = f"{shared}, made by {freed.op}Backward0," if shared else f"{freed.op}Backward0,"
        again = f"{root.name} goes back through {what} whose graph an earlier backward has freed"
        fact = (root.name, f"{freed.op}Backward0 below it has nothing saved any more")
        return scene.found(
            again, fact, (shared, "its graph is freed") if shared else None, suggestion=_once(scene, shared)
        )
    known = next(iter(roots(scene)), None)
    name = "the graph" if known is None else f"what {known.name} goes back through"
    return scene.found(f"{name} was freed by an earlier backward", known, suggestion=_once(scene, None))


def _carried(scene: Scene) -> State | None:
    """A state that goes from step to step with its graph: ``out, h = rnn(x, h)``. What is lost shares its graph."""
    step = scene.step
    if len(step.source.backwards) != 1:
        return None
    nodes = [node for root in roots(scene) if (node := step.node_of(root.value)) is not None]
    shared = {id(node.function) for root in nodes for node in step.graph.below(root) if node.leaf is None}
    for state in states(step):
        own = Graph([gradient_of(tensor).function for tensor in state.tensors], step.budget.share()).nodes
        if any(id(node.function) in shared for node in own):
            return state
    return None


def inplace_modified(scene: Scene) -> Found:
    """A leaf that is changed in place, or a tensor that was changed since the graph kept it."""
    for changed in (one for operation in scene.operations for one in operation.operands()):
        leaf = changed.parts[0] if changed.parts else changed
        if "leaf Variable" not in scene.message or not needs_grad(leaf):
            continue
        what = "a leaf" if leaf is changed else f"a view of {leaf.name}, a leaf"
        title = (f"{changed.name} is {what} that requires a gradient", ": ", "it can't be changed in place")
        return scene.found(
            title, changed, leaf, suggestion=f"change {leaf.name} under torch.no_grad(), or make a new tensor"
        )
    fit = "write it out of place: h = h * 2, not h.mul_(2)"
    return scene.quoted(roots(scene)[:2], fit)


def roots(scene: Scene) -> list[Operand]:
    """The tensors that a backward is called on."""
    for entry in reversed(scene.running.library):
        given: Any = (
            entry.arguments().get("tensors") or entry.arguments().get("outputs") or entry.arguments().get("self")
        )
        found = [
            known
            for value in (given if type(given) in SEQUENCES else (given,))
            if (known := operand(scene.names.of(value) or "the loss", value)) is not None
        ]
        if found:
            return found
    called = [operation for operation in scene.operations if operation.name == "backward"]
    return [one for operation in called for one in operation.operands()] or scene.failing.tensors()


def _asked(scene: Scene, rules: list[Rule], names: tuple[str, ...]) -> Iterator[tuple[Rule, Found]]:
    for name in names:
        for rule in rules:
            if rule.id == name:
                yield from ((rule, found) for found in rule.check(scene.step))


def found_by_rules(scene: Scene, rules: list[Rule], *names: str) -> list[tuple[Rule, Found]]:
    """What those rules say about a step whose failed backward counts as still to come; nothing where one fails."""
    for loss in scene.step.losses:
        loss.pending = loss.pending or loss.backward.lineno == scene.step.source.lineno
    try:
        return list(_asked(scene, rules, names))
    except Exception:
        return []


def _freed(scene: Scene, node: AutogradNode) -> AutogradNode | None:
    return scene.step.graph.freed_below(node)


def _named_on_the_way(scene: Scene, root: AutogradNode, freed: AutogradNode, loss: Operand) -> str | None:
    """The nearest variable between the loss and what was freed."""
    graph = scene.step.graph
    for variable in scene.step.tensors:
        node = scene.step.node_of(variable.value) if requires_grad(variable.value) else None
        if node is None or node is root or variable.value is loss.value:
            continue
        if graph.reaches(root, node) and (graph.reaches(node, freed) or node is freed):
            return variable.name
    return None


def _once(scene: Scene, shared: str | None) -> str:
    if shared is not None and scene.step.source.loop_of(scene.here.lineno):
        return f"{shared}.detach() if an earlier step made it; else add the losses and call backward once"
    return "add the losses and call backward once, or retain_graph=True at the first"
