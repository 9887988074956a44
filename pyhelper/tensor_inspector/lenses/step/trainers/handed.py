"""Follows what a function returns through its callers to a backward: a trainer's, or that of the user's loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from ....safe.installed import is_installed_file
from ..calls import Backward, Call
from ..expressions import is_name, parent_of, text_of
from ..source import Source

#: What a call of makes of a loss no longer leads to its graph, or says something about it.
_LOSING = frozenset("detach float int isinstance item len log numpy print tolist type".split())
#: Words in the names of a library's functions that evaluate.
_EVALUATING = frozenset("eval evaluate evaluation predict prediction predictions test validate validation".split())
#: What a library calls that begins a backward from its first argument.
_BACKWARDS = frozenset(("backward", "manual_backward", "backward_fn", "_backward_fn"))
_ROUNDS = 3  #: in which names get their value from names


class _HandedOn:
    """What a call that runs gives, in the source around it: the names that hold it, or a part of it.

    ``is_exact``: nothing is computed of it, as of what a layer gives; else a library's calls of it count too.
    """

    def __init__(self, source: Source, call: ast.Call, *, is_exact: bool) -> None:
        self._source = source
        self._call = call
        self._is_exact = is_exact
        self._through_calls = not is_exact and is_installed_file(source.file)
        self.names: set[str] = set()
        for _ in range(_ROUNDS):
            before = len(self.names)
            for statement in source.statements:
                self._bind(statement)
            if len(self.names) == before:
                break

    def _bind(self, statement: Any) -> None:
        value = getattr(statement, "value", None)
        if isinstance(statement, ast.Assign):
            targets = statement.targets
        else:
            targets = [statement.target] if isinstance(statement, (ast.AnnAssign, ast.AugAssign)) else []
        if targets and value is not None and self.holds(value):
            self.names.update(text_of(name) for target in targets for name in _first_name_bound(target))

    def holds(self, node: ast.AST | None) -> bool:
        """Whether an expression is what the call gives, a part of it, or holds it."""
        if node is None:
            return False
        if node is self._call or (is_name(node) and self._is_held(text_of(node))):
            return True
        if isinstance(node, ast.Subscript) and _is_further(node.slice):
            return False
        if isinstance(node, (ast.Attribute, ast.Subscript, ast.NamedExpr, ast.Starred, ast.Await)):
            return self.holds(node.value)
        if isinstance(node, ast.IfExp):
            return self.holds(node.body) or self.holds(node.orelse)
        if isinstance(node, (ast.Tuple, ast.List)):
            return bool(node.elts) and self.holds(node.elts[0])
        if isinstance(node, ast.Dict):
            return any(self.holds(value) for key, value in zip(node.keys, node.values) if _says_loss(key))
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)) and not self._is_exact:
            # A library scales a loss by its settings; what the user multiplies by one may be a mask, a weight, a count.
            both = self._through_calls or isinstance(node.right, ast.Constant) or isinstance(node.left, ast.Constant)
            return both and (self.holds(node.left) or self.holds(node.right))
        return isinstance(node, ast.Call) and self._is_held_by_call(node)

    def _is_held_by_call(self, node: ast.Call) -> bool:
        name = text_of(node.func).rpartition(".")[2]
        if self._is_exact or name in _LOSING:
            return False
        if isinstance(node.func, ast.Attribute) and self.holds(node.func.value):
            return True
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        return self._through_calls and any(map(self.holds, given))

    def _is_held(self, name: str | None) -> bool:
        while name is not None:
            if name in self.names:
                return True
            parent = parent_of(name)
            part = name[len(parent) :] if parent is not None else ""
            if part.startswith("[") and part != "[0]" and "loss" not in part:
                return False  # another item than the first
            name = parent
        return False

    def is_returned(self) -> bool:
        return any(self.holds(answer.value) for answer in self._source.returns)

    def is_given_to(self, backward: Backward) -> bool:
        """Whether a backward in the source is begun from it."""
        call = backward.call
        subjects = [call.receiver, *call.args]
        return call.lineno >= self._call.lineno and (
            any(map(self.holds, subjects)) or any(map(self._is_held, backward.names))
        )

    def begins_a_backward(self) -> bool:
        """Whether a backward is begun from it, also by what a library has for that: ``self._backward_fn(loss)``."""
        if any(map(self.is_given_to, self._source.backwards)):
            return True
        calls = (call for call in self._source.calls if call.lineno >= self._call.lineno and call.name in _BACKWARDS)
        return self._through_calls and any(self.holds(given) for call in calls for given in call.args[:1])


def _first_name_bound(target: ast.AST) -> Iterator[ast.AST]:
    """The name that gets a loss, which comes first where a function returns more: ``loss, outputs = step(batch)``."""
    if isinstance(target, (ast.Tuple, ast.List)):
        yield from _first_name_bound(target.elts[0]) if target.elts else ()
    elif is_name(target):
        yield target


def _is_further(index: ast.expr) -> bool:
    """Whether a subscript takes another item than the first, or another entry than a loss."""
    if not isinstance(index, ast.Constant):
        return False
    return index.value != 0 if type(index.value) is int else not _says_loss(index)


def _says_loss(key: ast.expr | None) -> bool:
    return isinstance(key, ast.Constant) and type(key.value) is str and "loss" in key.value


def running_call(source: Source, function: str) -> Call | None:
    """The call that runs in a source, as the caller of a function; None where that is not known."""
    running = [call for call in source.calls if source.is_running(call)]
    if len(running) == 1:
        return running[0]
    in_line = [call for call in source.calls if call.lineno == source.lineno]
    named = [call for call in in_line if call.name == function]
    found = named or in_line
    return found[0] if len(found) == 1 else None


def is_users(source: Source) -> bool:
    return source.is_known() and not is_installed_file(source.file)


def is_evaluated_by_library(sources: Sequence[Source]) -> bool:
    """Whether a library calls the active function to evaluate, as its own function is named: ``validation_step``."""
    caller = next((source for source in sources if not is_users(source)), None)
    return caller is not None and not _EVALUATING.isdisjoint(caller.function.lower().split("_"))


def followed(sources: Sequence[Source], start: int, to: int | None = None) -> Iterator[tuple[int, _HandedOn]]:
    """The callers through which what a frame returns is handed on, each with its level, as far as it is."""
    is_exact = False
    for level in range(start + 1, len(sources) if to is None else to + 1):
        inner, source = sources[level - 1], sources[level]
        is_exact = is_exact or (inner.function in ("forward", "__call__") and is_users(inner))
        call = running_call(source, inner.function) if source.is_known() else None
        if call is None:
            return
        derived = _HandedOn(source, call.node, is_exact=is_exact)
        yield level, derived
        if not derived.is_returned():
            return


def level_of_step(sources: Sequence[Source]) -> tuple[int, bool]:
    """The level of the frame that is the step, and whether a library calls backward on what that returns.

    It is the first whose source begins a backward, or hands back what a library begins one from; 0 where none does.
    """
    for level, source in enumerate(sources):
        if source.backwards:
            return level, False
        end = next((at for at, derived in followed(sources, level) if derived.begins_a_backward()), None)
        if end is None:
            continue
        if is_users(sources[end]):
            return end, False
        own = [at for at in range(level, end) if is_users(sources[at])]
        if own:
            return own[-1], True
    return 0, False


def returned_losses(source: Source) -> Iterator[tuple[ast.Return, ast.expr]]:
    """The expressions that are the loss in what a function is still to return."""
    for answer in source.returns:
        if answer.value is not None and answer.lineno >= source.lineno:
            found = {text_of(node): node for node in _losses_in(answer.value)}
            yield from ((answer, node) for node in found.values())


def _losses_in(node: ast.expr) -> Iterator[ast.expr]:
    """``loss`` of ``(loss, outputs) if more else loss``, of ``{"loss": loss}`` and of ``Output(loss=loss)``."""
    if isinstance(node, ast.IfExp):
        yield from _losses_in(node.body)
        yield from _losses_in(node.orelse)
    elif isinstance(node, (ast.Tuple, ast.List)):
        yield from _losses_in(node.elts[0]) if node.elts else ()
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values):
            if isinstance(key, ast.Constant) and key.value == "loss":
                yield value
    elif isinstance(node, ast.BinOp) and isinstance(node.left, ast.Tuple):  # `(loss,) + outputs`
        yield from _losses_in(node.left)
    elif isinstance(node, ast.Call) and any(keyword.arg == "loss" for keyword in node.keywords):
        yield from (keyword.value for keyword in node.keywords if keyword.arg == "loss")
    elif not isinstance(node, ast.Constant):
        yield node


def handed_back(answer: ast.Return, loss: ast.expr) -> Backward:
    """What a caller does with a loss that is returned, as though it stood there: ``loss.backward()``."""
    made = ast.copy_location(ast.Attribute(loss, "backward", ast.Load()), answer)
    call = ast.copy_location(ast.Call(made, [], []), answer)
    return Backward(Call(call, None, True), loss, None)
