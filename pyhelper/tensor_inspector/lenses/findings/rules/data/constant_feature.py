"""A column of a table holds one value in all rows.

Why: A constant column tells nothing, and often was meant to hold something.

Example:
    table[:, 3] = torch.tensor(ages[0])  # not ages
    out = model(table)

Instead:
    table[:, 3] = torch.tensor(ages)
    out = model(table)

Silent when:
    - the table has fewer than 16 rows, not 2 to 48 columns, many zeros, NaN, or needs gradients
    - more than half of the columns are constant, or another column is whole numbers only
    - the first or last column alone is 1: an intercept
    - the column varies in the whole dataset, or the whole is not in sight and the tensor is a batch
    - the source joins the columns itself (`cat([x, t], 1)`), or the model is also given other inputs with gradients
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import bare, is_plain, memory_of
from .....measure.torch.metadata import is_exact_tensor, requires_grad
from .....safe.guard import class_name, instance_dict
from .....words.text import listed, number, plural
from ....flow.losses import ModelInput, model_inputs
from ....step.classes import own_methods_of
from ....step.expressions import last_name, names_in, root_of, text_of
from ....step.grad_mode import no_grad_block
from ....step.source import Source
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.loaders import kept_by_index, loader_of


@rule(
    "hint",
    why="A constant column tells nothing, and often was meant to hold something.",
    suggestion="look at where the table is made",
    needs="module source thorough",
)
def constant_feature(step: Step) -> Iterator[Violation]:
    for given in model_inputs(step):
        tensor = given.tensor
        if (
            not given.is_first()
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
        if not constant or len(constant) > columns // 2 or not bool((others != others.round()).any(0).all()):
            continue
        if len(constant) == 1 and constant[0] in (0, columns - 1) and float(values[0, constant[0]]) == 1.0:
            continue  # a column for the intercept
        if _is_joined(step, given) or _is_one_of_several(step, given) or not _is_all_alike(step, given, constant):
            continue
        shown = listed((f"{at} ({number(float(values[0, at]), 3)})" for at in constant), False, 60)
        yield Violation(
            f"{'column' if len(constant) == 1 else 'columns'} {shown} of {given.name} hold{'s' if len(constant) == 1 else ''} one value in all {rows} rows",
            (given.name, f"{plural(len(constant), 'constant column')} of {columns}"),
            *((f"{given.name}[:, {at}]", "one value") for at in constant[:4]),
            line=_changed(step, given),
        )
        return


def _is_all_alike(step: Step, given: ModelInput, columns: list[int]) -> bool:
    """Whether these columns hold one value in all the data too, not in this batch alone: a rare kind is in few batches."""
    tensor, memory = given.tensor, memory_of(given.tensor)
    loader = loader_of(step, tensor)
    if loader is not None:
        dataset = instance_dict(loader.value).get("dataset")
        if class_name(type(dataset)) == "Subset":
            dataset = instance_dict(dataset).get("dataset")
        tables = [kept for _, kept in kept_by_index(dataset) if _is_like(kept, tensor)]
    else:
        tables = [one.value for one in step.tensors if memory_of(one.value) == memory and _is_like(one.value, tensor)]
        tables = [table for table in tables if table.shape[0] > tensor.shape[0]]
    if tables:
        return all(bool((bare(table)[:, columns] == bare(table)[:1, columns]).all()) for table in tables)
    return any(_is_table(step, level, key) for (level, key), value in step.named_values() if value is tensor)


def _is_table(step: Step, level: int, key: str) -> bool:
    """Whether a name is bound once for all, in its function or in the ``__init__`` of the object that it is kept by."""
    source = step.sources[level]
    owner, _, attribute = key.rpartition(".")
    if owner != source.self_name or not attribute:
        return _is_made_once(source, root_of(key))
    methods = own_methods_of(step.value(owner, level))
    binding = [(name, one) for name, one in methods if f"{one.self_name}.{attribute}" in one.bindings]
    return [name for name, _ in binding] == ["__init__"] and all(
        _is_made_once(one, f"{one.self_name}.{attribute}") for _, one in binding
    )


def _is_like(kept: Any, tensor: Any) -> bool:
    """Whether it is a table of the same columns."""
    return is_exact_tensor(kept) and is_plain(kept) and kept.shape[1:] == tensor.shape[1:] and kept.dim() == 2


def _is_made_once(source: Source, name: str, rounds: int = 8) -> bool:
    """Whether a name is bound outside of loops, and so is what it is made of here: it is no batch."""
    known = source.binding_of(name) if source.lineno else next(iter(source.bindings_of(name)[-1:]), None)
    line, binding = known or (0, None)
    value = getattr(binding, "value", None)
    if value is None or source.loop_of(line) is not None or not rounds:
        return False
    names = {root_of(one) for one in names_in(value)} - {root_of(name)}
    is_drawn = any(isinstance(node, ast.Call) and last_name(node.func) == "next" for node in ast.walk(value))
    inner = names & set(source.bindings)
    return (
        not is_drawn
        and names.isdisjoint(source.arguments)
        and all(_is_made_once(source, one, rounds - 1) for one in inner)
    )


def _is_joined(step: Step, given: ModelInput) -> bool:
    """Whether the source joins the columns itself: who writes ``cat([x, t], 1)`` has written the constant one too."""
    made = step.sources[given.level].binding_of(given.name)
    value = getattr(made[1], "value", None) if made is not None else None
    if not isinstance(value, ast.Call):
        return False
    return any(isinstance(argument, (ast.List, ast.Tuple)) and len(argument.elts) > 1 for argument in value.args)


def _is_one_of_several(step: Step, given: ModelInput) -> bool:
    """Whether the model is given other inputs with gradients too, as at a border and inside of it."""
    source = step.sources[given.level]
    inputs = {
        text_of(call.args[0])
        for call, model, level in step.calls_of_modules()
        if level == given.level and model.value is given.model.value and call.args
        if no_grad_block(source, call.lineno) is None
    }
    return len(inputs) > 1


def _changed(step: Step, given: ModelInput) -> tuple[str, int] | None:
    source = step.sources[given.level]
    for line, node in reversed(source.bindings_of(given.name)):
        if isinstance(node, ast.Assign) and line < source.lineno:
            return source.file, line
    return None
