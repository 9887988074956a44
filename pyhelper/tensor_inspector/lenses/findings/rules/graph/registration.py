"""Rules about parameters: not registered in their module, no leaf."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from .....measure.torch.metadata import is_exact_tensor, is_trainable_leaf, requires_grad, retains_grad, shape_of
from .....measure.torch.modules import is_module, parameters_of
from .....safe.guard import class_name, each
from .....words.text import listed, plural, shape
from ....step.calls import Call
from ....step.classes import function_called, is_library, methods_of
from ....step.expressions import bound_in, key_of, last_name, parent_of, root_of, text_of
from ....step.sight import VisibleVariable
from ....step.source import Source
from ....step.step import Step
from ...finding import Violation
from ...lines import Line, line_of_assignment, line_of_binding
from ...rule import rule
from .layers_in_forward import layers_made_in_forward

_ITEMS = 500  #: of one container


@rule(
    "error",
    why="They are not trained, saved, or moved by .to().",
    suggestion="register them",
    needs="module",
)
def unregistered_params(step: Step) -> Iterator[Violation]:
    """Modules or trainable leaves in a plain list, dict or attribute, which ``parameters()`` does not see."""
    yield from layers_made_in_forward(step)
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
    return any(_reads_gradients(source, name) for source, name in (*known, *_known_as(step, container)))


def _tensors_in(value: Any) -> list[Any]:
    return [value] if is_exact_tensor(value) else parameters_of(value)


@rule(
    "error",
    why="Only leaves get a .grad; the optimizer can't hold this.",
    suggestion="make the result a leaf: nn.Parameter(value), or scale under no_grad",
    needs="source",
)
def non_leaf_grad(step: Step) -> Iterator[Violation]:
    """A module keeps as a weight what is computed from a leaf that nobody holds."""
    for name, member, key, item in step.kept_by_modules():
        leaf = _lonely_leaf(step, item) if is_exact_tensor(item) else None
        if leaf is not None and not _is_set_in_forward(type(member.module), key):
            node = step.node_of(item)
            yield Violation(
                (
                    f"{name}.{key} is no leaf but the result of {node.op if node else 'an operation'}",
                    ": ",
                    "its .grad stays None, and parameters() does not see it",
                ),
                (f"{name}.{key}", f"computed from a leaf of {shape(shape_of(leaf))} that has no name"),
                line=line_of_assignment(type(member.module), key),
            )
    if step.source.mentions("retain_grad"):
        return
    for variable in step.tensors:
        if variable.depth or not requires_grad(variable.value) or not step.source.is_known():
            continue
        names = (variable.key, *_looped_as(step.source, variable.key))
        wanted = [node for name in names for node in _attributes(step.source, name) if node.attr == "grad"]
        is_wanted = bool(wanted) or _is_updated_with_others(step, variable.key)
        leaf = _lonely_leaf(step, variable.value) if is_wanted else None
        if leaf is not None:
            yield Violation(
                (f"{variable.name} is no leaf", ": ", f"{variable.name}.grad stays None"),
                (variable.name, "computed from a leaf that has no name"),
                line=line_of_binding(step, variable.key),
            )
    yield from _in_containers(step)


def _in_containers(step: Step) -> Iterator[Violation]:
    """What a dict or list of weights holds, whose gradients the source, or a function that it gives it to, reads."""
    by_container: dict[str, list[VisibleVariable]] = {}
    for variable in step.tensors:
        for name in (
            step.names[id(variable.value)] if variable.level == step.level and requires_grad(variable.value) else ()
        ):
            key = key_of(name)
            container = parent_of(key)
            if container is not None and not is_module(step.value(container)):
                by_container.setdefault(container, []).append(
                    VisibleVariable(key, variable.value, variable.level, variable.depth)
                )
    for container, variables in by_container.items():
        found = [one for one in variables if step.grad(one.value) is None and _lonely_leaf(step, one.value) is not None]
        if not found or not any(_reads_gradients(source, name) for source, name in _known_as(step, container)):
            continue
        names = listed((one.name for one in found), False, 60)
        yield Violation(
            (f"{names} is no leaf", ": ", "its .grad stays None")
            if len(found) == 1
            else (f"{names} are no leaves", ": ", "their .grad stays None"),
            *((one.name, "computed from a leaf that has no name") for one in found[:4]),
            line=_leaf_used_in(step, container) or line_of_binding(step, container),
        )


def _known_as(step: Step, container: str) -> Iterator[tuple[Source, str]]:
    """The sources that work on a container, each with the name that it has there."""
    yield step.source, container
    yield from _given(step, lambda argument: text_of(argument) == container)


def _is_updated_with_others(step: Step, name: str) -> bool:
    """Whether the gradients of what a tuple or list with a variable in it holds are read: ``update((w, b), lr)``."""

    def holds(value: ast.expr) -> bool:
        return isinstance(value, (ast.Tuple, ast.List)) and name in map(text_of, value.elts)

    bound = [(step.source, key) for key, value in _bound_in(step.source) if holds(value)]
    return any(_reads_gradients(source, inner) for source, inner in (*bound, *_given(step, holds)))


def _bound_in(source: Source) -> Iterator[tuple[str, ast.expr]]:
    """What assignments bind to what: ``parts, rate = (w, b), 0.1`` two names."""
    for node in source.statements:
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                yield from zip(map(text_of, target.elts), node.value.elts)
            else:
                yield text_of(target), node.value


def _given(step: Step, is_it: Callable[[ast.expr], bool]) -> Iterator[tuple[Source, str]]:
    """The functions that the step gives an argument, each with the name that it has there."""
    for call in step.source.calls:
        given = [*enumerate(call.args), *call.keywords.items()]
        positions = [at for at, argument in given if is_it(argument)]
        called = function_called(step, call, step.level) if positions else None
        if called is None:
            continue
        names = called.arguments if call.receiver is None else called.arguments[1:]
        by_position: dict[object, str] = dict(enumerate(names))
        for at in positions:
            name = at if type(at) is str else by_position.get(at)
            if name is not None:
                yield called, name


def _reads_gradients(source: Source, container: str) -> bool:
    """Whether ``.grad`` of what a container holds is read: of an entry, or of the variable of a loop over them."""
    names = {name for loop in _loops(source) if container in _entries_of(loop.iter) for name in bound_in(loop.target)}
    read = [node.value for node in source.nodes if isinstance(node, ast.Attribute) and node.attr == "grad"]
    return any(
        text_of(node) in names or (isinstance(node, ast.Subscript) and text_of(node.value) == container)
        for node in read
    )


def _entries_of(values: ast.expr) -> set[str]:
    """What a loop goes through: ``weights.values()``, ``zip(weights, moments)``."""
    inside = values.args if isinstance(values, ast.Call) else []
    owner = values.func.value if isinstance(values, ast.Call) and isinstance(values.func, ast.Attribute) else values
    return {text_of(owner), *(name for one in inside for name in _entries_of(one))}


def _leaf_used_in(step: Step, container: str) -> Line | None:
    """Where a function that makes a container computes with a new leaf: ``torch.randn(8, requires_grad=True) * 0.1``."""
    made = step.source.binding_of(root_of(container))
    calls = [node for node in ast.walk(made[1]) if isinstance(node, ast.Call)] if made is not None else []
    called = [function_called(step, Call(node, None, False), step.level) for node in calls]
    for source in (step.source, *(one for one in called if one is not None)):
        for node in source.nodes:
            parts = [node.left, node.right] if isinstance(node, ast.BinOp) else []
            parts += [node.func.value] if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else []
            if any(isinstance(one, ast.Call) and _makes_a_leaf(one) for one in parts):
                return source.file, node.lineno  # type: ignore[attr-defined]
    return None


def _makes_a_leaf(call: ast.Call) -> bool:
    is_asked = any(one.arg == "requires_grad" and text_of(one.value) == "True" for one in call.keywords)
    return is_asked or last_name(call.func) in ("requires_grad_", "Parameter")


def _loops(source: Source) -> list[ast.For | ast.comprehension]:
    return [node for node in source.nodes if isinstance(node, (ast.For, ast.comprehension))]


def _is_set_in_forward(cls: type, attribute: str) -> bool:
    """Whether each forward sets it, to what that was given or has computed."""
    return any(
        f"{source.self_name}.{attribute}" in source.bindings for name, source in methods_of(cls) if name == "forward"
    )


def _lonely_leaf(step: Step, tensor: Any) -> Any:
    """The only leaf that a non-leaf is computed from, by a few operations, where nothing else holds that leaf."""
    node = step.node_of(tensor)
    if node is None or retains_grad(tensor):
        return None
    leaves = step.graph.leaves(node)
    if step.graph.size_below(node) > 6 or len(leaves) != 1:
        return None
    leaf = leaves[0]
    known = id(leaf) in step.parameters or id(leaf) in step.optimized or id(leaf) in step.names
    return None if known else leaf


def _attributes(source: Source, name: str) -> list[ast.Attribute]:
    return [node for node in source.nodes if isinstance(node, ast.Attribute) and text_of(node.value) == name]


def _looped_as(source: Source, name: str) -> list[str]:
    """The variables of loops over a tuple or list that holds a name: ``for W in (W1, W2)``."""
    return [
        loop.target.id
        for loop in _loops(source)
        if isinstance(loop.target, ast.Name)
        and isinstance(loop.iter, (ast.Tuple, ast.List))
        and any(text_of(item) == name for item in loop.iter.elts)
    ]
