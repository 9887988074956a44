"""Rules about the autograd graph: where it is cut, freed, changed, or kept for too long."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ...measure.torch.elements import is_own, version_of
from ...measure.torch.graph import Node
from ...measure.torch.metadata import dtype_name, element_count, gradient_of, requires_grad, shape_of
from ...measure.torch.modules import is_module
from ...safe.guard import class_name, each, instance_dict
from ...words.text import listed, plural, shape
from ..step.source import Source, names_in, root_of, text_of
from ..step.step import Loss, Parameter, Step
from .classes import is_library, methods_of
from .finding import Found
from .rule import Rule

_CUTS = ("detach", "numpy", "item", "tolist", "data", "from_numpy", "as_tensor", "tensor", "array")
_STEPS = (
    "argmax",
    "argmin",
    "argsort",
    "round",
    "floor",
    "ceil",
    "sign",
    "long",
    "int",
    "bool",
    "eq",
    "ne",
    "gt",
    "lt",
    "ge",
    "le",
    "topk",
    "bincount",
    "one_hot",
    "multinomial",
    "sample",
    "trunc",
    "heaviside",
    "searchsorted",
)


def loss_without_grad(step: Step) -> Iterator[Found]:
    """A loss that is about to be backpropagated has nothing behind it."""
    for loss in _dead_losses(step):
        cut = _origin(step, loss, _CUTS)
        facts = [(loss.name, f"{dtype_name(loss.tensor)} without grad_fn")]
        if cut is None:
            yield Found(f"{loss.name} has no grad_fn: backward will fail", *facts, line=_line(step, loss))
            continue
        name, line, call = cut
        yield Found(
            f"{loss.name} has no grad_fn: {name} left autograd by {call}",
            *facts,
            (name, f"line {line}: {call}"),
            line=(step.source.file, line),
        )


def nondifferentiable(step: Step) -> Iterator[Found]:
    for loss in _dead_losses(step):
        cut = _origin(step, loss, _STEPS)
        if cut is not None:
            name, line, call = cut
            yield Found(
                f"{loss.name} has no grad_fn: {name} is made by {call}, which has no gradient",
                (name, f"line {line}: {call}"),
                (loss.name, "without grad_fn"),
                line=(step.source.file, line),
            )


def grad_mode_off(step: Step) -> Iterator[Found]:
    for loss in _dead_losses(step):
        block = _without_gradients(step, root_of(loss.name))
        trainable = [one for one in step.parameters.values() if requires_grad(one.tensor)]
        if not trainable or (block is None and step.grad_mode):
            continue
        where = (
            "gradients are off here"
            if block is None
            else f"it was computed under {text_of(block.items[0].context_expr)}"
        )
        yield Found(
            f"{loss.name} has no grad_fn: {where}",
            (loss.name, "without grad_fn"),
            ("torch.is_grad_enabled()", str(step.grad_mode)),
            line=_line(step, loss) if block is None else (step.source.file, block.lineno),
        )


def _without_gradients(step: Step, name: str) -> ast.With | ast.AsyncWith | None:
    """The block without gradients in which a value, or what it is made of, was computed by a module."""
    source, waiting = step.source, [name]
    seen: set[str] = set()
    while waiting and len(seen) < 100:
        name = waiting.pop(0)
        made = None if name in seen else source.value_of(name)
        seen.add(name)
        if made is None:
            continue
        block = source.is_under(made[0], "no_grad", "inference_mode")
        calls = [call for call in source.calls if call.line == made[0] and step.module_of(call.callee, step.at)]
        if block is not None and calls:
            return block
        value = getattr(made[1], "value", None)
        waiting.extend(root_of(inner) for inner in (names_in(value) if value is not None else ()))
    return None


def frozen_params(step: Step) -> Iterator[Found]:
    if not _dead_losses(step):
        return
    held = [one for one in step.parameters.values() if id(one.tensor) in step.held]
    if held and not any(requires_grad(one.tensor) for one in held):
        root = held[0].root.name
        dead = _dead_losses(step)[0]
        yield Found(
            f"none of the {plural(len(held), 'parameter')} of {root} in the optimizer is trainable",
            (root, "requires_grad is False everywhere"),
            (dead.name, "without grad_fn"),
            *((thing.name, f"holds {plural(len(held), 'parameter')}") for thing in step.optimizers[:1]),
        )


def _dead_losses(step: Step) -> list[Loss]:
    return [
        loss
        for loss in step.pending()
        if not requires_grad(loss.tensor) and not loss.backward.gradient and (step.optimizers or step.parameters)
    ]


def _line(step: Step, loss: Loss) -> tuple[str, int] | None:
    made = step.source.value_of(loss.name.replace('"', "'"))
    return None if made is None else (step.source.file, made[0])


def _origin(step: Step, loss: Loss, calls: tuple[str, ...]) -> tuple[str, int, str] | None:
    """The assignment by which what the loss is made of left autograd: its name, line and call."""
    source, waiting = step.source, [root_of(loss.name)]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop(0)
        found = None if name in seen else source.value_of(name)
        seen.add(name)
        if found is None:
            continue
        line, node = found
        value = getattr(node, "value", None)
        if value is None:
            continue
        for below in ast.walk(value):
            called = text_of(below.func).rpartition(".")[2] if isinstance(below, ast.Call) else ""
            if isinstance(below, ast.Attribute) and below.attr == "data" and "data" in calls:
                called = "data"
            if isinstance(below, ast.Compare) and "eq" in calls and _has_tensors(step, below):
                return name, line, "a comparison"
            if called in calls and _comes_from_model(step, below):
                return name, line, f"{called}()" if called != "data" else ".data"
        waiting.extend(root_of(inner) for inner in names_in(value))
    return None


def _has_tensors(step: Step, node: ast.AST) -> bool:
    return any(is_own(step.value(name)) for name in names_in(node))


def _comes_from_model(step: Step, node: ast.AST) -> bool:
    """Whether an expression names something that is not only data: the output of a call, or a tensor with a gradient."""
    names = names_in(node)
    if isinstance(node, ast.Call) and any(
        isinstance(below, ast.Call) and below is not node for below in ast.walk(node)
    ):
        return True
    for name in names:
        value = step.value(name)
        if not is_own(value) or requires_grad(value):
            return True
        made = step.source.value_of(root_of(name))
        value_node: Any = None if made is None else getattr(made[1], "value", None)
        if value_node is not None and any(
            isinstance(below, ast.Call) and step.module_of(text_of(below.func), step.at)
            for below in ast.walk(value_node)
        ):
            return True
    return False


def loss_rewrapped(step: Step) -> Iterator[Found]:
    for loss in step.losses:
        leaf = requires_grad(loss.tensor) and gradient_of(loss.tensor).is_leaf
        known = id(loss.tensor) in step.parameters or id(loss.tensor) in step.held
        if not leaf or known or element_count(loss.tensor) != 1 or not (step.optimizers or step.modules):
            continue
        amount = len(step.trained()) or sum(requires_grad(one.tensor) for one in step.parameters.values())
        what = "reaches" if loss.pending else "reached"
        yield Found(
            f"{loss.name} is a leaf: a new tensor made from a number, so backward {what} none of {plural(amount, 'parameter')}",
            (loss.name, "a leaf with requires_grad, without grad_fn"),
            line=_line(step, loss),
        )


def graph_cut(step: Step) -> Iterator[Found]:
    """From no loss a path leads to parameters that the optimizer of others holds, though they took part."""
    if not step.has_all_losses() or not step.graph.complete:
        return
    reached, nodes = reached_by_losses(step)
    missed = [one for one in step.trained() if id(one.tensor) not in reached]
    if not missed or not nodes:
        return
    for thing in step.tensors:
        node = step.node_of(thing.value)
        if node is None or any(step.graph.reaches(root, node) for root in nodes):
            continue
        leads = {id(leaf) for leaf in step.graph.leaves(node)}
        cut = [one for one in missed if id(one.tensor) in leads]
        if cut and _share_an_optimizer(step, cut, reached) and not _is_old(step, node):
            line = _detached_in(step.source, thing.key)
            names = _grouped(step, cut)
            loss = step.losses[0]
            yield Found(
                f"{names} got no gradient from {loss.name}: {thing.name} leads to them, but was cut off before the loss",
                (thing.name, "has a graph that the loss does not reach"),
                *((one.name, "trainable, in the optimizer" + _no_grad(step, one)) for one in cut[:4]),
                line=None if line is None else (step.source.file, line),
            )
            return


def _is_old(step: Step, node: Node) -> bool:
    """Whether its graph was freed by a backward that went through it."""
    return any(below.is_freed() for below in step.graph.below(node)[:50])


def _no_grad(step: Step, one: Parameter) -> str:
    return ", grad None" if step.grad(one.tensor) is None else ""


def reached_by_losses(step: Step) -> tuple[set[int], list[Node]]:
    nodes = [node for node in (step.node_of(loss.tensor) for loss in step.losses) if node is not None]
    return {id(leaf) for node in nodes for leaf in step.graph.leaves(node)}, nodes


def _share_an_optimizer(step: Step, cut: list[Parameter], reached: set[int]) -> bool:
    from ...measure.torch.optimizers import tensors

    for thing in step.optimizers:
        held = {id(tensor) for tensor in tensors(thing.value)}
        if held & reached and any(id(one.tensor) in held for one in cut):
            return True
    return False


def _grouped(step: Step, parameters: list[Parameter]) -> str:
    """``encoder.*`` for all of a module, else the names."""
    owners = list(dict.fromkeys(one.name.rpartition(".")[0] or one.name for one in parameters))
    return listed((f"{owner}.*" for owner in owners), False, 60)


def _detached_in(source: Source, name: str) -> int | None:
    for call in source.calls:
        if call.name in _CUTS and call.receiver is not None and text_of(call.receiver) == name:
            return call.line
    return None


def unused_module(step: Step) -> Iterator[Found]:
    """A submodule that no method of its parent names, with parameters that no loss reaches."""
    reached, nodes = reached_by_losses(step)
    if not nodes or not step.has_all_losses() or not step.graph.complete:
        return
    by_member: dict[int, list[Parameter]] = {}
    for one in step.parameters.values():
        top = one.member
        by_member.setdefault(id(top.module), []).append(one)
    for name, member in list(step.members.values()):
        parent = member.parent
        if parent is None or is_library(type(parent.module)):
            continue
        below = [one for key in _below(member, step) for one in by_member.get(key, [])]
        trainable = [one for one in below if requires_grad(one.tensor)]
        if not trainable or any(id(one.tensor) in reached or step.grad(one.tensor) is not None for one in trainable):
            continue
        siblings = [one for one in step.parameters.values() if one.root.value is trainable[0].root.value]
        if not any(id(one.tensor) in reached for one in siblings):
            continue
        attribute = member.name.rpartition(".")[2]
        if any(source.mentions(attribute) for source in step.sources) or _is_named(type(parent.module), attribute):
            continue
        yield Found(
            f"{name} took no part in the forward: {listed((one.name for one in trainable), False, 60)} got no gradient",
            (name, f"no method of {class_name(type(parent.module))} but __init__ names it"),
            *((one.name, "grad None") for one in trainable[:4]),
        )


def _below(member: Any, step: Step) -> list[int]:
    prefix = member.name + "."
    root = _root(member)
    return [
        id(other.module)
        for _, other in step.members.values()
        if _root(other) is root and (other is member or other.name.startswith(prefix))
    ]


def _root(member: Any) -> Any:
    while member.parent is not None:
        member = member.parent
    return member.module


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
        for key, item in each(dict.items, instance_dict(member.module)):
            if type(item) not in (list, tuple, dict) or key.startswith("_"):
                continue
            found = list(dict.values(item)) if type(item) is dict else list(item)
            hidden = [one for one in found if is_module(one) or _is_hidden(one)]
            tensors = [tensor for one in hidden for tensor in _tensors_in(one)]
            registered = set(map(id, _tensors_in(_root(member))))
            loose = [tensor for tensor in tensors if id(tensor) not in registered and id(tensor) not in step.held]
            if not loose or not all(requires_grad(tensor) for tensor in loose):
                continue
            if not any(id(tensor) in reached or step.grad(tensor) is not None for tensor in loose):
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
                line=_assigned(type(member.module), key),
                suggestion=f"make {key} an nn.ModuleList, nn.ModuleDict or nn.ParameterList",
            )


def _is_hidden(value: Any) -> bool:
    return is_own(value) and requires_grad(value) and gradient_of(value).is_leaf


def _tensors_in(value: Any) -> list[Any]:
    from ...measure.torch.modules import members
    from ...safe.budget import Budget, Steps

    if is_own(value):
        return [value]
    found = members(value, Steps(Budget()))
    return [tensor for member in found for _, tensor in member.part("_parameters")]


def _assigned(cls: type, attribute: str) -> tuple[str, int] | None:
    for _, source in methods_of(cls):
        lines = source.lines_of(f"self.{attribute}") if f"self.{attribute}" in source.bindings else []
        if lines:
            return source.file, lines[0]
    return None


def non_leaf_grad(step: Step) -> Iterator[Found]:
    """A module keeps as a weight what is computed from a leaf that nobody holds."""
    for name, member in list(step.members.values()):
        for key, item in each(dict.items, instance_dict(member.module)):
            if not is_own(item) or not requires_grad(item) or key.startswith("_"):
                continue
            leaf = _lonely_leaf(step, item)
            if leaf is not None:
                node = step.node_of(item)
                yield Found(
                    f"{name}.{key} is no leaf but the result of {node.op if node else 'an operation'}: its .grad stays None, and parameters() does not see it",
                    (f"{name}.{key}", f"computed from a leaf of {shape(shape_of(leaf))} that has no name"),
                    line=_assigned(type(member.module), key),
                )
    for thing in step.tensors:
        if thing.depth or not requires_grad(thing.value) or not step.source.is_known():
            continue
        wanted = [node for node in _attributes(step.source, thing.key) if node.attr == "grad"]
        leaf = _lonely_leaf(step, thing.value) if wanted else None
        if leaf is not None:
            yield Found(
                f"{thing.name} is no leaf: {thing.name}.grad stays None",
                (thing.name, "computed from a leaf that has no name"),
                line=_bound(step, thing.key),
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


def _bound(step: Step, name: str) -> tuple[str, int] | None:
    made = step.source.value_of(name)
    return None if made is None else (step.source.file, made[0])


def inplace_modified(step: Step) -> Iterator[Found]:
    for loss in step.pending():
        root = step.node_of(loss.tensor)
        for node in step.graph.below(root) if root is not None else ():
            for name in node.saves():
                saved = node.saved(name)
                if saved.state != "modified":
                    continue
                changed = _changed_name(step, node)
                versions = f"saved at version {saved.expected}, now at version {saved.found}"
                line, how = _changed_in(step, changed)
                title = f"backward will fail: {node.op}Backward0 saved {changed or 'a tensor'} at version {saved.expected}, it is at version {saved.found} now{how}"
                yield Found(title, (changed, versions), (loss.name, "its backward goes through it"), line=line)
                return


def _changed_name(step: Step, node: Node) -> str | None:
    """The variable that was changed: what the node made, or what was made of that in place."""
    for above in (node, *(user for user, _ in step.graph.users(node))):
        thing = step.tensor_at(above)
        if thing is not None and version_of(thing.value):
            return thing.name
    for below in step.graph.inputs(node):
        thing = step.tensor_at(below)
        if thing is not None and version_of(thing.value):
            return thing.name
        for leaf_at in step.graph.below(below)[:3]:
            if leaf_at.leaf is not None and version_of(leaf_at.leaf):
                return step.name_of(leaf_at.leaf)
    return None


def _changed_in(step: Step, name: str | None) -> tuple[tuple[str, int] | None, str]:
    if name is None:
        return None, ""
    for call in reversed(step.source.calls):
        if (
            call.name.endswith("_")
            and not call.name.endswith("__")
            and text_of(call.receiver) == name
            and call.line < step.source.line
        ):
            return (step.source.file, call.line), f" ({call.callee})"
    for line, node in reversed(step.source.bindings.get(name, [])):
        if isinstance(node, ast.AugAssign) and line < step.source.line:
            return (step.source.file, line), ""
    return None, ""


def graph_freed(step: Step) -> Iterator[Found]:
    """A backward that is still to come leads through what an earlier one has freed."""
    for loss in step.pending():
        root = step.node_of(loss.tensor)
        if root is None:
            continue
        freed = next((node for node in step.graph.below(root) if node.is_freed()), None)
        if freed is not None:
            shared = step.title_of(freed) or _named_above(step, root, freed)
            what = f"{shared}, made by {freed.op}" if shared else freed.op
            before = [other.line for other in step.source.backwards if other.line < step.source.line]
            yield Found(
                f"{loss.name} goes through {what}, whose graph an earlier backward has freed",
                (loss.name, f"{freed.op}Backward0 below it has nothing saved any more"),
                *([(shared, "its graph is freed")] if shared else []),
                line=(step.source.file, before[-1] if before else loss.backward.line),
            )
            return
    for name, tensor, line in _carried(step):
        root = step.node_of(tensor)
        freed = None if root is None else next((node for node in step.graph.below(root) if node.is_freed()), None)
        if freed is not None:
            yield Found(
                f"{name} still has the graph of the step before, which its backward has freed: the next backward will fail",
                (name, f"grad ← {root.op if root else ''}Backward0, freed below"),
                line=(step.source.file, line),
                suggestion=f"detach it between steps: {name} = {name}.detach()",
            )
            return


def _carried(step: Step) -> Iterator[tuple[str, Any, int]]:
    """What is about to be given to a module, in the loop of a backward that is still to come."""
    source = step.source
    for call, _, view in step.calls_of_modules():
        if view != step.at or call.line < source.line:
            continue
        loop = source.loop_of(call.line)
        if loop is None or not any(
            loop[0] <= other.line <= loop[1] and other.line >= call.line for other in source.backwards
        ):
            continue
        for argument in (*call.args, *call.keywords.values()):
            for name in names_in(argument) if not isinstance(argument, ast.Call) else ():
                if not source.is_current(name, call.line):
                    continue
                yield from ((shown, tensor, call.line) for shown, tensor in _tensors_named(step, name))


def _tensors_named(step: Step, name: str) -> Iterator[tuple[str, Any]]:
    value = step.value(name)
    if is_own(value):
        yield name, value
    elif type(value) in (list, tuple):
        for item in value[:8]:
            if is_own(item):
                yield name, item


def _named_above(step: Step, root: Node, freed: Node) -> str | None:
    """The nearest variable that the freed node has become."""
    for thing in step.tensors:
        node = step.node_of(thing.value)
        if node is not None and node is not root and step.graph.reaches(root, node) and step.graph.reaches(node, freed):
            return thing.name
    return None


def retained_graph(step: Step) -> Iterator[Found]:
    """A running sum or a list keeps the graphs of steps whose backward is long done."""
    source = step.source
    used = {root_of(name) for backward in source.backwards for name in backward.names}
    for thing in step.tensors:
        if thing.view != step.at or root_of(thing.key) in used or not requires_grad(thing.value):
            continue
        line = _grows_in(source, thing.key, (ast.AugAssign, ast.Assign))
        if line is None:
            continue
        freed = _freed_addends(step, thing.value)
        if freed > 1:
            yield Found(
                f"{thing.name} carries the graphs of {freed} steps: a chain of additions that keeps them alive",
                (thing.name, f"requires grad, {freed} freed graphs below it"),
                line=(source.file, line),
                suggestion="add the number: loss.item() or loss.detach()",
            )
    for (view, key), value in list(step._values.items()):
        if view != step.at or type(value) is not list or root_of(key) in used:
            continue
        items = [item for item in value[:64] if is_own(item) and requires_grad(item)]
        freed = sum(_is_freed(step, item) for item in items)
        line = _appended_in(source, key)
        if freed > 1 and line is not None:
            yield Found(
                f"{key} keeps the graphs of {freed} steps alive",
                (key, f"{plural(len(items), 'tensor')} with grad_fn, their graphs freed"),
                line=(source.file, line),
                suggestion="append the number: loss.item() or loss.detach()",
            )


def _grows_in(source: Source, name: str, kinds: tuple[type, ...]) -> int | None:
    """The line in which a name is added to, in a loop that does not begin it anew."""
    bindings = source.bindings.get(name, [])
    adds = [
        (line, node)
        for line, node in bindings
        if isinstance(node, ast.AugAssign) or (isinstance(node, ast.Assign) and name in names_in(node.value))
    ]
    for line, _ in adds:
        loop = source.loop_of(line)
        fresh = [other for other, node in bindings if all(node is not added for _, added in adds)]
        if loop is not None and not any(loop[0] <= other <= loop[1] for other in fresh):
            return line
        if loop is None and "." in name and not fresh:
            return line
    return None


def _appended_in(source: Source, name: str) -> int | None:
    for call in source.calls_of("append"):
        if text_of(call.receiver) != name:
            continue
        loop = source.loop_of(call.line)
        fresh = source.lines_of(name)
        if loop is not None and not any(loop[0] <= line <= loop[1] for line in fresh):
            return call.line
        if loop is None and "." in name and not fresh:
            return call.line
    return None


def _freed_addends(step: Step, tensor: Any) -> int:
    """How many freed graphs a chain of additions joins."""
    node, found = step.node_of(tensor), 0
    waiting = [] if node is None else [node]
    while waiting and found < 10_000:
        node = waiting.pop()
        if node.op in ("Add", "Div", "Mul") and node.op != "Add":
            waiting.extend(step.graph.inputs(node)) if not node.is_freed() else None
        elif node.op == "Add":
            waiting.extend(step.graph.inputs(node))
            continue
        found += any(below.is_freed() for below in step.graph.below(node)[:20])
    return found


def _is_freed(step: Step, tensor: Any) -> bool:
    node = step.node_of(tensor)
    return node is not None and any(below.is_freed() for below in step.graph.below(node)[:20])


def graph_grows(step: Step) -> Iterator[Found]:
    """The graph of the loss is longer by as much at each stop in this line: it reaches back through earlier steps."""
    sizes = [moment.nodes for moment in step.moments if moment.line == step.source.line and moment.nodes]
    roots = [node for node in (step.node_of(loss.tensor) for loss in step.losses) if node is not None]
    if len(sizes) < 3 or not roots:
        return
    now = max(len(step.graph.below(root)) for root in roots)
    sizes = [*sizes[-3:], now]
    grown = [after - before for before, after in zip(sizes, sizes[1:])]
    if min(grown) < 3 or max(grown) != min(grown):
        return
    loss = step.losses[0]
    yield Found(
        f"the graph of {loss.name} grows by {grown[0]} nodes a step: it reaches back through earlier steps",
        (loss.name, f"{sizes[-1]} nodes now, {sizes[0]} three stops ago"),
        suggestion="detach what is carried from step to step",
    )


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
            value = member.own.get(typo)
            if type(value) is not bool:
                continue
            trainable = any(requires_grad(tensor) for _, tensor in member.part("_parameters"))
            inner = any(requires_grad(one.tensor) for one in step.parameters.values() if one.name.startswith(name))
            if value is False and (trainable or inner):
                yield Found(
                    f"{name}.{typo} = False does nothing on a module: its parameters are still trainable",
                    (name, f"has an attribute {typo}"),
                    suggestion=f"{name}.requires_grad_(False)",
                )
                return


def checkpoint_cut(step: Step) -> Iterator[Found]:
    """A reentrant checkpoint whose inputs need no gradient runs its part without one."""
    for call in step.here.calls_of("checkpoint"):
        reentrant = call.keywords.get("use_reentrant")
        if reentrant is None or text_of(reentrant) != "True":
            continue
        inputs = [step.operand(argument, 0, call.line) for argument in call.args[1:]]
        known = [thing for thing in inputs if thing is not None and is_own(thing.value)]
        called = step.module_of(text_of(call.args[0]), 0) if call.args else None
        if not known or len(known) < len(inputs) or any(requires_grad(thing.value) for thing in known):
            continue
        if called is not None and any(
            one.root.value is called.value and requires_grad(one.tensor) for one in step.parameters.values()
        ):
            yield Found(
                f"the reentrant checkpoint of {called.name} gets no input that needs a gradient: its parameters get none",
                (known[0].name, "requires_grad is False"),
                line=(step.here.file, call.line),
                suggestion="use_reentrant=False",
            )


RULES = [
    Rule(
        "frozen-params",
        frozen_params,
        "loss optimizer source",
        "error",
        "Nothing can be learned: no gradient is computed.",
        "call requires_grad_(True) on what is to be trained",
    ),
    Rule(
        "grad-mode-off",
        grad_mode_off,
        "loss module source",
        "error",
        "Without gradients no graph is recorded, and backward has nothing to go through.",
        "compute the loss outside of no_grad",
    ),
    Rule(
        "nondifferentiable",
        nondifferentiable,
        "loss source",
        "error",
        "Such an operation has no gradient: nothing before it can learn.",
        "use a differentiable stand-in, as softmax for argmax",
    ),
    Rule(
        "loss-without-grad",
        loss_without_grad,
        "loss source",
        "error",
        "backward() will raise, or nothing is learned.",
        "keep the computation in torch, without detach, numpy or item",
    ),
    Rule(
        "loss-rewrapped",
        loss_rewrapped,
        "loss source",
        "error",
        "The new tensor knows nothing of the model: no parameter gets a gradient from it.",
        "call backward on the loss itself",
    ),
    Rule(
        "graph-cut",
        graph_cut,
        "loss optimizer source",
        "error",
        "What gets no gradient does not learn.",
        "pass it on without detach()",
    ),
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
    Rule(
        "inplace-modified",
        inplace_modified,
        "loss source",
        "error",
        "The backward needs the value as it was; torch will raise.",
        "use the operation that makes a new tensor",
    ),
    Rule(
        "graph-freed",
        graph_freed,
        "source",
        "error",
        "backward() frees what it went through; a second one raises.",
        "add the losses and call backward once, or retain_graph=True",
    ),
    Rule(
        "retained-graph",
        retained_graph,
        "source",
        "warning",
        "Memory grows with every step.",
        "keep numbers, not tensors with a graph",
    ),
    Rule(
        "graph-grows",
        graph_grows,
        "loss moments source",
        "warning",
        "Each step takes longer and more memory than the one before.",
        "detach what is carried over",
    ),
    Rule("freeze-typo", freeze_typo, "module", "warning", "Nothing was frozen.", "set requires_grad"),
    Rule(
        "checkpoint-cut",
        checkpoint_cut,
        "source",
        "error",
        "A reentrant checkpoint records a graph only where an input needs a gradient.",
        "use_reentrant=False",
    ),
]
