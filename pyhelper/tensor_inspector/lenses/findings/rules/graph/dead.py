"""Rules about losses that a backward is meant to begin from, and that have no graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import is_own
from .....measure.torch.metadata import dtype_name, element_count, gradient_of, requires_grad
from .....measure.torch.modules import is_of
from .....words.text import listed, plural
from ....step.backpropagated import Loss
from ....step.expressions import names_in, root_of, text_of
from ....step.roles import Parameter
from ....step.step import Step
from ...finding import Found
from ...made_of import made_of
from ...places import bound, frozen
from ...rule import Rule
from .cut import CUTS, STEPS

_NORMS = ("_BatchNorm", "LayerNorm", "GroupNorm", "RMSNorm")


_FLAT = ("Round", "Floor", "Ceil", "Trunc", "Sign")


def loss_without_grad(step: Step) -> Iterator[Found]:
    """A loss that is about to be backpropagated has nothing behind it."""
    for loss in _dead_losses(step):
        cut = _origin(step, loss, CUTS)
        facts = [(loss.name, f"{dtype_name(loss.tensor)} without grad_fn")]
        if cut is None:
            yield Found(f"{loss.name} has no grad_fn: backward will fail", *facts, line=_line(step, loss))
            continue
        name, line, call = cut
        yield Found(
            f"{loss.name} has no grad_fn: {name} left autograd by {call}",
            *facts,
            (name, f"line {line}: {call}"),
            line=(step.source.file, line),
        )


def nondifferentiable(step: Step) -> Iterator[Found]:
    for loss in _dead_losses(step):
        cut = _origin(step, loss, STEPS)
        if cut is not None:
            name, line, call = cut
            yield Found(
                f"{loss.name} has no grad_fn: {name} is made by {call}, which has no gradient",
                (name, f"line {line}: {call}"),
                (loss.name, "without grad_fn"),
                line=(step.source.file, line),
            )

    for loss in step.losses:
        root = step.node_of(loss.tensor)
        flat = [node for node in step.graph.below(root) if node.op in _FLAT] if root is not None else []
        if root is None or not flat or not step.held & {id(leaf) for leaf in step.graph.leaves(root)}:
            continue
        if step.held & {id(leaf) for leaf in step.graph.leaves_beside(root, _FLAT)}:
            continue
        subject = step.title_of(flat[0])
        yield Found(
            f"{loss.name} has no gradient but zero: {subject or 'a value'} is made by {flat[0].op.lower()}, whose slope is 0",
            (subject, f"grad ← {flat[0].op}Backward0"),
            (loss.name, "every way to a parameter leads through it"),
            line=(step.source.file, loss.backward.lineno) if subject is None else bound(step, subject),
        )


def grad_mode_off(step: Step) -> Iterator[Found]:
    for loss in _dead_losses(step):
        block = _without_gradients(step, root_of(loss.name))
        trainable = [one for one in step.parameters.values() if requires_grad(one.tensor)]
        if not trainable or (block is None and step.grad_mode):
            continue
        where = (
            "gradients are off here"
            if block is None
            else f"it was computed under {text_of(block.items[0].context_expr)}"
        )
        yield Found(
            f"{loss.name} has no grad_fn: {where}",
            (loss.name, "without grad_fn"),
            ("torch.is_grad_enabled()", str(step.grad_mode)),
            line=_line(step, loss) if block is None else (step.source.file, block.lineno),
        )


def _without_gradients(step: Step, name: str) -> ast.With | ast.AsyncWith | None:
    """The block without gradients in which a value, or what it is made of, was computed by a module."""
    source = step.source
    for line, _ in source.made_of(name).values():
        block = source.is_under(line, "no_grad", "inference_mode")
        calls = [call for call in source.calls if call.lineno == line and step.module_of(call.callee, step.at)]
        if block is not None and calls:
            return block
    return None


def frozen_params(step: Step) -> Iterator[Found]:
    held = [one for one in step.parameters.values() if id(one.tensor) in step.held]
    yield from _only_norms(step, held)
    if not _dead_losses(step):
        return
    if held and not any(requires_grad(one.tensor) for one in held):
        root = held[0].root.name
        dead = _dead_losses(step)[0]
        yield Found(
            f"none of the {plural(len(held), 'parameter')} of {root} in the optimizer is trainable",
            (root, "requires_grad is False everywhere"),
            (dead.name, "without grad_fn"),
            *((thing.name, f"holds {plural(len(held), 'parameter')}") for thing in step.optimizers[:1]),
            line=frozen(step, root),
        )


def _only_norms(step: Step, held: list[Parameter]) -> Iterator[Found]:
    """The optimizer was given a whole model, of which nothing but normalisation is trainable."""
    trainable = [one for one in held if requires_grad(one.tensor)]
    still = [one for one in held if not requires_grad(one.tensor) and not is_of(one.member.module, *_NORMS)]
    if trainable and still and all(is_of(one.member.module, *_NORMS) for one in trainable):
        yield Found(
            f"only normalisation is trainable: {plural(len(trainable), 'parameter')} of {len(held)} in the optimizer, as {trainable[0].name}",
            (trainable[0].name, "trainable"),
            *((one.name, "requires_grad is False") for one in still[:3]),
            line=frozen(step, still[0].root.name),
            certain=False,
        )


def _dead_losses(step: Step) -> list[Loss]:
    """Losses without a graph of which a backward is meant to be called."""
    if not step.optimizers and not step.parameters:
        return []
    return [
        loss
        for loss in step.pending()
        if not requires_grad(loss.tensor) and not loss.backward.gradient and not _may_be_evaluated(step, loss)
    ]


def _may_be_evaluated(step: Step, loss: Loss) -> bool:
    """Whether a condition still decides if it is backpropagated, and gradients may have been off for it on purpose."""
    source = step.source
    if source.will_reach(loss.backward.lineno):
        return False
    lines = [line for line, _ in source.made_of(root_of(loss.name)).values()]
    blocks = [(block.lineno, block.end_lineno or block.lineno) for block in source.blocks]
    return not step.grad_mode or any(first <= line <= last for line in lines for first, last in blocks)


def _line(step: Step, loss: Loss) -> tuple[str, int] | None:
    return step.source.line_of(loss.name)


def _origin(step: Step, loss: Loss, calls: tuple[str, ...]) -> tuple[str, int, str] | None:
    """The assignment by which what the loss is made of left autograd: its name, line and call."""
    for name, (line, node) in step.source.made_of(root_of(loss.name)).items():
        value = getattr(node, "value", None)
        if value is None:
            continue
        for below in ast.walk(value):
            called = text_of(below.func).rpartition(".")[2] if isinstance(below, ast.Call) else ""
            if isinstance(below, ast.Attribute) and below.attr == "data" and "data" in calls:
                called = "data"
            if isinstance(below, ast.Compare) and "eq" in calls and _has_tensors(step, below):
                return name, line, "a comparison"
            if called in calls and _comes_from_model(step, below):
                return name, line, f"{called}()" if called != "data" else ".data"
    return None


def _has_tensors(step: Step, node: ast.AST) -> bool:
    return any(is_own(step.value(name)) for name in names_in(node))


def _comes_from_model(step: Step, node: ast.AST) -> bool:
    """Whether an expression names something that is not only data: the output of a call, or a tensor with a gradient."""
    names = names_in(node)
    if isinstance(node, ast.Call) and any(
        isinstance(below, ast.Call) and below is not node for below in ast.walk(node)
    ):
        return True
    for name in names:
        value = step.value(name)
        if not is_own(value) or requires_grad(value):
            return True
        made = step.source.value_of(root_of(name))
        value_node: Any = None if made is None else getattr(made[1], "value", None)
        if value_node is not None and any(
            isinstance(below, ast.Call) and step.module_of(text_of(below.func), step.at)
            for below in ast.walk(value_node)
        ):
            return True
    return False


def loss_rewrapped(step: Step) -> Iterator[Found]:
    for loss in step.losses:
        leaf = requires_grad(loss.tensor) and gradient_of(loss.tensor).is_leaf
        known = id(loss.tensor) in step.parameters or id(loss.tensor) in step.held
        if not (step.optimizers or step.modules):
            continue
        if not leaf:
            yield from _rewrapped_within(step, loss)
            continue
        if known or element_count(loss.tensor) != 1:
            continue
        amount = len(step.trained()) or sum(requires_grad(one.tensor) for one in step.parameters.values())
        what = "reaches" if loss.pending else "reached"
        yield Found(
            f"{loss.name} is a leaf: a new tensor made from a number, so backward {what} none of {plural(amount, 'parameter')}",
            (loss.name, "a leaf with requires_grad, without grad_fn"),
            line=_line(step, loss),
        )


_REWRAPPING = ("tensor", "as_tensor", "Variable", "Tensor", "FloatTensor")


def _rewrapped_within(step: Step, loss: Loss) -> Iterator[Found]:
    """A loss that is computed from a new leaf, which is made of the numbers of values with a graph."""
    root = step.node_of(loss.tensor)
    leaves = [] if root is None else step.graph.leaves(root)
    if not leaves or any(id(one) in step.parameters or id(one) in step.held for one in leaves):
        return
    for made in made_of(step.source, loss.name):
        for call in (node for node in ast.walk(made.value) if isinstance(node, ast.Call)):
            if text_of(call.func).rpartition(".")[2] not in _REWRAPPING or not call.args:
                continue
            values = [(name, step.value(name)) for name in names_in(call.args[0])]
            lost = [name for name, value in values if is_own(value) and requires_grad(value)]
            if lost and step.trained():
                yield Found(
                    f"{loss.name} is made of the numbers of {listed(lost, False, 40)}: backward {'reaches' if loss.pending else 'reached'} none of {plural(len(step.trained()), 'parameter')}",
                    (loss.name, "leads to a new leaf only"),
                    *((name.replace("'", '"'), "requires grad, its graph is left behind") for name in lost[:3]),
                    line=(step.source.file, call.lineno),
                )
                return


RULES = [
    Rule(
        "frozen-params",
        frozen_params,
        "loss optimizer source",
        "error",
        "What is frozen can't learn.",
        "call requires_grad_(True) on what is to be trained",
    ),
    Rule(
        "grad-mode-off",
        grad_mode_off,
        "loss module source",
        "error",
        "Without gradients no graph is recorded, and backward has nothing to go through.",
        "compute the loss outside of no_grad",
    ),
    Rule(
        "nondifferentiable",
        nondifferentiable,
        "loss source",
        "error",
        "Such an operation has no gradient: nothing before it can learn.",
        "use a differentiable stand-in, as softmax for argmax",
    ),
    Rule(
        "loss-without-grad",
        loss_without_grad,
        "loss source",
        "error",
        "backward() will raise, or nothing is learned.",
        "keep the computation in torch, without detach, numpy or item",
    ),
    Rule(
        "loss-rewrapped",
        loss_rewrapped,
        "loss source",
        "error",
        "The new tensor knows nothing of the model: no parameter gets a gradient from it.",
        "call backward on the loss itself",
    ),
]
