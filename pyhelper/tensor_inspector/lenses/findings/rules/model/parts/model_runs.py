"""Runs a model again, on a copy and with its random numbers, and says which models can be run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ......measure.torch.elements import bare, is_plain
from ......measure.torch.metadata import element_count, is_exact_tensor
from ......measure.torch.modules import Member
from ......safe.guard import SEQUENCES, module
from .....flow.losses import ModelInput, model_inputs
from .....running.generators import draw
from .....running.isolation import Isolation, inner_model, why_not
from .....step.classes import forward_of, is_library, methods_of
from .....step.source import Source
from .....step.step import Step
from ....rule import NotAsked

torch: Any = module("torch")
_MOST = 2  #: models that are run
_INPUT = 1 << 22
SUMMING_NOISE = 1e-4  #: a difference that another order of summing may make


def methods_in_model(step: Step, given: ModelInput) -> Iterator[Source]:
    """The methods of the program's own classes in the model."""
    classes = {type(member.module) for member in members_inside(step, given) if not is_library(type(member.module))}
    return (source for cls in classes for _, source in methods_of(cls))


def runnable_inputs(step: Step) -> Iterator[ModelInput]:
    """Calls of a user's model with one plain tensor, the outermost models first. Says at its end which is not run."""
    count, refused = 0, ""
    roots = {id(variable.value) for variable in step.modules}
    for given in model_inputs(step):
        source = step.sources[given.level]
        if id(given.model.value) not in step.members or count == _MOST:
            continue
        if id(given.model.value) not in roots and source.function == "forward":
            continue
        why = _unfit(given) or why_not(inner_model(given.model.value))
        if why is not None:
            refused = refused or f"{given.model.name} is not run: {why}"
            continue
        count += 1
        yield given
    if refused or not count:
        raise NotAsked(refused or "no model is called with a tensor in sight")


def _unfit(given: ModelInput) -> str | None:
    """Why a model is not called again with that alone; None where it can be."""
    if len(given.call.args) != 1 or given.call.keywords or given.position != 0:
        return "it is called with more than one tensor"
    if not is_plain(given.tensor) or not given.tensor.dtype.is_floating_point:
        return f"{given.name} is no plain tensor of floats"
    if given.tensor.dim() < 2 or not element_count(given.tensor):
        return f"{given.name} has no samples"
    return f"{given.name} is too large" if (element_count(given.tensor) or 0) > _INPUT else None


def output_again(given: ModelInput, x: Any, failed: list[str], *, draws: bool = False, evaluates: bool = False) -> Any:
    """What the model gives for an input; None where that is no tensor, or it raises: ``failed`` then says so."""
    model = inner_model(given.model.value)
    with Isolation(model) as run:
        if evaluates:
            run.set_eval()
        if draws:
            draw()
        try:
            found = model(bare(x).clone())
        except (Exception, SystemExit):
            failed.append(f"{given.model.name} raises when it is run again")
            return None
        if type(found) in SEQUENCES and found:
            found = found[0]
        if is_exact_tensor(found) and is_plain(found) and found.dtype.is_floating_point:
            return bare(found).clone()
        failed.append(f"what {given.model.name} gives is no plain tensor of floats")
        return None


def relative_difference(one: Any, other: Any) -> float:
    """The largest difference, as a share of the largest value."""
    if one.shape != other.shape or not bool(torch.isfinite(one).all()) or not bool(torch.isfinite(other).all()):
        return 0.0
    scale = float(one.abs().max()) or 1.0
    return float((one - other).abs().max()) / scale


def members_inside(step: Step, given: ModelInput) -> Iterator[Member]:
    top = step.members[id(given.model.value)][1]
    return (member for _, member in step.members.values() if member.is_in(top.module))


def line_of_forward(given: ModelInput) -> tuple[str, int] | None:
    source = forward_of(type(given.model.value))
    return (source.file, source.body[0].lineno) if source is not None and source.body else None
