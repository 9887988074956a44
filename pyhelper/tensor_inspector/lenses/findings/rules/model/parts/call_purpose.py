"""Tells what a model is called for: to draw samples, to make something of noise, or to learn the shape of its output."""

from __future__ import annotations

import ast
from collections.abc import Collection

from ......measure.torch.modules import Member, is_module
from ......safe.guard import NUMBERS
from .....flow.definitions import own_part
from .....flow.effects import CHANGING_NOTHING, FILLING, FILLING_WITH_ONE, FILLING_WITH_ZERO, UPDATING
from .....flow.ops import CONSTANT, METADATA, RANDOM, REARRANGING, UNINITIALIZED
from .....step.calls import Call
from .....step.expressions import bound_in, is_name, last_name, text_of
from .....step.functions import functions_called_by_all, value_in
from .....step.grad_mode import off_at
from .....step.source import Source
from .....step.step import Step

_ONE_NUMBER = CONSTANT.union(UNINITIALIZED)
_JOINING = ("cat", "concat", "concatenate", "hstack", "stack", "vstack")
#: Methods whose result is random where their tensor is.
_KEEPING_ELEMENTS = REARRANGING.union(
    "clamp clamp_ clone detach double expand float half permute repeat requires_grad_ type".split()
)
#: In-place methods that write no data into a tensor.
_WITHOUT_DATA = RANDOM.union(FILLING, FILLING_WITH_ONE, FILLING_WITH_ZERO, CHANGING_NOTHING)


def is_drawn_again(source: Source, call: Call) -> bool:
    """Whether a model is called some times with the same: ``[net(x) for _ in range(8)]``, or in a loop in which nothing
    else than the call makes a difference, since gradients are off around it."""
    given = {
        node.id for one in (*call.args, *call.keywords.values()) for node in ast.walk(one) if isinstance(node, ast.Name)
    }
    around = [
        node for node in source.nodes if any(one is call.node for part in _repeated(node) for one in ast.walk(part))
    ]
    if not around:
        return False
    innermost = around[-1]
    bound = {name for node in ast.walk(innermost) for name in _bound_by(node)}
    if isinstance(innermost, (ast.For, ast.While)) and off_at(source, innermost.lineno) is None:
        return False
    return given.isdisjoint(bound)


def _repeated(node: ast.AST) -> list[ast.AST]:
    """What runs again and again."""
    if isinstance(node, (ast.For, ast.While)):
        return list(node.body)
    return [node.elt] if isinstance(node, (ast.ListComp, ast.GeneratorExp)) else []


def _bound_by(node: ast.AST) -> list[str]:
    if isinstance(node, (ast.For, ast.comprehension)):
        return list(bound_in(node.target))
    return [node.id] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else []


def is_sampled(step: Step, member: Member) -> bool:
    """Whether a model, in which a module is, is drawn from again and again in the frames in sight, or where these call."""
    for level, source in enumerate(step.sources):
        for call in source.calls:
            value = value_in(step, call.callee, level)
            if is_module(value) and member.is_in(value) and is_drawn_again(source, call):
                return True
    return any(
        is_module(value := called.value(call.callee)) and member.is_in(value) and is_drawn_again(called.source, call)
        for called in functions_called_by_all(step)
        for call in called.source.calls
    )


def is_given_noise(step: Step, call: Call) -> bool:
    """Whether a model makes something of random numbers: its input is nothing else, as with a condition beside it.

    Indices and masks that are drawn, and data with noise added, are data.
    """
    return any(_is_noise(step, one, set()) for one in call.args[:1])


def _is_noise(step: Step, node: ast.AST | None, seen: set[str]) -> bool:
    if isinstance(node, ast.BinOp):
        sides = (node.left, node.right)
        is_sum = isinstance(node.op, (ast.Add, ast.Sub))
        known = [one for one in sides if not _is_number(step, one)]
        return bool(known) and (is_sum or len(known) == 1) and all(_is_noise(step, one, seen) for one in known)
    if isinstance(node, (ast.UnaryOp, ast.Subscript)):
        return _is_noise(step, node.operand if isinstance(node, ast.UnaryOp) else node.value, seen)
    if isinstance(node, ast.Call):
        if last_name(node.func) in RANDOM:
            return True
        if last_name(node.func) in _JOINING:
            parts = node.args[0].elts if node.args and isinstance(node.args[0], (ast.Tuple, ast.List)) else []
            return any(_is_noise(step, one, seen) for one in parts)
        is_same = isinstance(node.func, ast.Attribute) and node.func.attr in _KEEPING_ELEMENTS
        return is_same and _is_noise(step, node.func.value, seen)  # type: ignore[attr-defined]
    name = text_of(node) if is_name(node) else ""
    if not name or name in seen:
        return False
    seen.add(name)
    bound = [(source, one) for source in step.sources for _, one in source.bindings.get(name, ())]
    return any(
        _is_noise(step, value, seen) and not _is_filled_with_data(source, name, UPDATING)
        for source, one in bound
        if (value := own_part(one, name)) is not None
    )


def _is_number(step: Step, node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) or (is_name(node) and type(value_in(step, text_of(node), 0)) in NUMBERS)


def is_tried_out(step: Step, call: Call) -> bool:
    """Tells whether a model is called to learn the shape of its result.

    Then it is given one number everywhere, unlike a batch that is multiplied with a mask of ones, or is written into what
    was zeros; or the shape is all that is asked for.
    """
    given = [one for one in call.args[:1] if not isinstance(one, ast.BinOp)]
    names = {node.id for one in given for node in ast.walk(one) if isinstance(node, ast.Name)}
    names = {name for name in names if not _is_filled_with_data(step.here, name)}
    bound = [getattr(node, "value", None) for name in names for node in _unchanged(step.here, name)]
    made = [one for one in (*given, *bound) if isinstance(one, ast.Call)]
    is_about = any(
        isinstance(node, ast.Attribute) and node.attr in METADATA and node.value is call.node
        for node in step.here.nodes
    )
    return is_about or any(last_name(one.func) in _ONE_NUMBER for one in made)


def _unchanged(source: Source, name: str) -> list[ast.AST]:
    """What binds a name, where nothing is added to it: ``padded += x``."""
    bound = [node for _, node in source.bindings.get(name, ())]
    return [] if any(isinstance(node, ast.AugAssign) for node in bound) else bound


def _is_filled_with_data(source: Source, name: str, harmless: Collection[str] = ()) -> bool:
    """Whether anything but a number is written into what a name holds: ``padded[:, :n] = x``, ``padded.copy_(x)``.

    ``harmless``: in-place methods that leave it what it is.
    """
    for node in source.nodes:
        if isinstance(node, (ast.Assign, ast.AugAssign)) and not isinstance(node.value, ast.Constant):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(one, ast.Subscript) and _owner(one) == name for one in targets):
                return True
        if isinstance(node, ast.Call):
            written = [one.value for one in node.keywords if one.arg == "out"]
            method = node.func if isinstance(node.func, ast.Attribute) else None
            has_data = any(not isinstance(one, ast.Constant) for one in node.args)
            if method is not None and has_data and method.attr.endswith("_"):
                written += [] if method.attr in _WITHOUT_DATA or method.attr in harmless else [method.value]
            if any(_owner(one) == name for one in written):
                return True
    return False


def _owner(node: ast.AST) -> str:
    """What a part is of: ``padded`` of ``padded[:, :n]`` and of ``padded.narrow(1, 0, n)``."""
    while isinstance(node, (ast.Subscript, ast.Call)):
        inner = node.func if isinstance(node, ast.Call) else node.value
        node = inner.value if isinstance(node, ast.Call) and isinstance(inner, ast.Attribute) else inner
    return text_of(node) if is_name(node) else ""


def meets_an_argument(source: Source, call: Call) -> bool:
    """Whether what a model gives meets labels that the function was given with its input, in a loss or a comparison."""
    given, arguments = names_below(call.node), set(source.arguments[1:])
    unpacked = [
        ({name for target in statement.targets for name in bound_in(target)}, names_below(statement.value) & arguments)
        for statement in source.statements
        if isinstance(statement, ast.Assign) and call.node is not statement.value
    ]
    batch = {argument for names, of in unpacked if names & given for argument in of} or given & arguments
    labels = {name for names, of in unpacked if of & batch for name in names}
    others = labels - given - {call.target or ""}
    meeting = (node for node in source.nodes if isinstance(node, (ast.Compare, ast.Call)))
    return call.target is not None and any(call.target in met and met & others for met in map(names_below, meeting))


def names_below(node: ast.AST) -> set[str]:
    return {below.id for below in ast.walk(node) if isinstance(below, ast.Name)}
