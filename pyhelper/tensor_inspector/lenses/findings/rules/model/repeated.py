"""Rules that run the model again: outputs that are random in eval mode, or depend on other samples."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import bare, is_plain
from .....measure.torch.metadata import element_count, is_exact_tensor, shape_of
from .....measure.torch.modules import Member, is_of
from .....safe.guard import SEQUENCES, module
from .....words.text import number
from ....running.generators import draw
from ....running.isolation import Isolation, inner_model, why_not
from ....step.classes import forward_of, is_library, methods_of
from ....step.expressions import last_name, text_of
from ....step.source import Source
from ....step.step import Step
from ...finding import Violation
from ...losses import ModelInput, model_inputs
from ...rule import NotAsked, rule
from .call_purpose import is_sampled
from .functional import always_dropped
from .mode import is_dropout

torch: Any = module("torch")
_MOST = 2  #: models that are run
_INPUT = 1 << 22
_NOISE = 1e-4  #: a difference that another order of summing may make
#: what draws numbers that are wanted, and not only which ones to drop
_SAMPLING = ("randn", "randn_like", "normal", "normal_", "rsample", "sample", "multinomial", "gumbel_softmax")


@rule(
    "error",
    why="Predictions differ from call to call.",
    suggestion="training=self.training",
    needs="module",
)
def dropout_in_eval(step: Step) -> Iterator[Violation]:
    """The same input gives other outputs in eval mode, with other random numbers alone."""
    proved = next(always_dropped(step), None)
    if proved is not None:
        yield proved
        return
    failed: list[str] = []
    for given in _runnable(step) if step.run else ():
        top = step.members[id(given.model.value)][1]
        if top.training is not False or any(part.training for part in _inside(step, given) if is_dropout(part)):
            continue
        if _samples(step, given) or is_sampled(step, top):
            continue
        first, again, other = (_output(given, given.tensor, failed, draws=draws) for draws in (False, False, True))
        if first is None or again is None or other is None or not torch.equal(first, again):
            continue
        apart = _apart(first, other)
        if apart > _NOISE:
            yield Violation(
                (
                    f"{given.model.name} is in eval mode",
                    ", ",
                    f"and gives other outputs for the same {given.name}: up to {number(apart, 2)} apart",
                ),
                (f"{given.model.name}.training", "False"),
                (given.name, "given three times, with other random numbers the last time"),
                line=_forward_line(given) or (step.sources[given.level].file, given.call.lineno),
                certain=False,
                suggestion="draw random numbers in training only: if self.training",
            )
            return
    if failed:
        raise NotAsked(failed[0])


def _samples(step: Step, given: ModelInput) -> bool:
    """Whether a class in the model draws samples, as a variational coder does in eval mode too."""
    return any(source.mentions(*_SAMPLING) for source in _methods_in(step, given))


def _methods_in(step: Step, given: ModelInput) -> Iterator[Source]:
    """The methods of the program's own classes in the model."""
    classes = {type(member.module) for member in _inside(step, given) if not is_library(type(member.module))}
    return (source for cls in classes for _, source in methods_of(cls))


@rule(
    "warning",
    why="A prediction must not depend on what else is in the batch.",
    suggestion="reduce and reshape along the dimensions of a sample only",
    needs="module source run",
)
def batch_mixing(step: Step) -> Iterator[Violation]:
    """Where one sample of the batch is another one, the outputs of the others change."""
    failed: list[str] = []
    for given in _runnable(step):
        x = bare(given.tensor)
        if x.shape[0] < 3 or _works_over_rows(step, given):
            continue
        if _keeps_statistics(step, given):
            continue  # a batch norm of the program's own
        changed, at = x.clone(), -1 if _has_recurrence_over_rows(step, given) else 0
        changed[at] = changed[1] + (changed[2] - changed[1]) / 2
        first, again, other = (_output(given, one, failed, evaluates=True) for one in (x, x, changed))
        fewer = _output(given, x[:-1], [], evaluates=True)
        if first is None or again is None or other is None or not torch.equal(first, again):
            continue
        if _is_one_sample(step, given) or (_attends_over_rows(step, given) and not _gives_one_a_row(x, first)):
            continue
        if fewer is None:
            continue  # its rows are no batch: the nodes of one graph, say
        if (
            first.dim() < 2
            or first.shape[0] != x.shape[0]
            or first.shape[1] == x.shape[0]
            or other.shape != first.shape
        ):
            continue
        if at == -1 and (first.dim() > 2 or first.shape[1] == x.shape[1]):
            continue  # of each time, for each sequence
        which, rest, own = ("first", slice(1, None), slice(1)) if at == 0 else ("last", slice(-1), slice(-1, None))
        apart = _apart(first[rest], other[rest])
        if apart > _NOISE and _apart(first[own], other[own]) > 0:
            yield Violation(
                (
                    f"what {given.model.name} gives for a sample depends on the others in {given.name}",
                    ": ",
                    f"with another {which} one the rest moved by up to {number(apart, 2)}",
                ),
                (given.name, f"{x.shape[0]} samples, the {which} replaced"),
                (given.call.target, "the other rows differ"),
                line=_forward_line(given) or (step.sources[given.level].file, given.call.lineno),
                certain=False,
            )
            return
    if failed:
        raise NotAsked(failed[0])


def _runnable(step: Step) -> Iterator[ModelInput]:
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


def _output(given: ModelInput, x: Any, failed: list[str], *, draws: bool = False, evaluates: bool = False) -> Any:
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


def _apart(one: Any, other: Any) -> float:
    """The largest difference, as a share of the largest value."""
    if one.shape != other.shape or not bool(torch.isfinite(one).all()) or not bool(torch.isfinite(other).all()):
        return 0.0
    scale = float(one.abs().max()) or 1.0
    return float((one - other).abs().max()) / scale


def _works_over_rows(step: Step, given: ModelInput) -> bool:
    """Whether the first dimension may be no batch: a sequence, or the nodes of a graph."""
    for member in _inside(step, given):
        if _is_time_first(member) and not _are_samples(given.tensor, member):
            return True
        if is_of(member.module, "_BatchNorm") and member.setting("track_running_stats") is not True:
            return True
    return False


def _attends_over_rows(step: Step, given: ModelInput) -> bool:
    """Whether the rows may be a sequence to an attention: one that takes the batch second."""
    return any(
        is_of(member.module, "MultiheadAttention") and member.setting("batch_first") is not True
        for member in _inside(step, given)
    )


def _is_one_sample(step: Step, given: ModelInput) -> bool:
    """Whether a class in the model makes a batch of one of what it is given: ``x.unsqueeze(0)``, as of the words of a text."""
    nodes = (node for source in _methods_in(step, given) for node in source.nodes)
    return any(
        (isinstance(node, ast.Call) and last_name(node.func) == "unsqueeze" and text_of(node.args[-1:][0]) == "0")
        if isinstance(node, ast.Call) and node.args
        else isinstance(node, ast.Subscript) and text_of(node.slice) == "None"
        for node in nodes
    )


def _gives_one_a_row(x: Any, out: Any) -> bool:
    """Whether what is given has a vector for each row of the input and none for each column: the rows are samples."""
    rows, columns = int(x.shape[0]), int(x.shape[1])
    return x.dim() == 3 and out.dim() == 2 and rows != columns and out.shape[0] == rows and out.shape[1] != columns


def _keeps_statistics(step: Step, given: ModelInput) -> bool:
    """Whether a module makes a buffer of its own anew, an element a feature: a mean that runs along, and no counter."""
    for member in _inside(step, given):
        if is_library(type(member.module)):
            continue
        buffers = [name for name, one in member.items("_buffers") if one is not None and len(shape_of(one))]
        for name, source in methods_of(type(member.module)) if buffers else ():
            kept = (f"{source.self_name}.{buffer}" for buffer in buffers)
            if name != "__init__" and any(source.changes(key) for key in kept):
                return True
    return False


def _is_time_first(member: Member) -> bool:
    return is_of(member.module, "RNNBase", "RNN", "LSTM", "GRU") and member.setting("batch_first") is not True


def _are_samples(x: Any, member: Member) -> bool:
    """Whether the rows of an input may be samples though a recurrent layer takes the time first: no other dimension is
    as long, and the last row, which changes nothing before it where rows are times, can be told from the others."""
    return x.dim() > 2 and int(x.shape[0]) not in map(int, x.shape[1:]) and member.setting("bidirectional") is False


def _has_recurrence_over_rows(step: Step, given: ModelInput) -> bool:
    return any(_is_time_first(member) for member in _inside(step, given))


def _inside(step: Step, given: ModelInput) -> Iterator[Member]:
    top = step.members[id(given.model.value)][1]
    return (member for _, member in step.members.values() if member.is_in(top.module))


def _forward_line(given: ModelInput) -> tuple[str, int] | None:
    source = forward_of(type(given.model.value))
    return (source.file, source.body[0].lineno) if source is not None and source.body else None
