"""Works out which loader a batch came from, what that does with its dataset, and what the dataset keeps."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ......safe.guard import class_name, instance_dict
from .....step.classes import is_library, methods_of
from .....step.expressions import is_name, names_in, root_of, text_of, without_moves
from .....step.sight import VisibleVariable
from .....step.source import Source
from .....step.statements import last_line
from .....step.step import Step


def loader_of(step: Step, tensor: Any) -> VisibleVariable | None:
    """The loader of the loop that a tensor in sight came from; None where that is not known."""
    for (level, key), value in step.named_values():
        if value is not tensor:
            continue
        source = step.sources[level]
        for loop in _loops_behind(source, root_of(key)):
            named = [
                VisibleVariable(name, step.value(name, level), level, 0)
                for name in dict.fromkeys(names_in(loop.iter))
                if source.is_current(name, loop.lineno)
            ]
            loaders = [one for one in named if any(one.value is other.value for other in step.loaders)]
            return loaders[0] if len(loaders) == 1 else None
    return None


def _loops_behind(source: Source, name: str) -> Iterator[ast.For | ast.AsyncFor]:
    """The loop around here that gives a name its value: as it is, unpacked, or moved to a device."""
    waiting, seen = [name], set[str]()
    while waiting:
        name = waiting.pop()
        binding = None if name in seen else (source.binding_of(name) or (0, None))[1]
        if name in seen:  # it is made of itself: ``y = y.to(device)``
            binding = next(
                (node for _, node in source.bindings_of(name) if isinstance(node, (ast.For, ast.AsyncFor))), None
            )
        elif isinstance(binding, ast.Assign):
            seen.add(name)
            made = without_moves(_part_for(name, binding))
            waiting.extend([root_of(text_of(made))] if is_name(made) else [])
        if isinstance(binding, (ast.For, ast.AsyncFor)) and binding.lineno <= source.lineno <= last_line(binding):
            yield binding


def _part_for(name: str, binding: ast.Assign) -> ast.expr:
    """What of an assignment goes to a name: ``b`` for ``y`` in ``x, y = a, b``."""
    target, value = binding.targets[0], binding.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return next((part for one, part in zip(target.elts, value.elts) if text_of(one) == name), value)
    return value


def batch_size_in_order(loader: Any) -> int | None:
    """The batch size of a loader that goes through its dataset in order: another sampler may have an order on purpose."""
    batches = instance_dict(loader).get("batch_sampler")
    names = [class_name(type(one)) for one in (batches, instance_dict(batches).get("sampler"))]
    size = instance_dict(batches).get("batch_size")
    return size if names == ["BatchSampler", "SequentialSampler"] and type(size) is int else None


def kept_by_index(dataset: Any) -> Iterator[tuple[str, Any]]:
    """What a dataset keeps and takes an item out of, at the place that it is asked for."""
    held = instance_dict(dataset)
    if class_name(type(dataset)) == "TensorDataset":
        tensors = held.get("tensors")
        yield from ((f".tensors[{at}]", one) for at, one in enumerate(tensors if type(tensors) is tuple else ()))
        return
    source = dict(methods_of(type(dataset))).get("__getitem__")
    if source is None and is_library(type(dataset)):
        yield ".targets", held.get("targets")  # where torchvision's folders of pictures keep the labels
    names = [] if source is None else source.arguments
    if source is None or len(names) != 2 or names[1] in source.bindings:
        return
    nodes = source.nodes
    taken = {
        text_of(node.value) for node in nodes if isinstance(node, ast.Subscript) and text_of(node.slice) == names[1]
    }
    yield from ((f".{name}", kept) for name, kept in list(held.items()) if f"{names[0]}.{name}" in taken)
