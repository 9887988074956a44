"""Rules about losses that backward is called on, but that have no graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType

from .....measure.torch.metadata import dtype_name, element_count, gradient_of, is_exact_tensor, requires_grad, shape_of
from .....words.text import listed, plural, shape
from ....step.backpropagated import Loss
from ....step.classes import is_library, methods_of
from ....step.decided import will_surely_run
from ....step.expressions import last_name, names_in, root_of, shown, text_of
from ....step.source import source_of
from ....step.step import Step
from ...finding import Violation
from ...lines import Line
from ...made_of import made_of
from ...rule import rule
from ...terms import left_at
from .lost_graph import cut_of
from .rewrapped import is_stand_in, rewrapped_in_callees
from .switched_off import is_cleared_for

_MODES = ("no_grad", "inference_mode", "set_grad_enabled")


@rule(
    "error",
    why="backward() will raise, or nothing is learned.",
    suggestion="keep the computation in torch, without detach, numpy or item",
    needs="loss source",
)
def loss_without_grad(step: Step) -> Iterator[Violation]:
    """A loss that is about to be backpropagated has nothing behind it."""
    for loss in dead_losses(step):
        cut = cut_of(step, loss)
        fact = (loss.name, f"{dtype_name(loss.tensor)} without grad_fn")
        if cut is None:
            yield Violation((f"{loss.name} has no grad_fn", ": ", "backward will fail"), fact, line=_line(step, loss))
        else:
            title = (f"{loss.name} has no grad_fn", ": ", cut.words)
            yield Violation(title, fact, cut.fact, line=cut.line, suggestion=cut.suggestion)


@rule(
    "error",
    why="Without gradients no graph is recorded, and backward has nothing to go through.",
    suggestion="compute the loss outside of no_grad",
    needs="loss module source",
)
def grad_mode_off(step: Step) -> Iterator[Violation]:
    """The loss was computed while gradients were off."""
    for loss in dead_losses(step):
        block = _without_gradients(step, root_of(loss.name))
        trainable = step.trainable()
        if not trainable or (block is None and step.grad_mode):
            continue
        off = _switched_off(step) if block is None else None
        where = (
            f"gradients are off{' here' if off is None else ', since ' + off[0]}"
            if block is None
            else f"it was computed under {text_of(block.items[0].context_expr)}"
        )
        line = _line(step, loss) if block is None else (step.source.file, block.lineno)
        yield Violation(
            (f"{loss.name} has no grad_fn", ": ", where),
            (loss.name, "without grad_fn"),
            ("torch.is_grad_enabled()", str(step.grad_mode)),
            line=line if off is None else off[1],
            suggestion="" if off is None else "with torch.no_grad(): around what needs none, in place of that call",
        )


def _switched_off(step: Step) -> tuple[str, Line] | None:
    """The only call that switches gradients off for good: in the frames in sight, and in functions and methods there."""
    owners = {
        id(cls): cls for cls in (type(step.value(source.self_name, at)) for at, source in enumerate(step.sources))
    }
    sources = [
        *step.sources,
        *(source for cls in owners.values() if not is_library(cls) for _, source in methods_of(cls)),
    ]
    for visible in step.frames:
        functions = [value for value in dict.values(visible.frame.f_globals) if type(value) is FunctionType]
        sources += [source_of(one.__code__) for one in functions if "set_grad_enabled" in one.__code__.co_names]
    found = {
        (source.file, call.lineno): f"{text_of(call.node)} in {source.function}"
        for source in sources
        for call in source.calls_of("set_grad_enabled")
        if call.is_statement and [text_of(one) for one in call.args] == ["False"]
    }
    return next(((words, line) for line, words in found.items()), None) if len(found) == 1 else None


def _without_gradients(step: Step, name: str) -> ast.With | ast.AsyncWith | None:
    """The block without gradients in which a value was computed, or all that modules with parameters gave for it."""
    source = step.source
    found: list[ast.With | ast.AsyncWith | None] = []
    for made, (line, _) in source.bindings_behind(name).items():
        block = source.with_block(line, *_MODES)
        modules = [step.module_of(call.callee, step.level) for call in source.calls if call.lineno == line]
        known = [one for one in modules if one is not None]
        if made == name and block is not None and known:
            return block
        if any(held.member.is_in(one.value) for one in known for held in step.trainable()):
            found.append(block)
    return found[0] if found and None not in found else None


def dead_losses(step: Step) -> list[Loss]:
    """Losses without a graph of which a backward is meant to be called."""
    if not step.optimizers and not step.parameters:
        return []
    return [
        loss
        for loss in step.pending()
        if not requires_grad(loss.tensor) and not loss.backward.has_gradient and not _may_be_evaluated(step, loss)
    ]


def _may_be_evaluated(step: Step, loss: Loss) -> bool:
    """Whether a condition still decides if it is backpropagated, and gradients may have been off for it on purpose."""
    source = step.source
    if _is_left_for_lack_of_graph(step, loss) or _has_graph_in_other_rounds(step, loss):
        return True
    if will_surely_run(step, loss.backward.lineno, step.level) or _is_stepped_after(step) or is_cleared_for(step, loss):
        return False
    lines = [line for line, _ in source.bindings_behind(root_of(loss.name)).values()]
    blocks = [(block.lineno, block.end_lineno or block.lineno) for block in source.blocks]
    return not step.grad_mode or any(first <= line <= last for line in lines for first, last in blocks)


def _is_left_for_lack_of_graph(step: Step, loss: Loss) -> bool:
    """Whether the round ends before the backward where a loss has no graph: ``if not loss.requires_grad: continue``."""
    asked = (f"{loss.name}.requires_grad", f"{loss.name}.grad_fn")
    return any(
        isinstance(node, ast.If)
        and step.source.lineno <= node.lineno < loss.backward.lineno
        and isinstance(node.body[-1], (ast.Break, ast.Continue, ast.Return))
        and any(text_of(one) in asked for one in ast.walk(node.test))
        for node in step.source.nodes
    )


def _has_graph_in_other_rounds(step: Step, loss: Loss) -> bool:
    """Whether a condition decides about the backward, and another one has left the loss as it was: there was nothing for it."""
    source, name = step.source, root_of(loss.name)
    lines = [line for line, node in source.bindings.get(name, ()) if _is_sum_with(node, name)]
    return any(
        line < source.lineno and source.is_conditional(line, seen_from=source.lineno) for line in lines
    ) and not will_surely_run(step, loss.backward.lineno, step.level)


def _is_sum_with(node: ast.AST, name: str) -> bool:
    value = getattr(node, "value", None)
    return isinstance(node, ast.AugAssign) or (value is not None and name in names_in(value))


def _is_stepped_after(step: Step) -> bool:
    """Whether an optimizer in sight surely steps further down: no evaluation does that."""
    keys = {variable.key for variable in step.optimizers if variable.level == step.level}
    calls = [call for call in step.source.calls_of("step") if text_of(call.receiver) in keys]
    return any(not step.source.is_done(call) and will_surely_run(step, call.lineno, step.level) for call in calls)


def _line(step: Step, loss: Loss) -> tuple[str, int] | None:
    return step.source.line_of(loss.name)


@rule(
    "error",
    why="The new tensor knows nothing of the model: no parameter gets a gradient from it.",
    suggestion="call backward on the loss itself",
    needs="loss source",
)
def loss_rewrapped(step: Step) -> Iterator[Violation]:
    """The loss was made into a new tensor, which has no graph."""
    for loss in step.losses:
        leaf = requires_grad(loss.tensor) and gradient_of(loss.tensor).is_leaf
        known = id(loss.tensor) in step.parameters or id(loss.tensor) in step.optimized
        if not (step.optimizers or step.modules):
            continue
        if not leaf:
            yield from _rewrapped_within(step, loss)
            continue
        if known or element_count(loss.tensor) != 1 or is_stand_in(step, loss):
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
            line=_line(step, loss),
        )


_REWRAPPING = ("tensor", "as_tensor", "Variable", "Tensor", "FloatTensor")


def _rewrapped_within(step: Step, loss: Loss) -> Iterator[Violation]:
    """A loss that is computed from a new leaf, which is made of the numbers of values with a graph."""
    root = step.node_of(loss.tensor)
    leaves = [] if root is None else step.graph.leaves(root)
    if not leaves or any(id(one) in step.parameters or id(one) in step.optimized for one in leaves):
        return
    reaches = f"backward {'reaches' if loss.pending else 'reached'} none of {plural(len(step.trained()), 'parameter')}"
    left = left_at(step, loss) if step.trained() and not any(id(one) in step.names for one in leaves) else None
    if left is not None and left.leaf is not None:
        name = None if left.name == loss.name else left.name
        yield Violation(
            (f"{loss.name} is made of the numbers of {name or 'predictions'}", ", ", f"a new leaf: {reaches}"),
            (loss.name, f"leads to a new leaf of shape {shape(shape_of(leaves[0]))} only"),
            (name, f"line {left.line[1]}: {left.call}"),
            line=left.leaf,
        )
        return
    for made in made_of(step.source, loss.name):
        for call in (node for node in ast.walk(made.value) if isinstance(node, ast.Call)):
            if last_name(call.func) not in _REWRAPPING or not call.args:
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
        yield from rewrapped_in_callees(step, loss, is_named=any(id(one) in step.names for one in leaves))
