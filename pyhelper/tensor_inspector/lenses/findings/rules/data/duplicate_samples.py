"""A batch is a few samples, each repeated equally often.

Why: The batch teaches no more than its few distinct samples do.

Example:
    class Noisy(Dataset):
        def __getitem__(self, index):
            noise = np.random.default_rng(0).normal(size=8)  # the same each time
            return noise, labels[index]

Instead:
    class Noisy(Dataset):
        def __getitem__(self, index):
            noise = np.random.default_rng(index).normal(size=8)
            return noise, labels[index]

Silent when:
    - the input needs gradients, has fewer than 8 rows or 4 numbers a row, is whole numbers, or more than half of it is
      0
    - the source repeats it on purpose: `repeat`, `expand`, `tile`, `[x] * n`
    - the model is given more than one thing, or a loop carries the input on
    - the batch goes through a whole table in sight
    - all rows are one sample, the targets do not differ, and the dataset does not assign to the index that it
      is asked for
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import bare, is_plain
from .....measure.torch.metadata import element_count, requires_grad
from .....safe.guard import instance_dict, module
from ....flow.losses import ModelInput, loss_calls, model_inputs
from ....step.classes import methods_of, own_methods_of
from ....step.expressions import is_name, last_name, names_in, root_of, text_of
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.loaders import loader_of
from .parts.raw_inputs import is_carried, where_made

torch: Any = module("torch")


@rule(
    "warning",
    why="The batch teaches no more than its few distinct samples do.",
    suggestion="give each sample its own index, and each worker a seed of its own",
    needs="module source thorough",
    tier="likely",
)
def duplicate_samples(step: Step) -> Iterator[Violation]:
    for given in model_inputs(step):
        tensor = given.tensor
        if not given.is_first() or not tensor.dtype.is_floating_point or not is_plain(tensor) or requires_grad(tensor):
            continue
        if (
            tensor.dim() < 2
            or tensor.shape[0] < 8
            or (element_count(tensor) or 0) > 1 << 22
            or tensor.numel() < 4 * tensor.shape[0]
        ):
            continue
        if _is_repeated_on_purpose(step, given) or _is_one_of_many_arguments(given) or is_carried(step, given):
            continue
        rows = bare(tensor).reshape(tensor.shape[0], -1)
        if not bool((rows != rows.round()).any()) or float((rows == 0).double().mean()) > 0.5:
            continue
        distinct, counts = torch.unique(rows, dim=0, return_counts=True)
        if _is_sweep(step, given, distinct):
            continue
        times = counts.tolist()
        is_few = len(times) > 1 or _targets_differ(step, len(rows)) or _index_is_replaced(step, tensor)
        if is_few and 2 * len(times) <= len(rows) and min(times) == max(times):
            they = f"the {len(rows)} rows of {given.name} are"
            one = f"{they} one and the same"
            few = (f"{they} {len(times)} distinct ones", ", ", f"each {times[0]} times")
            yield Violation(
                few if len(times) > 1 else one,
                (given.name, f"{len(times)} distinct rows of {len(rows)}"),
                line=_random_line(step, given),
            )
            return


def _is_sweep(step: Step, given: ModelInput, distinct: Any) -> bool:
    """Whether a batch goes through a whole table in sight, each row as often: nothing is drawn for that."""
    for variable in step.tensors:
        table = variable.value
        if (
            table.dim() == given.tensor.dim()
            and table.shape[0] == len(distinct) < given.tensor.shape[0]
            and is_plain(table)
            and table.dtype is distinct.dtype
            and table.numel() == distinct.numel()
            and torch.equal(torch.unique(bare(table).reshape(distinct.shape), dim=0), distinct)
        ):
            return True
    return False


def _is_one_of_many_arguments(given: ModelInput) -> bool:
    """Whether the model is given more of each sample: graphs whose nodes are alike differ in their edges."""
    arguments = [*given.call.args, *given.call.keywords.values()]
    return sum(not isinstance(argument, ast.Constant) for argument in arguments) > 1


def _is_repeated_on_purpose(step: Step, given: ModelInput) -> bool:
    source = step.sources[given.level]
    words = ("repeat", "repeat_interleave", "expand", "tile", "expand_as")
    made = source.binding_of(given.name)
    if 0 in bare(given.tensor).stride():
        return True
    if made is None:  # it came from elsewhere
        there = [
            step.sources[level].binding_of(key) for (level, key), value in step.named_values() if value is given.tensor
        ]
        nodes = [node for found in there if found is not None for node in ast.walk(found[1])]
        methods = [one for _, one in own_methods_of(step.value(source.self_name, given.level))]
        return any(one.mentions(*words) for one in (*step.sources, *methods)) or any(map(_lists_one_again, nodes))
    if any(_lists_one_again(node) for node in ast.walk(made[1])):
        return True
    behind = [node for _, node in source.bindings_behind(root_of(given.name)).values()]
    return any(isinstance(node, ast.Attribute) and node.attr in words for one in behind for node in ast.walk(one))


def _index_is_replaced(step: Step, tensor: Any) -> bool:
    """Whether the dataset that a batch came from puts another variable in the place of the index that it is asked for.

    One that uses no index at all, or a number as written, may mean to give one item.
    """
    loader = loader_of(step, tensor)
    dataset = None if loader is None else instance_dict(loader.value).get("dataset")
    source = dict(methods_of(type(dataset))).get("__getitem__")
    names = [] if source is None else source.arguments
    if source is None or len(names) < 2:
        return False
    made = [getattr(node, "value", None) for _, node in source.bindings.get(names[1], ())]
    used = [names_in(value) for value in made if value is not None]
    return any(found and names[1] not in found for found in used)


def _targets_differ(step: Step, count: int) -> bool:
    """Whether the loss wants something else of each sample: what is the same for all can't tell it."""
    targets = [one.target.value for one in loss_calls(step) if one.target is not None]
    wanted = [bare(target) for target in targets if target.dim() and target.shape[0] == count and is_plain(target)]
    return any(bool((one != one[:1]).any()) for one in wanted if not requires_grad(one))


def _lists_one_again(node: ast.AST) -> bool:
    """Whether a list is written that has one thing several times: ``[x, x]``, ``[x] * 2``, ``[x for _ in range(2)]``."""
    if isinstance(node, (ast.List, ast.Tuple)):
        names = [text_of(item) for item in node.elts if is_name(item)]
        return len(set(names)) < len(names)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        lists = [side for side in (node.left, node.right) if isinstance(side, (ast.List, ast.Tuple))]
        return any(map(is_name, lists[0].elts)) if lists else False
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)) and is_name(node.elt):
        targets = {name for part in node.generators for name in names_in(part.target)}
        return root_of(text_of(node.elt)) not in targets
    return False


def _random_line(step: Step, given: ModelInput) -> tuple[str, int] | None:
    """The line in which a generator is begun from a fixed number."""
    source = step.sources[given.level]
    for node in ast.walk(source.tree) if source.tree is not None else ():
        if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Constant):
            continue
        if last_name(node.func) in ("RandomState", "default_rng", "Random"):
            return source.file, node.lineno
    return where_made(step, given)
