"""Nearly all of an update rounds to nothing in the weights' dtype.

Why: Weights of few bits do not move by small steps.

Example:
    model = model.bfloat16()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-5)

Instead:
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-5)
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = F.cross_entropy(model(x), y)

Silent when:
    - the weights are float32, or more than a tenth of them would move
    - the rate is 0 now, or was or will be high enough (its highest counts, as after a warm-up)
    - the optimizer is not torch's SGD, RMSprop or one of Adam's kind, which is worked out here
    - fewer than 16 weights would change, or the small change comes from small gradients
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import bare, is_plain, number_of
from .....measure.torch.metadata import dtype_name, dtype_of, is_exact_tensor
from .....measure.torch.optimizers import Group, groups, inner, states
from .....safe.guard import (
    NUMBERS,
    SEQUENCES,
    class_module,
    class_name,
    dict_get,
    instance_dict,
    module,
    owner_of,
    top_package,
)
from .....words.text import number, percent
from ....flow.lines import line_of_last_binding
from ....step.step import Step
from ...finding import Violation
from ...rule import rule

torch: Any = module("torch")
_KNOWN = re.compile("Adam|^(SGD|RMSprop)$")  #: whose next update is worked out here, by their classes
_MOST = 200  #: tensors of one group
_ELEMENTS = 1 << 22  #: of one tensor
_NEARLY_ALL = 0.9
_LEAST = 16  #: weights


@rule(
    "warning",
    why="Weights of few bits do not move by small steps.",
    suggestion="keep float32 weights, and compute under autocast",
    needs="optimizer thorough",
)
def update_lost(step: Step) -> Iterator[Violation]:
    for variable in step.optimizers:
        optimizer = inner(variable.value)
        kind, by = class_name(type(optimizer)), owner_of(type(optimizer), "step")
        is_known = by is not None and top_package(class_module(by)) == "torch" and bool(_KNOWN.search(kind))
        kept = states(optimizer) if is_known else {}
        for group in groups(optimizer) if is_known else ():
            rate = _highest_rate(optimizer, group)
            lost, total, lossy = 0, 0, None
            for tensor in group.tensors[:_MOST] if rate else ():
                is_low = dtype_of(tensor) in (torch.float16, torch.bfloat16)
                if not is_low or not is_plain(tensor) or tensor.numel() > _ELEMENTS:
                    continue
                change = _change(group, kind, kept.get(id(tensor), {}), step.grad(tensor))
                if change is None or change.shape != tensor.shape:
                    continue
                size = float(change.float().square().mean().sqrt())
                weight, change = bare(tensor), change / min(size or 1.0, 1.0)  # small slopes are no small rate
                moved, nonzero = weight - (rate * change).to(weight.dtype), (change != 0) & (weight != 0)
                lost += int(((moved == weight) & nonzero).sum())
                total += int(nonzero.sum())
                lossy = tensor if lossy is None else lossy
            if total >= _LEAST and lost > _NEARLY_ALL * total:
                yield Violation(
                    (
                        "updates are lost",
                        ": ",
                        f"for {percent(lost, total)} of {total} weights w − lr·u is w again in {dtype_name(lossy)}",
                    ),
                    (step.name_of(lossy), f"{dtype_name(lossy)}, lr {number(rate)}"),
                    line=line_of_last_binding(step, variable.key),
                )


def _highest_rate(optimizer: Any, group: Group) -> float:
    """The rate as it is after a warm-up, or at the height of its cycle; 0 where it is not known."""
    if not group.number("lr"):
        return 0.0
    defaults = dict_get(instance_dict(optimizer), "defaults")
    given = dict_get(defaults, "lr", 0.0) if type(defaults) is dict else 0.0
    rates = [group.number(name) or 0.0 for name in ("lr", "initial_lr", "max_lr")]
    return max(*rates, given if type(given) in NUMBERS else 0.0)


def _change(group: Group, kind: str, kept: dict[Any, Any], grad: Any) -> Any:
    """An update of a tensor before it is multiplied by the rate: by the averages that the optimizer keeps, else by the
    gradient, as in its first step."""
    grad = bare(grad) if grad is not None and is_plain(grad) else None
    if kind == "SGD":
        momentum = _tensor(kept, "momentum_buffer")
        return grad if momentum is None else momentum
    mean, square, turns = _tensor(kept, "exp_avg"), _tensor(kept, "exp_avg_sq"), _turns(kept)
    if kind == "RMSprop":
        return _change_by_mean_square(group, kept, grad)
    betas, eps = group.option("betas"), group.number("eps")
    if mean is None or square is None or not turns or type(betas) not in SEQUENCES or eps is None:
        return None if grad is None else grad.sign()
    one, two = (1 - float(beta) ** turns for beta in betas)
    return (mean.float() / one) / ((square.float() / two).sqrt() + eps)


def _change_by_mean_square(group: Group, kept: dict[Any, Any], grad: Any) -> Any:
    momentum, square = _tensor(kept, "momentum_buffer"), _tensor(kept, "square_avg")
    if momentum is not None or grad is None:
        return momentum
    return grad.sign() if square is None else grad.float() / (square.float().sqrt() + (group.number("eps") or 0.0))


def _tensor(kept: dict[Any, Any], key: str) -> Any:
    found = dict_get(kept, key)
    return bare(found) if is_exact_tensor(found) and is_plain(found) else None


def _turns(kept: dict[Any, Any]) -> float:
    """The number of steps that it has made."""
    found = dict_get(kept, "step")
    known: float | None = number_of(found) if is_exact_tensor(found) else found
    return known if known is not None and type(known) in NUMBERS else 0.0
