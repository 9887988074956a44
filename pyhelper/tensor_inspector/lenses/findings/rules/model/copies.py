"""Rules about models that are one though two are meant, and weights that are two though one is meant."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .....measure.torch.elements import bare, is_plain, place_of
from .....measure.torch.metadata import dtype_of, element_count, requires_grad
from .....measure.torch.modules import is_of, parameters_of
from .....words.text import plural
from ....step.expressions import text_of
from ....step.step import Step
from ...finding import Found
from ...places import made
from ...rule import Rule


def aliased_models(step: Step) -> Iterator[Found]:
    """What is treated as a second model is the first one. A name alone says nothing: `ref = net`, a loop's `target`."""
    for view, first, second in _treated_as_two(step):
        one, two = step.module_of(first, view), step.module_of(second, view)
        own = [] if one is None else parameters_of(one.value)
        if one is None or two is None or not any(map(requires_grad, own)):
            continue
        shown, copied = first.replace("'", '"'), second.replace("'", '"')
        is_same = one.value is two.value
        same = f"is {shown}" if is_same else f"shares {plural(len(own), 'parameter')} with {shown}"
        yield Found(
            f"{copied} and {shown} are one and the same model: what trains one changes the other"
            if is_same
            else f"{copied} has the very parameters of {shown}: what trains one changes the other",
            (copied, same),
            (shown, plural(len(own), "trainable parameter")),
            line=made(step, second),
            suggestion=f"{copied} = copy.deepcopy({shown})",
        )
        return


def _treated_as_two(step: Step) -> Iterator[tuple[int, str, str]]:
    """A frame's number, and pairs of names for the same weights, of which one is copied or averaged into the other, or judges the other."""
    calls = step.source.calls
    for call in calls:
        given = call.argument(0, "state_dict")
        if call.name == "load_state_dict" and isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute):
            yield from _if_shared(step, text_of(given.func.value), text_of(call.receiver))
        if call.callee == "zip" and len(call.args) == 2:
            owners = [text_of(argument.func.value) for argument in call.args if _lists_parameters(argument)]  # type: ignore[attr-defined]
            if len(owners) == 2:
                yield from _if_shared(step, owners[1], owners[0])
    parts = {name for loss in step.losses for name in step.source.made_of(loss.name.replace('"', "'"))}
    modules = [(call, thing) for call, thing, view in step.calls_of_modules() if view == step.at]
    for call, _ in modules:
        block = step.source.is_under(call.lineno, "no_grad", "inference_mode")
        if block is None or not any(call.lineno in step.source.lines_of(name) for name in parts):
            continue
        for other, _ in modules:
            if not step.source.is_under(other.lineno, "no_grad", "inference_mode"):
                yield from _if_shared(step, other.callee, call.callee)


def _lists_parameters(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "parameters"


def _if_shared(step: Step, first: str, second: str) -> Iterator[tuple[int, str, str]]:
    one, two = step.module_of(first, step.at), step.module_of(second, step.at)
    if first == second or one is None or two is None:
        return
    if one.value is two.value or _are_shared(one.value, two.value):
        yield step.at, first, second


def _are_shared(one: object, two: object) -> bool:
    own = set(map(id, parameters_of(one)))
    return bool(own) and own == set(map(id, parameters_of(two)))


def tie_broken(step: Step) -> Iterator[Found]:
    """An embedding and a head of one model have equal weights in two tensors."""
    tables = [one for one in step.parameters.values() if is_of(one.member.module, "Embedding")]
    heads = [one for one in step.parameters.values() if is_of(one.member.module, "Linear") and one.tensor.dim() == 2]
    for table in tables:
        for head in heads:
            a, b = table.tensor, head.tensor
            same = (
                a is not b and table.root.value is head.root.value and a.shape == b.shape and dtype_of(a) is dtype_of(b)
            )
            if (
                not same
                or not is_plain(a)
                or not is_plain(b)
                or place_of(a) == place_of(b)
                or (element_count(a) or 0) > 1 << 24
            ):
                continue
            if bool((bare(a) == bare(b)).all()) and bool((bare(a) != 0).any()):
                yield Found(
                    f"{head.name} and {table.name} are equal, but two tensors: they were tied, and will drift apart",
                    (head.name, "equal to the embedding"),
                    (table.name, "another tensor"),
                    suggestion=f"{head.name} = {table.name}",
                )
                return


RULES = [
    Rule(
        "aliased-models",
        aliased_models,
        "module",
        "error",
        "A target that moves with what it judges gives no target.",
        "copy.deepcopy",
    ),
    Rule(
        "tie-broken",
        tie_broken,
        "module thorough",
        "warning",
        "Tied weights are meant to be one tensor.",
        "assign the parameter itself",
    ),
]
