"""Rules about what a module registers: unused, unregistered, no leaf, not frozen."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import is_own
from .....measure.torch.metadata import gradient_of, requires_grad, shape_of
from .....measure.torch.modules import Member, is_module, parameters_of
from .....safe.guard import Classes, class_name, instance_dict
from .....words.text import listed, plural, shape
from ....step.expressions import text_of
from ....step.roles import Parameter
from ....step.source import Source
from ....step.step import Step
from ...classes import is_library, methods_of
from ...finding import Found
from ...places import assigned, bound
from ...rule import Rule
from .cut import reached_by_losses

_CONTAINERS = Classes(list, tuple, dict)


def unused_module(step: Step) -> Iterator[Found]:
    """A submodule that no method of its parent names, with parameters that no loss reaches."""
    reached, nodes = reached_by_losses(step)
    if not nodes or not step.has_all_losses() or not step.graph.complete:
        return
    by_member = _by_member(step)
    roots = {id(one.root.value) for one in step.parameters.values() if id(one.tensor) in reached}
    for name, member in list(step.members.values()):
        parent = member.parent
        below = by_member.get(id(member.module), [])
        if parent is None or not below or is_library(type(parent.module)):
            continue
        trainable = [one for one in below if requires_grad(one.tensor)]
        if not trainable or any(id(one.tensor) in reached or step.grad(one.tensor) is not None for one in trainable):
            continue
        if id(trainable[0].root.value) not in roots:
            continue
        attribute = member.name.rpartition(".")[2]
        if any(source.mentions(attribute) for source in step.sources) or _is_named(type(parent.module), attribute):
            continue
        yield Found(
            f"{name} took no part in the forward: {listed((one.name for one in trainable), False, 60)} got no gradient",
            (name, f"no method of {class_name(type(parent.module))} but __init__ names it"),
            *((one.name, "grad None") for one in trainable[:4]),
            line=assigned(type(parent.module), attribute),
        )


def _by_member(step: Step) -> dict[int, list[Parameter]]:
    """The parameters in each module and below it."""
    found: dict[int, list[Parameter]] = {}
    for one in step.parameters.values():
        member: Member | None = one.member
        while member is not None:
            found.setdefault(id(member.module), []).append(one)
            member = member.parent
    return found


def _is_named(cls: type, attribute: str) -> bool:
    """Whether a method but ``__init__`` names an attribute, or goes through all of them."""
    methods = [
        source for name, source in methods_of(cls) if name not in ("__init__", "reset_parameters", "init_weights")
    ]
    if not methods or any(not source.is_known() for source in methods):
        return True
    return any(
        source.mentions(
            attribute, "getattr", "children", "modules", "_modules", "named_children", "named_modules", "super"
        )
        for source in methods
    )


def unregistered_params(step: Step) -> Iterator[Found]:
    """Modules or trainable leaves in a plain list, dict or attribute, which ``parameters()`` does not see."""
    reached, _ = reached_by_losses(step)
    for name, member in list(step.members.values()):
        if is_library(type(member.module)):
            continue
        for key, item in list(member.own.items()):
            if key.startswith("_") or (type(item) not in _CONTAINERS and not is_own(item)):
                continue
            found = [item] if is_own(item) else list(dict.values(item)) if type(item) is dict else list(item)
            hidden = [one for one in found if is_module(one) or _is_hidden(one)]
            tensors = [tensor for one in hidden for tensor in _tensors_in(one)]
            registered = set(map(id, _tensors_in(member.top.module)))
            loose = [tensor for tensor in tensors if id(tensor) not in registered and id(tensor) not in step.held]
            if not loose or not all(requires_grad(tensor) for tensor in loose):
                continue
            if not any(id(tensor) in reached or step.grad(tensor) is not None for tensor in loose):
                continue
            if is_own(item):
                if not _is_updated_by_hand(step, member.module, key):
                    yield Found(
                        f"{name}.{key} is a trainable tensor but no nn.Parameter: not in {name}.parameters(), in no optimizer",
                        (f"{name}.{key}", "requires_grad, a plain tensor"),
                        line=assigned(type(member.module), key),
                        suggestion=f"make {key} an nn.Parameter",
                    )
                continue
            kinds = list(dict.fromkeys(class_name(type(one)) for one in hidden))
            what = (
                f"{len(hidden)} {kinds[0]}{' layers' if len(hidden) > 1 else ''}"
                if is_module(hidden[0])
                else plural(len(hidden), "tensor")
            )
            yield Found(
                f"{what} in the plain {type(item).__name__} {name}.{key} are not registered: not in {name}.parameters(), in no optimizer",
                (f"{name}.{key}", f"{plural(len(loose), 'trainable tensor')} that parameters() does not see"),
                line=assigned(type(member.module), key),
                suggestion=f"make {key} an nn.ModuleList, nn.ModuleDict or nn.ParameterList",
            )


def _is_updated_by_hand(step: Step, owner: Any, attribute: str) -> bool:
    """Whether code in sight, or a method, reads its gradient: as what an attack adds to an input."""
    sources = [*step.sources, *(source for _, source in methods_of(type(owner)))]
    return any(
        isinstance(node.value, ast.Attribute) and node.value.attr == attribute
        for source in sources
        for node in (ast.walk(source.tree) if source.tree is not None else ())
        if isinstance(node, ast.Attribute) and node.attr == "grad"
    )


def _is_hidden(value: Any) -> bool:
    return is_own(value) and requires_grad(value) and gradient_of(value).is_leaf


def _tensors_in(value: Any) -> list[Any]:
    return [value] if is_own(value) else parameters_of(value)


def non_leaf_grad(step: Step) -> Iterator[Found]:
    """A module keeps as a weight what is computed from a leaf that nobody holds."""
    for name, member in list(step.members.values()):
        for key, item in list(member.own.items()):
            if not is_own(item) or not requires_grad(item) or key.startswith("_"):
                continue
            leaf = _lonely_leaf(step, item)
            if leaf is not None:
                node = step.node_of(item)
                yield Found(
                    f"{name}.{key} is no leaf but the result of {node.op if node else 'an operation'}: its .grad stays None, and parameters() does not see it",
                    (f"{name}.{key}", f"computed from a leaf of {shape(shape_of(leaf))} that has no name"),
                    line=assigned(type(member.module), key),
                )
    for thing in step.tensors:
        if thing.depth or not requires_grad(thing.value) or not step.source.is_known():
            continue
        names = (thing.key, *_looped_as(step.source, thing.key))
        wanted = [node for name in names for node in _attributes(step.source, name) if node.attr == "grad"]
        leaf = _lonely_leaf(step, thing.value) if wanted else None
        if leaf is not None:
            yield Found(
                f"{thing.name} is no leaf: {thing.name}.grad stays None",
                (thing.name, "computed from a leaf that has no name"),
                line=bound(step, thing.key),
            )


def _lonely_leaf(step: Step, tensor: Any) -> Any:
    """The only leaf that a non-leaf is computed from, by a few operations, where nothing else holds that leaf."""
    node = step.node_of(tensor)
    if node is None:
        return None
    below = step.graph.below(node)
    leaves = step.graph.leaves(node)
    if len(below) > 6 or len(leaves) != 1:
        return None
    leaf = leaves[0]
    known = id(leaf) in step.parameters or id(leaf) in step.held or id(leaf) in step.names
    return None if known else leaf


def _attributes(source: Source, name: str) -> list[ast.Attribute]:
    found = [] if source.tree is None else list(ast.walk(source.tree))
    return [node for node in found if isinstance(node, ast.Attribute) and text_of(node.value) == name]


def _looped_as(source: Source, name: str) -> list[str]:
    """The variables of loops over a tuple or list that holds a name: ``for W in (W1, W2)``."""
    loops = [node for node in ast.walk(source.tree or ast.Pass()) if isinstance(node, (ast.For, ast.comprehension))]
    return [
        loop.target.id
        for loop in loops
        if isinstance(loop.target, ast.Name)
        and isinstance(loop.iter, (ast.Tuple, ast.List))
        and any(text_of(item) == name for item in loop.iter.elts)
    ]


def freeze_typo(step: Step) -> Iterator[Found]:
    """An attribute that torch does not know was set, in the place of ``requires_grad``."""
    typos = ("require_grad", "requires_gradient", "require_grads", "requires_grads", "required_grad", "trainable")
    for one in step.parameters.values():
        for name in instance_dict(one.tensor):
            if name in typos and requires_grad(one.tensor):
                yield Found(
                    f"{one.name}.{name} was set, which does nothing: requires_grad is still True",
                    (one.name, f"has an attribute {name}"),
                )
                return
    for name, member in step.members.values():
        for typo in (*typos, "requires_grad"):
            if member.own.get(typo) is not False or assigned(type(member.module), typo) is not None:
                continue  # what its own class sets is a setting that it may read
            if any(requires_grad(one.tensor) and one.member.is_in(member.module) for one in step.parameters.values()):
                yield Found(
                    f"{name}.{typo} = False does nothing on a module: its parameters are still trainable",
                    (name, f"has an attribute {typo}"),
                    suggestion=f"{name}.requires_grad_(False)",
                )
                return


RULES = [
    Rule(
        "unused-module",
        unused_module,
        "loss module source",
        "warning",
        "It is registered and counted, but never learns.",
        "call it in forward, or remove it",
    ),
    Rule(
        "unregistered-params",
        unregistered_params,
        "module",
        "error",
        "They are not trained, saved, or moved by .to().",
        "register them",
    ),
    Rule(
        "non-leaf-grad",
        non_leaf_grad,
        "source",
        "error",
        "Only leaves get a .grad; the optimizer can't hold this.",
        "make the result a leaf: nn.Parameter(value), or scale under no_grad",
    ),
    Rule("freeze-typo", freeze_typo, "module", "warning", "Nothing was frozen.", "set requires_grad"),
]
