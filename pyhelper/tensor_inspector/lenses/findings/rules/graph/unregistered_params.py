"""A module keeps weights where `parameters()` does not see them.

Why: They are not trained, saved, or moved by .to().

Example:
    self.layers = [nn.Linear(8, 8) for _ in range(3)]

Instead:
    self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))

Silent when:
    - they are registered elsewhere in the model, or an optimizer holds them
    - they are frozen, or no loss and no gradient has reached them
    - the source reads their gradients, and so may update them by hand
    - of a layer made in forward: it is kept, frozen, or given weights, or an optimizer holds such weights
    - the class is a library's
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice
from types import FunctionType
from typing import Any

from .....measure.torch.metadata import is_exact_tensor, is_trainable_leaf, requires_grad, shape_of
from .....measure.torch.modules import is_module, parameters_of
from .....safe.guard import class_attribute, class_dict, class_name, each, module, mro
from .....words.text import plural
from ....flow.gradient.readers import readers_of, reads_gradients
from ....flow.lines import line_of_assignment
from ....flow.reach.growing_lists import called_by
from ....step.calls import Call
from ....step.classes import is_library, methods_of, undecorated
from ....step.expressions import text_of
from ....step.functions import named_in
from ....step.source import Source, source_of
from ....step.step import Step
from ...finding import Violation
from ...rule import rule

torch: Any = module("torch")
_ITEMS = 500  #: of one container
#: How many dimensions the weights of a layer have, by its class or a base of it.
_DIMENSIONS = {
    **dict.fromkeys(("_BatchNorm", "LayerNorm", "GroupNorm", "RMSNorm"), 1),
    **dict.fromkeys(("Linear", "Embedding", "EmbeddingBag", "RNNBase", "RNNCellBase"), 2),
    **dict.fromkeys(("Bilinear", "Conv1d", "ConvTranspose1d"), 3),
    **dict.fromkeys(("Conv2d", "ConvTranspose2d"), 4),
    **dict.fromkeys(("Conv3d", "ConvTranspose3d"), 5),
}
_ABOUT_WEIGHTS = ("weight", "bias", "parameters", "load_state_dict", "requires_grad_", "apply")
_MOST = 6  #: dimensions of a parameter
_DEEP = 3  #: modules of the program in one another


@rule(
    "error",
    why="They are not trained, saved, or moved by .to().",
    suggestion="register them",
    causes="param-not-in-optimizer",
    needs="module",
)
def unregistered_params(step: Step) -> Iterator[Violation]:
    yield from _layers_made_in_forward(step)
    reached = step.reached()
    for name, member, key, item in step.kept_by_modules():
        found = [item] if is_exact_tensor(item) else _first_items(item)
        hidden = [one for one in found if is_module(one) or is_trainable_leaf(one)]
        tensors = [tensor for one in hidden for tensor in _tensors_in(one)]
        if not tensors or is_library(type(member.module)):
            continue
        registered = set(map(id, _tensors_in(member.top.module)))
        loose = [tensor for tensor in tensors if id(tensor) not in registered and id(tensor) not in step.optimized]
        if not loose or not all(requires_grad(tensor) for tensor in loose):
            continue
        if not any(id(tensor) in reached or step.grad(tensor) is not None for tensor in loose):
            continue
        if is_exact_tensor(item):
            if not _is_updated_by_hand(step, member.module, key):
                yield Violation(
                    (
                        f"{name}.{key} is a trainable tensor but no nn.Parameter",
                        ": ",
                        f"not in {name}.parameters(), in no optimizer",
                    ),
                    (f"{name}.{key}", "requires_grad, a plain tensor"),
                    line=line_of_assignment(type(member.module), key),
                    suggestion=f"make {key} an nn.Parameter",
                )
            continue
        if not any(map(is_module, hidden)) and _are_updated_by_hand(step, member.module, f"{name}.{key}"):
            continue
        kinds = list(dict.fromkeys(class_name(type(one)) for one in hidden))
        what = (
            f"{len(hidden)} {kinds[0]}{' layers' if len(hidden) > 1 else ''}"
            if is_module(hidden[0])
            else plural(len(hidden), "tensor")
        )
        yield Violation(
            (
                f"{what} in the plain {type(item).__name__} {name}.{key} are not registered",
                ": ",
                f"not in {name}.parameters(), in no optimizer",
            ),
            (f"{name}.{key}", f"{plural(len(loose), 'trainable tensor')} that parameters() does not see"),
            line=line_of_assignment(type(member.module), key),
            suggestion=f"make {key} an nn.ModuleList, nn.ModuleDict or nn.ParameterList",
        )


def _first_items(container: Any) -> list[Any]:
    items = dict.values if type(container) is dict else type(container).__iter__
    return list(islice(each(items, container), _ITEMS))


def _is_updated_by_hand(step: Step, owner: Any, attribute: str) -> bool:
    """Whether code in sight, or a method, reads its gradient: as what an attack adds to an input."""
    sources = [*step.sources, *(source for _, source in methods_of(type(owner)))]
    return any(
        isinstance(node.value, ast.Attribute) and node.value.attr == attribute
        for source in sources
        for node in (ast.walk(source.tree) if source.tree is not None else ())
        if isinstance(node, ast.Attribute) and node.attr == "grad"
    )


def _are_updated_by_hand(step: Step, owner: Any, container: str) -> bool:
    """Whether code in sight, a method, or a function that is given them reads the gradients of what a module's list holds."""
    attribute = container.rpartition(".")[2]
    sources = [*step.sources, *(source for _, source in methods_of(type(owner)))]
    known = [(source, f"{source.self_name}.{attribute}") for source in sources]
    known += [(source, container) for source in step.sources]
    return any(reads_gradients(source, name) for source, name in (*known, *readers_of(step, container)))


def _tensors_in(value: Any) -> list[Any]:
    return [value] if is_exact_tensor(value) else parameters_of(value)


def _layers_made_in_forward(step: Step) -> Iterator[Violation]:
    """A ``forward`` makes a layer with weights, and the loss leads to weights of such a kind that nothing in sight holds."""
    leaves = {id(leaf): leaf for root in step.loss_nodes() for leaf in step.graph.leaves(root)}
    loose = [leaf for leaf in leaves.values() if _is_weight(leaf) and not _is_held(step, id(leaf))]
    for name, member in list(step.members.values()) if loose else ():
        cls = type(member.module)
        methods = {} if is_library(cls) else dict(methods_of(cls))
        for method in called_by(methods, "forward"):
            call = next(_made_each_time(cls, method, methods[method], {len(shape_of(leaf)) for leaf in loose}), None)
            if call is None:
                continue
            yield Violation(
                (
                    f"{method} of {name} makes a new {call.callee} each time",
                    ": ",
                    f"{plural(len(loose), 'trainable tensor')} that no optimizer has ever seen",
                ),
                (name, f"parameters() does not have what {call.callee} makes"),
                line=(methods[method].file, call.lineno),
                suggestion="make it in __init__, and keep it as an attribute",
            )
            return


def _is_weight(leaf: Any) -> bool:
    """Whether a leaf is a trainable parameter, as layers have them: no input of which a gradient is asked."""
    return issubclass(type(leaf), torch.nn.Parameter) and requires_grad(leaf)


def _is_held(step: Step, tensor_id: int) -> bool:
    return tensor_id in step.parameters or tensor_id in step.optimized or tensor_id in step.names


def _made_each_time(cls: type, method: str, source: Source, dimensions: set[int]) -> Iterator[Call]:
    """The calls in a method that make a layer whose weights have so many dimensions, in each round, and keep it nowhere."""
    function = class_attribute(cls, method)
    for call in source.calls if type(function) is FunctionType else ():
        if source.is_conditional(call.lineno) or _is_kept(source, call) or _is_set_by_hand(source, call):
            continue
        if dimensions & _dimensions_made(undecorated(function), call, _DEEP):
            yield call


def _dimensions_made(function: FunctionType, call: Call, depth: int) -> set[int]:
    """How many dimensions those weights have that a call makes: of a class of torch's layers, or of one of the program."""
    value = named_in(function, call.callee)
    if not issubclass(type(value), type):
        return set()
    if value is torch.nn.Parameter:
        return set(range(_MOST)) if len(call.args) == 1 and not call.keywords else set()
    if not issubclass(value, torch.nn.Module):
        return set()
    if is_library(value):
        is_plain = not any("affine" in key for key in call.keywords) and len(call.args) < 4
        known = {_DIMENSIONS.get(class_name(base)) for base in mro(value)} - {None}
        return {one for one in known if one is not None and (one > 1 or is_plain)}
    begin = class_dict(value).get("__init__")
    if type(begin) is not FunctionType or not depth:
        return set()
    inner = undecorated(begin)
    return {one for made in source_of(inner.__code__).calls for one in _dimensions_made(inner, made, depth - 1)}


def _is_kept(source: Source, call: Call) -> bool:
    """Whether what a call makes is an attribute or an item, or is given to something that may keep it: ``append``, ``setattr``."""
    target = call.target or ""
    if target and not target.isidentifier():
        return True
    kept = [one for other in source.calls if other is not call for one in (*other.args, *other.keywords.values())]
    for bound in {id(node): node for found in source.bindings.values() for _, node in found}.values():
        is_bound_further = isinstance(bound, ast.Assign) and not all(isinstance(one, ast.Name) for one in bound.targets)
        kept += [bound.value] if isinstance(bound, ast.Assign) and is_bound_further else []
    return any(one is call.node or (target and text_of(one) == target) for one in kept)


def _is_set_by_hand(source: Source, call: Call) -> bool:
    """Whether weights are given to it, or it is frozen: ``edges.weight.data = kernel``, ``nn.Linear(8, 2).requires_grad_(False)``."""
    nodes = source.nodes
    asked = [node.value for node in nodes if isinstance(node, ast.Attribute) and node.attr in _ABOUT_WEIGHTS]
    return any(one is call.node or (call.target and text_of(one) == call.target) for one in asked)
