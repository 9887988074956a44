"""A reentrant checkpoint runs its part without a gradient.

Why: A reentrant checkpoint records a graph only where an input needs a gradient.

Example:
    out = checkpoint(block, x, use_reentrant=True)  # x needs no gradient

Instead:
    out = checkpoint(block, x, use_reentrant=False)

Silent when:
    - an input needs a gradient, or is not known
    - the parameters got a gradient, or a loss leads to them
    - the call is not torch's checkpoint, is not reentrant, or gradients are off around it
    - it does not surely run: a condition decides, or `forward` may not have come so far
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.metadata import is_exact_tensor, requires_grad
from .....measure.torch.modules import Member, is_module, parameters_of
from .....words.text import listed
from ....flow.constants.checkpoints import SureRuns, checkpoints_in, is_checkpoint, setting
from ....flow.gradient.detached_parts import parts_of
from ....flow.ops import LINEAR
from ....step.calls import Call
from ....step.classes import is_library, methods_of
from ....step.expressions import bound_in, text_of
from ....step.functions import called_at, value_in
from ....step.grad_mode import decorated_off, switches_off
from ....step.source import Source
from ....step.statements import last_line
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from ..optimizer.parts.unheld_parameters import uses_of


@rule(
    "error",
    why="A reentrant checkpoint records a graph only where an input needs a gradient.",
    suggestion="use_reentrant=False",
    needs="source",
)
def checkpoint_cut(step: Step) -> Iterator[Violation]:
    for call in step.here.calls if step.grad_mode else ():
        reentrant = call.keywords.get("use_reentrant")
        if reentrant is None or text_of(reentrant) != "True" or not call.args or not _runs_with_gradients(step, call):
            continue
        inputs = [step.operand(argument, 0, call.lineno) for argument in call.args[1:]]
        known = [variable for variable in inputs if variable is not None and is_exact_tensor(variable.value)]
        if not known or len(known) < len(inputs) or any(requires_grad(variable.value) for variable in known):
            continue
        name, tensors = _run_by(step, call)
        if any(map(requires_grad, tensors)) and step.reached().isdisjoint(map(id, tensors)):
            yield Violation(
                (
                    f"the reentrant checkpoint of {name} gets no input that needs a gradient",
                    ": ",
                    "its parameters get none",
                ),
                (known[0].name, "requires_grad is False"),
                line=(step.here.file, call.lineno),
                suggestion="use_reentrant=False",
            )
    yield from _reentrant_in_modules(step)


def _runs_with_gradients(step: Step, call: Call) -> bool:
    """Whether a call in the active frame is one of torch's checkpoint, and surely runs, with gradients on."""
    source, line = step.here, call.lineno
    around = [block.items for block in source.blocks if block.lineno <= line <= last_line(block)]
    is_off = decorated_off(source) or any(switches_off(items) is not None for items in around)  # or may be off
    is_sure = not source.is_conditional(line, seen_from=source.lineno)
    return is_sure and not is_off and is_checkpoint(value_in(step, call.callee, 0))


def _run_by(step: Step, call: Call) -> tuple[str, list[Any]]:
    """What a checkpoint in the active frame runs, a module or a function that calls modules: its name, and their parameters."""
    run = call.args[0]
    found = step.module_of(text_of(run), 0)
    if found is not None:
        return found.name, parameters_of(found.value)
    inner = Call(ast.copy_location(ast.Call(run, call.args[1:], []), run), None, False)
    called = called_at(step, inner, 0)
    modules = [] if called is None else [called.value(one.callee) for one in called.source.calls]
    return text_of(run), [tensor for one in modules if is_module(one) for tensor in parameters_of(one)]


def _reentrant_in_modules(step: Step) -> Iterator[Violation]:
    """A reentrant checkpoint in a method left no node in the graph, and what it runs no gradient."""
    if not step.has_all_losses() or not step.graph.complete:
        return
    reached, nodes = step.reached(), step.loss_nodes()
    is_pending = any(loss.pending for loss in step.losses)
    held = [one.tensor for one in step.trained()]
    if not any(id(tensor) in reached and (is_pending or step.grad(tensor) is not None) for tensor in held):
        return
    checkpoints = [op for op in step.graph.ops() if op.startswith("Checkpoint")]
    if any(step.graph.below(root, *checkpoints) for root in nodes if checkpoints):
        return
    missing = {id(tensor) for tensor in held if id(tensor) not in reached and step.grad(tensor) is None}
    for name, member in list(step.members.values()) if missing else ():
        if is_library(type(member.module)) or not _is_given_data(step, member, missing):
            continue
        methods = dict(methods_of(type(member.module)))
        for method, source in methods.items():
            for call in checkpoints_in(type(member.module), method, source):
                named = _parts_named(source, call.args[0], methods) if call.args else set[str]()
                gone = _gone(name, member, named, missing)
                runs = SureRuns(step, member.module, methods, _filled(member))
                run = runs.lines_of(source, call) if gone else []
                is_run = bool(run) and _is_between(member, methods["forward"], run, reached)
                if is_run and _is_reentrant(step, call, source, member.module):
                    what = "gets" if is_pending else "got"
                    yield Violation(
                        (
                            f"the reentrant checkpoint of {listed(gone, False, 60)} {what} no input that needs a gradient",
                            ": ",
                            f"its parameters {'get' if is_pending else 'got'} none",
                        ),
                        (gone[0], "trainable, in the optimizer, grad None"),
                        line=(source.file, call.lineno),
                    )


def _is_given_data(step: Step, member: Member, missing: set[int]) -> bool:
    """Whether the graph shows that no input of a module needs a gradient: what its weights are multiplied with leads to
    nothing outside of it, and all that has got no gradient is inside."""
    own = set(map(id, parameters_of(member.module)))
    uses = list(uses_of(step, own))
    joined = any(node.op in LINEAR for node in uses)
    return joined and missing <= own and all(own.issuperset(map(id, step.graph.leaves(node))) for node in uses)


def _filled(member: Member) -> set[str]:
    """The attributes of a module that hold parameters: lists among them are not empty."""
    return {key for key, tensors in parts_of(member) if tensors}


def _is_between(member: Member, forward: Source, lines: list[int], reached: set[int]) -> bool:
    """Whether ``forward`` has run past these lines, by what it gave the loss there, and nothing above needs a gradient."""
    parts = {key: tensors for key, tensors in parts_of(member) if not reached.isdisjoint(map(id, tensors))}
    used = [
        node.lineno
        for node in forward.nodes
        if isinstance(node, ast.Attribute) and text_of(node.value) == forward.self_name and node.attr in parts
    ]
    return bool(used) and min(used) >= min(lines)


def _is_reentrant(step: Step, call: Call, source: Source, module: Any) -> bool:
    """Whether it is reentrant, also by a setting of the module or of its file. torch's are, where the argument is left out."""
    asked = call.keywords.get("use_reentrant")
    return asked is None or setting(step, asked, source, module) is True


def _gone(name: str, member: Member, attributes: set[str], missing: set[int]) -> list[str]:
    """The attributes, or else entries of them, whose parameters are all missing."""
    found = []
    for part in ("_parameters", "_modules"):
        for key, item in member.items(part):
            if key not in attributes or not is_module(item):
                continue
            whole = Member(item, "", key, member)
            inside = [("", parameters_of(item)), *((f"[{at}]", tensors) for at, tensors in parts_of(whole))]
            gone = [suffix for suffix, tensors in inside if tensors and missing.issuperset(map(id, tensors))]
            found += [f"{name}.{key}{suffix}" for suffix in (gone[:1] if "" in gone else gone)]
    return found


def _parts_named(source: Source, run: ast.expr, methods: dict[str, Source]) -> set[str]:
    """The attributes of ``self`` that what is run names: by itself, by loops and functions around it, by other methods, by
    what those give a method for it. Not what a loop goes through of a part of a list: that may be none of it."""
    found, waiting, seen = set[str](), list[tuple[Source, ast.AST]]([(source, run)]), set[tuple[str, str]]()
    while waiting:
        source, top = waiting.pop()
        for node in ast.walk(top):
            if isinstance(node, ast.Attribute) and text_of(node.value) == source.self_name and node.attr not in found:
                found.add(node.attr)
                inner = methods.get(node.attr)
                waiting += [(inner, part) for part in inner.body] if inner is not None else []
            elif isinstance(node, ast.Name) and (source.function, node.id) not in seen:
                seen.add((source.function, node.id))
                waiting += _meanings(source, node.id, methods)
    return found


def _meanings(source: Source, name: str, methods: dict[str, Source]) -> Iterator[tuple[Source, ast.AST]]:
    """What a name in a method is bound to, goes through, or is given by other methods."""
    for _, bound in source.bindings.get(name, ()):
        is_function = isinstance(bound, ast.FunctionDef)
        value = bound if is_function else getattr(bound, "iter", getattr(bound, "value", None))
        yield from [(source, value)] if isinstance(value, ast.AST) and not _is_cut_short(value) else []
    loops = [node for node in ast.walk(source.tree or ast.Pass()) if isinstance(node, ast.comprehension)]
    yield from ((source, loop.iter) for loop in loops if name in bound_in(loop.target))
    at = source.arguments.index(name) - 1 if name in source.arguments[1:] else -1
    for other in methods.values() if at >= 0 else ():
        for call in other.calls:
            given = call.argument(at, name) if call.callee == f"{other.self_name}.{source.function}" else None
            yield from [(other, given)] if given is not None else []


def _is_cut_short(value: ast.AST) -> bool:
    return isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice)
