"""Calls in the source of a frame, and which of them begin a backward."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .expressions import is_name, names_in, operands_of, text_of


class Call:
    """A call: what is called and with what, as text; ``target`` is the name its result is bound to, if it is alone."""

    __slots__ = ("args", "callee", "is_statement", "keywords", "lineno", "node", "receiver", "target")

    def __init__(self, node: ast.Call, target: str | None, is_statement: bool) -> None:
        self.node = node
        self.lineno = node.lineno
        self.callee = text_of(node.func)
        self.receiver: ast.expr | None = node.func.value if isinstance(node.func, ast.Attribute) else None
        self.args = list(node.args)
        self.keywords = {keyword.arg or "**": keyword.value for keyword in node.keywords}
        self.target = target
        self.is_statement = is_statement

    @property
    def name(self) -> str:
        """The last part of what is called: ``backward``."""
        return self.callee.rpartition(".")[2]

    def argument(self, position: int, keyword: str) -> ast.expr | None:
        return self.args[position] if position < len(self.args) else self.keywords.get(keyword)


class Backward:
    """A call that starts a backward: of which names, through which scaler or other object, in which line.

    ``names``: the variable, or those that are added, scaled or reduced to what is backpropagated; ``is_whole``: nothing
    else is in it. ``is_name``: it is the variable itself. ``mentioned``: all names in it, those given to calls too.
    ``has_gradient``: the call is given the gradient to begin with.
    """

    __slots__ = ("call", "has_gradient", "is_name", "is_whole", "lineno", "mentioned", "names", "scaler")

    def __init__(self, call: Call, loss: ast.expr, scaler: str | None) -> None:
        self.call = call
        self.lineno = call.lineno
        self.names, self.is_whole = operands_of(loss)
        self.is_name = is_name(loss)
        self.mentioned = names_in(loss)
        self.scaler = scaler
        self.has_gradient = call.name == "backward" and (
            bool(call.args or "gradient" in call.keywords)
            if call.receiver is loss
            else call.argument(1, "grad_tensors") is not None and loss is call.args[0]
        )


def backwards_of(call: Call) -> Iterator[Backward]:
    """``loss.backward()``, ``scaler.scale(loss).backward()``, ``accelerator.backward(loss)``,
    ``manual_backward(loss)``, ``torch.autograd.backward(loss)``."""
    receiver = call.receiver
    if call.name in ("backward", "manual_backward") and receiver is not None:
        if call.args and (call.name == "manual_backward" or text_of(receiver).endswith("autograd")):
            yield Backward(call, call.args[0], None)
            return
        if is_scaling(receiver):
            yield Backward(call, receiver.args[0], text_of(receiver.func.value))  # type: ignore[attr-defined]
            return
        yield Backward(call, receiver, None)


def is_scaling(node: ast.expr) -> bool:
    """``scaler.scale(loss)``"""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "scale"
        and bool(node.args)
    )
