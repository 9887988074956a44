"""The loss was computed while gradients were off.

Why: Without gradients no graph is recorded, and backward has nothing to go through.

Example:
    with torch.no_grad():
        loss = F.cross_entropy(model(x), y)
    loss.backward()

Instead:
    loss = F.cross_entropy(model(x), y)
    loss.backward()

Silent when:
    - the loss has a graph, or is not about to be backpropagated
    - nothing in sight is trainable
    - gradients are on here, and no block of the source without gradients made the loss
    - a condition decides whether backward is called: it may be an evaluation
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType

from ....flow.gradient.dead_losses import dead_losses, line_of_loss
from ....flow.lines import Line
from ....step.classes import is_library, methods_of
from ....step.expressions import root_of, text_of
from ....step.source import source_of
from ....step.step import Step
from ...finding import Violation
from ...rule import rule

_MODES = ("no_grad", "inference_mode", "set_grad_enabled")


@rule(
    "error",
    why="Without gradients no graph is recorded, and backward has nothing to go through.",
    suggestion="compute the loss outside of no_grad",
    causes="loss-without-grad nondifferentiable train-during-eval",
    needs="loss module source",
)
def grad_mode_off(step: Step) -> Iterator[Violation]:
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
        line = line_of_loss(step, loss) if block is None else (step.source.file, block.lineno)
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
