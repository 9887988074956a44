"""Rules about data: its scale, constant columns, the same sample many times."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ....measure.torch.elements import bare, is_plain, memory_of
from ....measure.torch.metadata import element_count, requires_grad
from ....measure.torch.modules import Member, children, is_of
from ....safe.guard import class_module, instance_dict, module
from ....words.text import listed, number, plural
from ...step.source import text_of
from ...step.step import Step
from ..finding import Found
from ..losses import ModelInput, model_inputs
from ..rule import Rule

torch: Any = module("torch")


_PASSING = ("Flatten", "Unflatten", "Identity", "Dropout")
_FIRST = ("Linear", "Conv1d", "Conv2d", "Conv3d", "_ConvNd", "RNN", "LSTM", "GRU")


def not_normalized(step: Step) -> Iterator[Found]:
    """Bytes of 0…255 as floats, given to the first layer as they are."""
    for given in _raw_inputs(step):
        stats = step.stats(given.tensor)
        if stats is None or not _are_bytes(given.tensor, stats):
            continue
        made = step.sources[given.view].value_of(given.name.replace('"', "'"))
        yield Found(
            f"{given.name} runs from {number(stats['min'])} to {number(stats['max'])} (mean {number(stats['mean'], 3)}): not scaled",
            (given.name, f"{number(stats['min'])}…{number(stats['max'])}, given to {given.model.name} as it is"),
            line=None if made is None else (step.sources[given.view].file, made[0]),
            suggestion=f"{given.name} / 255, or the mean and deviation of the data",
        )
        return


def _are_bytes(tensor: Any, stats: dict[str, Any]) -> bool:
    if stats["min"] is None or stats["std"] is None or not tensor.dtype.is_floating_point or tensor.dim() < 2:
        return False
    if stats["min"] < 0 or not 100 <= stats["max"] <= 255 or stats["mean"] < 10 or stats["std"] < 10:
        return False
    features = (element_count(tensor) or 0) // max(1, int(tensor.shape[0]))
    if features < 49 or tensor.dim() == 3:
        return False
    values = bare(tensor)
    if bool((values != values.round()).any()):
        return False
    if tensor.dim() > 2:
        return True
    highest = values.amax(0)  # of a table, columns differ in scale
    return bool(highest.min() > 0.5 * highest.max())


def normalized_twice(step: Step) -> Iterator[Found]:
    """Images of 0…1 that were divided by 255 once more."""
    for given in _raw_inputs(step):
        stats = step.stats(given.tensor) if given.tensor.dim() == 4 else None
        if stats is None or stats["max"] is None or given.tensor.shape[1] not in (1, 3, 4):
            continue
        if stats["min"] >= 0 and 1e-3 < stats["max"] <= 1 / 255 + 1e-6 and stats["std"] and stats["std"] > 1e-4:
            yield Found(
                f"{given.name} runs from {number(stats['min'])} to {number(stats['max'])}: scaled by 1/255 twice",
                (given.name, f"at most {number(stats['max'])}, 1/255 is 0.00392"),
                line=_made(step, given),
                suggestion="divide once: ToTensor() already gives 0…1",
            )
            return


def _raw_inputs(step: Step) -> Iterator[ModelInput]:
    """Inputs that reach the first linear layer or convolution unchanged: what that has saved, or a plain Sequential."""
    for given in model_inputs(step):
        if (
            requires_grad(given.tensor)
            or not given.tensor.dtype.is_floating_point
            or given.position not in (0, "x", "input")
        ):
            continue
        if _begins_plainly(given.model.value) or _is_saved_raw(step, given.tensor):
            yield given


def _begins_plainly(model: Any) -> bool:
    while True:
        if is_of(model, *_FIRST):
            return True
        if not is_of(model, "Sequential") or class_module(type(model)) != "torch.nn.modules.container":
            return False
        if instance_dict(model).get("_forward_pre_hooks"):
            return False
        below = [child for child in children(Member(model, "", "", None)) if not is_of(child, *_PASSING)]
        if not below:
            return False
        model = below[0]


def _is_saved_raw(step: Step, tensor: Any) -> bool:
    memory = memory_of(tensor)
    for node in step.graph.nodes:
        name = {"Convolution": "input", "Addmm": "mat1"}.get(node.op)
        saved = None if name is None or node.inputs[1 if node.op == "Addmm" else 0] is not None else node.tensor(name)
        if saved is not None and memory is not None and memory_of(saved) == memory:
            return bool(saved.numel() == tensor.numel())
    return False


def constant_feature(step: Step) -> Iterator[Found]:
    """Columns of a table that hold one value, among others that vary freely."""
    for given in model_inputs(step):
        tensor = given.tensor
        if (
            given.position not in (0, "x", "input")
            or not tensor.dtype.is_floating_point
            or tensor.dim() != 2
            or not is_plain(tensor)
            or requires_grad(tensor)
        ):
            continue
        rows, columns = tensor.shape
        stats = step.stats(tensor)
        if (
            rows < 16
            or not 2 <= columns < 49
            or stats is None
            or stats["min"] is None
            or stats["nan"]
            or 4 * stats["zeros"] > stats["count"] + 4 * rows
        ):
            continue
        values = bare(tensor)
        same = (values == values[:1]).all(0)
        others = values[:, ~same]
        constant = same.nonzero().flatten().tolist()
        if (
            not constant
            or len(constant) > columns // 2
            or not others.numel()
            or not bool((others != others.round()).any(0).all())
        ):
            continue
        if len(constant) == 1 and constant[0] in (0, columns - 1) and float(values[0, constant[0]]) == 1.0:
            continue  # a column for the intercept
        shown = listed((f"{at} ({number(float(values[0, at]), 3)})" for at in constant), False, 60)
        yield Found(
            f"{'column' if len(constant) == 1 else 'columns'} {shown} of {given.name} hold one value in all {rows} rows",
            (given.name, f"{plural(len(constant), 'constant column')} of {columns}"),
            *((f"{given.name}[:, {at}]", "one value") for at in constant[:4]),
            line=_changed(step, given),
        )
        return


def _changed(step: Step, given: ModelInput) -> tuple[str, int] | None:
    source = step.sources[given.view]
    for line, node in reversed(source.bindings.get(given.name.replace('"', "'"), [])):
        if isinstance(node, ast.Assign) and line < source.lineno:
            return source.file, line
    return None


def duplicate_samples(step: Step) -> Iterator[Found]:
    """A batch that is a few samples, each as often as the others."""
    for given in model_inputs(step):
        tensor = given.tensor
        if (
            given.position not in (0, "x", "input", "pixel_values")
            or not tensor.dtype.is_floating_point
            or not is_plain(tensor)
            or requires_grad(tensor)
        ):
            continue
        if (
            tensor.dim() < 2
            or tensor.shape[0] < 8
            or (element_count(tensor) or 0) > 1 << 22
            or tensor.numel() < 4 * tensor.shape[0]
        ):
            continue
        if _is_repeated_on_purpose(step, given):
            continue
        rows = bare(tensor).reshape(tensor.shape[0], -1)
        if not bool((rows != rows.round()).any()) or float((rows == 0).double().mean()) > 0.5:
            continue
        _, counts = torch.unique(rows, dim=0, return_counts=True)
        times = counts.tolist()
        if len(times) > 1 and 2 * len(times) <= len(rows) and min(times) == max(times):
            yield Found(
                f"the {len(rows)} rows of {given.name} are {len(times)} distinct ones, each {times[0]} times",
                (given.name, f"{len(times)} distinct rows of {len(rows)}"),
                line=_random_line(step, given),
                certain=False,
            )
            return


def _is_repeated_on_purpose(step: Step, given: ModelInput) -> bool:
    source = step.sources[given.view]
    words = ("repeat", "repeat_interleave", "expand", "tile", "expand_as")
    made = source.value_of(given.name.replace('"', "'"))
    if 0 in bare(given.tensor).stride():
        return True
    return made is None or any(isinstance(node, ast.Attribute) and node.attr in words for node in ast.walk(made[1]))


def _random_line(step: Step, given: ModelInput) -> tuple[str, int] | None:
    """The line in which a generator is begun from a fixed number."""
    source = step.sources[given.view]
    for node in ast.walk(source.tree) if source.tree is not None else ():
        if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Constant):
            continue
        if text_of(node.func).rpartition(".")[2] in ("RandomState", "default_rng", "Random"):
            return source.file, node.lineno
    return _made(step, given)


def _made(step: Step, given: ModelInput) -> tuple[str, int] | None:
    made = step.sources[given.view].value_of(given.name.replace('"', "'"))
    return None if made is None else (step.sources[given.view].file, made[0])


RULES = [
    Rule(
        "not-normalized",
        not_normalized,
        "module source",
        "warning",
        "The first layer's outputs are a hundred times too large: activations saturate, gradients explode.",
        "scale it",
    ),
    Rule(
        "normalized-twice", normalized_twice, "module source", "warning", "The images are nearly black.", "scale once"
    ),
    Rule(
        "constant-feature",
        constant_feature,
        "module source thorough",
        "hint",
        "A constant column tells nothing, and often was meant to hold something.",
        "look at where the table is made",
    ),
    Rule(
        "duplicate-samples",
        duplicate_samples,
        "module source thorough",
        "warning",
        "Every worker or process may have drawn the same random numbers.",
        "give each worker a seed of its own",
    ),
]
