"""An input of a model, or a target of a loss, has NaN or Inf.

Why: Everything computed from it is NaN, and after one step so are the weights.

Example:
    x = (x - x.mean(0)) / x.std(0)  # a constant column: 0 / 0
    loss = F.mse_loss(model(x), y)

Instead:
    x = (x - x.mean(0)) / (x.std(0) + 1e-6)
    loss = F.mse_loss(model(x), y)

Silent when:
    - the call is done and its result is finite: the model masks such values
    - the call is to come, and the model does something else with its input first, or a condition may leave the batch
      out
    - only −Inf is in it, as in a mask, unless the first layer takes it raw and the result is not finite
    - it is a float16 overflow, which `fp16-overflow` tells
    - the memory comes from `torch.empty` and a call fills it before
    - the input itself needs gradients: it is something that is trained
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.stats.first import first_special
from .....measure.torch.elements import bare
from .....measure.torch.metadata import is_exact_tensor, requires_grad
from .....measure.torch.modules import is_of
from .....safe.guard import module
from ....flow.constants.conditions import is_foretold
from ....flow.lines import line_of_binding_or_call
from ....flow.losses import ModelInput, loss_calls, model_inputs
from ....flow.ops import UNINITIALIZED
from ....step.expressions import key_of, last_name, names_in, shown
from ....step.source import Source
from ....step.step import Step
from ...consequences import NOT_FINITE
from ...finding import Violation
from ...finite import count_not_finite, words_of
from ...rule import rule
from .parts.first_layers import begins_plainly

torch: Any = module("torch")
_LONGEST = 8  #: variables that are gone back through


@rule(
    "error",
    why="Everything computed from it is NaN, and after one step so are the weights.",
    suggestion="clean or mask it where the data is read",
    causes=f"invalid-distribution {NOT_FINITE}",
    needs="module source",
)
def nan_in_input(step: Step) -> Iterator[Violation]:
    outcome = _outcome(step)
    for given in model_inputs(step):
        stats = step.stats(given.tensor) if given.tensor.dtype.is_floating_point else None
        if stats is None or requires_grad(given.tensor):
            continue
        if given.tensor.dtype is torch.float16 and not stats["nan"] and (stats["max"] or 0) > 20_000:
            continue  # an overflow, which has a rule of its own
        is_infinite = bool(stats["neg_inf"]) and outcome is not None and given.is_first() and _takes_it_raw(given)
        is_meant = not stats["nan"] and not stats["pos_inf"] and not is_infinite  # finite, or a mask of −inf
        is_done = given.call.lineno < step.sources[given.level].lineno
        if not is_foretold(step, given.call.lineno, given.level):
            continue  # such a batch may be left out
        if not is_done and _is_to_be_filled(step.sources[given.level], given.name, given.call.lineno):
            continue  # it was never written yet
        if is_meant or (is_done and outcome is None) or (not is_done and not _takes_it_raw(given)):
            continue
        begun = _begun(step, given)
        stats = step.stats(begun.tensor) or stats
        first = first_special(bare(begun.tensor), step.budget.share())
        place = next((place for place in first if place is not None), None)
        is_given = begun.tensor is given.tensor
        through = "" if is_given else f"{given.name} is made of it, "
        then = "" if outcome is None else f"; {outcome} is not finite because of it"
        yield Violation(
            (
                f"{begun.name} has {words_of(stats)}",
                ", ",
                f"{'' if place is None else f'the first at {place}, '}{through}before {given.model.name} has it{then}",
            ),
            (begun.name, words_of(stats)),
            *([] if is_given else [(given.name, words_of(step.stats(given.tensor) or {}))]),
            *((name, "finite") for name in begun.parents),
            *([(outcome, "not finite")] if outcome else []),
            line=begun.line,
            suggestion=begun.suggestion,
        )
        return
    for one in loss_calls(step):
        if one.target is None:
            continue
        target = one.target.value
        is_done = one.call.lineno < step.sources[one.level].lineno
        stats = step.stats(target) if target.dtype.is_floating_point and is_done else None
        if outcome is not None and stats is not None and stats["nan"] + stats["pos_inf"] + stats["neg_inf"]:
            yield Violation(
                (
                    f"{one.target.name} has {words_of(stats)}",
                    ", ",
                    f"and {one.function} compares with it; {outcome} is not finite because of it",
                ),
                (one.target.name, words_of(stats)),
                (outcome, "not finite"),
                line=line_of_binding_or_call(step, one.call.name, one.target.name),
            )
            return


class _Begun:
    """What is the first in the source not to be finite, where it was made, and the finite tensors that it was made of."""

    __slots__ = ("line", "name", "parents", "suggestion", "tensor")

    def __init__(
        self, name: str, tensor: Any, line: tuple[str, int] | None, parents: list[str], suggestion: str
    ) -> None:
        self.name = shown(name)
        self.tensor = tensor
        self.line = line
        self.parents = parents
        self.suggestion = suggestion


def _begun(step: Step, given: ModelInput) -> _Begun:
    """Back from an input through the variables that it is made of, as long as these are not finite either."""
    source, key, tensor = step.sources[given.level], key_of(given.name), given.tensor
    for _ in range(_LONGEST):
        line, binding = source.binding_of(key) or (0, None)
        made = None if isinstance(binding, (ast.For, ast.AsyncFor)) else getattr(binding, "value", None)
        named = {} if made is None else _tensors_in(step, made, line, given.level)
        bad = {name: count_not_finite(step, value) for name, value in named.items() if value is not tensor}
        before = next((name for name, count in bad.items() if count), None)
        if made is None or before is None or _is_cleaning(made):
            break
        key, tensor = before, named[before]
    is_begin = bool(bad) and not any(count != 0 for count in bad.values())
    suggestion = _advice(made, line) if is_begin and made is not None else ""
    return _Begun(key, tensor, (source.file, line) if line else None, list(bad) if is_begin else [], suggestion)


def _tensors_in(step: Step, made: ast.AST, line: int, level: int) -> dict[str, Any]:
    """The tensors in sight that an expression in that line names, as far as the names still mean them."""
    source = step.sources[level]
    named = {name: step.value(name, level) for name in names_in(made) if source.is_current(name, line)}
    return {name: value for name, value in named.items() if is_exact_tensor(value)}


def _is_cleaning(made: ast.AST) -> bool:
    """Whether an expression asks what is finite in what it is made of: that is then not what makes it NaN."""
    names = [getattr(node, "attr", getattr(node, "id", "")) for node in ast.walk(made)]
    return any("nan" in name or "finite" in name or name in ("where", "isinf", "masked_fill") for name in names)


def _advice(made: ast.AST, line: int) -> str:
    if any(isinstance(node, ast.Div) for node in ast.walk(made)):
        return f"look at what line {line} divides by: add a small number where that can be 0"
    return f"look at line {line}: it makes this of finite values"


def _outcome(step: Step) -> str | None:
    """The name of a result in sight that is not finite."""
    for variable in step.tensors:
        if (
            requires_grad(variable.value)
            and step.node_of(variable.value) is not None
            and count_not_finite(step, variable.value)
        ):
            return variable.name
    for given in model_inputs(step):
        value = step.value(given.call.target or "", given.level)
        if (
            value is not None
            and any(variable.value is value for variable in step.tensors)
            and count_not_finite(step, value)
        ):
            return given.call.target
    return None


def _takes_it_raw(given: ModelInput) -> bool:
    return is_of(given.model.value, "Sequential") or begins_plainly(given.model.value)


def _is_to_be_filled(source: Source, name: str, line: int) -> bool:
    """Tells whether a call before that line is given memory that nothing has written so far."""
    made = source.binding_of(name)
    value = None if made is None else getattr(made[1], "value", None)
    if made is None or not isinstance(value, ast.Call) or last_name(value.func) not in UNINITIALIZED:
        return False
    key = key_of(name)
    return any(
        source.lineno <= call.lineno < line
        and any(key in names_in(given) for given in (*call.args, *call.keywords.values()))
        for call in source.calls
    )
