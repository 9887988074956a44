"""Two linear layers, or two convolutions, follow each other without an activation.

Why: A product of two matrices is a matrix.

Example:
    model = nn.Sequential(nn.Linear(8, 64), nn.Linear(64, 10))

Instead:
    model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 10))

Silent when:
    - the first is narrower than input and output, as a low-rank factor is, or one unit wide
    - the model is nothing but linear layers without biases: factors of a matrix
    - something else reads what stands between them, or a layer takes its own result again
    - they belong to different modules, or are written in a library
    - convolutions are of one point, of groups, or of uneven kernels
    - no optimizer trains the first
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .....measure.torch.graph import VIEWS
from .....measure.torch.modules import Member, children, is_of
from .....measure.torch.node import AutogradNode
from .....safe.guard import class_name, instance_dict
from ....flow.definitions import uses
from ....step.classes import is_library
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.layer_kinds import DROPOUT


@rule(
    "hint",
    tier="likely",
    why="A product of two matrices is a matrix.",
    suggestion="put an activation between them",
    needs="module optimizer",
)
def no_nonlinearity(step: Step) -> Iterator[Violation]:
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
