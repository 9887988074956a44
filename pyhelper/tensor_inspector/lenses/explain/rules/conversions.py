"""A tensor of several elements where Python needs one value; a tensor that numpy can't read."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from math import prod
from typing import Any

from ....safe.guard import module
from ....words.text import plural
from ...findings.finding import Violation
from ...step.expressions import text_of
from ..error_context import ErrorContext
from ..operand import Operand, in_title, needs_grad
from ..operation import Operation


def ambiguous_truth(context: ErrorContext) -> Violation:
    """A tensor of several elements that is used as a truth value."""
    made = _settings_of_a_class(context)
    if made is not None:
        return made
    for node, word, around in _conditions(context):
        asked = context.failing.reader.read(node)
        if type(asked) is Operand and asked.sizes is not None and prod(asked.sizes) != 1:
            title = (f"{asked.name} is {asked.fact}, {_elements(asked)}", ": ", f"{word} needs a single True or False")
            return context.found(title, *asked.leaves()[:2], suggestion=_of_condition(context, node, around, asked))
    several = [one for one in context.operands() if one.sizes is not None and prod(one.sizes) != 1]
    if not several:
        return context.quoted([])
    title = (
        f"{several[0].name} is {several[0].fact}, {_elements(several[0])}",
        ": ",
        "this line needs a single True or False",
    )
    return context.found(title, *several[:3])


def _settings_of_a_class(context: ErrorContext) -> Violation | None:
    """``nn.CrossEntropyLoss(out, y)``: the class is called with tensors in place of its settings."""
    called = None if context.call is None else context.failing.reader.value(context.call.func)
    given = list(context.written())[1:]
    tensors = [(text, value) for text, value in given if type(value) is Operand]
    if context.call is None or not tensors or not _makes_modules(called):
        return None
    name, inside = text_of(context.call.func), ", ".join(text for text, _ in given)
    title = (f"{name} is a class", ": ", f"{inside} are taken for its settings, not for its inputs")
    return context.found(title, *(value for _, value in tensors), suggestion=f"{name}()({inside})")


def _makes_modules(called: Any) -> bool:
    torch: Any = module("torch")
    return issubclass(type(called), type) and issubclass(called, torch.nn.Module)


def _conditions(context: ErrorContext) -> Iterator[tuple[ast.AST, str, ast.AST]]:
    """The truth values that the failing statement needs, in order: the expression, what needs it, the node around it."""
    whole = context.failing.whole
    for node in context.failing.below():
        if isinstance(node, ast.BoolOp):
            word = "and" if isinstance(node.op, ast.And) else "or"
            yield from ((value, f"`{word}`", node) for value in node.values)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield node.operand, "`not`", node
        elif isinstance(node, ast.IfExp):
            yield node.test, "`if`", node
        elif isinstance(node, ast.comprehension):
            yield from ((test, "`if`", node) for test in node.ifs)
        elif isinstance(node, ast.Call) and text_of(node.func) == "bool":
            yield from ((argument, "bool()", node) for argument in node.args[:1])
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            yield node.left, "`in`, which compares with ==,", node
        elif isinstance(node, ast.Compare) and len(node.ops) > 1:
            yield node, "a chain of comparisons", node
    if isinstance(whole, (ast.If, ast.While, ast.Assert)):
        yield whole.test, f"`{type(whole).__name__.lower()}`", whole


def _of_condition(context: ErrorContext, node: ast.AST, around: ast.AST, asked: Operand) -> str:
    tensors = isinstance(around, ast.BoolOp) and all(
        type(context.failing.reader.read(one)) is Operand for one in around.values
    )
    if isinstance(around, ast.BoolOp) and tensors:
        sign = " & " if isinstance(around.op, ast.And) else " | "
        return sign.join(f"({in_title(value)})" for value in around.values)
    if isinstance(around, ast.Compare) and isinstance(around.ops[0], (ast.In, ast.NotIn)):
        return f"any(one is {asked.name} for one in {in_title(around.comparators[0])})"
    if isinstance(around, ast.Compare):
        return "two comparisons, joined by &, and all() or any() of them"
    if isinstance(around, ast.UnaryOp):
        return f"~{asked.written} for each element, or {asked.written}.numel() == 0, or {asked.name} is None"
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq) and len(asked.parts) == 2:
        return f"torch.equal({asked.parts[0].name}, {asked.parts[1].name})"
    whether = "" if isinstance(node, ast.Compare) else f", or {asked.name} is not None"
    return f"{asked.written}.all() or {asked.written}.any(){whether}"


def not_one_element(context: ErrorContext) -> Violation:
    """A tensor that is converted to a number, but has several elements or none."""
    for text, value in context.written():
        if type(value) is str:  # a text repeats itself by a number, and asks the tensor for one
            title = (f"{text} is a str", ", ", f"but {context.called} wants a number or a tensor")
            return context.found(title, (text, "a str"), *context.operands()[:1])
    for operation in context.operations:
        for one in operation.operands():
            if one.sizes is not None and prod(one.sizes) != 1:
                what = "the number" if operation.name in ("getitem", "elementwise") else f"{operation.name}()"
                title = (f"{one.name} is {one.fact}, {_elements(one)}", ": ", f"{what} takes a single one")
                return context.found(title, one, suggestion=_one_number(operation, one))
    return context.quoted()


def _one_number(operation: Operation, one: Operand) -> str:
    if operation.name in ("tensor", "as_tensor", "array") and operation.node is not None:
        given = operation.node.args[:1] if isinstance(operation.node, ast.Call) else []
        return f"torch.stack({text_of(given[0])})" if given else ""
    if not one.sizes or not prod(one.sizes):
        return "check what has left it empty"
    fit = f"{one.written}.mean().item()" if one.is_float() or one.dtype is None else f"{one.written}[0].item()"
    return f"{fit}, or {one.written}.tolist() for all of them"


def grad_to_numpy(context: ErrorContext) -> Violation:
    """A tensor with ``requires_grad`` that is converted to an array."""
    for operation in context.operations:
        given = next((one for one in operation.operands() if _may_need_grad(one)), None)
        if given is not None:
            title = (f"{given.name} requires a gradient", ": ", "a numpy array can't record what is done with it")
            plain = given if given.value is None else (given.name, f"{given.fact}, requires a gradient")
            return context.found(title, plain, suggestion=_array_of(given))
    known = next((one for one in context.operands() if needs_grad(one)), None)
    if known is None:
        return context.quoted()
    title = (f"{known.name} requires a gradient", ": ", "a numpy array can't record what is done with it")
    return context.found(title, (known.name, f"{known.fact}, requires a gradient"), suggestion=_array_of(known))


def _may_need_grad(one: Operand) -> bool:
    """Whether it requires a gradient, or was computed from something that may."""
    return not one.is_array and (needs_grad(one) if one.value is not None else True)


def _array_of(one: Operand) -> str:
    moved = ".cpu()" if one.device not in (None, "cpu") else ""
    name = one.name if one.is_written and one.name.endswith(")") else one.written
    return f"{name}.detach(){moved}.numpy()"


def _elements(one: Operand) -> str:
    return plural(prod(one.sizes or ()), "element")
