"""The loss is a new tensor made of the numbers of another one.

Why: The new tensor knows nothing of the model: no parameter gets a gradient from it.

Example:
    loss = F.cross_entropy(model(x), y)
    loss = torch.tensor(loss.item(), requires_grad=True)
    loss.backward()

Instead:
    loss = F.cross_entropy(model(x), y)
    loss.backward()

Silent when:
    - it is a parameter, or something that an optimizer trains
    - it is a constant that stands in under a condition, where there is nothing to compute it of
    - it leads to a parameter of a module or an optimizer after all
    - nothing in the source shows that a value with a graph was made into numbers
    - neither an optimizer nor a module is in sight
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.metadata import element_count, gradient_of, is_exact_tensor, requires_grad, shape_of
from .....safe.guard import SEQUENCES, instance_dict
from .....words.text import listed, plural, shape
from ....flow.definitions import reaching_definitions
from ....flow.gradient.dead_losses import line_of_loss
from ....flow.gradient.predictions import detached_at
from ....flow.ops import CONSTANT, NEW_LEAF
from ....step.backpropagated import Loss
from ....step.classes import is_library, methods_of
from ....step.expressions import key_of, last_name, names_in, shown, shown_text, text_of
from ....step.functions import functions_called, value_in
from ....step.source import Source
from ....step.step import Step
from ...consequences import NO_LEARNING
from ...finding import Violation
from ...rule import rule

_NUMBERS = frozenset(("float", "item", "tolist"))


@rule(
    "error",
    why="The new tensor knows nothing of the model: no parameter gets a gradient from it.",
    suggestion="call backward on the loss itself",
    causes=f"graph-cut loss-without-grad unused-module {NO_LEARNING}",
    needs="loss source",
)
def loss_rewrapped(step: Step) -> Iterator[Violation]:
    for loss in step.losses:
        leaf = requires_grad(loss.tensor) and gradient_of(loss.tensor).is_leaf
        known = id(loss.tensor) in step.parameters or id(loss.tensor) in step.optimized
        if not (step.optimizers or step.modules):
            continue
        if not leaf:
            yield from _rewrapped_within(step, loss)
            continue
        if known or element_count(loss.tensor) != 1 or _is_stand_in(step, loss):
            continue
        amount = len(step.trained()) or len(step.trainable())
        what = "reaches" if loss.pending else "reached"
        yield Violation(
            (
                f"{loss.name} is a leaf",
                ": ",
                f"a new tensor that no graph leads to, so backward {what} none of {plural(amount, 'parameter')}",
            ),
            (loss.name, "a leaf with requires_grad, without grad_fn"),
            line=line_of_loss(step, loss),
        )


def _rewrapped_within(step: Step, loss: Loss) -> Iterator[Violation]:
    """A loss that is computed from a new leaf, which is made of the numbers of values with a graph."""
    root = step.node_of(loss.tensor)
    leaves = [] if root is None else step.graph.leaves(root)
    if not leaves or any(id(one) in step.parameters or id(one) in step.optimized for one in leaves):
        return
    reaches = f"backward {'reaches' if loss.pending else 'reached'} none of {plural(len(step.trained()), 'parameter')}"
    left = detached_at(step, loss) if step.trained() and not any(id(one) in step.names for one in leaves) else None
    if left is not None and left.leaf is not None:
        name = None if left.name == loss.name else left.name
        yield Violation(
            (f"{loss.name} is made of the numbers of {name or 'predictions'}", ", ", f"a new leaf: {reaches}"),
            (loss.name, f"leads to a new leaf of shape {shape(shape_of(leaves[0]))} only"),
            (name, f"line {left.line[1]}: {left.call}"),
            line=left.leaf,
        )
        return
    for made in reaching_definitions(step.source, loss.name):
        for call in (node for node in ast.walk(made.value) if isinstance(node, ast.Call)):
            if last_name(call.func) not in NEW_LEAF or not call.args:
                continue
            values = [(name, step.value(name)) for name in names_in(call.args[0])]
            lost = [name for name, value in values if is_exact_tensor(value) and requires_grad(value)]
            if lost and step.trained():
                yield Violation(
                    (f"{loss.name} is made of the numbers of {listed(lost, False, 40)}", ": ", reaches),
                    (loss.name, "leads to a new leaf only"),
                    *((shown(name), "requires grad, its graph is left behind") for name in lost[:3]),
                    line=(step.source.file, call.lineno),
                )
                return
    if step.trained():
        yield from _rewrapped_in_callees(step, loss, is_named=any(id(one) in step.names for one in leaves))


def _rewrapped_in_callees(step: Step, loss: Loss, *, is_named: bool) -> Iterator[Violation]:
    """``torch.tensor(losses, requires_grad=True)`` in a function that gives the loss.

    A leaf that has a name may be trained by hand, as an input is: then it must be made of what were tensors.
    """
    if is_named and step.source.mentions("grad"):
        return
    made = {id(node) for one in reaching_definitions(step.source, loss.name) for node in ast.walk(one.value)}
    for called in functions_called(step, [step.level]):
        if is_named or id(called.first.call.node) not in made:
            continue
        for line, given in _new_leaves(called.source):
            yield _rewrapped(step, loss, called.source, line, given)
            return
    for item, source in _methods_called(step, loss):
        for line, given in _new_leaves(source):
            if any(_keeps_numbers(step, item, name, source.self_name) for name in names_in(given)):
                yield _rewrapped(step, loss, source, line, given)
                return


def _rewrapped(step: Step, loss: Loss, source: Source, line: int, given: ast.expr) -> Violation:
    reaches = "reaches" if loss.pending else "reached"
    return Violation(
        (
            f"{loss.name} is made of the numbers of {shown_text(given)}",
            ", ",
            f"a new leaf that {source.function} makes: backward {reaches} none of {plural(len(step.trained()), 'parameter')}",
        ),
        (loss.name, "leads to a new leaf only"),
        line=(source.file, line),
    )


def _new_leaves(source: Source) -> Iterator[tuple[int, ast.expr]]:
    """Where a function makes what it returns a leaf of the numbers of something: the line, and of what."""
    for node in source.nodes:
        made = _marked(node)
        if made is None or last_name(made.func) not in NEW_LEAF:
            continue
        if made.args and names_in(made.args[0]) and isinstance(node, ast.Call) and _is_returned(source, node):
            yield made.lineno, made.args[0]
    yield from _numbers_added(source)


def _numbers_added(source: Source) -> Iterator[tuple[int, ast.expr]]:
    """Where it adds numbers to a new leaf that it returns: ``total = total + loss.item()``."""
    returned = {text_of(one.value) for one in source.returns}
    for leaf in _constant_leaves(source):
        for name in (key for key, found in source.bindings.items() if any(_gives(node, leaf) for _, node in found)):
            added = [node for _, node in source.bindings[name] if not _gives(node, leaf)]
            given = [call for node in added if (call := _number_in(node)) is not None]
            if name in returned and given and len(given) == len(added):
                yield given[0].lineno, given[0].func.value  # type: ignore[attr-defined]


def _number_in(node: ast.AST) -> ast.Call | None:
    """The only thing that a statement adds to a name, where that is made a number: ``loss.item()``."""
    value: ast.AST | None = node.value if isinstance(node, (ast.Assign, ast.AugAssign)) else None
    if isinstance(node, ast.Assign) and isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        target = text_of(node.targets[0])
        value = value.right if text_of(value.left) == target else value.left if text_of(value.right) == target else None
    is_number = isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "item"
    return value if is_number and isinstance(value, ast.Call) else None


def _marked(node: ast.AST) -> ast.Call | None:
    """The call by which a leaf is made that needs a gradient: by ``requires_grad=True``, or by ``requires_grad_()`` after it."""
    if not isinstance(node, ast.Call):
        return None
    asked = any(one.arg == "requires_grad" and text_of(one.value) == "True" for one in node.keywords)
    is_after = isinstance(node.func, ast.Attribute) and node.func.attr == "requires_grad_"
    made = node.func.value if isinstance(node.func, ast.Attribute) and is_after else node
    return made if isinstance(made, ast.Call) and (asked or is_after) else None


def _is_stand_in(step: Step, loss: Loss) -> bool:
    """Whether a loss that is a leaf may be a constant that stands in where there is nothing to compute it of, as in a batch
    without pairs: ``return torch.tensor(0.0, requires_grad=True)`` under a condition."""
    name = key_of(loss.name)
    if any(_is_one_of_several(step.source, call, name) for call in _constant_leaves(step.source)):
        return True
    made = {id(node) for one in reaching_definitions(step.source, loss.name) for node in ast.walk(one.value)}
    called = [one.source for one in functions_called(step, [step.level]) if id(one.first.call.node) in made]
    return any(_is_one_of_several(source, call) for source in called for call in _constant_leaves(source))


def _constant_leaves(source: Source) -> Iterator[ast.Call]:
    """The calls that make a leaf of numbers that the source writes: ``torch.zeros((), requires_grad=True)``."""
    for node in source.nodes:
        made = _marked(node)
        if made is not None and last_name(made.func) in CONSTANT.union(NEW_LEAF):
            is_alike = last_name(made.func).endswith("_like")
            if is_alike or not any(names_in(one) for one in made.args):
                yield made


def _is_one_of_several(source: Source, call: ast.Call, name: str = "") -> bool:
    """Whether something else may stand in the place of a value: it is made under a condition, after a way out, or its name
    is bound again. ``name``: only what is bound to that."""
    bound = [key for key, found in source.bindings.items() for _, node in found if _gives(node, call)]
    if name and name not in bound:
        return False
    chosen = (node for node in source.nodes if isinstance(node, ast.IfExp))
    return (
        source.is_conditional(call.lineno)
        or any(at < call.lineno for at in source.exits)
        or any(len(source.bindings[key]) > 1 for key in bound)
        or any(below is call for node in chosen for below in ast.walk(node))
    )


def _gives(node: ast.AST, call: ast.Call) -> bool:
    value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
    return value is not None and any(below is call for below in ast.walk(value))


def _methods_called(step: Step, loss: Loss) -> Iterator[tuple[Any, Source]]:
    """Methods that are called to make a loss, of a variable or, in a loop, of the items of a list: with the object."""
    for made in reaching_definitions(step.source, loss.name):
        nodes = list(ast.walk(made.value))
        loops: list[Any] = [node for node in nodes if isinstance(node, ast.comprehension)]
        for function in (node.func for node in nodes if isinstance(node, ast.Call)):
            if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
                continue
            name = function.value.id
            around = [node for _, node in step.source.bindings.get(name, ()) if isinstance(node, ast.For)]
            owners = [value_in(step, name, step.level)]
            for loop in (*around, *loops):
                items = value_in(step, text_of(loop.iter), step.level) if text_of(loop.target) == name else None
                owners += list(items[:1]) if items is not None and type(items) in SEQUENCES else []
            for owner in owners:
                methods = {} if is_library(type(owner)) else dict(methods_of(type(owner)))
                if function.attr in methods:
                    yield owner, methods[function.attr]


def _keeps_numbers(step: Step, item: Any, name: str, own: str) -> bool:
    """Whether an attribute of an object is a list to which methods of it, or functions that are called, append numbers."""
    owner, _, attribute = name.rpartition(".")
    if owner != own or type(instance_dict(item).get(attribute)) is not list:
        return False
    called = (*step.sources, *(one.source for one in functions_called(step, [step.level])))
    for source in (*(method for _, method in methods_of(type(item))), *called):
        for call in source.calls_of("append", "extend"):
            given = [last_name(node.func) for one in call.args for node in ast.walk(one) if isinstance(node, ast.Call)]
            if last_name(call.receiver) == attribute and not _NUMBERS.isdisjoint(given):
                return True
    return False


def _is_returned(source: Source, made: ast.Call) -> bool:
    """Whether a function gives it, or a name that it is bound to, or what a method of that makes."""
    nodes = source.nodes
    bound = [node for node in nodes if isinstance(node, ast.Assign) and node.value is made]
    names = {text_of(target) for node in bound for target in node.targets}
    given = [node.value for node in nodes if isinstance(node, ast.Return) and node.value is not None]
    for value in (part for one in given for part in (one.elts if isinstance(one, ast.Tuple) else [one])):
        inside = list(ast.walk(value))
        calls = [one for one in inside if isinstance(one, ast.Call)]
        on_it = all(isinstance(one.func, ast.Attribute) and text_of(one.func.value) in names for one in calls)
        if made in inside or (on_it and names & {text_of(one) for one in inside if isinstance(one, ast.Name)}):
            return True
    return False
