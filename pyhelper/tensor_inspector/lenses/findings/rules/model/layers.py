"""Rules about how the layers of a model are put together."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import bare, is_plain
from .....measure.torch.graph import VIEWS
from .....measure.torch.metadata import element_count
from .....measure.torch.modules import Member, children, is_of
from .....measure.torch.node import AutogradNode
from .....safe.guard import class_name, instance_dict, module
from .....words.text import plural
from ....step.classes import is_library
from ....step.step import Step
from ...finding import Violation
from ...lines import line_of_call_below, lines_of_filling
from ...made_of import uses
from ...rule import rule
from ..numbers.dead_units import LINEAR
from .mode import DROPOUT

torch: Any = module("torch")


@rule(
    "hint",
    tier="likely",
    why="A product of two matrices is a matrix.",
    suggestion="put an activation between them",
    needs="module optimizer",
)
def no_nonlinearity(step: Step) -> Iterator[Violation]:
    """Two linear layers in a row are one linear layer."""
    for first, second in (*_rows_of_sequentials(step), *_rows_of_graph(step)):
        a, b = instance_dict(first.module), instance_dict(second.module)
        hidden = a.get("out_features")
        sizes = (a.get("in_features"), hidden, b.get("out_features"))
        if not all(type(size) is int for size in sizes) or hidden != b.get("in_features"):
            continue
        if sizes[1] < min(sizes[0], sizes[2]) or sizes[1] == 1:  # type: ignore[operator,type-var]
            continue
        if _is_product_of_matrices(step, first.top):
            continue
        names = [step.members[id(one.module)][0] for one in (first, second)]
        if any(id(tensor) in step.optimized for _, tensor in first.part("_parameters")):
            yield Violation(
                (
                    f"{' and '.join(names)} are linear layers in a row, {sizes[0]} → {sizes[1]} → {sizes[2]}",
                    ": ",
                    "together no more than one",
                ),
                *((known, "Linear") for known in names),
                certain=False,
            )
            return
    yield from _convolutions(step)


def _convolutions(step: Step) -> Iterator[Violation]:
    """Two convolutions of one module in a row, of which nothing else takes what the first gives."""
    for node in step.graph.by("Convolution"):
        below = step.graph.through_views(step.graph.input(node))
        if below is None or below.op != "Convolution" or len(step.graph.users(below)) != 1:
            continue
        first, second = _convolution_of(step, below), _convolution_of(step, node)
        if first is None or second is None or first.parent is None or first.parent is not second.parent:
            continue
        hidden, sizes = second.setting("in_channels"), (first.setting("in_channels"), second.setting("out_channels"))
        if not type(hidden) is type(sizes[0]) is type(sizes[1]) is int or hidden < min(sizes):
            continue  # what is narrow between them is a factor
        names = [step.members[id(one.module)][0] for one in (first, second)]
        yield Violation(
            (
                f"{' and '.join(names)} are convolutions in a row, {sizes[0]} → {hidden} → {sizes[1]}",
                ": ",
                "together no more than one",
            ),
            *((known, class_name(type(one.module))) for known, one in zip(names, (first, second))),
            certain=False,
        )
        return


def _convolution_of(step: Step, node: AutogradNode) -> Member | None:
    """The plain layer of a convolution that an optimizer trains: over more than a point, of all channels together."""
    weight = step.graph.through_views(step.graph.input(node, 1))
    one = None if weight is None or weight.leaf is None else step.parameters.get(id(weight.leaf))
    if one is None or class_name(type(one.member.module)) not in ("Conv1d", "Conv2d", "Conv3d"):
        return None
    kernel, groups = one.member.setting("kernel_size"), one.member.setting("groups")
    is_plain = type(kernel) is tuple and min(kernel) > 1 and len(set(kernel)) == 1 and groups == 1
    return one.member if is_plain and id(one.tensor) in step.optimized else None


def _rows_of_sequentials(step: Step) -> Iterator[tuple[Member, Member]]:
    for _, member in list(step.members.values()):
        if is_of(member.module, "Sequential") and class_name(type(member.module)) == "Sequential":
            layers = [one for one in children(member) if not is_of(one, "Identity", *DROPOUT)]
            for first, second in zip(layers, layers[1:]):
                if class_name(type(first)) == class_name(type(second)) == "Linear":
                    yield step.members[id(first)][1], step.members[id(second)][1]


def _rows_of_graph(step: Step) -> Iterator[tuple[Member, Member]]:
    """Two layers of one module of the user, of which the second alone was given what the first has made.

    A layer that takes its own result is applied again and again: no other one does what it does.
    """
    for node in step.graph.by("Addmm"):
        below = step.graph.through_views(step.graph.input(node, 1))
        if below is None or below.op != "Addmm":
            continue
        first, second = _linear_of(step, below), _linear_of(step, node)
        if first is None or second is None or first.parent is None or second.parent is None:
            continue
        if first.module is second.module or not _takes_it_alone(step, node, second):
            continue
        if first.parent is not second.parent:
            if _are_hidden_blocks(first.parent, second.parent):
                yield first, second
        elif not is_library(type(_owner(first.parent).module)):
            yield first, second


def _owner(module: Member) -> Member:
    """The module that has written what becomes of one: what keeps a ModuleList, which itself runs nothing."""
    while module.parent is not None and class_name(type(module.module)) == "ModuleList":
        module = module.parent
    return module


def _takes_it_alone(step: Step, node: AutogradNode, layer: Member) -> bool:
    """Whether nothing but a layer takes what stands before it: no other node, and no line that reads it by its name."""
    between, below = list[AutogradNode](), step.graph.input(node, 1)
    while below is not None:
        between.append(below)
        below = step.graph.input(below) if below.op in VIEWS else None
    if any(len(step.graph.users(one)) > 1 for one in between):
        return False
    for variable in filter(None, map(step.tensor_at, between)):
        source = step.sources[variable.level]
        given = {
            id(argument)
            for call in source.calls
            if (called := step.module_of(call.callee, variable.level)) is not None and called.value is layer.module
            for argument in call.args
        }
        paths = (path for statement in source.body for path in uses(statement, variable.key))
        if any(id(path[-1]) not in given and isinstance(path[-1].ctx, ast.Load) for path in paths):  # type: ignore[attr-defined]
            return False
    return True


def _is_product_of_matrices(step: Step, top: Member) -> bool:
    """Whether a model has nothing but linear layers without biases: it is factors of a matrix, and meant as such."""
    inside = [member for _, member in step.members.values() if member.is_in(top.module)]
    layers = [member for member in inside if not member.items("_modules")]
    return all(
        class_name(type(one.module)) == "Linear" and dict(one.items("_parameters")).get("bias") is None
        for one in layers
    )


def _are_hidden_blocks(first: Member, second: Member) -> bool:
    """Whether two blocks follow each other in a Sequential, each a linear layer and a place that an Identity takes, as one
    for an activation; and none of them is the last there, which may well be linear."""
    around = first.parent
    if around is None or around is not second.parent or class_name(type(around.module)) != "Sequential":
        return False
    blocks = children(around)
    places = [at for at, block in enumerate(blocks[:-2]) if block is first.module and blocks[at + 1] is second.module]
    return bool(places) and all(
        [class_name(type(part)) for part in children(block) if not is_of(part, *DROPOUT)] == ["Linear", "Identity"]
        for block in (first, second)
    )


def _linear_of(step: Step, node: AutogradNode) -> Member | None:
    weight = step.graph.through_views(step.graph.input(node, 2))
    one = None if weight is None or weight.leaf is None else step.parameters.get(id(weight.leaf))
    return one.member if one is not None and class_name(type(one.member.module)) == "Linear" else None


def _are_one_row(values: Any) -> bool:
    """Whether all rows are equal but for what a product of matrices rounds, which differs from row to row."""
    spread, most = (values - values[:1]).abs().max(), values.abs().max()
    return bool(spread <= min(64 * torch.finfo(values.dtype).eps, 1e-5) * most)


def _weights(step: Step) -> Iterator[tuple[str, Any]]:
    """The parameters of modules in sight, and what optimizers hold beside these that a product takes as the second
    factor, where a layer's weights stand: inputs that are optimized stand before it."""
    for one in step.parameters.values():
        if not is_of(one.member.module, "Embedding", "EmbeddingBag"):
            yield one.name, one.tensor
    second = (step.graph.input(node, 2 if node.op == "Addmm" else 1) for node in step.graph.by(*LINEAR))
    factors = map(step.graph.through_views, second)
    leaves = {id(node.leaf): node.leaf for node in factors if node is not None and node.leaf is not None}
    for key, leaf in leaves.items():
        name = step.name_of(leaf) if key in step.optimized and key not in step.parameters else None
        if name is not None:
            yield name, leaf


_FILLING = ("constant_", "fill_", "ones_", "full_")
_ZEROING = ("zeros_", "zero_", "constant_", "fill_")


@rule(
    "error",
    why="Units that begin alike and get the same gradient never differ.",
    suggestion="initialise at random",
    needs="module thorough",
)
def symmetric_init(step: Step) -> Iterator[Violation]:
    """All units of a layer have the same weights and the same gradient: they stay the same."""
    alike: list[tuple[str, Any]] = []
    for name, weight in _weights(step):
        grad = step.grad(weight)
        if weight.dim() < 2 or weight.shape[0] < 2 or grad is None or (element_count(weight) or 0) > 1 << 22:
            continue
        if not is_plain(weight) or not is_plain(grad):
            continue
        rows, slopes = bare(weight), bare(grad)
        if bool((slopes != 0).any()) and _are_one_row(rows) and _are_one_row(slopes):
            alike.append((name, weight))
    if alike:
        name, weight = alike[0]
        yield Violation(
            (
                f"all {weight.shape[0]} units of {name} have the same weights and the same gradient",
                ": ",
                "they will always be one unit",
            ),
            *((other, f"{plural(int(rows.shape[0]), 'equal row')}") for other, rows in alike[:3]),
            line=next((line for line, _ in lines_of_filling(step, name)), None)
            or line_of_call_below(step, *(_FILLING if bool((bare(weight) != 0).any()) else _ZEROING)),
            suggestion="a random initialisation",
        )
