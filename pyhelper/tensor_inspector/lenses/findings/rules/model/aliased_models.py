"""Two names that are treated as two models are one model.

Why: A target that moves with what it judges gives no target.

Example:
    target = net
    for x, y in loader:
        target.load_state_dict(net.state_dict())

Instead:
    target = copy.deepcopy(net)
    for x, y in loader:
        target.load_state_dict(net.state_dict())

Silent when:
    - the source neither copies or averages one into the other, nor calls one under `no_grad` for the loss of the other
    - the copy stands under a condition that does not go by numbers, as `if n % 100 == 0` does
    - a name meant another model in that line, or is bound anew each time before it
    - the program asks for one model by the other, as for what a wrapper holds
    - no parameter needs gradients
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .....measure.torch.metadata import requires_grad
from .....measure.torch.modules import parameters_of
from .....words.text import plural
from ....flow.lines import line_of_last_binding
from ....step.classes import own_methods_of
from ....step.expressions import key_of, names_in, root_of, shown, text_of
from ....step.functions import Called, functions_called
from ....step.grad_mode import no_grad_block
from ....step.source import Source
from ....step.statements import last_line
from ....step.step import Step
from ...finding import Violation
from ...rule import rule


@rule(
    "error",
    why="A target that moves with what it judges gives no target.",
    suggestion="copy.deepcopy",
    needs="module",
)
def aliased_models(step: Step) -> Iterator[Violation]:
    for level, first, second in _treated_as_two(step):
        one, two = step.module_of(first, level), step.module_of(second, level)
        parameters = [] if one is None else parameters_of(one.value)
        if one is None or two is None or not any(map(requires_grad, parameters)):
            continue
        model, other = shown(first), shown(second)
        is_same = one.value is two.value
        same = f"is {model}" if is_same else f"shares {plural(len(parameters), 'parameter')} with {model}"
        yield Violation(
            (f"{other} and {model} are one and the same model", ": ", "what trains one changes the other")
            if is_same
            else (f"{other} has the very parameters of {model}", ": ", "what trains one changes the other"),
            (other, same),
            (model, plural(len(parameters), "trainable parameter")),
            line=line_of_last_binding(step, second),
            suggestion=f"{other} = copy.deepcopy({model})",
        )
        return


def _treated_as_two(step: Step) -> Iterator[tuple[int, str, str]]:
    """A frame's level, and pairs of names for the same weights, of which one is copied or averaged into the other, or judges the other."""
    for line, first, second in _copied_into(step.source):
        if _is_regular(step.source, line) and all(_is_as_it_was(step.source, name, line) for name in (first, second)):
            yield from _if_shared(step, first, second)
    for called in functions_called(step, [step.level]):
        for line, first, second in _copied_into(called.source):
            if _runs(step, called, line):
                yield from _if_shared(step, called.seen_outside(first), called.seen_outside(second))
    parts = {name for loss in step.losses for name in step.source.bindings_behind(key_of(loss.name))}
    modules = [(call, variable) for call, variable, level in step.calls_of_modules() if level == step.level]
    for call, _ in modules:
        block = no_grad_block(step.source, call.lineno)
        if block is None or not any(call.lineno in step.source.lines_of(name) for name in parts):
            continue
        for other, _ in modules:
            names = other.callee, call.callee
            if _is_asked_for(step, *names) or _is_asked_for(step, *reversed(names)):
                continue
            if _are_named_anew(step.source, names, call.lineno):
                continue
            if not no_grad_block(step.source, other.lineno):
                yield from _if_shared(step, *names)


def _is_as_it_was(source: Source, name: str, line: int) -> bool:
    """Whether a name means what it meant in a line: not where a loop further down has bound it, also as its next round begins."""
    bound = [node for _, node in source.bindings.get(name, ())]
    if len(bound) == 1 and isinstance(bound[0], ast.Assign):
        return True  # the same in each round
    return source.is_current(name, line) and not (line < source.lineno and source.lineno in source.lines_of(name))


def _is_asked_for(step: Step, name: str, other: str) -> bool:
    """Whether the program asks for one model by the other, as for what a wrapper holds: that may well be the model itself,
    while ``target = net`` and a copy are two things."""
    sources = [step.source]
    if root_of(name) == step.source.self_name != name:
        sources += [source for _, source in own_methods_of(step.value(root_of(name), step.level))]
    bound = [node for source in sources for _, node in source.bindings.get(name, ())]
    return any(
        isinstance(value := getattr(node, "value", None), (ast.Call, ast.IfExp, ast.BoolOp))
        and other in names_in(value)
        and not _is_set_apart(value)
        for node in bound
    )


def _is_set_apart(value: ast.expr) -> bool:
    """Whether it is a model in the state of one that is not trained, which is the model itself: ``net.to(device).eval()``."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if value.func.attr in ("eval", "requires_grad_"):
            return True
        value = value.func.value
    return False


def _are_named_anew(source: Source, names: tuple[str, str], line: int) -> bool:
    """Whether one of two names is bound each time before it comes to a line, and no step lies between: a copy that is made
    there says the same as the model itself, whose shorter name it is: ``policy = self.net``. What is bound but once is not."""
    bound = max((at for name in names for at, _ in source.bindings.get(name, ()) if at < line), default=None)
    if bound is None or any(bound < call.lineno < line for call in source.calls_of("step")):
        return False
    is_again = source.loop_of(bound) is not None or not all(name in source.bindings for name in names)
    return is_again and all(first <= bound for first, last in source.loops if first <= line <= last)


def _runs(step: Step, called: Called, line: int) -> bool:
    """Whether a line of a function surely runs: each time or once in some rounds, as ``if n % 100 == 0`` says. Under
    another condition a copy that is not wanted may be the model itself."""
    at, source, runs = line, called.source, True
    above: Called | None = called
    while above is not None:
        runs = runs and _is_regular(source, at) and not any(leave < at for leave in source.exits)
        at, above = above.call.lineno, above.caller
        source = step.source if above is None else above.source
    return runs and _is_regular(source, at)


def _is_regular(source: Source, line: int) -> bool:
    around = [
        node for node in source.nodes if isinstance(node, (ast.If, ast.Try)) and node.lineno < line <= last_line(node)
    ]
    return all(isinstance(node, ast.If) and any(map(_is_of_rounds, ast.walk(node.test))) for node in around)


def _is_of_rounds(node: ast.AST) -> bool:
    """Whether a condition goes by numbers: by a remainder, or by how much has passed."""
    if isinstance(node, ast.Compare):
        texts = any(isinstance(side, ast.Constant) and type(side.value) is str for side in node.comparators)
        return not texts and all(isinstance(op, (ast.Eq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for op in node.ops)
    return isinstance(node, ast.Mod)


def _copied_into(source: Source) -> Iterator[tuple[int, str, str]]:
    """The lines that copy or average a model's weights into another, with the names of both."""
    for call in source.calls:
        given = call.argument(0, "state_dict")
        if call.name == "load_state_dict" and isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute):
            yield call.lineno, text_of(given.func.value), text_of(call.receiver)
        if call.callee == "zip" and len(call.args) == 2:
            owners = [text_of(argument.func.value) for argument in call.args if _lists_parameters(argument)]  # type: ignore[attr-defined]
            if len(owners) == 2:
                yield call.lineno, owners[1], owners[0]


def _lists_parameters(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "parameters"


def _if_shared(step: Step, first: str, second: str) -> Iterator[tuple[int, str, str]]:
    one, two = step.module_of(first, step.level), step.module_of(second, step.level)
    if first == second or one is None or two is None:
        return
    if one.value is two.value or _are_shared(one.value, two.value):
        yield step.level, first, second


def _are_shared(one: object, two: object) -> bool:
    ids = set(map(id, parameters_of(one)))
    return bool(ids) and ids == set(map(id, parameters_of(two)))
